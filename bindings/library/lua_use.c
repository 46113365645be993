/* orr_lua_use: the script host of the Lua module, for a program that has no Lua. The host owns a
 * Lua state, in which the thread that opens the engine works; other threads get theirs as they do
 * beside a Lua program. */
#include "orrery/lua.h"

#include <dlfcn.h>
#include <lauxlib.h>
#include <libgen.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "bindings/api.h"
#include "bindings/host/blocking.h"
#include "bindings/host/host.h"
#include "bindings/host/host_settings.h"
#include "bindings/module.h"
#include "bindings/script/lua_files.h"
#include "bindings/value.h"

typedef struct lua_opening {
  orr_engine *engine;
  const orr_lua_options *options;
  lua_host *host; /* once the engine has it, the engine closes it */
  orr_error error;
} lua_opening;

/* ---- Finding the files ----------------------------------------------------------------------- */

static void push_library_folder(lua_State *L) {
  Dl_info info;
  char *path = dladdr((const void *)(uintptr_t)&orr_lua_use, &info) != 0
                   ? realpath(info.dli_fname, NULL)
                   : NULL;
  if (!path)
    luaL_error(L,
               "cannot tell where liborrery-lua lies; the option files names the folder with "
               "orrery/init.lua");
  lua_pushstring(L, dirname(path));
  free(path);
}

static void find_files(lua_State *L, const char *files) {
  if (files) {
    lua_files_use(L, files);
    return;
  }
  push_library_folder(L);
  lua_files_set_path(L, lua_tostring(L, -1));
}

/* ---- The options ----------------------------------------------------------------------------- */

static void push_given(lua_State *L, orrl_state *state, const orr_value *value) {
  if (value) orrl_push_value(L, state, value);
  else lua_pushnil(L);
}

/* Pushes them as orrery.open takes them. */
static void push_options(lua_State *L, orrl_state *state, const lua_opening *o) {
  push_given(L, state, o->options->settings);
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
  }
  lua_pushstring(L, o->options->package_path);
  lua_setfield(L, -2, "package_path");
  push_given(L, state, o->engine->config.allow);
  lua_setfield(L, -2, "allow");
}

/* ---- Opening --------------------------------------------------------------------------------- */

enum { OPENING = 1, ENGINES, OPTIONS, SETTINGS }; /* open_in_lua's stack */

static int push_host(orrl_call *c, lua_opening *o) {
  host_limits limits = settings_limits(c, SETTINGS);
  o->host = host_new(c->L, &o->error);
  if (!o->host) return orrl_raise(c, &o->error);
  o->host->owned = c->L; /* first: what raises from here on leaves the state to the host */
  settings_take(c, SETTINGS, &limits, o->host);
  if (engine_set_host(o->engine, &o->host->base, &o->error)) return orrl_raise(c, &o->error);
  return 0;
}

/* Arguments: the opening, and the module orrery.engine.c_host. */
static int open_in_lua(lua_State *L) {
  orrl_call c;
  orrl_begin(&c, L, "orr_lua_use", 2);
  lua_opening *o = lua_touserdata(L, OPENING);
  push_options(L, c.state, o);
  lua_getfield(L, ENGINES, "settings");
  lua_pushvalue(L, OPTIONS);
  lua_call(L, 1, 1);
  push_host(&c, o);
  orrl_end(&c);
  lua_getfield(L, ENGINES, "adopt");
  orrl_box_new(L, &orrl_engine_class, o->engine, true);
  lua_pushvalue(L, OPTIONS);
  lua_call(L, 2, 0);
  return 0;
}

static int prepare_library(lua_State *L) {
  lua_opening *o = lua_touserdata(L, 1);
  luaL_openlibs(L);
  blocking_wrap(L);
  find_files(L, o->options->files);
  luaL_requiref(L, "orrery.core", luaopen_orrery_core, 0);
  lua_getglobal(L, "require");
  lua_pushvalue(L, -1);
  lua_pushliteral(L, "orrery");
  lua_call(L, 1, 0);
  lua_pushlightuserdata(L, orrl_state_of(L));
  lua_pushcclosure(L, open_in_lua, 1);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, -3);
  lua_pushliteral(L, "orrery.engine.c_host");
  lua_call(L, 1, 1);
  lua_call(L, 2, 0);
  return 0;
}

/* What was raised: one of our errors, which has a message, or a text. */
static int tell_open_failure(lua_State *L, int status, orr_error *err) {
  if (status == LUA_ERRMEM) return error_memory(err);
  if (lua_istable(L, -1)) lua_getfield(L, -1, "message");
  const char *message = lua_tostring(L, -1);
  return error_set(err, ORR_E_ARGUMENT, "orr_lua_use: %s",
                   message ? message : "something was raised that is no text");
}

static int open_lua_host(orr_engine *engine, const void *given, orr_error *err) {
  orr_lua_options own;
  lua_opening o = {.engine = engine, .options = options_take(&own, sizeof own, given, err)};
  if (!o.options) return error_wrap(err, "orr_lua_use");
  lua_State *L = luaL_newstate();
  if (!L) return error_memory(err);
  lua_pushcfunction(L, prepare_library);
  lua_pushlightuserdata(L, &o);
  int status = lua_pcall(L, 1, 0, 0);
  if (status == LUA_OK) return 0;
  int rc = tell_open_failure(L, status, err);
  orr_error_clear(&o.error);
  if (engine->host) return rc; /* and closes the state with it */
  host_free(o.host);
  if (!o.host) lua_close(L);
  return rc;
}

void orr_lua_use(orr_config *config, const orr_lua_options *options) {
  static const orr_scripts scripts = {.core = &host_core, .open = open_lua_host};
  if (!config) return;
  config->scripts = &scripts;
  config->scripts_options = options;
}
