/* orr_upgrade as a function of the module: by hand, because it calls back. */
#include "bindings/upgrade.h"

#include "bindings/orrl.h"

enum { ARGUMENT_PATH = 1, ARGUMENT_KEEP, ARGUMENT_FORCE, ARGUMENT_PROGRESS, ARGUMENT_FAILURE };

/* No error of Lua may jump over the upgrade: the first one waits on the stack until it has ended. */
static void call_progress(void *ud, int64_t done, int64_t total) {
  lua_State *L = ud;
  if (!lua_isnil(L, ARGUMENT_FAILURE)) return;
  lua_pushvalue(L, ARGUMENT_PROGRESS);
  lua_pushinteger(L, done);
  lua_pushinteger(L, total);
  if (lua_pcall(L, 2, 0, 0) != LUA_OK) lua_replace(L, ARGUMENT_FAILURE);
}

static int upgrade_run(lua_State *L) {
  orrl_call c;
  orr_error err = {0};
  lua_settop(L, ARGUMENT_PROGRESS);
  if (!lua_isnil(L, ARGUMENT_PROGRESS)) luaL_checktype(L, ARGUMENT_PROGRESS, LUA_TFUNCTION);
  orrl_begin(&c, L, "orrery.upgrade", ARGUMENT_PROGRESS);
  lua_pushnil(L);
  luaL_checkstack(L, LUA_MINSTACK, "progress");
  const char *path = orrl_text(&c, ARGUMENT_PATH, false);
  orr_upgrade_options options = {.size = sizeof options, .keep = orrl_boolean(&c, ARGUMENT_KEEP, true),
                                 .force = orrl_boolean(&c, ARGUMENT_FORCE, true)};
  if (!lua_isnil(L, ARGUMENT_PROGRESS)) options.progress = call_progress, options.progress_ud = L;
  orr_builder *out = orrl_builder(&c);
  if (orr_upgrade(path, &options, out, &err)) return orrl_raise(&c, &err);
  if (!lua_isnil(L, ARGUMENT_FAILURE)) {
    orrl_end(&c);
    lua_settop(L, ARGUMENT_FAILURE);
    return lua_error(L);
  }
  int n = orrl_push_built(&c, out);
  orrl_end(&c);
  return n;
}

const luaL_Reg upgrade_functions[] = {{"upgrade", upgrade_run}, {NULL, NULL}};
