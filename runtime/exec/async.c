/* Tokens that wait for an async job, and what the job continues with. */
#include "exec/async.h"

#include "exec/node/behavior.h"

#include <inttypes.h>

#include "exec/flow.h"
#include "exec/node/multi_instance.h"
#include "exec/scope.h"
#include "exec/token.h"
#include "job/job.h"
#include "record/states.h"

int async_wait(context *c, rec_execution *e, const node *n, int kind, const flow *f) {
  rec_instance *instance = context_instance(c, e->id, &c->error);
  definition *d = context_definition_of(c, e->id, &c->error);
  if (!instance || !d) return c->error.code;
  rec_job *job = job_create(c, kind, instance, e, d, n, 0);
  if (!job || unit_touch(c->u, e)) return c->error.code ? c->error.code : context_memory(c);
  job->flow = f ? f->index + 1 : 0;
  e->job_id = job->id;
  return job_place(c, job);
}

/* A job that completes a call (completeAsync) runs before the token begins to leave; every other
 * async-after job runs behind that. */
static int plan_after(context *c, const definition *d, rec_execution *e, const node *n, const flow *f) {
  if (d->dialect->async_after_leaves_in_job) return plan_by_flow(c, op_leave, e->id, n, f, OP_RESUMED);
  if (e->state == EXECUTION_ACTIVE) return plan_leave(c, e, n);
  if (e->kind == EXECUTION_MULTI_INSTANCE) return multi_instance_left(c, e, n);
  if (!f) return plan_on(c, op_end_token, e->id, n, 0);
  return plan_by_flow(c, op_take_flow, e->id, n, f, 0);
}

int async_job(context *c, rec_job *job) {
  rec_execution *e = execution_get(c, job->execution_id);
  if (c->error.code) return c->error.code;
  if (!e) return context_error(c, ORR_E_STATE, "the token of job %" PRIu64 " is gone", job->id);
  definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  if (context_touch(c, e)) return c->error.code;
  e->job_id = 0;
  const node *n = d->nodes[e->node - 1];
  if (job->kind == ORR_JOB_ASYNC_BEFORE) return plan_on(c, op_start, e->id, n, 0);
  return plan_after(c, d, e, n, job->flow ? d->flows[job->flow - 1] : NULL);
}
