/* The host itself: its beginning and its end. */
#ifndef ORRERY_HOST_HOST_H
#define ORRERY_HOST_HOST_H

#include "bindings/host/host_types.h"

/* Made before the engine is, because its log may speak at once; the engine closes it. `L` is the opener's. */
lua_host *host_new(lua_State *L, orr_error *err);
/* The engine has closed. On the opener's thread; NULL is fine. */
void host_free(lua_host *h);
/* The engine's host, as host_new made it; NULL: it has none. */
static inline lua_host *host_of(const orr_engine *engine) { return (lua_host *)engine->host; }
/* A value into an arena; false with `refusal` filled. */
bool host_to_arena(lua_State *L, orrl_state *state, int index, orr_arena *arena, const char *name, orr_value *out,
                   char *refusal);

/* Calls f(…), which is on the stack from 2 on, within the budget of an expression, for code that no fiber
 * of this thread runs; one result. Raises what f raises. */
int host_bounded(lua_State *L, lua_thread *t);

#endif
