/* Retries and suspension of jobs, one or all of a job definition. */
#include "command/job/job_changes.h"

#include "command/operands.h"
#include "command/instance/suspend_commands.h"
#include "state/incident.h"
#include "uow/find.h"

/* ---- Retries --------------------------------------------------------------------------------- */

static int open_incident(context *c, const rec_job *job) {
  definition *d = job->definition_id && job->node ? context_definition(c, job->definition_id, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  const char *activity = d ? d->nodes[job->node - 1]->id : NULL, *failed = job->failed_activity_id.data;
  return incident_create(c, "failed_job", job->instance_id, job->execution_id, job->id, job->error.data, activity, failed);
}

static int put_retries(context *c, rec_job *job, int64_t retries, orr_time due) {
  if (context_touch(c, job)) return c->error.code;
  job->retries = retries;
  job->failures = 0; /* a retry strategy counts anew */
  if (due) job->due = job_due(c, due == ORR_TIME_NONE ? 0 : due);
  return 0;
}

int job_change_retries(context *c, rec_job *job, int64_t retries, orr_time due) {
  if (retries < 0) return context_error(c, ORR_E_ARGUMENT, "retries must not be negative");
  bool had_any = job->retries > 0;
  int rc = put_retries(c, job, retries, due);
  if (rc) return rc;
  if (retries == 0) {
    rc = job_unlock(c, job);
    if (!rc && had_any) rc = open_incident(c, job);
  } else if (!had_any) {
    rc = incident_resolve_job(c, job->id, false);
  }
  return rc ? rc : job_place(c, job);
}

/* ---- Of a definition ------------------------------------------------------------------------- */

static int each_matching(context *c, const rec_job_definition *jd, const unit_found *found, job_change each, void *ud) {
  int rc = 0;
  for (size_t i = 0; !rc && i < found->count; i++) {
    rec_job *job = (rec_job *)found->items[i];
    if (job->job_definition_id == jd->id) rc = each(c, job, ud);
  }
  return rc;
}

/* By the definition's instances: jobs have no index row of their own for this. One of a batch has its jobs in its group. */
int jobs_of_definition(context *c, const rec_job_definition *jd, job_change each, void *ud) {
  rec_key key = {.id = jd->definition_id};
  unit_found found, instances;
  if (!jd->definition_id) {
    int rc = unit_find_group(c->u, &rec_job_type, orr_id_group(jd->id), &found, &c->error);
    return rc ? rc : each_matching(c, jd, &found, each, ud);
  }
  int rc = unit_find_index(c->u, REC_INDEX_JOB_OF_DEFINITION, &key, 1, 0, &found, &c->error);
  if (!rc) rc = each_matching(c, jd, &found, each, ud);
  if (!rc) rc = unit_find_index(c->u, REC_INDEX_INSTANCE_DEFINITION, &key, 1, 0, &instances, &c->error);
  for (size_t i = 0; !rc && i < instances.count; i++) {
    rc = unit_find_group(c->u, &rec_job_type, orr_id_group(((const rec_instance *)instances.items[i])->id), &found, &c->error);
    if (!rc) rc = each_matching(c, jd, &found, each, ud);
  }
  return rc;
}

typedef struct retry_call {
  int64_t retries;
  orr_time due;
} retry_call;

static int retry_failed(context *c, rec_job *job, void *ud) {
  const retry_call *call = ud;
  if (job->retries > 0) return 0;
  int rc = put_retries(c, job, call->retries, call->due);
  /* put aside by hand: nothing to be mended */
  if (!rc && call->retries && !job->error.size) rc = incident_resolve_job(c, job->id, false);
  return rc ? rc : job_place(c, job);
}

int job_definition_retry(context *c, const rec_job_definition *jd, int64_t retries, orr_time due) {
  if (retries < 0) return context_error(c, ORR_E_ARGUMENT, "retries must not be negative");
  retry_call call = {retries, due};
  return jobs_of_definition(c, jd, retry_failed, &call);
}

static int switch_job(context *c, rec_job *job, void *ud) { return suspend_job_record(c, job, *(const bool *)ud); }

int job_definition_switch(context *c, rec_job_definition *jd, bool suspended, bool jobs) {
  if (context_touch(c, jd)) return c->error.code;
  jd->suspended = suspended;
  return jobs ? jobs_of_definition(c, jd, switch_job, &suspended) : 0;
}

/* The definition may have been deleted since. */
int job_definition_switch_job(context *c, const rec_job *job, bool *done) {
  orr_value id = orr_map_get(&job->data, "job_definition"), jobs = orr_map_get(&job->data, "jobs");
  *done = id.type == ORR_INT;
  if (!*done) return 0;
  rec_job_definition *jd = unit_job_definition(c->u, (orr_id)id.as.integer, &c->error);
  if (!jd) return c->error.code;
  return job_definition_switch(c, jd, job->kind == ORR_JOB_SUSPEND, jobs.type == ORR_BOOL && jobs.as.boolean);
}
