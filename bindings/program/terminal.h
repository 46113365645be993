/* The terminal, for the command alone. */
#ifndef ORRERY_TERMINAL_H
#define ORRERY_TERMINAL_H

#include <lua.h>

/* orrery.terminal, which only the command has: is a stream a terminal, and line editing for the REPL. */
int luaopen_orrery_terminal(lua_State *L);

#endif
