/* Nodes that let the token pass, and the trigger of everything that waits for nothing. */
#include "exec/node/pass_through.h"

#include "exec/node/behavior.h"
#include "exec/token.h"

#include <inttypes.h>

static int pass_execute(context *c, rec_execution *e, const node *n) { return plan_leave(c, e, n); }

int behavior_no_trigger(context *c, rec_execution *e, const node *n, trigger_kind kind, const orr_value *variables) {
  (void)kind;
  (void)variables;
  return context_error(c, ORR_E_STATE, "execution %" PRIu64 " at %s \"%s\" does not wait for a trigger",
                       e->id, n->element, n->id);
}

const behavior behavior_pass = {.execute = pass_execute, .trigger = behavior_no_trigger};
const behavior behavior_start_event = {.execute = pass_execute, .trigger = behavior_no_trigger};
const behavior behavior_boundary_event = {.execute = pass_execute, .trigger = behavior_no_trigger};
