/* The agenda: planning operations, running them, and continuing after the script host has
 * answered. */
#include "state/bounds.h"
#include "exec/agenda.h"

#include <inttypes.h>
#include <string.h>

#include "engine/engine.h"
#include "exec/awaiting.h"
#include "exec/cancel.h"
#include "exec/event/condition.h"
#include "state/execution.h"
#include "exec/flow.h"
#include "exec/node/inclusive_join.h"
#include "exec/node/multi_overview.h"
#include "exec/node/native.h"
#include "exec/node/call_place.h"
#include "exec/branch_queue.h"
#include "exec/token.h"

enum { AGENDA_FIRST_CAPACITY = 32 };

int agenda_reserve(context *c, uint32_t n) {
  agenda *a = &c->agenda;
  if (n <= a->capacity - a->count) return 0;
  uint32_t capacity = a->capacity ? a->capacity : AGENDA_FIRST_CAPACITY;
  while (capacity - a->count < n) capacity *= 2;
  operation *grown = arena_grow(c->arena, a->items, a->capacity * sizeof *grown, capacity * sizeof *grown);
  if (!grown) return context_memory(c);
  a->items = grown;
  a->capacity = capacity;
  return 0;
}

operation *agenda_plan(context *c, operation_fn run, orr_id execution) {
  agenda *a = &c->agenda;
  if (a->count == a->capacity && agenda_reserve(c, 1)) return NULL;
  operation *op = &a->items[a->count++];
  memset(op, 0, sizeof *op);
  op->run = run;
  op->execution = execution;
  op->base = a->base;
  op->planned_by = a->runs;
  op->branch = execution != a->execution;
  a->planned++;
  return op;
}

void agenda_take_along(context *c) {
  agenda *a = &c->agenda;
  if (a->count > c->floor) a->items[a->count - 1].planned_by = a->runs;
}

/* Reverses the topmost `n` operations: they were planned in order, so the last one lies on top. */
static void agenda_reverse(agenda *a, uint32_t n) {
  operation *low = a->items + (a->count - n), *high = a->items + a->count;
  while (low + 1 < high) {
    operation swapped = *low;
    *low++ = *--high;
    *high = swapped;
  }
}

/* What the last operation planned runs next, in its order. */
static void settle_operation(context *c) {
  if (c->agenda.planned > 1) agenda_reverse(&c->agenda, c->agenda.planned);
  c->agenda.planned = 0;
}

static int op_nothing(context *c, operation *op) {
  (void)c, (void)op;
  return 0;
}

void agenda_drop(context *c, orr_id execution) {
  for (uint32_t i = 0; i < c->agenda.count; i++)
    if (c->agenda.items[i].execution == execution) c->agenda.items[i].run = op_nothing;
}

int context_fail(context *c, orr_error *err) {
  int code = err->code ? err->code : ORR_E_STATE;
  error_move(&c->error, err);
  return code;
}

static void forgive(context *c, host_result *result) {
  const char *why = result->error.message ? result->error.message : result->message ? result->message : result->code;
  engine_log(c->engine, ORR_LOG_WARNING, NULL, "a listener failed while its instance was deleted with its definition: %s",
             why ? why : "it does not say why");
  orr_error_clear(&result->error);
  *result = (host_result){0};
}

void agenda_answered(context *c, host_status status, host_result *result) {
  if (status == HOST_FAILED && c->ignores_failures) forgive(c, result);
  else if (status == HOST_FAILED && !result->error.code && !result->bpmn_error)
    error_set(&result->error, ORR_E_SCRIPT, "the script host failed without saying why");
  orr_error_clear(&c->result.error);
  c->result = *result;
}

/* There is no script host, and no C function of this name, perhaps not yet. */
static int no_host(context *c, const operation *op, const host_call *call) {
  const char *name = call->run ? native_name(call->run) : NULL, *at = op->node && op->node->id ? op->node->id : "a listener";
  int rc = context_error(c, ORR_E_UNSUPPORTED, "there is no script host that could run what \"%s\" names", at);
  orr_value text = orr_string(name);
  if (name) (void)error_detail(&c->error, HOST_MISSING, &text); /* without memory it is a failure like any other */
  return rc;
}

/* A delegate may wait for anything, even for another thread's commit, so this thread keeps no view
 * open meanwhile.
 *
 * The continuation does not run from here, because listeners in a row would nest on the C stack.
 * run_operation finds it in c->waiting. */
int agenda_call(context *c, const operation *op, const host_call *call, operation_fn next) {
  host_result result = {0};
  host_status status = HOST_DONE;
  orr_id about = c->about;
  unit_yield(c->u);
  c->about = 0;
  place_mark at = call_place_of(c, op, call), before = call_place_enter(c, &at);
  bool native = native_call(c, call, &result, &status);
  if (!native && c->host) status = c->host->methods->call(c->host, call, &result);
  call_place_leave(c, &before);
  call_place_fail_overdue(c, &at, &status, &result);
  c->about = about;
  if (!native && !c->host) return no_host(c, op, call);
  if (status == HOST_PENDING) return await_begin(c, op, next, result.pending, &at);
  *c->continuation = *op;
  c->continuation->run = next;
  c->waiting = c->continuation;
  agenda_answered(c, status, &result);
  return 0;
}

/* An error of an engine call inside a delegate has its place already. */
static void tell_where(context *c) {
  if (!c->failed_at || !c->failed_at->id) return;
  if (c->error.details && orr_map_get(c->error.details, "activity_id").type != ORR_NIL) return;
  orr_value id = orr_string(c->failed_at->id);
  (void)error_detail(&c->error, "activity_id", &id); /* without memory the error loses a detail */
}

static int agenda_fail(context *c, const operation *op, int code) {
  if (!c->error.code) error_set(&c->error, code, "%s", orr_strerror(code));
  if (!c->failed_at) c->failed_at = op->node;
  tell_where(c);
  c->state = CONTEXT_FAILED;
  return c->error.code;
}

/* The call is pending: parks the operation. */
static int step_aside(context *c, const operation *op, const struct view_slot *mark) {
  int rc = await_park(c, mark);
  return rc < 0 ? agenda_fail(c, op, rc) : rc;
}

/* Runs the operation. If one of its expressions has canceled its token, the operation is over. */
static int run_itself(context *c, operation *op) {
  orr_id about = c->about;
  c->about = op->execution;
  int rc = bounds_allow(c) ? op->run(c, op) : bounds_refuse(c, op->execution, op->node);
  c->about = about;
  if (rc != RUN_CANCELED) return rc;
  orr_error_clear(&c->error);
  c->failed_at = NULL;
  return 0;
}

/* Runs one operation, with its continuations as long as none waits; `views` existed before it. 1:
 * its call holds up the whole agenda. */
static int run_operation(context *c, operation *op, const struct view_slot *views) {
  for (;;) {
    int rc = run_itself(c, op);
    if (rc) return agenda_fail(c, op, rc);
    if (c->pending_call) return step_aside(c, op, views);
    if (!c->waiting) break;
    *op = *c->waiting;
    c->waiting = NULL;
  }
  settle_operation(c);
  if (c->queue_behind && await_hold_planned(c)) return agenda_fail(c, op, c->error.code);
  execution_views_release(c, views);
  return 0;
}

/* Conditional events see changes between two steps of a token, not in the middle of one. */
static bool step_begins(operation_fn run) {
  return run == op_execute || run == op_leave || run == op_close || run == op_take_flow || run == op_enter ||
         run == op_end_token;
}

/* Continues an answered call, or what was parked behind a dropped one. */
static int resume_call(context *c, awaited_call *w) {
  const struct view_slot *views = c->lists.views;
  operation op = {0};
  switch (await_resume(c, w, &op)) {
    case AWAIT_ANSWERED: return run_operation(c, &op, views);
    case AWAIT_AGAIN: return step_aside(c, &op, views);
    case AWAIT_DROPPED: break;
    default: return agenda_fail(c, &op, c->error.code);
  }
  settle_operation(c);
  execution_views_release(c, views);
  return 0;
}

/* What the operations of a branch plan belongs to that branch. An operation about another token
 * than the one that planned it begins a branch, with everything that is planned for that token
 * right behind it. */
static uint32_t branch_base(const agenda *a, const operation *op) {
  uint32_t base = a->count;
  if (!op->branch) return op->base;
  while (base > op->base && a->items[base - 1].execution == op->execution) base--;
  return base;
}

static int run_next(context *c) {
  agenda *a = &c->agenda;
  operation op = a->items[--a->count];
  a->runs++;
  if (c->branches_overtake && cancel_overtakes(c, &op)) return c->error.code;
  a->base = branch_base(a, &op);
  a->execution = op.execution;
  return run_operation(c, &op, c->lists.views);
}

/* What is planned between the steps of tokens belongs to no existing branch. */
static int flush(context *c, int (*what)(context *c)) {
  c->agenda.runs++;
  c->agenda.base = c->agenda.count;
  c->agenda.execution = 0;
  int rc = what(c);
  if (rc) return agenda_fail(c, &(operation){0}, rc);
  settle_operation(c);
  return 0;
}

/* Nothing is planned. 0: there is more to do; 1: the rest waits. */
static int look_further(context *c) {
  if (c->lists.changes) return flush(c, conditions_flush);
  if (c->branches.first) return flush(c, branch_queue_run_next);
  if (c->lists.join_checks) return flush(c, inclusive_join_check);
  if (c->lists.overviews) return flush(c, overview_flush);
  awaited_call *w = await_next(c);
  if (w) return resume_call(c, w);
  if (c->awaits->first) return RUN_PENDING;
  c->state = CONTEXT_READY;
  return 0;
}

static int stand_still(context *c) {
  c->state = CONTEXT_PENDING;
  unit_pause(c->u);
  return RUN_PENDING;
}

int agenda_run(context *c) {
  const agenda *a = &c->agenda;
  int rc = 0;
  settle_operation(c);
  c->state = CONTEXT_RUNNING;
  if (c->awaits->blocking) {
    awaited_call *w = await_next(c);
    rc = w ? resume_call(c, w) : RUN_PENDING;
  }
  while (!rc && c->state == CONTEXT_RUNNING) {
    if (a->count == c->floor) rc = look_further(c);
    else if (c->lists.changes && step_begins(a->items[a->count - 1].run)) rc = flush(c, conditions_flush);
    else rc = run_next(c);
  }
  return rc == RUN_PENDING ? stand_still(c) : rc;
}
