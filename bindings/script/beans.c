/* The names in an expression that a method is asked of, by the compiler of expressions itself. */
#include "bindings/script/beans.h"

#include "base/arena.h"
#include "model/uel/uel.h"

/* beans(text) -> the names that a method is asked of, in their order; none when it does not
 * compile */
static int function_beans(lua_State *L) {
  orr_env env;
  orr_error err = {0};
  uel_code code = {0};
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  lua_newtable(L);
  env_system(&env);
  orr_arena *arena = arena_new(&env.allocator);
  if (!arena) return luaL_error(L, "out of memory");
  if (uel_compile(arena, text, size, UEL_TEXT, &code, &err)) code.n_beans = 0;
  orr_error_clear(&err);
  for (size_t i = 0; i < code.n_beans; i++) {
    lua_pushstring(L, code.beans[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  arena_free(arena);
  return 1;
}

const luaL_Reg beans_functions[] = {{"beans", function_beans}, {NULL, NULL}};
