/* Registered names, and modules beside them. */
#ifndef ORRERY_HOST_HOST_NAMES_H
#define ORRERY_HOST_HOST_NAMES_H

#include "bindings/host/host_types.h"

/* The host goes: frees the registered names. On the opener's thread. */
void names_free(lua_host *h);
extern const luaL_Reg names_methods[]; /* added to the engine's class */
/* Pushes the registered value, or returns false. Raises when it lives in another thread's state only. */
bool names_push(lua_State *L, lua_thread *t, const char *name);
/* What names_keep_view kept of it since names last changed; pushes nothing when there is none. */
bool names_push_view(lua_State *L, lua_thread *t, const char *name);
/* Keeps the view on top of the stack for the name. */
void names_keep_view(lua_State *L, lua_thread *t, const char *name);
/* Is it registered, whatever its thread? Any thread may ask. */
bool names_known(lua_host *h, const char *name);
/* The same, and modules of the path: could it be called? Any thread. */
bool names_available(lua_host *h, const char *name);
/* Raises that nothing of this name is here; a job that fails with it waits until there is (executor/absent.h). */
int names_missing(lua_State *L, orrl_state *state, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Pushes a registered value or a module's; raises kind not_found. */
void names_resolve(lua_State *L, fiber *f, const char *name);
/* Pushes the module that an expression asks a method of. Without one it is false, or when it is
 * `needed`, raises kind not_found. */
bool names_bean(lua_State *L, fiber *f, const char *name, bool needed);
/* The deployment that the fiber's execution belongs to; 0 without one. */
orr_id host_deployment(const fiber *f);

#endif
