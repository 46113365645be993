/* Clients and jobs: what Lua holds of runtime/net. lua/orrery/outside/net.lua makes futures of it.
 *
 * A job's handle is a userdata that the registry keeps while the job runs; it holds the function to call and the client,
 * so that neither goes before the answer has come. */
#include "bindings/net/net_glue.h"

#include <stdlib.h>

#include "bindings/api.h"
#include "bindings/net/secret.h"
#include "bindings/net/net_request.h"
#include "net/idn.h"

#define CLIENT "orrery.NetClient"
#define HANDLE "orrery.NetCall"

struct net_box {
  net_client *client; /* NULL: closed */
  orrl_state *state;
  const orr_engine *engine; /* NULL: no engine's */
  net_box *next, **before;
  net_job *jobs;
};

struct net_job {
  net_box *box;
  net_job *next, **before;
  net_call *call;
  const fiber *f; /* that started it; NULL: it outlives that */
  uint64_t serial;
  net_job **handle; /* Lua's, emptied when the job is over */
  int ref;
  trace_span *span;
};

/* ---- Jobs ------------------------------------------------------------------------------------ */

static void forget_transfer(net_job *job) {
  *job->before = job->next;
  if (job->next) job->next->before = job->before;
  *job->handle = NULL;
  span_end(job->span);
  luaL_unref(job->box->state->L, LUA_REGISTRYINDEX, job->ref);
  free(job);
}

net_job *net_glue_begin(lua_State *L, bool detached) {
  net_box *box = luaL_checkudata(L, 1, CLIENT);
  luaL_checktype(L, 3, LUA_TFUNCTION);
  net_job **handle = lua_newuserdatauv(L, sizeof *handle, 2);
  *handle = NULL;
  luaL_setmetatable(L, HANDLE);
  lua_pushvalue(L, 3);
  lua_setiuservalue(L, -2, 1);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 2);
  lua_pushvalue(L, -1);
  int ref = luaL_ref(L, LUA_REGISTRYINDEX);
  net_job *job = calloc(1, sizeof *job);
  if (!job) {
    luaL_unref(L, LUA_REGISTRYINDEX, ref);
    luaL_error(L, "out of memory");
    return NULL;
  }
  const fiber *f = detached ? NULL : box->state->running;
  *job = (net_job){.box = box, .next = box->jobs, .before = &box->jobs, .f = f, .serial = f ? f->serial : 0, .handle = handle,
                   .ref = ref};
  if (job->next) job->next->before = &job->next;
  box->jobs = job;
  *handle = job;
  return job;
}

int net_glue_started(lua_State *L, net_job *job, net_call *call, orr_error *err) {
  job->call = call;
  if (call) return 1;
  orrl_state *state = job->box->state;
  forget_transfer(job);
  orrl_push_error(L, state, err);
  return lua_error(L);
}

void net_glue_trace(net_job *job, trace_span *s) { job->span = s; }

trace_span *net_glue_span(net_job *job) { return job->span; }

typedef struct telling {
  const net_job *job;
  int (*push)(lua_State *L, const void *answer);
  const void *answer;
} telling;

static int tell_future(lua_State *L) {
  const telling *t = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, t->job->ref);
  lua_getiuservalue(L, -1, 1);
  lua_call(L, t->push(L, t->answer), 0);
  return 0;
}

void net_glue_answer(net_job *job, int (*push)(lua_State *L, const void *answer), const void *answer) {
  lua_State *L = job->box->state->L;
  telling t = {job, push, answer};
  lua_pushcfunction(L, tell_future);
  lua_pushlightuserdata(L, &t);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) lua_pop(L, 1); /* it settles a future, which raises nothing of its own */
  forget_transfer(job);
}

typedef struct failure {
  net_error error;
  const char *message;
} failure;

static int push_failure(lua_State *L, const void *answer) {
  const failure *f = answer;
  lua_pushnil(L);
  lua_pushstring(L, net_error_name(f->error));
  lua_pushstring(L, f->message);
  return 3;
}

void net_glue_failed(net_job *job, net_error error, const char *message) {
  failure f = {error, message ? message : "out of memory"};
  net_glue_answer(job, push_failure, &f);
}

static void cancel_transfer(net_job *job) {
  span_fail(job->span, "canceled");
  if (job->call) net_cancel(job->call);
  forget_transfer(job);
}

/* net_cancel(handle): false when it was over already */
static int glue_cancel(lua_State *L) {
  net_job **handle = luaL_checkudata(L, 1, HANDLE);
  bool running = *handle;
  if (running) cancel_transfer(*handle);
  lua_pushboolean(L, running);
  return 1;
}

/* ---- Fields ---------------------------------------------------------------------------------- */

const char *net_field(lua_State *L, const char *name, size_t *size, bool *secret) {
  luaL_checkstack(L, 4, "the request has too many fields");
  lua_getfield(L, 2, name);
  if (lua_isnil(L, -1)) return NULL;
  const char *text = secret_text(L, lua_gettop(L), size, secret);
  if (!text) luaL_error(L, "%s: a text expected, got a %s", name, luaL_typename(L, -1));
  return text;
}

const char *net_text_field(lua_State *L, const char *name, const char *otherwise) {
  const char *text = net_field(L, name, NULL, NULL);
  return text ? text : otherwise;
}

int64_t net_integer_field(lua_State *L, const char *name, int64_t otherwise) {
  lua_getfield(L, 2, name);
  int64_t n = lua_isnil(L, -1) ? otherwise : luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return n;
}

int64_t net_ms_field(lua_State *L, const char *name) {
  lua_getfield(L, 2, name);
  double seconds = lua_isnil(L, -1) ? 0 : luaL_checknumber(L, -1);
  lua_pop(L, 1);
  if (!(seconds >= 0)) luaL_error(L, "%s: a number of seconds expected", name);
  return seconds > 2e6 ? INT32_MAX : (int64_t)(seconds * 1000 + 0.999);
}

bool net_flag_field(lua_State *L, const char *name) {
  lua_getfield(L, 2, name);
  bool on = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return on;
}

const char **net_texts_field(lua_State *L, const char *name, size_t *count, size_t *secrets) {
  lua_getfield(L, 2, name);
  size_t n = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
  int array = lua_gettop(L);
  const char **texts = lua_newuserdatauv(L, (n + 1) * sizeof *texts, 0);
  if (n > 100000) luaL_error(L, "%s: too many entries", name);
  luaL_checkstack(L, (int)n * 2 + 4, "the request has too many entries");
  size_t secret_count = 0;
  for (size_t i = 0; i < n; i++) {
    bool secret = false;
    lua_rawgeti(L, array, (lua_Integer)i + 1);
    texts[i] = secret_text(L, lua_gettop(L), NULL, &secret);
    if (!texts[i]) luaL_error(L, "%s[%d]: a text expected, got a %s", name, (int)i + 1, luaL_typename(L, -1));
    secret_count += secret;
  }
  texts[n] = NULL;
  *count = n;
  if (secrets) *secrets = secret_count;
  return texts;
}

/* ---- Clients --------------------------------------------------------------------------------- */

static void net_box_close(net_box *box) {
  if (!box->client) return;
  while (box->jobs) cancel_transfer(box->jobs);
  net_client_close(box->client);
  box->client = NULL;
  *box->before = box->next;
  if (box->next) box->next->before = box->before;
}

static int box_gc(lua_State *L) {
  net_box_close(luaL_checkudata(L, 1, CLIENT));
  return 0;
}

net_client *net_glue_client(lua_State *L) {
  const net_box *box = luaL_checkudata(L, 1, CLIENT);
  luaL_checktype(L, 2, LUA_TTABLE);
  if (!box->client) luaL_error(L, "the engine of this call has been closed");
  return box->client;
}

/* net_client(engine or nil, options) -> client */
static int glue_client(lua_State *L) {
  orrl_state *state = orrl_own_state(L);
  orr_error err = {0};
  lua_settop(L, 2);
  const orrl_box *engine = lua_isnil(L, 1) ? NULL : luaL_checkudata(L, 1, orrl_engine_class.name);
  luaL_checktype(L, 2, LUA_TTABLE);
  net_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = (net_box){.state = state, .engine = engine ? engine->object : NULL};
  luaL_setmetatable(L, CLIENT);
  int at = lua_gettop(L);
  net_options options = {
    .public_only = net_flag_field(L, "public_only"),
    .listed_only = net_flag_field(L, "listed_only"), .proxy = net_text_field(L, "proxy", NULL),
    .no_proxy = net_text_field(L, "no_proxy", NULL), .ca_file = net_text_field(L, "ca_file", NULL),
    .ca_path = net_text_field(L, "ca_path", NULL), .client_cert = net_text_field(L, "client_cert", NULL),
    .client_key = net_text_field(L, "client_key", NULL), .insecure = net_flag_field(L, "insecure"),
    .connections_per_host = net_integer_field(L, "connections_per_host", 0)};
  options.hosts = (const char *const *)net_texts_field(L, "hosts", &options.host_count, NULL);
  uv_loop_t *loop = orrl_loop(state);
  if (!loop) return luaL_error(L, "out of memory");
  box->client = net_client_open(loop, NULL, &options, &err);
  if (!box->client) {
    orrl_push_error(L, state, &err);
    return lua_error(L);
  }
  box->before = &state->nets;
  box->next = state->nets;
  if (box->next) box->next->before = &box->next;
  state->nets = box;
  lua_settop(L, at);
  return 1;
}

void net_drop(orrl_state *state, const orr_engine *engine) {
  for (net_box *box = state->nets, *next; box; box = next) {
    next = box->next;
    if (box->engine == engine) net_box_close(box);
  }
}

void net_abandon(orrl_state *state, const fiber *f) {
  for (net_box *box = state->nets; box; box = box->next) {
    for (net_job *job = box->jobs, *next; job; job = next) {
      next = job->next;
      if (job->f == f && job->serial == f->serial) cancel_transfer(job);
    }
  }
}

/* net_ascii_name(host) -> the name in ASCII, or nil and why it has none */
static int glue_ascii_name(lua_State *L) {
  char out[IDN_NAME_MAX + 1];
  orr_error err = {0};
  if (!idn_to_ascii(luaL_checkstring(L, 1), out, &err)) {
    lua_pushstring(L, out);
    return 1;
  }
  lua_pushnil(L);
  lua_pushstring(L, err.message);
  orr_error_clear(&err);
  return 2;
}

const luaL_Reg net_functions[] = {{"net_client", glue_client}, {"net_cancel", glue_cancel}, {"net_http", net_glue_http},
                                  {"net_mail", net_glue_mail}, {"net_spawn", net_glue_spawn},
                                  {"net_ascii_name", glue_ascii_name}, {NULL, NULL}};

void net_glue_open(lua_State *L) {
  luaL_newmetatable(L, CLIENT);
  lua_pushcfunction(L, box_gc);
  lua_setfield(L, -2, "__gc");
  luaL_newmetatable(L, HANDLE);
  lua_pop(L, 2);
}
