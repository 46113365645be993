/* What a caller's thread holds: runs that wait for the host, and runs that rest after a lost race. */
#include "executor/caller_run.h"

#include <string.h>

#include "base/error.h"
#include "engine/metrics.h"
#include "executor/backoff.h"
#include "executor/job_log.h"
#include "executor/pool.h"
#include "executor/run.h"

typedef struct caller_run {
  struct caller_run *next;
  engine_thread *thread;
  context *context;      /* NULL: it rests */
  orr_id job;
  lent_job lent;         /* by the executor, if it is */
  uint64_t owner;
  uint32_t conflicts;    /* lost races in a row */
  int64_t not_before_ns; /* tried again then, while it rests */
  bool waits_for_clock;  /* it was left to a manual clock */
  bool ended;            /* it has finished waiting */
  bool awaited;          /* a call further out waits for it just now */
  int rc;                /* how it ended */
} caller_run;

static caller_run *caller_run_new(const pump *with, orr_id job) {
  caller_run *r = env_zalloc(&with->engine->env.allocator, sizeof *r);
  if (!r) return NULL;
  r->thread = with->thread;
  r->job = job;
  r->owner = atomic_load(&with->thread->owner->number);
  return r;
}

static void caller_run_free(caller_run *r) { env_free(&r->thread->engine->env.allocator, r, sizeof *r); }

static void hold_job(caller_run *r) {
  r->next = r->thread->held;
  r->thread->held = r;
}

/* The place in the thread's list of a job's run; its end when there is none. */
static caller_run **held_run(engine_thread *thread, orr_id job) {
  caller_run **at = &thread->held;
  while (*at && (*at)->job != job) at = &(*at)->next;
  return at;
}

bool caller_run_has(void *thread, orr_id job) { return *held_run(thread, job); }

static bool rests(const caller_run *r) { return !r->context; }

static caller_run *take_out_polled(caller_run **at) {
  caller_run *r = *at;
  *at = r->next;
  return r;
}

/* ---- Running --------------------------------------------------------------------------------- */

static int over(pump *with, caller_run *r, int rc, orr_error *failure, orr_error *err) {
  if (r->lent.entry) executor_lent_done(with->engine->executor, &r->lent);
  caller_run_free(r);
  return pump_count(with, rc, failure, err);
}

/* It lost a race: another try after a pause, or none any more. */
static int lost(pump *with, caller_run *r, orr_error *failure, orr_error *err) {
  orr_engine *engine = with->engine;
  if (++r->conflicts > ORR_CONFLICTS_MAX) {
    orr_error_clear(failure);
    int rc = run_give_up(engine, with->thread->host, r->job, r->owner, failure);
    return over(with, r, rc, failure, err);
  }
  int64_t wait_ms = backoff_conflict(&with->backoff, r->conflicts, engine->env.random(engine->env.ud));
  log_conflict(engine, r->job, r->conflicts, wait_ms);
  orr_error_clear(failure);
  if (r->lent.entry) {
    executor_lent_again(engine->executor, &r->lent, wait_ms);
    caller_run_free(r);
    return 0;
  }
  r->not_before_ns = engine->env.mono_ns(engine->env.ud) + wait_ms * 1000000;
  hold_job(r);
  return 0;
}

static int end_caller_run(pump *with, caller_run *r, int rc, orr_error *err) {
  orr_error failure = {0};
  run_company company = pump_company(with);
  bool alone = !with->next && !with->thread->held; /* those that are held come first, and may end at once */
  rc = run_end(r->context, rc, r->job, r->owner, alone ? &company : NULL, &failure);
  r->context = NULL;
  r->ended = false;
  return rc == ORR_E_CONFLICT ? lost(with, r, &failure, err) : over(with, r, rc, &failure, err);
}

/* The host brought a waiting context to its end, within its loop: committing is left to the call that runs the loop. Many may
 * come to their ends before that, and a thread has one view at most. */
static void waited(context *c, void *ud) {
  caller_run *r = ud;
  unit_pause(c->u);
  r->ended = true;
  r->rc = c->state == CONTEXT_FAILED ? c->error.code : 0;
}

/* Nothing comes by while the thread waits for the host, so that keeps the lease. What fails here is tried again by the
 * next look; whether the lock was lost meanwhile is seen by this one. */
static int keep_and_look(context *c, void *ud) {
  const caller_run *r = ud;
  orr_error err = {0};
  if (lock_owner_keep(r->thread->owner, &err) && !engine_lost_store(&err))
    engine_log(c->engine, ORR_LOG_WARNING, NULL, "job locks could not be prolonged: %s", err.message ? err.message : "");
  orr_error_clear(&err);
  return run_look(c, r->owner);
}

static void wire_end(caller_run *r) {
  r->context->on_done = waited;
  r->context->on_done_ud = r;
}

static void wire(const pump *with, caller_run *r, bool leave) {
  r->context->may_pend = leave || with->leaves_clock_waits;
  r->context->check_wait = keep_and_look;
  r->context->check_wait_ud = r;
  if (leave) wire_end(r);
}

/* RUN_PENDING: nothing but a move of the manual clock would end it, which only this thread may be about to make. */
static int wait_here(const pump *with, caller_run *r) {
  r->context->leaves_clock_waits = with->leaves_clock_waits && !r->lent.entry;
  int rc = run_wait(r->context, r->owner);
  r->context->leaves_clock_waits = false;
  r->waits_for_clock = rc == RUN_PENDING;
  return rc;
}

/* A job that is gone, or no longer ours, is no error. Nothing ran then, so nothing is counted. */
static int go(pump *with, caller_run *r, bool leave, orr_error *err) {
  orr_error failure = {0};
  const run_start start = {.job = r->job, .key = r->lent.key, .owner = r->owner};
  int rc = run_begin(with->engine, with->thread->host, &start, &r->context, &failure);
  if (rc) {
    run_unlock(with->engine, r->owner, r->job);
    return over(with, r, rc, &failure, err);
  }
  if (!r->context) {
    if (r->lent.entry) executor_lent_done(with->engine->executor, &r->lent);
    caller_run_free(r);
    return 0;
  }
  metrics_count(with->engine, METRIC_JOB_STARTED, 1);
  wire(with, r, leave);
  rc = run_step(r->context);
  if (rc == RUN_PENDING && !leave) rc = wait_here(with, r);
  if (rc != RUN_PENDING) return end_caller_run(with, r, rc, err);
  wire_end(r);
  hold_job(r);
  return 0;
}

/* A job that was suspended and activated again is ready, though its run is still held here. The new lock is for that run:
 * one that rests begins now, and one that waits goes on. */
int caller_run_first(pump *with, orr_id job, bool leave, orr_error *err) {
  uint64_t owner = atomic_load(&with->thread->owner->number);
  caller_run **held = held_run(with->thread, job);
  if (*held) (*held)->owner = owner;
  if (*held && !rests(*held)) return 0;
  caller_run *r = *held ? take_out_polled(held) : caller_run_new(with, job);
  if (r) return go(with, r, leave, err);
  run_unlock(with->engine, owner, job);
  return error_memory(err);
}

int caller_run_lent(pump *with, bool *any, orr_error *err) {
  orr_engine *engine = with->engine;
  lent_job lent = engine->executor ? executor_lend(engine->executor, engine) : (lent_job){0};
  *any = lent.entry;
  if (!lent.entry) return 0;
  caller_run *r = caller_run_new(with, lent.job);
  if (!r) {
    executor_lent_again(engine->executor, &lent, 0);
    return error_memory(err);
  }
  r->lent = lent;
  r->owner = lent.owner;
  return go(with, r, false, err);
}

/* ---- Going on -------------------------------------------------------------------------------- */

int caller_run_settle(pump *with, int64_t now_ns, bool leave, bool *any, orr_error *err) {
  *any = false;
  for (caller_run **at = &with->thread->held; *at; at = &(*at)->next) {
    bool due = rests(*at) && (*at)->not_before_ns <= now_ns;
    if ((*at)->awaited || (!due && !(*at)->ended)) continue;
    caller_run *r = take_out_polled(at);
    *any = true;
    pump_end(with); /* what it makes ready may come before the job that is locked already */
    if (due) return go(with, r, leave, err);
    return end_caller_run(with, r, r->rc ? r->rc : run_refresh(r->context, r->owner), err);
  }
  return 0;
}

/* Of one that has come to its end `waited` has been told, unless it is no longer worth waiting for. */
void caller_run_wake(const pump *with, bool *any) {
  *any = false;
  for (caller_run *r = with->thread->held; r; r = r->next) {
    if (!r->waits_for_clock || r->ended || r->awaited) continue;
    r->awaited = true; /* what the loop calls meanwhile may run jobs, too */
    int rc = wait_here(with, r);
    r->awaited = false;
    if (rc == RUN_PENDING) continue;
    if (!r->ended) r->rc = rc;
    *any = r->ended = true;
  }
}

int64_t caller_run_rests_until(const engine_thread *thread) {
  int64_t first = INT64_MAX;
  for (const caller_run *r = thread->held; r; r = r->next)
    if (rests(r) && r->not_before_ns < first) first = r->not_before_ns;
  return first;
}

int caller_run_renew(pump *with, orr_error *err) { return with->thread->held ? lock_owner_keep(with->thread->owner, err) : 0; }

/* ---- Letting go ------------------------------------------------------------------------------ */

void caller_run_release(engine_thread *thread) {
  for (caller_run **at = &thread->held; *at;) {
    if (!rests(*at)) {
      at = &(*at)->next;
      continue;
    }
    caller_run *r = take_out_polled(at);
    run_unlock(thread->engine, r->owner, r->job);
    caller_run_free(r);
  }
}

/* ---- The thread's owner ---------------------------------------------------------------------- */

int caller_run_owner(engine_thread *thread, const acquire_rules *rules, orr_error *err) {
  const orr_allocator *allocator = &thread->engine->env.allocator;
  if (thread->owner) return 0;
  lock_owner *o = env_zalloc(allocator, sizeof *o);
  if (!o) return error_memory(err);
  int rc = lock_owner_init(o, thread->engine, rules->owner, rules->lock_ms, err);
  if (rc) env_free(allocator, o, sizeof *o);
  else thread->owner = o;
  return rc;
}

static void drop_owner(engine_thread *thread, bool own) {
  lock_owner *o = thread->owner;
  if (!o) return;
  if (own) lock_owner_end(o);
  lock_owner_destroy(o);
  thread->owner = NULL;
  env_free(&thread->engine->env.allocator, o, sizeof *o);
}

/* An engine that closes gives the locks back; a thread that just ends can make no unit of work any more, and its lease
 * expires. */
void caller_run_abandon(engine_thread *thread) {
  bool own = pthread_getspecific(thread->engine->thread_key) == thread;
  while (thread->held) {
    caller_run *r = take_out_polled(&thread->held);
    if (r->context) context_end(r->context);
    if (own) run_unlock(thread->engine, r->owner, r->job);
    caller_run_free(r);
  }
  drop_owner(thread, own);
}
