/* Takes memory away from this Lua state, to see what becomes of calls that run out of it in the middle. */
#include <stdbool.h>

#include "inside.h"

typedef struct starving {
  lua_Alloc fn; /* the state's own */
  void *ud;
  lua_Integer left; /* requests that are still served */
  bool hungry;      /* one was refused */
} starving;

/* Lua takes it that memory which does not grow is always given. */
static void *starved(void *ud, void *ptr, size_t old_size, size_t new_size) {
  starving *s = ud;
  bool grows = new_size > 0 && (!ptr || new_size > old_size);
  if (grows && s->left-- <= 0) {
    s->hungry = true;
    return NULL;
  }
  return s->fn(s->ud, ptr, old_size, new_size);
}

/* starve(n, fn): calls fn, which gets no memory from its n-th request on. -> whether it returned, what it returned or
 * raised, whether a request was refused */
static int l_starve(lua_State *L) {
  starving s = {.left = luaL_checkinteger(L, 1) - 1};
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  luaL_checkstack(L, 20, NULL);
  s.fn = lua_getallocf(L, &s.ud);
  lua_setallocf(L, starved, &s);
  int status = lua_pcall(L, 0, 1, 0);
  lua_setallocf(L, s.fn, s.ud);
  lua_pushboolean(L, status == LUA_OK);
  lua_insert(L, -2);
  lua_pushboolean(L, s.hungry);
  return 3;
}

void inside_starve(lua_State *L) {
  lua_pushcfunction(L, l_starve);
  lua_setfield(L, -2, "call");
}
