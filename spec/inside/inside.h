/* The rooms that specs look into. Each inside_<name>(L) adds functions to the table on top of the stack. */
#ifndef ORR_INSIDE_H
#define ORR_INSIDE_H

#include <lauxlib.h>
#include <lua.h>

#define INSIDE_ROOMS(X)                                                                                                   \
  X(time) X(uel) X(feel) X(uow) X(base) X(store) X(model) X(job) X(races) X(scenario) X(starve) X(options) X(query) \
  X(trace) X(deferred) X(callers) X(pool) X(server_pool) X(topics) X(work)

__attribute__((visibility("default"))) int luaopen_orrery_inside(lua_State *L);
#define INSIDE_DECLARE(name) void inside_##name(lua_State *L);
INSIDE_ROOMS(INSIDE_DECLARE)

#endif
