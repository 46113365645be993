/* Handing new jobs to this process's executor. */
#include "executor/handover.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "executor/absent.h"
#include "executor/caller_run.h"
#include "executor/executor.h"
#include "executor/pool.h"
#include "job/exclusive.h"
#include "job/limit.h"
#include "uow/succession.h"

/* The job that ran holds its instance; the first exclusive job that follows inherits the lock, so the record needs no write:
 * not where another owner has it, a thread that runs jobs itself, since the lock is counted under the owner's number. */
static bool inherits(const context *c, const executor_terms *terms, orr_id scope_id, bool spent) {
  return !spent && c->job && c->job->owner == terms->owner && exclusive_scope_held(c->job) == scope_id;
}

/* An existing instance's lock is left to acquisition: a caller must not lose its commit over a lock that a worker just
 * gives back. */
static bool may_take(context *c, orr_id scope_id) {
  if (c->job) return !exclusive_holder(c, scope_id) && !c->error.code;
  rec_instance *instance = scope_id ? unit_instance(c->u, scope_id, &c->error) : NULL;
  return instance && instance->head.state == REC_NEW;
}

static int lock_exclusive(context *c, rec_job *job, const executor_terms *terms, bool *inherited, bool *taken) {
  *taken = true;
  if (!job->exclusive) return 0;
  orr_id scope_id = exclusive_scope(job, terms->exclusive_over_hierarchies);
  if (inherits(c, terms, scope_id, *inherited)) {
    *inherited = true;
    job->exclusive_scope = scope_id;
    return 0;
  }
  if (!may_take(c, scope_id)) {
    *taken = false;
    return c->error.code;
  }
  return exclusive_take(c, job, scope_id, terms->owner, taken);
}

/* That the owner may lock follows from the lock of the job that ran. */
static int lock(context *c, rec_job *job, const executor_terms *terms, bool *inherited, bool *taken) {
  int rc = unit_touch(c->u, job);
  if (!rc) rc = lock_exclusive(c, job, terms, inherited, taken);
  if (rc || !*taken) return rc;
  job->state = ORR_JOB_LOCKED;
  job->owner = terms->owner;
  job->attempts++;
  if (!c->job || c->job->owner != terms->owner) return lock_owner_rely(c, terms->owner);
  if (store_level(c->engine->store) >= STORE_LEVEL_SUCCESSION) succession_begin(c->job, job);
  return 0;
}

/* In an order that was asked for, only a job that acquisition would take next. */
static int is_next(context *c, const rec_job *job, const executor_terms *terms, bool *next) {
  *next = terms->order.number == 0;
  return *next ? 0 : ready_leads(c->u, terms->order, job, next, &c->error);
}

static int hand_over_job(context *c, rec_job *job, bool *inherited, bool *succeeded) {
  executor *x = c->engine->executor;
  executor_terms terms;
  bool limited;
  int rc = limit_holds(c, job, &limited);
  if (rc || limited) return rc; /* acquisition counts */
  if (!executor_reserve(x, c->engine, job, c->worker && !*succeeded, &terms)) return 0;
  bool next = false, taken = false;
  if (terms.expires > c->now) rc = is_next(c, job, &terms, &next); /* else acquisition sees to the lease first */
  if (!rc && next) {
    *succeeded = true;
    rc = lock(c, job, &terms, inherited, &taken);
  }
  if (!taken) executor_unreserve(x, c->engine);
  return rc;
}

static rec_job *new_job(const context *c, uint32_t i) {
  rec_job *job = (rec_job *)c->created.jobs[i];
  return job->head.state == REC_NEW || job->head.state == REC_DIRTY || job->head.state == REC_CLEAN ? job : NULL;
}

/* ---- In an order that was asked for ---------------------------------------------------------- */

typedef struct ordered_job {
  uint8_t row[READY_ROW_MAX];
  rec_head *job;
} ordered_job;

static int by_row(const void *a, const void *b) {
  return memcmp(((const ordered_job *)a)->row, ((const ordered_job *)b)->row, READY_ROW_MAX);
}

/* Jobs that came to be together go in that order, too: there may not be room for all. */
static int sort_new(context *c) {
  acquire_rules rules;
  uint32_t room, n = c->created.count;
  if (n < 2 || !executor_rules(c->engine->executor, c->engine, &rules, &room) || rules.order.number == 0) return 0;
  ordered_job *ordered = ARENA_ARRAY(c->arena, ordered_job, n);
  if (!ordered) return context_memory(c);
  for (uint32_t i = 0; i < n; i++) {
    const rec_job *job = new_job(c, i);
    ordered[i].job = c->created.jobs[i];
    if (job) (void)ready_row(rules.order, job, ordered[i].row);
  }
  qsort(ordered, n, sizeof *ordered, by_row);
  for (uint32_t i = 0; i < n; i++) c->created.jobs[i] = ordered[i].job;
  return 0;
}

/* A job that is gone already, or was placed anew since, is left alone. */
static int handover_prepare(context *c) {
  bool inherited = false, succeeded = false;
  if (c->engine->executor && sort_new(c)) return c->error.code;
  for (uint32_t i = 0; c->engine->executor && i < c->created.count; i++) {
    rec_job *job = new_job(c, i);
    int rc = job && job->state == ORR_JOB_READY ? hand_over_job(c, job, &inherited, &succeeded) : 0;
    if (rc) return rc;
  }
  if (c->job && c->job->exclusive && c->job->owner && !inherited) return exclusive_release(c, c->job);
  return 0;
}

static uint32_t handover_placed(const context *c, uint32_t from, placed_job *out, uint32_t room) {
  uint32_t n = 0;
  for (uint32_t i = from; i < c->created.count && i - from < room; i++) {
    const rec_job *job = new_job(c, i);
    if (!job) continue;
    out[n++] = (placed_job){.id = job->id, .exclusive = exclusive_scope_held(job), .key = succession_key(job), .due = job->due,
                            .state = job->state};
  }
  return n;
}

static void handover_done(orr_engine *engine, const placed_job *jobs, uint32_t n, int status) {
  executor *x = engine->executor;
  if (!x) return;
  bool wake = false;
  for (const placed_job *job = jobs; job < jobs + n; job++) {
    if (job->state == ORR_JOB_LOCKED) {
      if (status == 0) executor_enqueue(x, engine, job);
      else executor_unreserve(x, engine);
      if (status && status != ORR_E_CONFLICT) atomic_fetch_add(&engine->locks_lost, 1); /* it may have been written */
    } else if (status == 0) {
      if (job->state == ORR_JOB_WAITING) executor_due(x, engine, job->due);
      wake = wake || job->state == ORR_JOB_READY;
    }
  }
  if (wake) executor_wake(x);
}

/* ---- What else the engine tells -------------------------------------------------------------- */

static void handover_lease_returned(orr_engine *engine) {
  if (engine->executor) executor_lease_returned(engine->executor, engine);
}

static void handover_clock_moved(orr_engine *engine) {
  if (engine->executor) executor_wake(engine->executor);
}

const engine_hooks executor_hooks = {
    .commit_prepare = handover_prepare,
    .jobs_placed = handover_placed,
    .commit_done = handover_done,
    .lease_returned = handover_lease_returned,
    .clock_moved = handover_clock_moved,
    .names_changed = absent_look_again,
    .thread_ended = caller_run_abandon,
};
