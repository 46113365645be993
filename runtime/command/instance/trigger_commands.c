/* Continuing an activity that waits for the outside: a receive task, a triggerable service task. */
#include <inttypes.h>

#include "base/value.h"
#include "command/instance/trigger_commands.h"
#include "command/operands.h"
#include "exec/node/behavior.h"
#include "job/job.h"
#include "state/variable.h"

typedef struct trigger {
  orr_id execution;
  const orr_value *variables, *transient;
} trigger;

/* The token, if it waits to be triggered; NULL: c->error. */
static rec_execution *waiting_token(context *c, orr_id execution, const node **at) {
  rec_execution *e = lookup_execution(c, execution);
  if (!e || refuse_suspended(c, e->id)) return NULL;
  const node *n = *at = execution_node(c, e);
  if (!n) return NULL;
  bool token = e->kind == EXECUTION_TOKEN || e->kind == EXECUTION_MULTI_INSTANCE; /* not what is being compensated there */
  if (token && e->state == EXECUTION_ACTIVE && behavior_of(n)->trigger) return e;
  context_error(c, ORR_E_STATE, "execution %" PRIu64 " does not wait to be triggered; it stands at \"%s\" (%s)", e->id, n->id,
                n->element);
  return NULL;
}

static int trigger_body(context *c, void *ud) {
  const trigger *t = ud;
  const node *n;
  int rc = operand_map(c, t->variables, "variables");
  if (!rc) rc = operand_map(c, t->transient, "transient");
  rec_execution *e = rc ? NULL : waiting_token(c, t->execution, &n);
  if (!e) return c->error.code;
  rc = variable_set_all(c, e->id, t->variables, false);
  if (!rc) rc = variable_set_all_transient(c, e->id, t->transient, false);
  return rc ? rc : behavior_of(n)->trigger(c, e, n, TRIGGER_API, t->variables);
}

int orr_engine_execution_trigger(orr_engine *engine, orr_id execution, const orr_value *variables, const orr_value *transient,
                       orr_error *err) {
  trigger t = {execution, variables, transient};
  return command_run(engine, trigger_body, &t, err);
}

/* ---- By a job -------------------------------------------------------------------------------- */

static int later_body(context *c, void *ud) {
  const trigger *t = ud;
  const node *n;
  int rc = operand_map(c, t->variables, "variables");
  if (!rc) rc = operand_stored(c, t->variables, NULL, "a trigger by a job");
  rec_execution *e = rc ? NULL : waiting_token(c, t->execution, &n);
  if (!e) return c->error.code;
  if (e->job_id != 0)
    return context_error(c, ORR_E_STATE, "execution %" PRIu64 " is triggered by job %" PRIu64 " already", e->id, e->job_id);
  rec_instance *i = context_instance(c, e->id, &c->error);
  const definition *d = context_definition_of(c, e->id, &c->error);
  rec_job *job = i && d ? job_create(c, ORR_JOB_TRIGGER_ASYNC, i, e, d, n, 0) : NULL;
  if (!job) return c->error.code;
  if (t->variables && value_copy(c->arena, t->variables, &job->data)) return context_memory(c);
  if (context_touch(c, e)) return c->error.code;
  e->job_id = job->id;
  return job_place(c, job);
}

int orr_engine_execution_trigger_later(orr_engine *engine, orr_id execution, const orr_value *variables, orr_error *err) {
  trigger t = {.execution = execution, .variables = variables};
  return command_run(engine, later_body, &t, err);
}

static int op_trigger(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  const node *n = e ? execution_node(c, e) : NULL;
  if (!n) return c->error.code;
  int rc = variable_set_all(c, e->id, &op->value, false);
  return rc ? rc : behavior_of(n)->trigger(c, e, n, TRIGGER_API, &op->value);
}

int trigger_job(context *c, rec_job *job) {
  rec_execution *e = execution_get(c, job->execution_id);
  if (!e || e->job_id != job->id) return c->error.code; /* it has continued without this job */
  if (context_touch(c, e)) return c->error.code;
  e->job_id = 0;
  operation *op = agenda_plan(c, op_trigger, e->id);
  if (!op) return c->error.code;
  op->value = job->data;
  return 0;
}
