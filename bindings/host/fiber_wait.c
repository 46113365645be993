/* Waiting, as lua/orrery/future.lua uses it: which fiber runs, waking one, timers, and work on other threads. */
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/host/fiber_ask.h"
#include "bindings/host/host_types.h"
#include "exec/node/call_place.h"
#include "bindings/module.h"
#include "bindings/value.h"
#include "bindings/signals.h"
#include "bindings/host/fiber_wait.h"

/* A timer that calls a Lua function once. On a manual clock it waits for the engine's time; see sleepers_check. */
struct sleeper {
  uv_timer_t alarm;
  sleeper *next, **at; /* in the state's list; the link that points here */
  orrl_state *state;
  orr_engine *engine; /* with a manual clock; NULL: real time */
  orr_time due;
  uint64_t number;
  int ref;       /* LUA_NOREF with: */
  fiber *guards; /* of which it ends the wait */
  bool armed;
};

/* The token of the fiber whose coroutine this is: { fiber, serial }, or nil when the caller must wait by running the loop. */
static int wait_fiber(lua_State *L) {
  fiber *f = orrl_own_state(L)->running;
  if (!f || f->co != L || !f->resumable || !lua_isyieldable(L)) return 0;
  lua_createtable(L, 2, 0);
  lua_pushlightuserdata(L, f);
  lua_rawseti(L, -2, 1);
  lua_pushinteger(L, (lua_Integer)f->serial);
  lua_rawseti(L, -2, 2);
  return 1;
}

/* What await yields: any other yield out of a fiber is its callee's mistake. */
const char fiber_awaits;

/* Does nothing else go on on its thread while it awaits something? */
static bool waits_in_place(const fiber *f) { return f->outer || !f->context || !f->context->may_pend; }

/* begin_await(): the fiber that runs is about to yield, for something to be there. */
static int wait_begins(lua_State *L) {
  fiber *f = orrl_own_state(L)->running;
  if (f && waits_in_place(f)) await_guard(L, f);
  return 0;
}

/* awaited(): raises when the call of the fiber that goes on has taken too long, or its script has
 * awaited for too long. */
static int wait_awaited(lua_State *L) {
  fiber *f = orrl_own_state(L)->running;
  if (!f) return 0;
  await_unguard(f);
  if (f->context && call_place_overdue(f->context)) fiber_over(L);
  await_judge(L, f);
  return 0;
}

/* wake(token): does nothing when its call is over. */
static int wait_wake(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_rawgeti(L, 1, 1);
  lua_rawgeti(L, 1, 2);
  fiber *f = lua_islightuserdata(L, -2) ? lua_touserdata(L, -2) : NULL;
  if (f && f->serial == (uint64_t)lua_tointeger(L, -1)) fiber_wake(f);
  return 0;
}

/* ---- Timers ---------------------------------------------------------------------------------- */

static void sleeper_unlink(sleeper *s) {
  *s->at = s->next;
  if (s->next) s->next->at = s->at;
}

static void sleeper_free(uv_handle_t *handle) { free(handle); }

static void sleeper_fire(sleeper *s) {
  lua_State *L = s->state->L;
  sleeper_unlink(s);
  if (s->guards) {
    s->guards->guard = NULL;
    s->guards->awaits_too_long = true;
    fiber_wake(s->guards);
    uv_close((uv_handle_t *)&s->alarm, sleeper_free);
    return;
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, s->ref);
  luaL_unref(L, LUA_REGISTRYINDEX, s->ref);
  uv_close((uv_handle_t *)&s->alarm, sleeper_free);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) lua_pop(L, 1); /* it settles a future, which raises nothing of its own */
}

void sleepers_close(orrl_state *state) {
  for (sleeper *s = state->sleepers, *next; s; s = next) {
    next = s->next;
    if (s->guards) s->guards->guard = NULL;
    uv_close((uv_handle_t *)&s->alarm, sleeper_free);
  }
  state->sleepers = NULL;
}

static void sleeper_end(sleeper *s) {
  if (s->guards) s->guards->guard = NULL;
  sleeper_unlink(s);
  luaL_unref(s->state->L, LUA_REGISTRYINDEX, s->ref);
  uv_close((uv_handle_t *)&s->alarm, sleeper_free);
}

void sleepers_drop(orrl_state *state, const orr_engine *engine) {
  for (sleeper *s = state->sleepers, *next; s; s = next) {
    next = s->next;
    if (s->engine != engine) continue;
    sleeper_end(s);
  }
}

static void alarm_rang(uv_timer_t *alarm) { sleeper_fire((sleeper *)alarm); }

static void arm(sleeper *s, int64_t ms) {
  s->armed = true;
  if (ms <= 0) uv_ref((uv_handle_t *)&s->alarm); /* a loop without anything else would not turn */
  uv_update_time(s->alarm.loop);
  uv_timer_start(&s->alarm, alarm_rang, ms > 0 ? (uint64_t)ms : 0, 0);
}

void sleepers_check(orrl_state *state, bool by_real_time) {
  for (sleeper *s = state->sleepers, *next; s; s = next) {
    next = s->next;
    if (!s->engine || s->armed) continue;
    orr_time now = orr_engine_now(s->engine);
    if (now >= s->due) arm(s, 0);
    else if (by_real_time) arm(s, s->due - now);
  }
}

orr_time sleepers_due(const orrl_state *state, const orr_engine *engine) {
  orr_time first = 0;
  for (const sleeper *s = state->sleepers; s; s = s->next)
    if (s->engine == engine && !s->armed && (!first || s->due < first)) first = s->due;
  return first;
}

bool fiber_loop_alive(orrl_state *state) { return state->ready || (state->loop && uv_loop_alive(state->loop)); }

/* Not armed yet. NULL without memory; `ref` is the caller's then. */
static sleeper *sleeper_make(orrl_state *state, int ref) {
  uv_loop_t *loop = orrl_loop(state);
  sleeper *s = calloc(1, sizeof *s);
  if (!loop || !s || uv_timer_init(loop, &s->alarm) != 0) {
    free(s);
    return NULL;
  }
  s->state = state;
  s->ref = ref;
  s->number = ++state->sleeper_number;
  s->next = state->sleepers;
  s->at = &state->sleepers;
  if (s->next) s->next->at = &s->next;
  state->sleepers = s;
  return s;
}

/* A sleeper of the function at 2, which is taken off the stack, and not armed yet. */
static sleeper *sleeper_new(lua_State *L, orrl_state *state) {
  lua_settop(L, 2);
  int ref = luaL_ref(L, LUA_REGISTRYINDEX);
  sleeper *s = sleeper_make(state, ref);
  if (s) return s;
  luaL_unref(L, LUA_REGISTRYINDEX, ref);
  luaL_error(L, "out of memory");
  return NULL;
}

/* By the engine's clock where that is a manual one; NULL: by real time. */
static void sleeper_start(sleeper *s, orr_engine *engine, int64_t ms) {
  bool manual = engine && engine->config.manual_clock;
  if (manual) s->engine = engine;
  if (manual) s->due = orr_engine_now(engine) + ms;
  if (!manual || ms <= 0) arm(s, ms);
}

/* Ends the fiber's wait after so long: wakes it, with awaits_too_long. NULL when memory is out. */
static sleeper *sleeper_guard(fiber *f, int64_t ms) {
  sleeper *s = sleeper_make(f->state, LUA_NOREF);
  if (!s) return NULL;
  s->guards = f;
  uv_unref((uv_handle_t *)&s->alarm); /* it settles nothing */
  sleeper_start(s, f->thread->host->base.engine, ms);
  return s;
}

static int64_t check_delay(lua_State *L) {
  double delay = luaL_checknumber(L, 1);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  luaL_argcheck(L, delay >= 0 && delay < 1e11, 1, "a number of seconds expected");
  return (int64_t)(delay * 1000 + 0.999);
}

/* timer(seconds, f, real): calls f() once; `real`: by real time whatever the engine's clock. */
static int wait_timer(lua_State *L) {
  orrl_state *state = orrl_own_state(L);
  int64_t ms = check_delay(L);
  bool real = lua_toboolean(L, 3);
  sleeper *s = sleeper_new(L, state);
  orr_engine *engine = state->running && state->running->thread ? state->running->thread->host->base.engine : NULL;
  sleeper_start(s, real ? NULL : engine, ms);
  return 0;
}

/* Which sleeper a commit wakes; it may have been woken by its time, and be gone. */
typedef struct commit_wake {
  orrl_state *state;
  uint64_t number;
} commit_wake;

static void wake_committed(void *ud) {
  const commit_wake *w = ud;
  for (sleeper *s = w->state->sleepers; s; s = s->next) {
    if (s->number != w->number) continue;
    uv_ref((uv_handle_t *)&s->alarm);
    arm(s, 0);
    return;
  }
}

/* after_commit(seconds, f) -> there is a transaction: calls f() from the loop once what runs here has committed, or else
 * when the time is over. */
static int wait_commit(lua_State *L) {
  orrl_state *state = orrl_own_state(L);
  int64_t ms = check_delay(L);
  context *c = state->running ? state->running->context : NULL;
  lua_settop(L, 2);
  if (c) {
    commit_wake *w = ARENA_NEW(c->arena, commit_wake);
    if (!w) return luaL_error(L, "out of memory");
    sleeper *s = sleeper_new(L, state);
    *w = (commit_wake){state, s->number};
    unit_after_commit(c->u, wake_committed, w);
    arm(s, ms);
    uv_unref((uv_handle_t *)&s->alarm); /* who runs the loop until nothing is left does not wait for what was rolled back */
  }
  lua_pushboolean(L, !!c);
  return 1;
}

static void end_turn(uv_timer_t *ticks) { (void)ticks; }

/* Ends each turn of the loop after a while, so that a signal interrupts who waits; NULL: without
 * memory. */
static uv_timer_t *ticks_begin(uv_loop_t *loop) {
  uv_timer_t *ticks = malloc(sizeof *ticks);
  if (!ticks || uv_timer_init(loop, ticks) != 0) {
    free(ticks);
    return NULL;
  }
  uv_timer_start(ticks, end_turn, SIGNAL_LOOK_MS, SIGNAL_LOOK_MS);
  uv_unref((uv_handle_t *)ticks); /* it settles nothing */
  return ticks;
}

static bool is_done(lua_State *L, int future) {
  bool done = lua_getfield(L, future, "done") != LUA_TNIL && lua_toboolean(L, -1);
  lua_pop(L, 1);
  return done;
}

/* ---- How long scripts may await -------------------------------------------------------------- */

/* The account of a transaction's waits is its context's; an evaluation outside has its own. */
static int64_t await_now(const fiber *f) { return call_clock(f->thread->host->base.engine); }

/* What runs without a context belongs to what has called it. */
static script_waits *waits_of(fiber *f) {
  for (const fiber *at = f; at; at = at->outer)
    if (at->context) return &at->context->script_waits;
  return &f->waits_alone;
}

static int64_t waited_ms(const script_waits *w, int64_t now) {
  return w->used_ms + (w->count > 0 ? now - w->from_ms : 0);
}

void await_guard(lua_State *L, fiber *f) {
  const lua_host *h = f->thread->host;
  if (!f->budget.on || h->await_ns == 0 || f->guard) return;
  script_waits *w = waits_of(f);
  int64_t now = await_now(f), left = h->await_ns / 1000000 - waited_ms(w, now);
  if (left <= 0) budget_out_of(L, f, "await_seconds");
  f->awaits_too_long = false;
  f->guard = sleeper_guard(f, left);
  if (!f->guard) luaL_error(L, "out of memory");
  if (w->count++ == 0) w->from_ms = now;
  f->counted_by = w;
}

void await_unguard(fiber *f) {
  script_waits *w = f->counted_by;
  if (f->guard) sleeper_end(f->guard);
  f->guard = NULL;
  f->counted_by = NULL;
  if (!w) return;
  if (--w->count == 0) w->used_ms += await_now(f) - w->from_ms;
}

void await_judge(lua_State *L, fiber *f) {
  if (!f->awaits_too_long) return;
  f->awaits_too_long = false;
  budget_out_of(L, f, "await_seconds");
}

#define CALL_ABANDONED "this call has been given up: a <close> handler can await nothing any more"

/* Is it part of a call that has been given up? Whoever gave it up waits until it has closed. */
static bool is_abandoned(const fiber *f) {
  for (; f; f = f->outer)
    if (f->abandoned) return true;
  return false;
}

/* Jobs of an executor go on: stopping it is what ends them. */
static bool waits_are_over(const fiber *f) {
  for (const fiber *at = f; at; at = at->outer)
    if (at->context && at->context->worker) return false;
  return engine_waits_over(f->thread->host->base.engine);
}

/* Is nothing to be awaited any more by this fiber, if it is one? */
static bool ends_waits(const fiber *f) {
  return f && (f->awaits_too_long || is_abandoned(f) || waits_are_over(f));
}

/* run_until(future): turns the loop until future.done, or a signal interrupts the script; false: nothing would ever settle
 * it. For callers that are no fiber. */
static int wait_run_until(lua_State *L) {
  orrl_state *state = orrl_own_state(L);
  fiber *f = state->running;
  uv_loop_t *loop = orrl_loop(state);
  if (!loop) return luaL_error(L, "out of memory");
  if (f) await_guard(L, f);
  uv_timer_t *ticks = ticks_begin(loop);
  bool alive = true;
  state->hook = lua_gethook(state->L);
  state->calls++;
  bool outer = f && f->waits;
  if (f) f->waits = true;
  while (alive && !is_done(L, 1) && !signals_interrupt_script(state) && !ends_waits(f)) {
    sleepers_check(state, true);
    alive = fiber_loop_alive(state);
    if (alive) uv_run(loop, UV_RUN_ONCE);
  }
  if (f) f->waits = outer;
  if (f) await_unguard(f);
  if (ticks) uv_close((uv_handle_t *)ticks, (uv_close_cb)free);
  state->calls--;
  state->hooked = false; /* its hook raises at once */
  signals_raise(L);
  if (f) await_judge(L, f);
  if (f && is_abandoned(f)) luaL_error(L, "%s", CALL_ABANDONED);
  if (f && waits_are_over(f)) luaL_error(L, "%s", ENGINE_WAITS_OVER);
  lua_pushboolean(L, alive);
  return 1;
}

/* ---- Work on another thread ------------------------------------------------------------------ */

typedef struct deferred deferred;
struct deferred {
  uv_work_t work;
  deferred *next;
  orrl_state *state; /* NULL: it closed, and nothing waits for the result any more */
  char *module, *path, *cpath;
  orr_builder *argument, *result;
  char *failure;
  int ref; /* done(value) or done(nil, message) */
};

static void deferred_free(deferred *d) {
  free(d->module);
  free(d->path);
  free(d->cpath);
  free(d->failure);
  orr_builder_free(d->argument);
  orr_builder_free(d->result);
  free(d);
}

/* Protected, in a state of its own. */
static int deferred_body(lua_State *L) {
  deferred *d = lua_touserdata(L, 1);
  char refusal[ORRL_REFUSAL];
  orr_value value = {0};
  luaL_openlibs(L);
  lua_getglobal(L, "package");
  lua_pushstring(L, d->path);
  lua_setfield(L, -2, "path");
  lua_pushstring(L, d->cpath);
  lua_setfield(L, -2, "cpath");
  luaL_requiref(L, "orrery.core", luaopen_orrery_core, 0);
  orrl_state *state = orrl_state_of(L);
  lua_settop(L, 1);
  lua_getglobal(L, "require");
  lua_pushstring(L, d->module);
  lua_call(L, 1, 1);
  if (lua_istable(L, -1)) lua_getfield(L, -1, "run");
  if (!lua_isfunction(L, -1)) return luaL_error(L, "the module \"%s\" gives no function (and no table with run)", d->module);
  orr_builder_value(d->argument, &value, NULL);
  orrl_push_value(L, state, &value);
  lua_call(L, 1, 1);
  if (lua_isnil(L, -1)) return 0;
  if (!orrl_build(L, state, -1, d->result, "result", false, refusal)) return luaL_error(L, "%s", refusal);
  return 0;
}

static void deferred_run(uv_work_t *work) {
  deferred *d = (deferred *)work;
  lua_State *L = luaL_newstate();
  if (!L) {
    d->failure = strdup("out of memory");
    return;
  }
  lua_pushcfunction(L, deferred_body);
  lua_pushlightuserdata(L, d);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) d->failure = strdup(luaL_tolstring(L, -1, NULL));
  lua_close(L);
}

static int deferred_tell(lua_State *L) {
  deferred *d = lua_touserdata(L, 1);
  orr_value value = {0};
  lua_rawgeti(L, LUA_REGISTRYINDEX, d->ref);
  orr_builder_value(d->result, &value, NULL);
  orrl_push_value(L, d->state, &value);
  lua_pushstring(L, d->failure);
  lua_call(L, 2, 0);
  return 0;
}

static void deferred_unlink(deferred *d) {
  deferred **at = &d->state->deferred;
  while (*at && *at != d) at = &(*at)->next;
  if (*at) *at = d->next;
}

void deferred_orphan(orrl_state *state) {
  for (deferred *d = state->deferred; d; d = d->next) d->state = NULL;
  state->deferred = NULL;
}

static void deferred_done(uv_work_t *work, int status) {
  deferred *d = (deferred *)work;
  if (!d->state) {
    deferred_free(d);
    return;
  }
  lua_State *L = d->state->L;
  deferred_unlink(d);
  if (status != 0 && !d->failure) d->failure = strdup("it was canceled");
  lua_pushcfunction(L, deferred_tell);
  lua_pushlightuserdata(L, d);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) lua_pop(L, 1);
  luaL_unref(L, LUA_REGISTRYINDEX, d->ref);
  deferred_free(d);
}

/* defer(module, argument, path, cpath, done) */
static int wait_defer(lua_State *L) {
  orrl_state *state = orrl_own_state(L);
  char refusal[ORRL_REFUSAL];
  const char *module = luaL_checkstring(L, 1), *path = luaL_checkstring(L, 3), *cpath = luaL_checkstring(L, 4);
  luaL_checktype(L, 5, LUA_TFUNCTION);
  lua_settop(L, 5);
  uv_loop_t *loop = orrl_loop(state);
  deferred *d = calloc(1, sizeof *d);
  if (!loop || !d) {
    free(d);
    return luaL_error(L, "out of memory");
  }
  d->state = state;
  d->module = strdup(module);
  d->path = strdup(path);
  d->cpath = strdup(cpath);
  d->argument = orr_builder_new();
  d->result = orr_builder_new();
  bool fits = d->module && d->path && d->cpath && d->argument && d->result;
  if (!fits) snprintf(refusal, sizeof refusal, "out of memory");
  else fits = orrl_build(L, state, 2, d->argument, "argument", false, refusal);
  if (!fits) {
    deferred_free(d);
    return luaL_error(L, "%s", refusal);
  }
  d->ref = luaL_ref(L, LUA_REGISTRYINDEX);
  if (uv_queue_work(loop, &d->work, deferred_run, deferred_done) != 0) {
    luaL_unref(L, LUA_REGISTRYINDEX, d->ref);
    deferred_free(d);
    return luaL_error(L, "the work cannot be queued");
  }
  d->next = state->deferred;
  state->deferred = d;
  return 0;
}

const luaL_Reg fiber_functions[] = {{"fiber", wait_fiber}, {"wake", wait_wake},
                                    {"begin_await", wait_begins}, {"awaited", wait_awaited},
                                    {"timer", wait_timer},
                                  {"after_commit", wait_commit},
                                    {"run_until", wait_run_until},
                                    {"defer", wait_defer}, {NULL, NULL}};
