/* The host itself: its beginning and its end. */
#ifndef ORRERY_HOST_HOST_H
#define ORRERY_HOST_HOST_H

#include "bindings/host/host_types.h"

/* Made before the engine is, because its log may speak at once; the engine closes it. `L` is the opener's. */
lua_host *host_new(lua_State *L, orr_error *err);
/* The engine has closed. On the opener's thread; NULL is fine. */
void host_free(lua_host *h);
/* The engine's host, as host_new made it. */
lua_host *host_of(orr_engine *engine);
/* A value into an arena; false with `refusal` filled. */
bool host_to_arena(lua_State *L, orrl_state *state, int index, orr_arena *arena, const char *name, orr_value *out,
                   char *refusal);

#endif
