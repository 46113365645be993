/* orrery_inside: the runtime's inner functions for the specs. One file a room, each with a function that fills a table. */
#include "inside.h"

int luaopen_orrery_inside(lua_State *L) {
  lua_newtable(L);
#define INSIDE(name) \
  lua_newtable(L);   \
  inside_##name(L);  \
  lua_setfield(L, -2, #name);
  INSIDE_ROOMS(INSIDE)
#undef INSIDE
  return 1;
}
