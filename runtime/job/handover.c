/* Handing new jobs to this process's executor. */
#include "handover.h"

#include <string.h>

#include "../engine.h"
#include "exclusive.h"
#include "executor.h"
#include "limit.h"

/* The job that ran holds its instance; the first exclusive job that follows inherits the lock, so the record needs no write. */
static bool inherits(const context *c, orr_id scope_id, bool spent) { return !spent && c->job && exclusive_scope_held(c->job) == scope_id; }

/* An existing instance's lock is left to acquisition: a caller must not lose its commit over a lock that a worker just gives back. */
static bool may_take(context *c, orr_id scope_id) {
  if (c->job) return exclusive_holder(c, scope_id) == NULL && !c->error.code;
  rec_instance *instance = scope_id ? unit_instance(c->u, scope_id, &c->error) : NULL;
  return instance && instance->head.state == REC_NEW;
}

static int lock_exclusive(context *c, rec_job *job, const executor_terms *terms, rec_text owner, bool *inherited, bool *taken) {
  *taken = true;
  if (!job->exclusive) return 0;
  orr_id scope_id = exclusive_scope(job, terms->exclusive_over_hierarchies);
  if (inherits(c, scope_id, *inherited)) {
    *inherited = true;
    job->exclusive_scope = scope_id;
    return 0;
  }
  if (!may_take(c, scope_id)) {
    *taken = false;
    return c->error.code;
  }
  return exclusive_take(c, job, scope_id, owner, taken);
}

static int hand_over(context *c, rec_job *job, bool *inherited, bool *succeeded) {
  executor *x = c->engine->executor;
  executor_terms terms;
  bool limited;
  int rc = limit_holds(c, job, &limited);
  if (rc || limited) return rc; /* acquisition counts */
  if (!executor_reserve(x, c->engine, job, c->worker && !*succeeded, &terms)) return 0;
  *succeeded = true;
  rec_text owner = unit_textz(c->u, terms.owner);
  bool taken = false;
  rc = unit_touch(c->u, job);
  if (!rc) rc = lock_exclusive(c, job, &terms, owner, inherited, &taken);
  if (rc || !taken) {
    executor_unreserve(x, c->engine);
    return rc;
  }
  job->state = ORR_JOB_LOCKED;
  job->lock_owner = owner;
  job->lock_expires = c->now + terms.lock_ms;
  job->attempts++;
  return 0;
}

static rec_job *new_job(const context *c, uint32_t i) {
  rec_job *job = (rec_job *)c->new_jobs[i];
  return job->head.state == REC_NEW || job->head.state == REC_DIRTY || job->head.state == REC_CLEAN ? job : NULL;
}

/* A job that is gone already, or was placed anew since, is left alone. */
int handover_prepare(context *c) {
  bool inherited = false, succeeded = false;
  for (uint32_t i = 0; c->engine->executor && i < c->n_new_jobs; i++) {
    rec_job *job = new_job(c, i);
    int rc = job && job->state == ORR_JOB_READY ? hand_over(c, job, &inherited, &succeeded) : 0;
    if (rc) return rc;
  }
  if (c->job && c->job->exclusive && c->job->lock_owner.size && !inherited) return exclusive_release(c, c->job);
  return 0;
}

void handover_done(context *c, int status) {
  executor *x = c->engine->executor;
  if (!x) return;
  bool wake = false;
  for (uint32_t i = 0; i < c->n_new_jobs; i++) {
    rec_job *job = new_job(c, i);
    if (!job) continue;
    if (job->state == ORR_JOB_LOCKED) {
      if (status == 0) executor_enqueue(x, c->engine, job->id, exclusive_scope_held(job));
      else executor_unreserve(x, c->engine);
    } else if (status == 0) {
      if (job->state == ORR_JOB_WAITING) executor_due(x, c->engine, job->due);
      wake = wake || job->state == ORR_JOB_READY;
    }
  }
  if (wake) executor_wake(x);
}
