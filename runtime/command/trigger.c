/* Going on from an activity that waits for the outside: a receive task, a triggerable service task. */
#include <inttypes.h>

#include "exec/behavior.h"
#include "exec/variables.h"
#include "lookup.h"

typedef struct trigger {
  orr_id execution;
  const orr_value *variables, *transient;
} trigger;

static int trigger_body(context *c, void *ud, orr_error *err) {
  const trigger *t = ud;
  (void)err;
  rec_execution *e = lookup_execution(c, t->execution);
  if (e == NULL) return c->error.code;
  int rc = refuse_suspended(c, e->id);
  const node *n = rc == 0 ? execution_node(c, e) : NULL;
  if (n == NULL) return rc != 0 ? rc : c->error.code;
  const behavior *b = behavior_of(n);
  if (e->state != EXECUTION_ACTIVE || e->kind == EXECUTION_MULTI_BODY || b->trigger == NULL)
    return context_error(c, ORR_E_STATE, "execution %" PRIu64 " does not wait to be triggered; it stands at \"%s\" (%s)", e->id, n->id,
                         n->element);
  rc = variable_set_all(c, e->id, t->variables, false);
  if (rc == 0) rc = variable_set_all_transient(c, e->id, t->transient, false);
  return rc != 0 ? rc : b->trigger(c, e, n, TRIGGER_API, t->variables);
}

int orr_engine_trigger(orr_engine *engine, orr_id execution, const orr_value *variables, const orr_value *transient, orr_error *err) {
  trigger t = {execution, variables, transient};
  return command_run(engine, trigger_body, &t, err);
}
