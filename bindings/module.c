/* orrery.core: the generated glue, and what it cannot generate. lua/orrery/ builds the API of docs/api.md on it. */
#include "bindings/module.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/arguments.h"
#include "bindings/host/host.h"
#include "bindings/host/host_execution.h"
#include "bindings/host/host_log.h"
#include "bindings/host/host_names.h"
#include "bindings/host/host_settings.h"
#include "bindings/host/host_types.h"
#include "bindings/net/net_glue.h"
#include "bindings/script/child.h"
#include "bindings/api.h"
#include "bindings/script/budget.h"
#include "bindings/script/beans.h"
#include "bindings/script/calendar.h"
#include "bindings/script/charset.h"
#include "bindings/script/feel.h"
#include "bindings/script/files.h"
#include "bindings/host/fiber_ask.h"
#include "bindings/host/flow_counts.h"
#include "bindings/json.h"
#include "bindings/value.h"
#include "bindings/signals.h"
#include "bindings/host/host_view.h"
#include "bindings/script/archive.h"
#include "bindings/script/script_library.h"
#include "bindings/net/secret.h"
#include "bindings/token.h"
#include "bindings/typed.h"
#include "bindings/progress.h"
#include "bindings/shown.h"
#include "bindings/script/xml_tree.h"
#include "bindings/host/fiber_wait.h"

enum { CONFIG = 1, SETTINGS, BOX }; /* open's stack */
enum { NEAREST_NAMES_MAX = 512 }; /* that a wrong one is compared with: all methods there are */

static orr_engine *open_with_host(const orr_config *config, lua_host *h, orr_error *err) {
  orr_engine *engine = NULL;
  if (orr_engine_open(config, &engine, err)) {
    host_free(h);
    return NULL;
  }
  if (!engine_set_host(engine, &h->base, err)) return engine;
  orr_engine_close(engine);
  host_free(h);
  return NULL;
}

/* open(configuration, host settings) -> engine */
static int module_open(lua_State *L) {
  orrl_call c;
  orr_config config;
  orr_error err = {0};
  orrl_begin(&c, L, "open", 2);
  if (!lua_istable(L, SETTINGS)) orrl_argument(&c, SETTINGS, "table of host settings expected");
  orrl_box *box = orrl_box_new(L, &orrl_engine_class, NULL, false);
  orrl_read_options(&c, CONFIG, &orrl_config, &config);
  host_limits limits = settings_limits(&c, SETTINGS);
  lua_host *h = host_new(L, &err);
  if (!h) return orrl_raise(&c, &err);
  settings_take(&c, SETTINGS, &limits, h);
  log_configure(h, &config);
  box->object = open_with_host(&config, h, &err);
  if (!box->object) return orrl_raise(&c, &err);
  orrl_end(&c);
  lua_pushvalue(L, BOX);
  return 1;
}

/* set_records(engine, { kind = metatable }): what records of the engine become. */
static int module_set_records(lua_State *L) {
  luaL_checkudata(L, 1, orrl_engine_class.name);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  lua_setiuservalue(L, 1, 1);
  return 0;
}

/* clock_moved(engine): sleepers of every thread look at the manual clock. */
static int module_clock_moved(lua_State *L) {
  const orrl_box *box = luaL_checkudata(L, 1, orrl_engine_class.name);
  lua_host *h = box->object ? host_of(box->object) : NULL;
  if (!h) return 0;
  pthread_mutex_lock(&h->mutex);
  for (lua_thread *t = h->threads; t; t = t->next) {
    if (t->clock) uv_async_send(t->clock);
  }
  pthread_mutex_unlock(&h->mutex);
  return 0;
}

/* sleeps_until(engine) -> when the first coroutine of this thread wakes that sleeps by the manual clock; or nil */
static int module_sleeps_until(lua_State *L) {
  const orrl_box *box = luaL_checkudata(L, 1, orrl_engine_class.name);
  orr_time due = box->object ? sleepers_due(orrl_own_state(L), box->object) : 0;
  if (due) lua_pushnumber(L, (lua_Number)due / 1000);
  else lua_pushnil(L);
  return 1;
}

/* jump_clock(engine): a command that can only wait for the manual clock moves it itself. */
static int module_jump_clock(lua_State *L) {
  const orrl_box *box = luaL_checkudata(L, 1, orrl_engine_class.name);
  lua_host *h = box->object ? host_of(box->object) : NULL;
  if (h) atomic_store(&h->jumps, true);
  return 0;
}

/* Is one of the engine's functions in the middle of its work on this stack? The log's function and finalizers run there. */
static bool calls_on(lua_State *L, const orr_engine *engine, int level) {
  lua_Debug frame;
  bool found = false;
  for (; !found && lua_checkstack(L, 4) && lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "S", &frame);
    if (strcmp(frame.what, "C") != 0 || !lua_getlocal(L, &frame, 1)) continue;
    const orrl_box *box = luaL_testudata(L, -1, orrl_engine_class.name);
    found = box && box->object == engine;
    lua_pop(L, 1);
  }
  return found;
}

/* outside(engine) -> what its options say of HTTP, mail, programs and what is allowed; nil for an engine that is closed */
static int module_outside(lua_State *L) {
  const orrl_box *box = luaL_checkudata(L, 1, orrl_engine_class.name);
  const lua_host *h = box->object ? host_of(box->object) : NULL;
  orr_value value = {0};
  if (h && h->outside) orr_builder_value(h->outside, &value, NULL);
  orrl_push_value(L, lua_touserdata(L, lua_upvalueindex(1)), &value);
  return 1;
}

/* running(): the engine whose delegate or script calls, or nil */
static int module_running(lua_State *L) {
  const orrl_state *state = lua_touserdata(L, lua_upvalueindex(1));
  if (!state->running || !state->running->thread) return 0;
  host_push_engine(L, state->running->thread);
  return 1;
}

/* The engine's thread that works in this state; NULL: none does. */
static lua_thread *own_thread(const orrl_state *state, const orrl_box *box) {
  lua_host *h = box->object ? host_of(box->object) : NULL;
  if (!h) return NULL;
  pthread_mutex_lock(&h->mutex);
  lua_thread *t = h->threads;
  while (t && t->state != state) t = t->next;
  pthread_mutex_unlock(&h->mutex);
  return t;
}

/* named(name, engine, shown): what is registered as it in the engine (not given: the one whose delegate or script calls), or
 * nil; `shown`: as expressions see it */
static int module_named(lua_State *L) {
  const orrl_state *state = lua_touserdata(L, lua_upvalueindex(1));
  const char *name = luaL_checkstring(L, 1);
  lua_thread *t = state->running ? state->running->thread : NULL;
  if (!lua_isnoneornil(L, 2)) t = own_thread(state, luaL_checkudata(L, 2, orrl_engine_class.name));
  bool shown = lua_toboolean(L, 3);
  if (!t || (shown && view_reserved(name)) || !names_push(L, t, name)) return 0;
  if (shown) {
    orrl_push_hook(L, t->state, "view");
    lua_insert(L, -2);
    lua_call(L, 1, 1);
  }
  return 1;
}

/* script_budget(): what the calling delegate does from now on counts as a script's work */
static int module_script_budget(lua_State *L) {
  const orrl_state *state = lua_touserdata(L, lua_upvalueindex(1));
  if (state->running) budget_begin(state->running, L, "script");
  return 0;
}

/* log(engine, message): a line at level info */
static int module_log(lua_State *L) {
  const orrl_box *box = luaL_checkudata(L, 1, orrl_engine_class.name);
  const char *message = luaL_checkstring(L, 2);
  if (box->object) engine_log(box->object, ORR_LOG_INFO, NULL, "%s", message);
  return 0;
}

/* Is the calling code run by this engine? Closing it then would pull the ground from under the call. */
static bool in_use(lua_State *L, const orrl_state *state, const orr_engine *engine) {
  bool used = calls_on(L, engine, 1) || (state->L != L && calls_on(state->L, engine, 0));
  for (const fiber *f = state->running; f; f = f->outer) used = used || f->thread->host->base.engine == engine;
  return used;
}

/* in_use(engine): what may not be done by what the engine runs, such as waiting for its end */
static int module_in_use(lua_State *L) {
  const orrl_box *box = luaL_checkudata(L, 1, orrl_engine_class.name);
  lua_pushboolean(L, box->object && in_use(L, lua_touserdata(L, lua_upvalueindex(1)), box->object));
  return 1;
}

/* close(), and at the end of its scope: what a worker's scripts see is not theirs to close. */
static int engine_close(lua_State *L) {
  orrl_call c;
  orr_error err = {0};
  orrl_begin(&c, L, "engine:close", lua_gettop(L));
  orrl_box *box = luaL_checkudata(L, 1, orrl_engine_class.name);
  orr_engine *engine = box->object;
  bool used = engine && (box->borrowed || in_use(L, c.state, engine));
  if (used) error_set(&err, ORR_E_STATE, "an engine cannot be closed by what it runs");
  if (used) return orrl_raise(&c, &err);
  orrl_end(&c);
  box->object = NULL;
  orr_engine_close(engine);
  return 0;
}

static const luaL_Reg engine_methods[] = {{"close", engine_close}, {"__close", engine_close}, {NULL, NULL}};

/* moments(metatables): tables that have one of its keys are times, where values are stored and
 * where times are wanted */
static int module_moments(lua_State *L) {
  orrl_state *state = lua_touserdata(L, lua_upvalueindex(1));
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  luaL_unref(L, LUA_REGISTRYINDEX, state->moment_ref); /* of a module that was loaded before */
  state->moment_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

/* libraries(engine) -> names of the libraries that scripts may use, separated by blanks; nil: the harmless ones */
static int module_libraries(lua_State *L) {
  const orrl_box *box = luaL_checkudata(L, 1, orrl_engine_class.name);
  const lua_host *h = box->object ? host_of(box->object) : NULL;
  lua_pushstring(L, h ? h->libraries : NULL);
  return 1;
}

/* address(engine): the same number for every box of one open engine */
static int module_address(lua_State *L) {
  const orrl_box *box = luaL_checkudata(L, 1, orrl_engine_class.name);
  lua_pushinteger(L, (lua_Integer)(intptr_t)box->object);
  return 1;
}

/* nearest(wrong, names) -> the name nearest to a wrong one, or nil */
static int module_nearest(lua_State *L) {
  const char *names[NEAREST_NAMES_MAX];
  const char *wrong = luaL_checkstring(L, 1);
  size_t count = 0;
  luaL_checktype(L, 2, LUA_TTABLE);
  for (lua_Integer i = 1; count < NEAREST_NAMES_MAX && lua_rawgeti(L, 2, i) == LUA_TSTRING; i++) {
    names[count++] = lua_tostring(L, -1); /* the table holds it */
    lua_pop(L, 1);
  }
  lua_pushstring(L, orrl_nearest(wrong, names, count));
  return 1;
}

/* bounded(engine, f, …) -> f(…), its first result: as work of the model's, within a budget, whoever calls it */
static int module_bounded(lua_State *L) {
  orrl_state *state = lua_touserdata(L, lua_upvalueindex(1));
  const orrl_box *box = luaL_checkudata(L, 1, orrl_engine_class.name);
  lua_thread *t = own_thread(state, box);
  if (!t || (state->running && state->running->thread == t)) {
    if (t) budget_call(L, state->running, lua_gettop(L) - 2);
    else lua_call(L, lua_gettop(L) - 2, 1);
    return 1;
  }
  return host_bounded(L, t);
}

static const luaL_Reg module_functions[] = {
    {"open", module_open}, {"set_records", module_set_records}, {"clock_moved", module_clock_moved},
    {"sleeps_until", module_sleeps_until}, {"jump_clock", module_jump_clock},
    {"in_use", module_in_use},
    {"nearest", module_nearest}, {"libraries", module_libraries}, {"address", module_address},
    {"outside", module_outside}, {"running", module_running}, {"named", module_named}, {"log", module_log},
    {"script_budget", module_script_budget}, {"bounded", module_bounded}, {"unwinds", budget_unwinds},
    {"moments", module_moments}, {"own_files", orrl_own_files}, {"called", orrl_called},
    {"archive", archive_files},
    {"script_library", script_library}, {"script_strings", budget_strings}, {"script_spend", script_spend},
    {NULL, NULL}};

static void add_functions(lua_State *L, orrl_state *state, const luaL_Reg *functions) {
  lua_pushlightuserdata(L, state);
  luaL_setfuncs(L, functions, 1);
}

static void add_node_reference(lua_State *L, const char *name, int ref) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
  lua_setfield(L, -2, name);
}

int luaopen_orrery_core(lua_State *L) {
  luaL_checkversion(L);
  orrl_state *state = orrl_state_of(L);
  orrl_open_classes(L, state);
  coroutines_wrap(L, state);
  luaL_getmetatable(L, orrl_engine_class.name);
  add_functions(L, state, names_methods);
  add_functions(L, state, engine_methods);
  add_functions(L, state, progress_methods);
  lua_pop(L, 1);
  execution_open(L, state);
  secret_open(L);
  typed_open(L, state);
  net_glue_open(L);
  lua_newtable(L);
  add_functions(L, state, module_functions);
  add_functions(L, state, orrl_functions);
  add_functions(L, state, fiber_functions);
  add_functions(L, state, signals_functions);
  add_functions(L, state, net_functions);
  add_functions(L, state, json_functions);
  add_functions(L, state, typed_functions);
  add_functions(L, state, view_functions);
  add_functions(L, state, progress_functions);
  luaL_setfuncs(L, fiber_ask_functions, 0);
  luaL_setfuncs(L, flow_counts_functions, 0);
  luaL_setfuncs(L, secret_functions, 0);
  luaL_setfuncs(L, calendar_functions, 0);
  luaL_setfuncs(L, charset_functions, 0);
  luaL_setfuncs(L, token_functions, 0);
  luaL_setfuncs(L, xml_functions, 0);
  luaL_setfuncs(L, beans_functions, 0);
  luaL_setfuncs(L, files_functions, 0);
  luaL_setfuncs(L, child_functions, 0);
  luaL_setfuncs(L, shown_functions, 0);
  add_node_reference(L, "null", state->null_ref);
  add_node_reference(L, "array", state->array_ref);
  add_node_reference(L, "error", state->error_ref);
  add_node_reference(L, "wait", state->wait_ref);
  add_node_reference(L, "hooks", state->hooks_ref);
  feel_open(L);
  lua_setfield(L, -2, "feel");
  lua_pushlightuserdata(L, (void *)(uintptr_t)&fiber_awaits);
  lua_setfield(L, -2, "awaits");
  lua_pushliteral(L, ORR_VERSION);
  lua_setfield(L, -2, "version");
  lua_pushliteral(L, LUA_PATH_DEFAULT);
  lua_setfield(L, -2, "installed_path");
  return 1;
}
