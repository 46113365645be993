/* What a job does when it runs, by the table of the engine. */
#include "job/job_plan.h"

#include <inttypes.h>

#include "engine/engine.h"

int job_plan(context *c, rec_job *job) {
  const job_table *jobs = c->engine->jobs;
  job_fn fn = job->kind < jobs->count ? jobs->fns[job->kind] : NULL;
  if (!fn) return context_error(c, ORR_E_UNSUPPORTED, "job %" PRIu64 " is of an unknown kind (%d)", job->id, job->kind);
  return fn(c, job);
}
