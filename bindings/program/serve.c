/* orrery.server: serves engines that Lua has opened. Lua is not asked again until the server
 * ends, but for `attend`. */
#include "bindings/program/serve.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/api.h"
#include "bindings/orrl.h"
#include "bindings/program/traces.h"
#include "server/auth/hash.h"
#include "server/server.h"

enum { OPTIONS = 1, ENGINES, NAMES_MAX = 64, MEMBERS_MAX = 64 };

/* Texts stay in the table of options, which lies on the stack while the server runs. */
static const struct serve_field {
  const char *name;
  size_t at;
  enum { SERVE_TEXT, SERVE_INT, SERVE_INT64, SERVE_NUMBER, SERVE_BOOL } kind;
} serve_fields[] = {
#define SERVE_FIELD(kind, name) {#name, offsetof(server_config, name), kind}
    SERVE_FIELD(SERVE_TEXT, address),        SERVE_FIELD(SERVE_INT, port),
    SERVE_FIELD(SERVE_TEXT, socket),         SERVE_FIELD(SERVE_BOOL, no_port),
    SERVE_FIELD(SERVE_TEXT, auth_file),      SERVE_FIELD(SERVE_BOOL, insecure),
    SERVE_FIELD(SERVE_TEXT, certificate),    SERVE_FIELD(SERVE_TEXT, key),
    SERVE_FIELD(SERVE_TEXT, access_log),     SERVE_FIELD(SERVE_TEXT, ui),
    SERVE_FIELD(SERVE_INT, loops),           SERVE_FIELD(SERVE_INT, threads),
    SERVE_FIELD(SERVE_INT, connections_max), SERVE_FIELD(SERVE_INT, connections_per_address),
    SERVE_FIELD(SERVE_INT64, json_max),      SERVE_FIELD(SERVE_INT64, multipart_max),
    SERVE_FIELD(SERVE_INT64, unread_max),    SERVE_FIELD(SERVE_NUMBER, head_seconds),
    SERVE_FIELD(SERVE_NUMBER, idle_seconds), SERVE_FIELD(SERVE_NUMBER, drain_seconds),
    SERVE_FIELD(SERVE_TEXT, ready_file),
};

static void serve_read_field(lua_State *L, const struct serve_field *f, server_config *config) {
  void *to = (char *)config + f->at;
  switch (f->kind) {
    case SERVE_TEXT: *(const char **)to = luaL_checkstring(L, -1); break;
    case SERVE_INT: *(int *)to = (int)luaL_checkinteger(L, -1); break;
    case SERVE_INT64: *(int64_t *)to = luaL_checkinteger(L, -1); break;
    case SERVE_NUMBER: *(double *)to = luaL_checknumber(L, -1); break;
    case SERVE_BOOL: *(bool *)to = lua_toboolean(L, -1); break;
  }
}

static void serve_read_names(lua_State *L, const char *field, const char **out) {
  size_t n = 0;
  lua_getfield(L, OPTIONS, field);
  for (lua_Integer i = 1; lua_istable(L, -1) && n < NAMES_MAX; i++) {
    lua_rawgeti(L, -1, i);
    const char *name = lua_tostring(L, -1);
    lua_pop(L, 1);
    if (!name) break;
    out[n++] = name;
  }
  out[n] = NULL;
  lua_pop(L, 1);
}

static size_t serve_read_members(lua_State *L, server_member *members) {
  size_t n = 0;
  for (lua_Integer i = 1; n < MEMBERS_MAX && lua_rawgeti(L, ENGINES, i) == LUA_TTABLE; i++, n++) {
    lua_getfield(L, -1, "name");
    members[n].name = luaL_checkstring(L, -1);
    lua_getfield(L, -2, "engine");
    orrl_box *box = luaL_checkudata(L, -1, orrl_engine_class.name);
    members[n].engine = box->object;
    lua_pop(L, 3);
  }
  lua_settop(L, ENGINES);
  return n;
}

/* The options' attend. What it raises is no reason to end. */
static void serve_attend(void *ud) {
  lua_State *L = ud;
  if (!lua_checkstack(L, 4)) return;
  lua_getfield(L, OPTIONS, "attend");
  if (lua_pcall(L, 0, 0, 0) == LUA_OK) return;
  fprintf(stderr, "orrery serve: %s\n", luaL_tolstring(L, -1, NULL));
  lua_pop(L, 2);
}

static void read_config(lua_State *L, server_config *config) {
  server_config_init(config);
  for (size_t i = 0; i < sizeof serve_fields / sizeof serve_fields[0]; i++) {
    lua_getfield(L, OPTIONS, serve_fields[i].name);
    if (!lua_isnil(L, -1)) serve_read_field(L, &serve_fields[i], config);
    lua_pop(L, 1);
  }
}

static int push_outcome(lua_State *L, int failed, orr_error *err) {
  if (!failed) {
    lua_pushboolean(L, true);
    return 1;
  }
  lua_pushnil(L);
  lua_pushstring(L, err->message ? err->message : orr_strerror(err->code));
  orr_error_clear(err);
  return 2;
}

/* check_places(options) -> whether run could listen now. nil and a message when it could not. */
static int serve_check_places(lua_State *L) {
  server_config config;
  orr_error err = {0};
  luaL_checktype(L, OPTIONS, LUA_TTABLE);
  lua_settop(L, OPTIONS);
  read_config(L, &config);
  return push_outcome(L, server_check_places(&config, &err), &err);
}

/* run(options, { { name =, engine = (of the core) }, ... }): serves until a signal ends it. nil and a message on failure. */
static int serve_run(lua_State *L) {
  server_config config;
  server_member members[MEMBERS_MAX];
  const char *hosts[NAMES_MAX + 1], *origins[NAMES_MAX + 1];
  orr_error err = {0};
  luaL_checktype(L, OPTIONS, LUA_TTABLE);
  luaL_checktype(L, ENGINES, LUA_TTABLE);
  lua_settop(L, ENGINES);
  read_config(L, &config);
  lua_getfield(L, OPTIONS, "tracer");
  config.tracer = traces_tracer(L, -1);
  lua_pop(L, 1);
  serve_read_names(L, "hosts", hosts);
  serve_read_names(L, "origins", origins);
  if (lua_getfield(L, OPTIONS, "attend") == LUA_TFUNCTION) config.attend = serve_attend;
  lua_pop(L, 1);
  config.attend_ud = L;
  config.hosts = hosts;
  config.origins = origins;
  return push_outcome(L, server_run(&config, members, serve_read_members(L, members), &err), &err);
}

static int serve_hash(lua_State *L) {
  char *hash = auth_hash(luaL_checkstring(L, 1), lua_toboolean(L, 2));
  if (!hash) return luaL_error(L, "the secret cannot be hashed");
  lua_pushstring(L, hash);
  free(hash);
  return 1;
}

int luaopen_orrery_server(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"run", serve_run}, {"check_places", serve_check_places}, {"hash", serve_hash}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
