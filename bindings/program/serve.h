/* The server, for the command alone. */
#ifndef ORRERY_SERVE_H
#define ORRERY_SERVE_H

#include <lua.h>

/* orrery.server, which only the command has: run(options, engines) and hash(secret, token). */
int luaopen_orrery_server(lua_State *L);

#endif
