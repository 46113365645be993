/* Running contexts: as their thread's current one, nested, and waiting for the host. */
#include "exec/context_run.h"

#include <string.h>

#include "engine/engine.h"
#include "exec/agenda.h"

/* How often a caller that waits for the host checks that what it works on still exists. */
#define CONTEXT_LOOK_NS (500 * INT64_C(1000000))

int context_run_prepare(context *c) {
  c->continuation = ARENA_NEW(c->arena, operation);
  await_open(c, &c->outermost);
  return c->continuation ? 0 : ORR_E_MEMORY;
}

/* While it runs, a context is its thread's current one, so that engine calls of delegates join it. Of
 * several contexts of one thread, the others' views are closed meanwhile. */
static int run_as_current(context *c, int (*run)(context *c)) {
  engine_thread *thread = engine_thread_get(c->engine, &c->error);
  if (!thread) return c->error.code;
  context *outer = thread->current;
  if (outer && outer != c) unit_pause(outer->u);
  thread->current = c;
  int rc = run(c);
  thread->current = outer;
  return rc;
}

int context_run(context *c) {
  c->floor = 0;
  return run_as_current(c, agenda_run);
}

void context_awakened(context *c, const await_frame *frame) {
  if (c->state != CONTEXT_PENDING || frame != c->awaits) return;
  int rc = run_as_current(c, agenda_run);
  if (rc != RUN_PENDING && !frame->outer && c->on_done) c->on_done(c, c->on_done_ud);
}

/* The caller gets the error, and decides whether the rest may still be committed
 * (command/frame.c). */
static int nested_failed(context *c, orr_error *err) {
  int code = c->error.code;
  error_move(err, &c->error);
  orr_error_clear(&c->error);
  return code;
}

/* What an outer run keeps while a nested one runs. */
typedef struct outer_run {
  uint32_t floor, planned, base;
  orr_id execution;
  context_state state;
  operation *waiting, continuation;
  host_result result;
  branch_queue branches;
} outer_run;

static void begin_nested(context *c, uint32_t mark, await_frame *frame, outer_run *outer) {
  agenda *a = &c->agenda;
  uint32_t nested = a->count - mark;
  *outer = (outer_run){.floor = c->floor, .planned = a->planned >= nested ? a->planned - nested : 0, .base = a->base,
                       .execution = a->execution, .state = c->state, .waiting = c->waiting, .continuation = *c->continuation,
                       .result = c->result, .branches = c->branches};
  c->branches = (branch_queue){.outer = &outer->branches};
  memset(&c->result, 0, sizeof c->result);
  c->waiting = NULL;
  c->floor = a->base = mark;
  a->planned = nested;
  for (uint32_t i = mark; i < a->count; i++) a->items[i].base = mark;
  await_open(c, frame);
}

static void end_nested(context *c, const outer_run *outer) {
  agenda *a = &c->agenda;
  await_close(c);
  a->count = a->count > c->floor ? c->floor : a->count;
  c->branches = outer->branches;
  a->planned = outer->planned;
  a->base = outer->base;
  a->execution = outer->execution;
  orr_error_clear(&c->result.error);
  c->result = outer->result;
  c->floor = outer->floor;
  c->state = outer->state;
  c->waiting = outer->waiting;
  *c->continuation = outer->continuation;
}

static int wait_or_look(context *c) {
  const orr_env *env = &c->engine->env;
  if (!c->worker && engine_waits_over(c->engine))
    return context_error(c, ORR_E_STATE, "%s", ENGINE_WAITS_OVER);
  int rc = c->leaves_clock_waits ? await_check(c) : 0; /* its clock may have moved since */
  if (!rc) rc = c->host->methods->wait(c->host, c, env->mono_ns(env->ud) + CONTEXT_LOOK_NS, &c->error);
  if (rc || c->state != CONTEXT_PENDING) return rc;
  rc = await_check(c);
  return rc || !c->check_wait ? rc : c->check_wait(c, c->check_wait_ud);
}

int context_wait(context *c) {
  int rc = 0;
  c->waits_for_clock = false;
  engine_thread_waits(c->engine, true);
  while (!rc && c->state == CONTEXT_PENDING && !c->waits_for_clock) rc = wait_or_look(c);
  engine_thread_waits(c->engine, false);
  if (!rc && c->state == CONTEXT_PENDING) return RUN_PENDING;
  if (!rc && c->state == CONTEXT_FAILED) rc = c->error.code ? c->error.code : ORR_E_STATE;
  return rc;
}

/* A nested run is inside a host call of the running operation, which keeps its continuation, and
 * the operations planned so far. */
int context_run_nested(context *c, uint32_t mark, orr_error *err) {
  outer_run outer;
  await_frame frame;
  bool leaves_clock_waits = c->leaves_clock_waits, may_pend = c->may_pend;
  c->leaves_clock_waits = c->may_pend = false; /* the caller waits for the outcome */
  begin_nested(c, mark, &frame, &outer);
  int rc = agenda_run(c);
  if (rc == RUN_PENDING || (!rc && c->state == CONTEXT_PENDING)) rc = context_wait(c);
  c->leaves_clock_waits = leaves_clock_waits;
  c->may_pend = may_pend;
  if (rc && !c->error.code) error_set(&c->error, rc, "%s", orr_strerror(rc));
  end_nested(c, &outer);
  return rc ? nested_failed(c, err) : 0;
}
