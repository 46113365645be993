/* Jobs on the caller's thread (features J17): run_jobs. For frame loops see poll.c. */
#include "executor/run.h"
#include "executor/run_jobs.h"

#include "base/error.h"
#include "executor/reclaim.h"

int pump_begin(pump *p, orr_engine *engine, orr_error *err) {
  *p = (pump){.engine = engine};
  engine_thread *thread = engine_thread_get(engine, err);
  if (!thread) return err->code;
  if (thread->current) return error_set(err, ORR_E_STATE, "jobs cannot be run inside a transaction or a delegate");
  p->thread = thread;
  int rc = owner_name(engine, p->owner, sizeof p->owner);
  if (rc) return error_set(err, rc, "the lock owner's name is too long");
  orr_executor_options options = engine->acquisition;
  if (!options.owner) options.owner = p->owner;
  return acquire_rules_from(engine, &options, &p->rules, err);
}

int pump_acquire(pump *p, orr_id *job, orr_error *err) {
  acquired found;
  acquisition a = {.items = &found, .max = 1};
  int rc;
  do rc = acquire_jobs(p->engine, &p->rules, poll_has, p->thread, &a, err);
  while (!rc && a.count == 0 && a.unfinished);
  *job = !rc && a.count > 0 ? found.job : 0;
  return rc;
}

int pump_count(pump *p, int rc, orr_error *failure, orr_error *err) {
  p->ran++;
  bool ours = rc == ORR_E_STORE || rc == ORR_E_MEMORY;
  if (ours) error_move(err, failure);
  orr_error_clear(failure);
  return ours ? rc : 0;
}

/* Takes and runs one job; *any false: none may be taken now. */
static int run_one(pump *p, bool *any, orr_error *err) {
  orr_id job;
  int rc = pump_acquire(p, &job, err);
  *any = job != 0;
  if (rc || !job) return rc;
  orr_error failure = {0};
  rc = job_run_as(p->engine, job, p->rules.owner, p->thread->host, &failure);
  return pump_count(p, rc, &failure, err);
}

int orr_engine_run_jobs(orr_engine *engine, int64_t limit, int64_t *out, orr_error *err) {
  orr_error failure = {0};
  pump p;
  int rc = pump_begin(&p, engine, &failure);
  for (bool any = true; !rc && any && (limit <= 0 || p.ran < limit);) rc = run_one(&p, &any, &failure);
  *out = p.ran;
  error_move(err, &failure);
  return rc;
}
