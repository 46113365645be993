/* The agenda: planning, running, going on after the script host. */
#include "exec/agenda.h"

#include <string.h>

#include "engine/engine.h"
#include "exec/event/condition.h"
#include "exec/execution.h"
#include "exec/node/inclusive_join.h"
#include "exec/node/multi_overview.h"
#include "exec/node/native.h"

enum { AGENDA_FIRST_CAPACITY = 32 };

operation *agenda_plan(context *c, operation_fn run, orr_id execution) {
  agenda *a = &c->agenda;
  if (a->count == a->capacity) {
    uint32_t capacity = a->capacity ? a->capacity * 2 : AGENDA_FIRST_CAPACITY;
    operation *grown = arena_grow(c->arena, a->items, a->capacity * sizeof *grown, capacity * sizeof *grown);
    if (!grown) {
      context_memory(c);
      return NULL;
    }
    a->items = grown;
    a->capacity = capacity;
  }
  operation *op = &a->items[a->count++];
  memset(op, 0, sizeof *op);
  op->run = run;
  op->execution = execution;
  a->planned++;
  return op;
}

/* Turns the topmost `n` operations around: planned in order, they lie in reverse. */
static void agenda_reverse(agenda *a, uint32_t n) {
  operation *low = a->items + (a->count - n), *high = a->items + a->count;
  while (low + 1 < high) {
    operation swapped = *low;
    *low++ = *--high;
    *high = swapped;
  }
}

/* What the last operation planned comes next, in its order. */
static void settle(context *c) {
  if (c->agenda.planned > 1) agenda_reverse(&c->agenda, c->agenda.planned);
  c->agenda.planned = 0;
}

int context_fail(context *c, orr_error *err) {
  int code = err->code ? err->code : ORR_E_STATE;
  error_move(&c->error, err);
  return code;
}

/* The continuation does not run from here: listeners in a row would nest on the C stack. agenda_run finds it in c->waiting. */
int agenda_call(context *c, const operation *op, const host_call *call, operation_fn next) {
  host_result result = {0};
  host_status status = HOST_DONE;
  bool native = native_call(c, call, &result, &status);
  if (!native && !c->host) return context_error(c, ORR_E_UNSUPPORTED, "there is no script host that could run what \"%s\" names",
                                     op->node && op->node->id ? op->node->id : "a listener");
  if (!native) status = c->host->methods->call(c->host, call, &result);
  *c->continuation = *op;
  c->continuation->run = next;
  c->waiting = c->continuation;
  if (status == HOST_PENDING) {
    c->state = CONTEXT_PENDING;
    unit_pause(c->u);
    return 0;
  }
  if (status == HOST_FAILED && !result.error.code && !result.bpmn_error)
    error_set(&result.error, ORR_E_SCRIPT, "the script host failed without saying why");
  orr_error_clear(&c->result.error);
  c->result = result;
  return 0;
}

/* The error of an engine call that a delegate made inside says already where. */
static void tell_where(context *c) {
  if (!c->failed_at || !c->failed_at->id) return;
  if (c->error.details && orr_map_get(c->error.details, "activity_id").type != ORR_NIL) return;
  orr_value id = orr_string(c->failed_at->id);
  (void)error_detail(&c->error, "activity_id", &id); /* without memory the error loses a detail */
}

static int fail(context *c, const operation *op, int code) {
  if (!c->error.code) error_set(&c->error, code, "%s", orr_strerror(code));
  if (!c->failed_at) c->failed_at = op->node;
  tell_where(c);
  c->state = CONTEXT_FAILED;
  return c->error.code;
}

/* Runs one operation and what follows it without waiting. */
static int run_operation(context *c, operation *op) {
  int64_t limit = c->engine->config.steps_max;
  const struct view_slot *views = c->views;
  for (;;) {
    if (limit > 0 && ++c->steps > (uint64_t)limit) {
      error_set(&c->error, ORR_E_LIMIT, "one transaction ran more than %lld steps: does the process loop without waiting?",
                (long long)limit);
      return fail(c, op, ORR_E_LIMIT);
    }
    int rc = op->run(c, op);
    if (rc) return fail(c, op, rc);
    if (c->state == CONTEXT_PENDING) return 1;
    if (!c->waiting) break;
    *op = *c->waiting;
    c->waiting = NULL;
  }
  settle(c);
  execution_views_release(c, views);
  return 0;
}

/* Between two steps of a token, not in the middle of one: there conditional events see what has changed. */
static bool step_begins(operation_fn run) {
  return run == op_execute || run == op_leave || run == op_close || run == op_take_flow || run == op_enter || run == op_end_token;
}

int agenda_run(context *c) {
  settle(c);
  c->state = CONTEXT_RUNNING;
  agenda *a = &c->agenda;
  int rc = 0;
  while (rc == 0) {
    if (a->count == c->floor) {
      if (c->changes) rc = conditions_flush(c);
      else if (c->join_checks) rc = inclusive_join_check(c);
      else if (c->overviews) rc = overview_flush(c);
      else break;
    } else if (c->changes && step_begins(a->items[a->count - 1].run)) {
      rc = conditions_flush(c);
    } else {
      operation op = a->items[--a->count];
      rc = run_operation(c, &op);
      continue;
    }
    if (rc) return fail(c, &(operation){0}, rc);
    settle(c);
  }
  if (rc == 0) c->state = CONTEXT_READY;
  return rc;
}

int agenda_resume(context *c) {
  operation op = *c->waiting;
  c->waiting = NULL;
  c->state = CONTEXT_RUNNING;
  int rc = run_operation(c, &op);
  return rc ? rc : agenda_run(c);
}
