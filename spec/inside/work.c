/* How much this thread has done: a number that is the same on every machine. Builds with AddressSanitizer count it
 * (spec/counted/). */
#include <string.h>

#include "inside.h"
#include "spec/counted/work.h"

/* count(): how many basic blocks of our own code this thread has executed, and one more for each 16 bytes that the C
 * library looked at for it. nil: this build does not count. */
static int l_count(lua_State *L) {
#ifdef ORRERY_COUNTS_WORK
  lua_pushinteger(L, (lua_Integer)orrery_work);
#else
  lua_pushnil(L);
#endif
  return 1;
}

/* Two mistakes for the count to find. The first holds each of n numbers against each, and tells how many pairs there are
 * whose sum is even. */
static int l_pairs(lua_State *L) {
  lua_Integer n = luaL_checkinteger(L, 1), even = 0;
  for (lua_Integer i = 0; i < n; i++) {
    for (lua_Integer j = 0; j < n; j++) {
      if ((i ^ j) & 1) continue;
      even++;
    }
  }
  lua_pushinteger(L, even);
  return 1;
}

/* The second asks at each of n bytes how many are left, and tells the sum. */
static int l_lengths(lua_State *L) {
  lua_Integer sum = 0;
  for (const char *text = luaL_checkstring(L, 1); *text; text++) sum += (lua_Integer)strlen(text);
  lua_pushinteger(L, sum);
  return 1;
}

void inside_work(lua_State *L) {
  static const luaL_Reg functions[] = {{"count", l_count}, {"pairs", l_pairs}, {"lengths", l_lengths}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
