/* orrery.core's net_*: clients of runtime/net, and the calls that Lua starts on them. */
#ifndef ORRERY_OUTSIDE_H
#define ORRERY_OUTSIDE_H

#include <lauxlib.h>

#include "bindings/host/fiber.h"

extern const luaL_Reg net_functions[];
/* Makes the classes of clients and of the handles of calls, once for each Lua state. */
void net_glue_open(lua_State *L);
/* The engine closes: its clients on this state's thread close, and their calls end without an answer. */
void net_drop(orrl_state *state, const orr_engine *engine);
/* The fiber is given up in the middle of its call: what it started goes with it. */
void net_abandon(orrl_state *state, const fiber *f);

#endif
