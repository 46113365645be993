/* JSON for delegates and tasks: json_decode and json_encode of orrery.core. */
#ifndef ORRERY_JSON_H
#define ORRERY_JSON_H

#include <lauxlib.h>

#include "bindings/host/state.h"

/* Pushes what a JSON text says; false, and nothing is pushed, when it is none. */
bool json_push(lua_State *L, orrl_state *state, const char *text, size_t size);

extern const luaL_Reg json_functions[];

#endif
