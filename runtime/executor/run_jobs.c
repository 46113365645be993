/* Jobs on the caller's thread (features J17): run_jobs. For frame loops see frame_loop.c. */
#include "executor/run_jobs.h"

#include "base/error.h"
#include "base/null.h"
#include "executor/caller_run.h"
#include "executor/run.h"

int pump_begin(pump *p, orr_engine *engine, orr_error *err) {
  *p = (pump){.engine = engine, .deadline_ns = INT64_MAX};
  engine_thread *thread = engine_thread_get(engine, err);
  if (!thread) return err->code;
  if (thread->current) return error_set(err, ORR_E_STATE, "jobs cannot be run inside a transaction or a delegate");
  p->thread = thread;
  int rc = owner_name(engine, p->owner, sizeof p->owner);
  if (rc) return error_set(err, rc, "the lock owner's name is too long");
  orr_executor_options options = engine->acquisition;
  if (!options.owner) options.owner = p->owner;
  p->backoff = backoff_rules_of(&options);
  rc = acquire_rules_from(engine, &options, &p->rules, err);
  p->rules.taker = absent_taker_of(thread);
  p->rules.one_exclusive = true;
  if (!rc) rc = caller_run_owner(thread, &p->rules, err);
  p->rules.locker = thread->owner;
  return rc;
}

int pump_acquire(pump *p, orr_id *job, orr_error *err) {
  acquired found;
  acquisition a = {.items = &found, .max = 1};
  int rc = 0;
  *job = p->next;
  p->next = 0;
  if (*job) return 0;
  do rc = acquire_jobs(p->engine, &p->rules, caller_run_has, p->thread, &a, err);
  while (!rc && a.count == 0 && a.unfinished);
  *job = !rc && a.count > 0 ? found.job : 0;
  return rc;
}

/* ---- The next job, together with the end of the last ----------------------------------------- */

static bool may_lock_next(const pump *p) {
  bool last = p->limit > 0 && p->ran + 1 >= p->limit;
  return !last && p->engine->env.mono_ns(p->engine->env.ud) < p->deadline_ns;
}

/* An error is dropped here: the next acquisition meets it again and reports it. */
static size_t join_commit(void *ud, context *c, store_batch *batches) {
  pump *p = ud;
  orr_error err = {0};
  if (!may_lock_next(p) || ready_any_own(c->u)) return 0; /* they mostly come first */
  p->locking.found = (acquisition){.items = &p->locking.item, .max = 1, .behind_changes = true};
  int rc = acquire_begin(p->engine, &p->rules, NULL, NULL, &p->locking.found, &p->locking.round, &err);
  orr_error_clear(&err);
  return !rc && p->locking.round ? acquire_batches(p->locking.round, batches) : 0;
}

static void leave_commit(void *ud, const store_batch *batches) {
  pump *p = ud;
  acquire_end(p->locking.round, batches);
  p->locking.round = NULL;
  p->next = p->locking.found.count ? p->locking.item.job : 0;
}

run_company pump_company(pump *p) { return (run_company){join_commit, leave_commit, p}; }

void pump_end(pump *p) {
  if (p->next) run_unlock(p->engine, atomic_load(&p->thread->owner->number), p->next);
  p->next = 0;
}

/* ---- Running --------------------------------------------------------------------------------- */

int pump_count(pump *p, int rc, orr_error *failure, orr_error *err) {
  p->ran++;
  bool ours = rc == ORR_E_STORE || rc == ORR_E_MEMORY;
  if (rc && run_interrupted(p->thread->host, NULL)) ours = true;
  if (ours) error_move(err, failure);
  orr_error_clear(failure);
  return ours ? rc : 0;
}

/* Runs one job: one that has rested, or the next that may be taken; *any false: there is neither now. */
static int run_one(pump *p, bool *any, orr_error *err) {
  orr_id job;
  int rc = run_interrupted(p->thread->host, err);
  if (!rc) rc = caller_run_renew(p, err);
  if (!rc) rc = caller_run_settle(p, p->engine->env.mono_ns(p->engine->env.ud), false, any, err);
  if (rc || *any) return rc;
  rc = pump_acquire(p, &job, err);
  *any = job != 0;
  if (rc) return rc;
  return job ? caller_run_first(p, job, false, err) : caller_run_lent(p, any, err);
}

/* Nothing wakes it: on this thread nothing happens meanwhile. */
static void sleep_until(int64_t at_ns) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t never;
  pthread_condattr_t attr;
  struct timespec until = {.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000};
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(&never, &attr);
  pthread_mutex_lock(&mutex);
  while (pthread_cond_timedwait(&never, &mutex, &until) == 0) continue;
  pthread_mutex_unlock(&mutex);
  pthread_cond_destroy(&never);
  pthread_condattr_destroy(&attr);
}

/* Lets a job rest that lost a race, while nothing else is to be done. *more false: none rests. */
static int rest_after_conflict(const pump *p, bool *more, orr_error *err) {
  int64_t at = caller_run_rests_until(p->thread);
  *more = at != INT64_MAX;
  if (!*more) return 0;
  if (p->thread->host) return p->thread->host->methods->wait(p->thread->host, NULL, at, err);
  sleep_until(at);
  return 0;
}

int run_jobs_at_home(orr_engine *engine, int64_t deadline_ns, int64_t *ran, orr_error *err) {
  orr_error failure = {0};
  pump p;
  bool more = true;
  int rc = pump_begin(&p, engine, &failure);
  p.rules.taker = ABSENT_HOME_ONLY;
  p.deadline_ns = deadline_ns;
  while (!rc && more && engine->env.mono_ns(engine->env.ud) < deadline_ns) rc = run_one(&p, &more, &failure);
  if (!rc && !more) absent_forget_elsewhere(engine);
  pump_end(&p);
  if (p.thread) caller_run_release(p.thread);
  *ran = p.ran;
  error_move(err, &failure);
  return rc;
}

int orr_engine_jobs_run(orr_engine *engine, int64_t limit, int64_t *out, orr_error *err) {
  REQUIRE(engine);
  OUT_PLAIN(int64_t, out);
  orr_error failure = {0};
  pump p;
  int rc = pump_begin(&p, engine, &failure);
  p.limit = limit > 0 ? limit : 0;
  p.leaves_clock_waits = engine->config.manual_clock;
  bool more = true;
  if (!rc) caller_run_wake(&p, &more);
  for (more = true; !rc && more && (!p.limit || p.ran < p.limit);) {
    rc = run_one(&p, &more, &failure);
    if (!rc && !more) caller_run_wake(&p, &more);
    if (!rc && !more) rc = rest_after_conflict(&p, &more, &failure);
  }
  pump_end(&p);
  if (p.thread) caller_run_release(p.thread);
  *out = p.ran;
  error_move(err, &failure);
  return rc;
}
