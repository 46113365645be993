/* Events that wait, and end events that only end. Events that throw are in throw_event.c. */
#include "exec/cancel.h"
#include "exec/event/arming.h"
#include "exec/event/compensation.h"
#include "exec/event/subscription.h"
#include "exec/node/behavior.h"
#include "exec/node/pass_through.h"
#include "exec/node/throw_event.h"
#include "exec/token.h"
#include "state/expression.h"
#include "state/variable.h"

/* ---- Catching -------------------------------------------------------------------------------- */

static int conditional_execute(context *c, rec_execution *e, const node *n) {
  bool holds;
  int rc = expr_condition(c, &n->event.condition, e->id, n, &holds);
  if (rc) return rc;
  return holds ? plan_leave(c, e, n) : arm_event(c, e->id, n);
}

static int catch_execute(context *c, rec_execution *e, const node *n) {
  switch (n->event.type) {
    case EVENT_TIMER:
    case EVENT_MESSAGE:
    case EVENT_SIGNAL: return arm_event(c, e->id, n);
    case EVENT_CONDITIONAL: return conditional_execute(c, e, n);
    default: return plan_leave(c, e, n); /* a link's end, or none */
  }
}

static int catch_trigger(context *c, rec_execution *e, const node *n, trigger_kind kind, const orr_value *variables) {
  if (kind == TRIGGER_TASK || kind == TRIGGER_CALLED || kind == TRIGGER_EXTERNAL)
    return behavior_no_trigger(c, e, n, kind, variables);
  return plan_leave(c, e, n);
}

const behavior behavior_catch_event = {.execute = catch_execute, .trigger = catch_trigger};

/* ---- Ending ---------------------------------------------------------------------------------- */

/* Terminates the whole hierarchy, from the topmost instance down; called instances go with the
 * tokens that called them. */
static int terminate_all(context *c, rec_execution *e, const node *n) {
  rec_instance *instance = context_instance(c, e->id, &c->error);
  if (!instance) return c->error.code;
  orr_id root = instance->root_id ? instance->root_id : instance->id;
  int rc = plan_interrupt_children(c, root, 0);
  return rc ? rc : plan_on(c, op_end_instance, root, root == instance->id ? n : NULL, 0);
}

/* The next scope outwards, through calls too; *out has no record at the outermost. */
static int outwards(context *c, scope *s, scope *out) {
  *out = (scope){0};
  if (s->execution) return scope_of(c, s->execution, out);
  return s->instance->super_execution ? scope_get(c, s->instance->super_execution, out) : 0;
}

/* terminateMultiInstance: ends the nearest multi-instance activity around as a whole, and its flow
 * continues. */
static int terminate_multi(context *c, rec_execution *e, bool *found) {
  scope s;
  *found = false;
  int rc = scope_of(c, e, &s);
  while (!rc && s.record && !(s.execution && s.execution->kind == EXECUTION_MULTI_BODY)) {
    scope inner = s;
    rc = outwards(c, &inner, &s);
  }
  *found = !rc && s.record;
  if (!*found) return rc;
  rc = plan_interrupt_children(c, s.id, 0);
  return rc ? rc : plan_on(c, op_leave, s.id, s.node, 0);
}

static int terminate(context *c, rec_execution *e, const node *n) {
  if (n->event.terminate_all) return terminate_all(c, e, n);
  bool found = false;
  int rc = n->event.terminate_multi ? terminate_multi(c, e, &found) : 0;
  if (rc || found) return rc;
  rc = plan_interrupt_children(c, e->parent, e->id);
  return rc ? rc : plan_leave(c, e, n);
}

static int end_execute(context *c, rec_execution *e, const node *n) {
  switch (n->event.type) {
    case EVENT_TERMINATE: return terminate(c, e, n);
    case EVENT_ERROR: return throw_error_event(c, e, n);
    case EVENT_CANCEL: return transaction_cancel(c, e);
    default: return throw_event(c, e, n);
  }
}

static int throw_execute(context *c, rec_execution *e, const node *n) {
  return n->event.type == EVENT_LINK ? throw_link(c, e, n) : throw_event(c, e, n);
}

const behavior behavior_end_event = {.execute = end_execute, .trigger = throw_trigger, .cancel = throw_cancel};
const behavior behavior_throw_event = {.execute = throw_execute, .trigger = throw_trigger, .cancel = throw_cancel};
