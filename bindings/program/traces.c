/* The exporter as Lua holds it. lua/orrery/cli/traces.lua reads settings and environment. */
#include "bindings/program/traces.h"

#include <lauxlib.h>
#include <stdio.h>

#include "base/shown.h"
#include "bindings/api.h"
#include "bindings/orrl.h"
#include "engine/trace.h"
#include "net/otlp.h"

#define TRACES "orrery.Traces"

enum { PROBLEM_BYTES = 1000 };

static otlp **check_traces(lua_State *L, int index) { return luaL_checkudata(L, index, TRACES); }

tracer *traces_tracer(lua_State *L, int index) {
  if (lua_isnoneornil(L, index)) return NULL;
  otlp **o = check_traces(L, index);
  if (!*o) luaL_error(L, "the exporter of traces is closed");
  return otlp_tracer(*o);
}

static void tell_on_stderr(void *ud, const char *problem) {
  char shown[PROBLEM_BYTES]; /* it may quote the collector */
  (void)ud;
  if (problem) {
    shown_lines(problem, shown, sizeof shown);
    fprintf(stderr, "orrery: traces cannot be sent, spans are kept for a while and then lost: %s\n",
            shown);
  } else {
    fprintf(stderr, "orrery: traces are sent again\n");
  }
}

/* ---- Options --------------------------------------------------------------------------------- */

static const char *traces_text(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  return luaL_optstring(L, -1, NULL); /* it stays on the stack */
}

static int64_t traces_int(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  int64_t n = luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return n;
}

static const char *const *traces_texts(lua_State *L, const char *name, size_t *count) {
  lua_getfield(L, 1, name);
  luaL_checktype(L, -1, LUA_TTABLE);
  int array = lua_gettop(L);
  *count = lua_rawlen(L, array);
  const char **texts = lua_newuserdatauv(L, (*count + 1) * sizeof *texts, 0);
  luaL_checkstack(L, (int)*count + 4, name);
  for (size_t i = 0; i < *count; i++) {
    lua_rawgeti(L, array, (lua_Integer)i + 1);
    texts[i] = luaL_checkstring(L, -1);
  }
  return texts;
}

/* open { url =, headers = { "Name: value" }, resource = { key, value, ... }, ca_file, client_cert,
 * client_key, timeout_ms, delay_ms, give_up_ms, queue_max, batch_max, parent_based, share } */
static int traces_open(lua_State *L) {
  otlp_options options = {.told = tell_on_stderr};
  orr_error err = {0};
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  options.url = traces_text(L, "url");
  options.headers = traces_texts(L, "headers", &options.header_count);
  options.resource = traces_texts(L, "resource", &options.resource_count);
  options.ca_file = traces_text(L, "ca_file");
  options.client_cert = traces_text(L, "client_cert");
  options.client_key = traces_text(L, "client_key");
  options.timeout_ms = traces_int(L, "timeout_ms");
  options.delay_ms = traces_int(L, "delay_ms");
  options.give_up_ms = traces_int(L, "give_up_ms");
  options.queue_max = (size_t)traces_int(L, "queue_max");
  options.batch_max = (size_t)traces_int(L, "batch_max");
  lua_getfield(L, 1, "parent_based");
  lua_getfield(L, 1, "share");
  options.sampler = (sampler){lua_toboolean(L, -2), sampler_share(luaL_checknumber(L, -1))};
  otlp **o = lua_newuserdatauv(L, sizeof *o, 0);
  *o = NULL;
  luaL_setmetatable(L, TRACES);
  *o = otlp_open(&options, &err);
  if (*o) return 1;
  lua_pushstring(L, err.message ? err.message : orr_strerror(err.code));
  orr_error_clear(&err);
  return lua_error(L);
}

/* ---- Methods --------------------------------------------------------------------------------- */

/* attach(engine of the core): before anything runs in it; the engine closes before the exporter
 * does. */
static int traces_attach(lua_State *L) {
  tracer *t = traces_tracer(L, 1);
  orrl_box *box = luaL_checkudata(L, 2, orrl_engine_class.name);
  engine_set_tracer(box->object, t);
  return 0;
}

static int traces_metrics_text(lua_State *L) {
  char text[TRACE_METRICS_BYTES];
  lua_pushlstring(L, text, trace_metrics(traces_tracer(L, 1), text));
  return 1;
}

static int traces_close(lua_State *L) {
  otlp **o = check_traces(L, 1);
  otlp_close(*o);
  *o = NULL;
  return 0;
}

int luaopen_orrery_traces(lua_State *L) {
  static const luaL_Reg functions[] = {{"open", traces_open}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"attach", traces_attach}, {"metrics_text", traces_metrics_text},
      {"close", traces_close},   {"__close", traces_close},
      {"__gc", traces_close},    {NULL, NULL}};
  luaL_newmetatable(L, TRACES);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  luaL_newlib(L, functions);
  return 1;
}
