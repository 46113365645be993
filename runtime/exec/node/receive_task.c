/* Receive tasks: the token waits for a message or, where the model names none, for engine:trigger. */
#include "exec/event/arming.h"
#include "exec/event/subscription.h"
#include "exec/node/behavior.h"
#include "exec/token.h"
#include "state/expression.h"
#include "state/variable.h"

static int receive_execute(context *c, rec_execution *e, const node *n) {
  bool skip;
  int rc = expr_skips(c, &n->skip, e->id, n, &skip);
  if (rc) return rc;
  if (skip) return plan_leave(c, e, n);
  return n->event.type == EVENT_NONE ? 0 : arm_event(c, e->id, n);
}

/* A message has delivered its variables already; engine:trigger brings its own. */
static int receive_trigger(context *c, rec_execution *e, const node *n, trigger_kind kind, const orr_value *variables) {
  int rc = kind == TRIGGER_API ? variable_set_all(c, e->id, variables, false) : 0;
  return rc ? rc : plan_leave(c, e, n);
}

const behavior behavior_receive_task = {.execute = receive_execute, .trigger = receive_trigger};
