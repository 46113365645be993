/* Settings of the script host, from Lua's table to the host's fields. */
#include "bindings/host/host_settings.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/value.h"

enum { SCRIPT_SECONDS_MAX = 1000 * 1000 * 1000 }; /* more is meant as none */

static int64_t limit_field(orrl_call *c, int index, const char *name) {
  lua_getfield(c->L, index, name);
  int fits = 1;
  int64_t n = lua_isnil(c->L, -1) ? 0 : lua_tointegerx(c->L, -1, &fits);
  if (!fits || n < 0) orrl_argument(c, index, "%s: a positive integer expected", name);
  return n;
}

/* In nanoseconds; 0: none. */
static int64_t seconds_field(orrl_call *c, int index, const char *name) {
  lua_getfield(c->L, index, name);
  double seconds = lua_isnil(c->L, -1) ? 0 : lua_tonumber(c->L, -1);
  bool fits = lua_isnil(c->L, -1) ||
              (lua_type(c->L, -1) == LUA_TNUMBER && seconds >= 0 && seconds <= SCRIPT_SECONDS_MAX);
  if (!fits)
    orrl_argument(c, index, "%s: a number of seconds expected, 0 to %d", name, SCRIPT_SECONDS_MAX);
  return (int64_t)(seconds * 1e9);
}

host_limits settings_limits(orrl_call *c, int index) {
  return (host_limits){
      .instructions = limit_field(c, index, "instructions"),
      .memory_bytes = limit_field(c, index, "memory"),
      .script_ns = seconds_field(c, index, "seconds"),
      .await_ns = seconds_field(c, index, "await_seconds"),
  };
}

static void replace_text(lua_State *L, int index, const char *name, char **text) {
  lua_getfield(L, index, name);
  char *copy = lua_isstring(L, -1) ? strdup(lua_tostring(L, -1)) : NULL;
  if (!copy) return;
  free(*text);
  *text = copy;
}

/* Other threads' states read it, so it is kept as a value. */
static void read_outside(orrl_call *c, int index, lua_host *h) {
  char refusal[ORRL_REFUSAL];
  lua_getfield(c->L, index, "outside");
  if (lua_isnil(c->L, -1)) return;
  h->outside = orr_builder_new();
  if (!h->outside || !orrl_build(c->L, c->state, -1, h->outside, "options", true, refusal))
    luaL_error(c->L, "out of memory");
}

void settings_take(orrl_call *c, int index, const host_limits *limits, lua_host *h) {
  lua_State *L = c->L;
  h->instructions = limits->instructions;
  h->memory_bytes = limits->memory_bytes;
  h->script_ns = limits->script_ns;
  h->await_ns = limits->await_ns;
  replace_text(L, index, "module_path", &h->module_path);
  replace_text(L, index, "libraries", &h->libraries);
  read_outside(c, index, h);
  lua_getfield(L, index, "log_level");
  if (lua_isinteger(L, -1)) h->log_level = (orr_log_level)lua_tointeger(L, -1);
  lua_getfield(L, index, "log");
  if (lua_isfunction(L, -1)) {
    h->log_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    h->log_level = ORR_LOG_DEBUG;
  }
}
