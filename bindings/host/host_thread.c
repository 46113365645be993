/* The threads that scripts run on: the opener's in the host program's own Lua state, every other in one of its own. */
#include "bindings/host/host_thread.h"

#include "bindings/host/blocking.h"

#include <lualib.h>
#include <stdlib.h>

#include "bindings/host/host_code.h"
#include "bindings/host/host_execution.h"
#include "bindings/host/host_types.h"
#include "bindings/module.h"
#include "bindings/host/fiber_wait.h"
#include "bindings/net/net_glue.h"

static void clock_moved(uv_async_t *async) { sleepers_check(async->data, false); }

static int open_clock(lua_thread *t) {
  if (!t->host->base.engine->config.manual_clock) return 0;
  uv_loop_t *loop = orrl_loop(t->state);
  t->clock = calloc(1, sizeof *t->clock);
  if (!loop || !t->clock || uv_async_init(loop, t->clock, clock_moved) != 0) return ORR_E_MEMORY;
  t->clock->data = t->state;
  uv_unref((uv_handle_t *)t->clock);
  return 0;
}

/* Protected: what a worker's new state needs. Argument: the thread. */
static int prepare_state(lua_State *L) {
  lua_thread *t = lua_touserdata(L, 1);
  luaL_openlibs(L);
  blocking_wrap(L);
  lua_getglobal(L, "package");
  lua_pushstring(L, t->host->package_path);
  lua_setfield(L, -2, "path");
  lua_pushstring(L, t->host->package_cpath);
  lua_setfield(L, -2, "cpath");
  luaL_requiref(L, "orrery.core", luaopen_orrery_core, 0);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "orrery");
  lua_call(L, 1, 1);
  /* Delegates' modules come first; what these require, and parts of ours that are loaded late, lie where they lie for the
   * opener. */
  lua_getglobal(L, "package");
  lua_pushfstring(L, "%s;%s", t->host->module_path, t->host->package_path);
  lua_setfield(L, -2, "path");
  return 0;
}

static int prepare_thread(lua_State *L) {
  lua_thread *t = lua_touserdata(L, 1);
  lua_newtable(L);
  t->names_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_newtable(L);
  t->views_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_newtable(L);
  t->modules_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  orrl_push_hook(L, t->state, "sandbox");
  host_push_engine(L, t);
  lua_call(L, 1, 1);
  t->sandbox_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static int host_protect(lua_State *L, lua_CFunction body, lua_thread *t, orr_error *err) {
  lua_pushcfunction(L, body);
  lua_pushlightuserdata(L, t);
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) return 0;
  const char *message = lua_tostring(L, -1);
  error_set(err, ORR_E_SCRIPT, "a Lua state for the engine cannot be made: %s", message ? message : "?");
  lua_pop(L, 1);
  return ORR_E_SCRIPT;
}

static void host_thread_free(lua_thread *t) {
  lua_State *L = t->state ? t->state->L : NULL;
  if (t->clock) uv_close((uv_handle_t *)t->clock, (uv_close_cb)free);
  if (L) {
    code_forget(t);
    luaL_unref(L, LUA_REGISTRYINDEX, t->names_ref);
    luaL_unref(L, LUA_REGISTRYINDEX, t->views_ref);
    luaL_unref(L, LUA_REGISTRYINDEX, t->modules_ref);
    luaL_unref(L, LUA_REGISTRYINDEX, t->sandbox_ref);
    luaL_unref(L, LUA_REGISTRYINDEX, t->engine_ref);
    if (t->owns_state) lua_close(L);
  }
  free(t->code);
  free(t);
}

static int open_state(lua_thread *t, void *loop, orr_error *err) {
  lua_host *h = t->host;
  t->owns_state = pthread_equal(pthread_self(), h->opener) == 0;
  t->base.home = !t->owns_state;
  if (!t->owns_state) {
    t->state = h->opener_state;
    return 0;
  }
  t->memory.allocator = h->base.engine->env.allocator;
  lua_State *L = lua_newstate(memory_allocate, &t->memory);
  if (!L) return error_memory(err);
  int rc = host_protect(L, prepare_state, t, err);
  if (rc) {
    lua_close(L);
    return rc;
  }
  t->state = orrl_state_of(L);
  t->state->memory = &t->memory;
  if (loop) orrl_adopt_loop(t->state, loop);
  return 0;
}

static void host_thread_unlink(lua_thread *t) {
  pthread_mutex_lock(&t->host->mutex);
  lua_thread **at = &t->host->threads;
  while (*at && *at != t) at = &(*at)->next;
  if (*at) *at = t->next;
  pthread_mutex_unlock(&t->host->mutex);
}

void host_thread_close(host_thread *thread) {
  lua_thread *t = (lua_thread *)thread;
  host_thread_unlink(t);
  net_drop(t->state, t->host->base.engine);
  fibers_abandon(t);
  sleepers_drop(t->state, t->host->base.engine);
  host_thread_free(t);
}

host_thread *host_thread_open(host *self, void *loop, orr_error *err) {
  lua_thread *t = calloc(1, sizeof *t);
  if (!t) {
    error_memory(err);
    return NULL;
  }
  t->base = (host_thread){.methods = self->methods, .host = self};
  t->host = (lua_host *)self;
  t->names_ref = t->views_ref = t->modules_ref = t->engine_ref = t->sandbox_ref = LUA_NOREF;
  int rc = open_state(t, loop, err);
  if (!rc) rc = host_protect(t->state->L, prepare_thread, t, err);
  if (!rc && open_clock(t)) rc = error_memory(err);
  if (rc) {
    host_thread_free(t);
    return NULL;
  }
  pthread_mutex_lock(&t->host->mutex);
  t->next = t->host->threads;
  t->host->threads = t;
  pthread_mutex_unlock(&t->host->mutex);
  return &t->base;
}
