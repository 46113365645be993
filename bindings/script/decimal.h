/* Decimals of 34 digits as Lua values. */
#ifndef ORRERY_BINDINGS_DECIMAL_H
#define ORRERY_BINDINGS_DECIMAL_H

#include <lauxlib.h>

/* Pushes the table of their functions. */
void decimal_open(lua_State *L);

#endif
