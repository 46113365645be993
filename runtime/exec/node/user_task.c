/* User tasks: the token waits until its task is completed. */
#include "state/variable.h"

#include <inttypes.h>

#include "exec/node/behavior.h"
#include "exec/task/task.h"
#include "exec/task/task_create.h"
#include "exec/token.h"
#include "state/expression.h"

static int user_task_execute(context *c, rec_execution *e, const node *n) {
  bool skip;
  int rc = expr_skips(c, &n->skip, e->id, n, &skip);
  if (rc) return rc;
  if (skip) return agenda_plan(c, op_leave, e->id) ? 0 : c->error.code;
  return task_create(c, e, n);
}

/* task_complete completes it; any other trigger is a mistake of the caller. */
static int user_task_trigger(context *c, rec_execution *e, const node *n, trigger_kind kind, const orr_value *variables) {
  (void)kind;
  (void)variables;
  return context_error(c, ORR_E_STATE, "execution %" PRIu64 " waits at user task \"%s\": complete its task", e->id, n->id);
}

static int user_task_cancel(context *c, rec_execution *e, const node *n) {
  (void)n;
  rec_task *t = e->task_id ? unit_task(c->u, e->task_id, &c->error) : NULL;
  return t ? task_cancel(c, t, c->delete_reason) : c->error.code;
}

const behavior behavior_user_task = {.execute = user_task_execute, .trigger = user_task_trigger, .cancel = user_task_cancel};
