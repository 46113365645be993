/* Secrets: texts that Lua holds and passes on and cannot read. Only the code that writes to the network takes them out. */
#ifndef ORRERY_SECRET_H
#define ORRERY_SECRET_H

#include <lauxlib.h>
#include <lua.h>

#include "bindings/host/state.h"

/* Makes the class of secrets, once for each Lua state. */
void secret_open(lua_State *L);
/* Makes a secret of the text on top of the stack. */
void secret_wrap(lua_State *L);
/* Is the value at `index` a secret? */
bool secret_is(lua_State *L, int index);
/* The text of a string, a number or a secret, which the caller keeps on the stack; NULL for anything else. `secret` (may
 * be NULL) is set when it is one. Pushes one value in each case. */
const char *secret_text(lua_State *L, int index, size_t *size, bool *secret);

extern const luaL_Reg secret_functions[];

#endif
