/* Jobs in a host's frame loop: begun within a budget, left where a delegate waits, and taken up again by a later call. */
#include "base/error.h"
#include "base/null.h"
#include "executor/caller_run.h"

/* Ends the runs whose delegates have finished waiting, and tries those again that have rested. */
static int settle_held(pump *with, int64_t now_ns, orr_error *err) {
  int rc = 0;
  for (bool any = true; !rc && any;) rc = caller_run_settle(with, now_ns, true, &any, err);
  return rc;
}

/* Begins one job; one that waits is kept for later. */
static int begin_one(pump *with, bool *any, orr_error *err) {
  orr_id job;
  int rc = pump_acquire(with, &job, err);
  *any = job != 0;
  return rc || !job ? rc : caller_run_first(with, job, true, err);
}

int orr_engine_poll(orr_engine *engine, double budget_ms, int64_t *out, orr_error *err) {
  REQUIRE(engine);
  OUT_PLAIN(int64_t, out);
  orr_error failure = {0};
  pump p;
  int64_t start = engine->env.mono_ns(engine->env.ud);
  int64_t deadline = start + (budget_ms > 0 ? (int64_t)(budget_ms * 1e6) : 0);
  int rc = pump_begin(&p, engine, &failure);
  p.deadline_ns = deadline;
  /* finished awaits; does not sleep */
  if (!rc && p.thread->host) rc = p.thread->host->methods->wait(p.thread->host, NULL, start, &failure);
  if (!rc) rc = settle_held(&p, start, &failure);
  if (!rc) rc = caller_run_renew(&p, &failure);
  for (bool any = true; !rc && any;) {
    rc = begin_one(&p, &any, &failure);
    if (engine->env.mono_ns(engine->env.ud) >= deadline) break;
  }
  pump_end(&p);
  *out = p.ran;
  error_move(err, &failure);
  return rc;
}
