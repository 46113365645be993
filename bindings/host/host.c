/* The methods of runtime/engine/host.h: calls, evaluations, hooks, decisions, waiting; and the host itself. */
#include "bindings/host/host.h"

#include "bindings/host/flow_counts.h"
#include "bindings/host/fiber_ask.h"

#include <stdlib.h>
#include <string.h>

#include "bindings/host/host_callee.h"
#include "bindings/host/host_code.h"
#include "bindings/host/host_error.h"
#include "bindings/host/host_execution.h"
#include "bindings/host/host_log.h"
#include "bindings/host/host_names.h"
#include "bindings/host/host_thread.h"
#include "bindings/host/host_types.h"
#include "bindings/signals.h"
#include "state/variable.h"
#include "bindings/value.h"
#include "bindings/token.h"
#include "bindings/host/fiber_wait.h"
#include "bindings/host/host_view.h"
#include "base/value.h"

/* ---- Values ---------------------------------------------------------------------------------- */

bool host_to_arena(lua_State *L, orrl_state *state, int index, orr_arena *arena, const char *name, orr_value *out,
                   char *refusal) {
  orr_value value;
  if (!orrl_scalar(L, state, index, &value)) {
    orr_builder_reset(state->builder);
    if (!orrl_build(L, state, index, state->builder, name, false, refusal)) return false;
    orr_error err = {0};
    if (orr_builder_value(state->builder, &value, &err)) {
      snprintf(refusal, ORRL_REFUSAL, "%s: %s", name, err.message ? err.message : "it cannot be stored");
      orr_error_clear(&err);
      return false;
    }
  }
  if (!value_copy(arena, &value, out)) return true;
  snprintf(refusal, ORRL_REFUSAL, "out of memory");
  return false;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static const char strayed[] = "a delegate or script yielded its coroutine; to wait, it calls orrery.await or orrery.sleep";

static host_status host_finish(fiber *f, int status, host_result *result) {
  if (status == LUA_YIELD) {
    f->pending = true;
    result->pending = &f->waiting;
    return HOST_PENDING;
  }
  *result = f->result;
  if (status != LUA_OK) {
    *result = (host_result){0};
    if (status == FIBER_STRAYED) error_set(&result->error, ORR_E_SCRIPT, "%s", strayed);
    else host_failure(f, status, ORR_E_SCRIPT, result);
    fiber_unwind(f);
  }
  return status == LUA_OK ? HOST_DONE : HOST_FAILED;
}

static host_status no_fiber(lua_thread *t, host_result *result) {
  *result = (host_result){0};
  if (t->state->depth < FIBER_DEPTH_MAX) error_memory(&result->error);
  else error_set(&result->error, ORR_E_LIMIT, "delegates call each other more than %d deep", FIBER_DEPTH_MAX);
  return HOST_FAILED;
}

static host_status host_do_call(host_thread *thread, const host_call *call, host_result *result) {
  lua_thread *t = (lua_thread *)thread;
  fiber *f = t->state->depth < FIBER_DEPTH_MAX ? fiber_take(t->state, t) : NULL;
  if (!f) return no_fiber(t, result);
  f->kept = *call;
  f->view = call->execution;
  f->context = call->execution->context;
  f->arena = f->context->arena;
  f->missing_is_nil = f->pure = false;
  f->result = (host_result){0};
  host_status status = host_finish(f, fiber_start(f, callee_call), result);
  if (status != HOST_PENDING) fiber_give(f);
  return status;
}

static host_status host_resume(host_thread *thread, host_pending *call, host_result *result) {
  (void)thread;
  fiber *f = (fiber *)call;
  host_status status = host_finish(f, fiber_resume(f), result);
  if (status != HOST_PENDING) fiber_give(f);
  return status;
}

static void host_abandon(host_thread *thread, host_pending *call) {
  (void)thread;
  fiber_abandon((fiber *)call);
}

static void host_interrupt(host_thread *thread, host_pending *call) {
  (void)thread;
  fiber_wake((fiber *)call);
}

/* ---- Evaluations ----------------------------------------------------------------------------- */

static int host_evaluate_body(lua_State *L) {
  fiber *f = lua_touserdata(L, 1);
  char refusal[ORRL_REFUSAL];
  lua_settop(L, 0);
  code_call(L, f, f->expr, 0, NULL);
  if (f->expr->kind == EXPR_SCRIPT) code_clear(L, f);
  if (!host_to_arena(L, f->state, -1, f->arena, f->expr->text ? f->expr->text : "value", &f->result.value, refusal)) {
    return luaL_error(L, "%s", refusal);
  }
  return 0;
}

/* The part that evaluations and hooks share: run protected, then answer a value or an error. */
static int run_protected(fiber *f, lua_CFunction body, int code, orr_value *out, orr_error *err) {
  f->result = (host_result){0};
  int status = fiber_protect(f, body);
  int rc = 0;
  if (status == LUA_OK) {
    *out = f->result.value;
  } else {
    host_result failed = {0};
    host_failure(f, status, code, &failed);
    rc = failed.error.code;
    error_move(err, &failed.error);
  }
  fiber_give(f);
  return rc;
}

static fiber *protected_fiber(host_thread *thread, orr_execution *execution, orr_arena *arena, orr_error *err) {
  lua_thread *t = (lua_thread *)thread;
  fiber *f = t->state->depth < FIBER_DEPTH_MAX ? fiber_take(t->state, t) : NULL;
  if (!f) {
    host_result failed;
    no_fiber(t, &failed);
    error_move(err, &failed.error);
    return NULL;
  }
  f->kept = (host_call){0};
  f->view = execution;
  f->context = execution ? execution->context : NULL;
  f->arena = arena;
  f->missing_is_nil = false;
  f->pure = t->state->pure;
  return f;
}

static int host_evaluate(host_thread *thread, const expr *e, orr_execution *execution, const orr_value *variables,
                         bool missing_is_nil, orr_arena *arena, orr_value *out, orr_error *err) {
  orr_error failure = {0};
  fiber *f = protected_fiber(thread, execution, arena, &failure);
  int rc = failure.code;
  if (f) {
    f->expr = e;
    f->variables = variables;
    f->missing_is_nil = missing_is_nil;
    rc = run_protected(f, host_evaluate_body, ORR_E_EXPRESSION, out, &failure);
  }
  error_move(err, &failure);
  return rc;
}

/* ---- Hooks that models name ------------------------------------------------------------------ */

typedef struct invocation {
  const char *name, *method;
  const orr_value *arguments;
} invocation;

static int invoke_body(lua_State *L) {
  fiber *f = lua_touserdata(L, 1);
  const invocation *call = f->kept.data.as.bytes ? (const void *)f->kept.data.as.bytes : NULL;
  char refusal[ORRL_REFUSAL];
  orr_value item;
  int count = 0;
  lua_settop(L, 0);
  names_resolve(L, f, call->name);
  if (!lua_isfunction(L, -1)) {
    if (lua_getfield(L, -1, call->method) != LUA_TFUNCTION)
      return luaL_error(L, "\"%s\" has no method %s", call->name, call->method);
    lua_insert(L, -2);
    count++;
  }
  orr_iterator it = orr_iterate(call->arguments);
  while (call->arguments && orr_next(&it, NULL, &item)) {
    luaL_checkstack(L, 4, "too many arguments");
    orrl_push_value(L, f->state, &item);
    count++;
  }
  lua_call(L, count, 1);
  if (!host_to_arena(L, f->state, -1, f->arena, call->name, &f->result.value, refusal)) return luaL_error(L, "%s", refusal);
  return 0;
}

static int host_invoke(host_thread *thread, const char *name, const char *method, const orr_value *arguments, orr_arena *arena,
                       orr_value *out, orr_error *err) {
  invocation call = {name, method, arguments};
  orr_error failure = {0};
  fiber *f = protected_fiber(thread, NULL, arena, &failure);
  int rc = failure.code;
  if (f) {
    f->kept.data.as.bytes = (const void *)&call;
    rc = run_protected(f, invoke_body, ORR_E_SCRIPT, out, &failure);
  }
  error_move(err, &failure);
  return rc;
}

/* ---- Decisions ------------------------------------------------------------------------------- */

typedef struct deciding {
  const orr_value *options, *variables;
} deciding;

static int host_decide_body(lua_State *L) {
  fiber *f = lua_touserdata(L, 1);
  const deciding *what = (const void *)f->kept.data.as.bytes;
  char refusal[ORRL_REFUSAL];
  lua_settop(L, 0);
  budget_begin(f, L, "expression");
  orrl_push_hook(L, f->state, "decide");
  host_push_engine(L, f->thread);
  orrl_push_value(L, f->state, what->options);
  orrl_push_dated(L, f->state, what->variables);
  lua_call(L, 3, 1);
  if (!host_to_arena(L, f->state, -1, f->arena, "the decision", &f->result.value, refusal)) return luaL_error(L, "%s", refusal);
  return 0;
}

static int host_decide(host_thread *thread, const orr_value *options, const orr_value *variables, orr_arena *arena,
                       orr_value *out, orr_error *err) {
  deciding what = {options, variables};
  orr_error failure = {0};
  fiber *f = protected_fiber(thread, NULL, arena, &failure);
  int rc = failure.code;
  if (f) {
    f->kept.data.as.bytes = (const void *)&what;
    rc = run_protected(f, host_decide_body, ORR_E_SCRIPT, out, &failure);
  }
  error_move(err, &failure);
  return rc;
}

/* Of what Lua code of the program calls: the function and its arguments are on top of its stack. */
typedef struct bounding {
  lua_State *from;
  int values;
} bounding;

static int bounded_body(lua_State *L) {
  fiber *f = lua_touserdata(L, 1);
  const bounding *what = (const void *)f->kept.data.as.bytes;
  lua_settop(L, 0);
  luaL_checkstack(L, what->values + 4, "too many arguments");
  lua_xmove(what->from, L, what->values);
  budget_begin(f, L, "expression");
  lua_call(L, what->values - 1, 1);
  lua_xmove(L, what->from, 1);
  return 0;
}

int host_bounded(lua_State *L, lua_thread *t) {
  bounding what = {L, lua_gettop(L) - 1};
  orr_error failure = {0};
  fiber *f = protected_fiber(&t->base, NULL, NULL, &failure);
  if (!f) orrl_push_error(L, t->state, &failure);
  if (!f) return lua_error(L);
  f->kept.data.as.bytes = (const void *)&what;
  int status = fiber_protect(f, bounded_body);
  if (status != LUA_OK) lua_xmove(f->co, L, 1);
  if (status == LUA_ERRMEM && f->budget.refused) budget_error(f, "memory", &failure);
  fiber_give(f);
  if (failure.code) orrl_push_error(L, t->state, &failure);
  return status == LUA_OK ? 1 : lua_error(L);
}

static bool host_known_name(host_thread *thread, const char *name) { return names_known(((lua_thread *)thread)->host, name); }

static bool host_known_task_type(host *self, const char *name) {
  char key[ORR_NAME_BYTES_MAX + 8];
  snprintf(key, sizeof key, "type:%s", name);
  return names_known((lua_host *)self, key);
}

static bool host_available(host *self, const char *name) { return names_available((lua_host *)self, name); }

static int host_groups_of(host_thread *thread, const char *user, orr_arena *arena, orr_value *out, orr_error *err) {
  *out = (orr_value){0};
  if (!host_known_name(thread, "groups of user:")) return 0;
  orr_builder *builder = orr_builder_new();
  orr_value text = orr_string(user), arguments;
  if (!builder) return error_memory(err);
  orr_builder_array(builder);
  orr_builder_add(builder, &text);
  orr_builder_end(builder);
  int rc = orr_builder_value(builder, &arguments, err);
  if (!rc) rc = host_invoke(thread, "groups of user:", "resolve", &arguments, arena, out, err);
  orr_builder_free(builder);
  return rc;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static void nothing(uv_timer_t *alarm) { (void)alarm; }

/* A timer that ends a turn of the loop after so long, without keeping the loop alive. NULL without memory. */
static uv_timer_t *alarm_new(uv_loop_t *loop, int64_t left_ms) {
  uv_timer_t *alarm = malloc(sizeof *alarm);
  if (!alarm || uv_timer_init(loop, alarm) != 0) {
    free(alarm);
    return NULL;
  }
  uv_timer_start(alarm, nothing, left_ms > 0 ? (uint64_t)left_ms : 0, 0);
  return alarm;
}

static int64_t left_ms(int64_t deadline_ns) { return (deadline_ns - (int64_t)uv_hrtime()) / 1000000; }

/* One turn of the loop, which ends at the deadline at the latest. */
static int turn(orrl_state *state, int64_t deadline_ns, orr_error *err) {
  uv_loop_t *loop = orrl_loop(state);
  if (!loop) return error_memory(err);
  if (left_ms(deadline_ns) <= 0) {
    uv_run(loop, UV_RUN_NOWAIT);
    return 0;
  }
  uv_timer_t *alarm = alarm_new(loop, left_ms(deadline_ns));
  if (!alarm) return error_memory(err);
  uv_run(loop, UV_RUN_ONCE);
  uv_close((uv_handle_t *)alarm, (uv_close_cb)free);
  return 0;
}

/* Where nothing else would go on before the manual clock moves, and the program has asked for that, it moves. */
static bool jump(const orrl_state *state, const context *pending) {
  orr_engine *engine = pending->engine;
  orr_time due = sleepers_due(state, engine);
  return due && !orr_engine_set_time(engine, due, NULL);
}

/* Turns until the context is pending no more, or the time is over. The alarm ends turns, and does
 * not keep the loop alive, so that what nothing will settle shows. */
static int turn_until(orrl_state *state, uv_loop_t *loop, context *pending, int64_t deadline_ns,
                      orr_error *err) {
  bool jumps = atomic_load(&((lua_host *)pending->engine->host)->jumps);
  while (pending->state == CONTEXT_PENDING && left_ms(deadline_ns) > 0) {
    if (signals_stop(state)) return signals_error(err);
    sleepers_check(state, !pending->leaves_clock_waits && !jumps);
    bool alive = fiber_loop_alive(state);
    pending->waits_for_clock = !alive && pending->leaves_clock_waits && sleepers_due(state, pending->engine);
    if (pending->waits_for_clock) return 0;
    if (!alive && jumps && jump(state, pending)) continue;
    if (!alive) return error_set(err, ORR_E_STATE, "a delegate awaits a future that nothing will settle");
    uv_run(loop, UV_RUN_ONCE);
  }
  return 0;
}

/* The same for what runs and called the command that is pending: it waits. */
static int turn_for(orrl_state *state, uv_loop_t *loop, context *pending, int64_t deadline_ns,
                    orr_error *err) {
  fiber *f = state->running;
  bool outer = f && f->waits;
  if (f) f->waits = true;
  int rc = turn_until(state, loop, pending, deadline_ns, err);
  if (f) f->waits = outer;
  return rc;
}

static int host_wait(host_thread *thread, context *pending, int64_t deadline_ns, orr_error *err) {
  lua_thread *t = (lua_thread *)thread;
  log_drain(t->host);
  if (!pending) {
    sleepers_check(t->state, false);
    return turn(t->state, deadline_ns, err);
  }
  uv_loop_t *loop = orrl_loop(t->state);
  uv_timer_t *alarm = loop ? alarm_new(loop, SIGNAL_LOOK_MS) : NULL;
  if (!alarm) return error_memory(err);
  uv_timer_set_repeat(alarm, SIGNAL_LOOK_MS);
  uv_unref((uv_handle_t *)alarm);
  int rc = turn_for(t->state, loop, pending, deadline_ns, err);
  uv_close((uv_handle_t *)alarm, (uv_close_cb)free);
  return rc;
}

static int host_interrupted(host_thread *thread, orr_error *err) {
  return signals_stopped(((lua_thread *)thread)->state) ? signals_error(err) : 0;
}

static void *host_loop(host_thread *thread) { return orrl_loop(((lua_thread *)thread)->state); }

static void host_forget(host_thread *thread, orr_id gone) {
  (void)gone; /* chunks are kept by their text; a definition's are few, and compiled again when still in use */
  code_forget((lua_thread *)thread);
}

static void host_settle(host_thread *thread) { log_drain(((lua_thread *)thread)->host); }

enum { TRACEBACK_CALLS_MAX = 32 }; /* of one job: more would hide the others */

/* Pushes the stack of the fiber: below those of the coroutines that run in it. */
static void push_stacks(lua_State *L, const fiber *f) {
  const coroutine_run *run = f == f->state->running ? f->state->innermost : &f->run;
  int parts = 1;
  for (; run != &f->run && parts < TRACEBACK_CALLS_MAX; run = run->outer, parts++) {
    luaL_traceback(L, run->co, NULL, 0);
    lua_pushliteral(L, "\n");
    lua_concat(L, 2);
  }
  luaL_traceback(L, f->co, NULL, 0);
  lua_concat(L, parts);
}

/* Each call that awaits something is a coroutine of its own. */
static char *host_traceback(host_thread *thread, context *running) {
  lua_thread *t = (lua_thread *)thread;
  lua_State *L = t->state->L;
  int parts = 0;
  for (fiber *f = t->state->fibers; f; f = f->next_all) {
    if (f->thread != t || f->context != running || f->serial == 0) continue;
    if (!lua_checkstack(L, TRACEBACK_CALLS_MAX + 8)) continue;
    if (parts > 0) lua_pushliteral(L, "\n");
    push_stacks(L, f);
    parts += parts > 0 ? 2 : 1;
    if (parts > TRACEBACK_CALLS_MAX) break;
  }
  if (parts == 0) return NULL;
  lua_concat(L, parts);
  const char *text = lua_tostring(L, -1);
  char *copy = text ? strdup(text) : NULL;
  lua_pop(L, 1);
  return copy;
}

/* Of the first of its calls that has one. */
static bool host_line(host_thread *thread, const context *running, char *out, size_t size) {
  lua_thread *t = (lua_thread *)thread;
  for (const fiber *f = t->state->fibers; f; f = f->next_all)
    if (f->thread == t && f->context == running && f->serial != 0 && orrl_line(f->co, t->state, out, size)) return true;
  return false;
}

/* ---- The host -------------------------------------------------------------------------------- */

static void host_close(host *self) { host_free((lua_host *)self); }

static const host_methods methods = {.thread_open = host_thread_open,
                                     .thread_close = host_thread_close,
                                     .call = host_do_call,
                                     .resume = host_resume,
                                     .interrupt = host_interrupt,
                                     .abandon = host_abandon,
                                     .evaluate = host_evaluate,
                                     .invoke = host_invoke,
                                     .decide = host_decide,
                                     .known_name = host_known_name,
                                     .known_task_type = host_known_task_type,
                                     .check_script = host_check_script,
                                     .available = host_available,
                                     .groups_of = host_groups_of,
                                     .wait = host_wait,
                                     .interrupted = host_interrupted,
                                     .loop = host_loop,
                                     .forget = host_forget,
                                     .settle = host_settle,
                                     .traceback = host_traceback,
                                     .line = host_line,
                                     .ask = fiber_ask,
                                     .close = host_close};

static char *package_field(lua_State *L, const char *name) {
  char *copy = NULL;
  if (lua_getglobal(L, "package") == LUA_TTABLE) {
    lua_getfield(L, -1, name);
    copy = strdup(lua_isstring(L, -1) ? lua_tostring(L, -1) : "");
    lua_pop(L, 1);
  } else {
    copy = strdup("");
  }
  lua_pop(L, 1);
  return copy;
}

lua_host *host_new(lua_State *L, orr_error *err) {
  lua_host *h = calloc(1, sizeof *h);
  if (!h) {
    error_memory(err);
    return NULL;
  }
  h->base.methods = &methods;
  h->opener = pthread_self();
  h->opener_state = orrl_state_of(L);
  h->log_ref = LUA_NOREF;
  h->log_level = ORR_LOG_WARNING;
  pthread_mutex_init(&h->mutex, NULL);
  h->package_path = package_field(L, "path");
  h->package_cpath = package_field(L, "cpath");
  h->module_path = h->package_path ? strdup(h->package_path) : NULL;
  if (h->module_path && h->package_cpath) return h;
  host_free(h);
  error_memory(err);
  return NULL;
}

void host_free(lua_host *h) {
  if (!h) return;
  lua_State *owned = h->owned;
  log_close(h);
  names_free(h);
  pthread_mutex_destroy(&h->mutex);
  free(h->package_path);
  free(h->package_cpath);
  free(h->module_path);
  free(h->libraries);
  orr_builder_free(h->outside);
  tokens_free(h);
  flow_counts_free(h->flows);
  free(h);
  if (owned) lua_close(owned);
}
