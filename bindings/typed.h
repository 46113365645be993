/* Declared values in Lua: what orrery.typed makes and get_typed gives. Plain Lua values elsewhere. */
#ifndef ORRERY_TYPED_H
#define ORRERY_TYPED_H

#include "bindings/host/state.h"

/* Makes the class of declared values, once for each Lua state. */
void typed_open(lua_State *L, orrl_state *state);
/* Pushes an object that holds a copy of `value`, whatever its type. */
void typed_push(lua_State *L, const orr_value *value);
/* The value of an object, which the caller keeps on the stack; NULL: it is none. */
const orr_value *typed_value(lua_State *L, int index);

extern const luaL_Reg typed_functions[];

#endif
