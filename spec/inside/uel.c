/* Expressions for the specs: uel.compile(text, bare) gives { kind, text, code, roots }, or nil, message, code. */
#include "inside.h"

#include "base/arena.h"
#include "model/uel/uel.h"

static int l_compile(lua_State *L) {
  static const char *const kinds[] = {"literal", "variable", "code"};
  orr_env env;
  orr_error err = {0};
  uel_code code;
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  env_system(&env);
  orr_arena *arena = arena_new(&env.allocator);
  if (!arena) return luaL_error(L, "out of memory");
  if (uel_compile(arena, text, size, lua_toboolean(L, 2) ? UEL_BARE : UEL_TEXT, &code, &err)) {
    arena_free(arena);
    lua_pushnil(L);
    lua_pushstring(L, err.message);
    lua_pushinteger(L, err.code);
    orr_error_clear(&err);
    return 3;
  }
  lua_newtable(L);
  lua_pushstring(L, kinds[code.kind]);
  lua_setfield(L, -2, "kind");
  lua_pushlstring(L, code.text, code.size);
  lua_setfield(L, -2, "text");
  if (code.code) {
    lua_pushlstring(L, code.code, code.code_size);
    lua_setfield(L, -2, "code");
  }
  lua_newtable(L);
  for (size_t i = 0; i < code.n_roots; i++) {
    lua_pushstring(L, code.roots[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "roots");
  arena_free(arena);
  return 1;
}

void inside_uel(lua_State *L) {
  lua_pushcfunction(L, l_compile);
  lua_setfield(L, -2, "compile");
}
