/* Jobs on the caller's thread: run_jobs and poll, for tests, scripts and frame loops (features J17). */
#include <string.h>

#include "../engine.h"
#include "../error.h"
#include "acquire.h"
#include "reclaim.h"

/* Jobs are acquired one at a time, so that what a job makes ready takes its place in the order before the next is chosen. */
typedef struct pump {
  orr_engine *engine;
  host_thread *host;
  acquire_rules rules;
  char owner[200];
  int64_t ran;
} pump;

static int pump_begin(pump *p, orr_engine *engine, orr_error *err) {
  *p = (pump){.engine = engine};
  engine_thread *thread = engine_thread_get(engine, err);
  if (!thread) return err->code;
  if (thread->current) return error_set(err, ORR_E_STATE, "jobs cannot be run inside a transaction or a delegate");
  p->host = thread->host;
  int rc = owner_name(engine, p->owner, sizeof p->owner);
  if (rc) return error_set(err, rc, "the lock owner's name is too long");
  orr_executor_options options = engine->acquisition;
  if (!options.owner) options.owner = p->owner;
  return acquire_rules_from(engine, &options, &p->rules, err);
}

/* Takes and runs one job; *any false: none may be taken now. A job's own failure is recorded on it and is none of ours. */
static int pump_one(pump *p, bool *any, orr_time *next_due, orr_error *err) {
  acquired found;
  acquisition a = {.items = &found, .max = 1};
  int rc = acquire_jobs(p->engine, &p->rules, NULL, NULL, &a, err);
  *any = !rc && a.count > 0;
  if (next_due) *next_due = a.next_due;
  if (!*any) return rc;
  orr_error failure = {0};
  rc = job_run_as(p->engine, found.job, p->rules.owner, p->host, &failure);
  if (rc == ORR_E_STORE || rc == ORR_E_MEMORY) error_move(err, &failure);
  else rc = 0;
  orr_error_clear(&failure);
  p->ran++;
  return rc;
}

int orr_engine_run_jobs(orr_engine *engine, int64_t limit, int64_t *out, orr_error *err) {
  orr_error failure = {0};
  pump p;
  int rc = pump_begin(&p, engine, &failure);
  for (bool any = true; !rc && any && (limit <= 0 || p.ran < limit);) rc = pump_one(&p, &any, NULL, &failure);
  *out = p.ran;
  error_move(err, &failure);
  return rc;
}

int orr_engine_poll(orr_engine *engine, double budget, int64_t *out, orr_error *err) {
  orr_error failure = {0};
  pump p;
  int64_t start = engine->env.mono_ns(engine->env.ud);
  int64_t deadline = start + (budget > 0 ? (int64_t)(budget * 1e9) : 0);
  int rc = pump_begin(&p, engine, &failure);
  for (bool any = true; !rc && any;) {
    rc = pump_one(&p, &any, NULL, &failure);
    if (engine->env.mono_ns(engine->env.ud) >= deadline) break;
  }
  if (!rc && p.host) rc = p.host->methods->wait(p.host, NULL, start, &failure); /* finished awaits; does not sleep */
  *out = p.ran;
  error_move(err, &failure);
  return rc;
}
