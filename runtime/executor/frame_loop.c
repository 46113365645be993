/* Jobs in a host's frame loop: begun within a budget, left where a delegate waits, and taken up again by a later call. */
#include <string.h>

#include "base/error.h"
#include "engine/metrics.h"
#include "executor/run.h"
#include "executor/run_jobs.h"

/* A job that waits for the host between two calls of poll. */
typedef struct polled {
  struct polled *next;
  engine_thread *thread;
  context *context;
  orr_id job;
  char owner[200];
  orr_time renew_at; /* when its lock is to be prolonged */
  bool ended;
  int rc; /* how it ended */
} polled;

bool poll_has(void *thread, orr_id job) {
  for (const polled *p = ((engine_thread *)thread)->polled; p; p = p->next)
    if (p->job == job) return true;
  return false;
}

static void polled_free(polled *p) { env_free(&p->thread->engine->env.allocator, p, sizeof *p); }

/* An engine that closes gives the lock back; a thread that just ends can make no unit of work any more, and the lock expires. */
static void give_back(const polled *p) {
  orr_engine *engine = p->thread->engine;
  if (pthread_getspecific(engine->thread_key) != p->thread) return;
  orr_error err = {0};
  (void)acquire_release(engine, p->owner, &p->job, 1, &err);
  orr_error_clear(&err);
}

void poll_abandon(engine_thread *thread) {
  while (thread->polled) {
    polled *p = thread->polled;
    thread->polled = p->next;
    if (p->context) context_end(p->context);
    give_back(p);
    polled_free(p);
  }
}

/* The host brought a waiting context to its end, within its loop: committing is left to the call of poll that runs the loop. */
static void polled_ended(context *c, void *ud) {
  polled *p = ud;
  p->ended = true;
  p->rc = c->state == CONTEXT_FAILED ? c->error.code : 0;
}

/* Ends the runs whose delegates have finished waiting. */
static int settle_ended(pump *with, orr_error *err) {
  int rc = 0;
  for (polled **at = &with->thread->polled; *at && !rc;) {
    polled *p = *at;
    if (!p->ended) {
      at = &p->next;
      continue;
    }
    *at = p->next;
    orr_error failure = {0};
    if (!p->rc) p->rc = run_refresh(p->context, p->owner);
    rc = run_end(p->context, p->rc, p->job, p->owner, &failure);
    rc = pump_count(with, rc, &failure, err);
    polled_free(p);
  }
  return rc;
}

#define RENEW_AT_ONCE 64

/* What waits keeps its lock as long as the host polls: a third of the lock time is enough notice. A run takes its prolonged lock over when
 * it ends. */
static int renew_waiting(pump *with, orr_error *err) {
  orr_id ids[RENEW_AT_ONCE];
  size_t n = 0;
  orr_time now = engine_now(with->engine);
  for (polled *p = with->thread->polled; p && n < RENEW_AT_ONCE; p = p->next) {
    if (p->ended || now < p->renew_at) continue;
    p->renew_at = now + with->rules.lock_ms / 3;
    ids[n++] = p->job;
  }
  if (n == 0) return 0;
  int rc = acquire_renew(with->engine, &with->rules, ids, n, err);
  if (!rc) metrics_count(with->engine, METRIC_LOCK_RENEWED, n);
  return rc;
}

static polled *polled_new(pump *with, orr_id job) {
  polled *p = env_zalloc(&with->engine->env.allocator, sizeof *p);
  if (!p) return NULL;
  p->thread = with->thread;
  p->job = job;
  p->renew_at = engine_now(with->engine) + with->rules.lock_ms / 3;
  memcpy(p->owner, with->owner, sizeof p->owner);
  if (with->rules.owner != with->owner) strncpy(p->owner, with->rules.owner, sizeof p->owner - 1);
  return p;
}

/* Begins one job; one that waits is kept for later. */
static int begin_one(pump *with, bool *any, orr_error *err) {
  orr_id job;
  int rc = pump_acquire(with, &job, err);
  *any = job != 0;
  if (rc || !job) return rc;
  polled *p = polled_new(with, job);
  if (!p) return error_memory(err);
  orr_error failure = {0};
  rc = run_begin(with->engine, with->thread->host, job, p->owner, &p->context, &failure);
  if (!rc && p->context) {
    metrics_count(with->engine, METRIC_JOB_STARTED, 1);
    p->context->on_done = polled_ended;
    p->context->on_done_ud = p;
    rc = run_step(p->context);
    if (rc == 1) {
      p->next = with->thread->polled;
      with->thread->polled = p;
      return 0;
    }
    rc = run_end(p->context, rc, job, p->owner, &failure);
  }
  polled_free(p);
  return pump_count(with, rc, &failure, err);
}

int orr_engine_poll(orr_engine *engine, double budget, int64_t *out, orr_error *err) {
  orr_error failure = {0};
  pump p;
  int64_t start = engine->env.mono_ns(engine->env.ud);
  int64_t deadline = start + (budget > 0 ? (int64_t)(budget * 1e9) : 0);
  int rc = pump_begin(&p, engine, &failure);
  /* finished awaits; does not sleep */
  if (!rc && p.thread->host) rc = p.thread->host->methods->wait(p.thread->host, NULL, start, &failure);
  if (!rc) rc = settle_ended(&p, &failure);
  if (!rc) rc = renew_waiting(&p, &failure);
  for (bool any = true; !rc && any;) {
    rc = begin_one(&p, &any, &failure);
    if (engine->env.mono_ns(engine->env.ud) >= deadline) break;
  }
  *out = p.ran;
  error_move(err, &failure);
  return rc;
}
