/* A job in a worker's hands: it is begun, waits for the host or for its siblings, and comes to a
 * batch or a failure, which the committer gets. What follows the committer's answer is in
 * answers.c. */
#include "executor/worker/job_run.h"

#include <string.h>

#include "base/error.h"
#include "engine/metrics.h"
#include "exec/context_run.h"
#include "exec/assumption.h"
#include "executor/job_log.h"
#include "executor/worker/answers.h"
#include "executor/worker/worker.h"

/* How soon a job is looked at again that does not begin since the lease nears its end. */
#define WORKER_LEASE_MS 500

/* How often runs that wait for the host look whether their jobs are still theirs, and how many
 * at once: who deletes or suspends an instance should not have its calls go on. */
#define WORKER_LOOK_MS 500
#define WORKER_LOOKS_MAX 2000

/* A run that took this long looks at its job again before it commits. */
#define WORKER_LONG_RUN_MS 20

void run_release(run *r) {
  worker *w = r->worker;
  orr_error_clear(&r->failure.error);
  *r->at_active = r->next_active;
  if (r->next_active) r->next_active->at_active = r->at_active;
  w->active--;
  r->next = w->idle;
  w->idle = r;
}

static void end_worker_run(run *r) {
  pool_finished(r->entry);
  run_release(r);
}

/* Store or memory failed, and the worker could not even record that: the job keeps its lock, and the
 * worker runs it again later. */
static void abandon_run(run *r) {
  pool_delay(r->entry, WORKER_ABANDONED_MS);
  run_release(r);
}

/* The store was away, or the connection to it was lost: that is no failure of the job. */
static void give_back_interrupted(run *r) {
  log_interrupted(r->of->engine, r->job, WORKER_ABANDONED_MS, &r->failure.error);
  abandon_run(r);
}

static run *new_run(worker *w, entry *e) {
  run *r = w->idle;
  if (r) w->idle = r->next;
  else r = env_alloc(&w->executor->env.allocator, sizeof *r);
  if (!r) return NULL;
  memset(r, 0, sizeof *r);
  r->worker = w;
  r->entry = e;
  r->job = e->job;
  r->of = e->of;
  r->since = atomic_load(&w->current_since);
  r->next_active = w->runs;
  r->at_active = &w->runs;
  if (w->runs) w->runs->at_active = &r->next_active;
  w->runs = r;
  w->active++;
  return r;
}

static void *pending_memory(worker *w, size_t size) {
  pending_commit *p = size <= WORKER_COMMIT_BYTES ? w->spare_commits : NULL;
  if (!p) return env_alloc(&w->executor->env.allocator, size > WORKER_COMMIT_BYTES ? size : WORKER_COMMIT_BYTES);
  w->spare_commits = p->next;
  w->n_spare_commits--;
  return p;
}

/* The context goes back before the commit is answered: it is returned, to be ended. NULL: it
 * stays. */
static context *pack(run *r) {
  size_t size = pending_commit_size(r->context, r->request.batches);
  void *memory = size ? pending_memory(r->worker, size) : NULL;
  if (!memory) return NULL;
  r->pending = pending_commit_pack(r->context, r->request.batches, memory, size);
  r->request.batches = &r->pending->batch;
  context *packed = r->context;
  r->context = NULL;
  return packed;
}

/* Once it is submitted the committer may answer, and another thread settle what that means
 * (answers.c): from there on only what this thread alone writes is looked at. */
static void submit_batch(run *r) {
  r->request.count = 1;
  r->request.done = answers_take;
  r->siblings = unit_publish(r->context->u, r->request.batches);
  context *packed = pack(r);
  r->submitted = true;
  committer_submit(r->of->engine->committer, &r->request);
  if (r->siblings) siblings_submitted(r->siblings);
  if (packed) context_end(packed);
}

/* A context that could not become a batch is a failure like any other. */
static void submit(run *r) {
  orr_error err = {0};
  int rc = context_flush(r->context, &r->request.batches, &err);
  if (!rc) {
    submit_batch(r);
    return;
  }
  context_committed(r->context, rc);
  r->context = NULL;
  bool give_up = r->failing;
  if (!give_up) error_move(&r->failure.error, &err);
  orr_error_clear(&err);
  if (give_up) abandon_run(r);
  else if (engine_lost_store(&r->failure.error)) give_back_interrupted(r);
  else run_record_failure(r);
}

/* The script state of this thread for an engine; opened when the thread began. */
static host_thread *host_of_engine(member *m) {
  engine_thread *t = engine_thread_get(m->engine, NULL);
  return t ? t->host : NULL;
}

void run_record_failure(run *r) {
  member *m = r->of;
  orr_error err = {0};
  r->failing = true;
  int rc = run_fail_begin(m->engine, host_of_engine(m), r->job, atomic_load(&m->locker.number), &r->failure, r->final,
                          &r->context, &err);
  if (rc) run_log(m->engine, ORR_LOG_ERROR, "a job's failure could not be recorded", r->job, &err);
  orr_error_clear(&err);
  if (r->context) submit(r);
  else if (rc) abandon_run(r);
  else end_worker_run(r);
}

bool run_try_later(run *r) {
  member *m = r->of;
  const orr_env *env = &m->executor->env;
  metrics_count(m->engine, METRIC_JOB_CONFLICT, 1);
  if (++r->entry->conflicts > ORR_CONFLICTS_MAX) return false;
  int64_t wait = backoff_conflict(&m->backoff, r->entry->conflicts, env->random(env->ud));
  log_conflict(m->engine, r->job, r->entry->conflicts, wait);
  pool_delay(r->entry, wait);
  return true;
}

void run_conflicted(run *r) {
  if (run_try_later(r)) {
    run_release(r);
    return;
  }
  orr_error_clear(&r->failure.error);
  run_conflicts_error(&r->failure.error);
  r->final = true;
  run_record_failure(r);
}

static void worker_failed(run *r) {
  member *m = r->of;
  int code = r->context->error.code;
  run_failure_take(r->context, &r->failure);
  context_end(r->context);
  r->context = NULL;
  if (code == ORR_E_CONFLICT) {
    run_conflicted(r);
    return;
  }
  if (r->failure.lost) {
    give_back_interrupted(r);
    return;
  }
  if (run_failure_counts(&r->failure)) metrics_count(m->engine, METRIC_JOB_FAILED, 1);
  run_record_failure(r);
}

/* A long run looks at its job before it commits: somebody may have changed the job, say its priority,
 * and the commit would lose. */
static bool ran_long(const run *r) { return r->waited || engine_now(r->of->engine) - r->since >= WORKER_LONG_RUN_MS; }

static void finish_run(run *r, int rc);
static void start_waiting(run *r);

void run_continue(run *r) {
  unit_catch_up(r->context->u);
  int rc = assumptions_follow(r->context);
  if (!rc) rc = context_run(r->context);
  if (rc == RUN_PENDING) start_waiting(r);
  else finish_run(r, rc);
}

/* The siblings have ended meanwhile, so this run has more to do. It goes on once their batches are
 * committed. */
static void wait_for_siblings(run *r) {
  pool_running_on(r->entry);
  r->quiet = (siblings_waiter){.quiet = answers_quiet};
  r->resting = true;
  if (unit_await_siblings(r->context->u, &r->quiet)) return;
  r->resting = false;
  run_continue(r);
}

/* Nothing is planned any more. What siblings have committed since may plan more; else the run ends
 * here, with a batch or a failure. */
static void finish_run(run *r, int rc) {
  context *c = r->context;
  bool more = false;
  pool_committing(r->entry);
  if (!rc && ran_long(r)) rc = run_refresh(c, atomic_load(&r->of->locker.number));
  if (!rc && unit_has_siblings(c->u)) {
    unit_settle(c->u);
    more = assumptions_broken(c);
    if (more) unit_unsettle(c->u);
  }
  if (more) {
    wait_for_siblings(r);
    return;
  }
  if (!rc) rc = run_complete(c);
  if (!rc) submit(r);
  else worker_failed(r);
}

static void on_look_timer(uv_timer_t *handle) { ((worker *)handle->data)->looks = true; }

static void start_waiting(run *r) {
  worker *w = r->worker;
  r->waited = true;
  w->waiting++;
  pool_set_waiting(r->entry, w->index + 1);
  running_waits(r->of->running, true);
  r->next_waiting = w->first_waiting;
  r->waiting_at = &w->first_waiting;
  if (r->next_waiting) r->next_waiting->waiting_at = &r->next_waiting;
  w->first_waiting = r;
  if (!uv_is_active((uv_handle_t *)&w->look)) uv_timer_start(&w->look, on_look_timer, WORKER_LOOK_MS, WORKER_LOOK_MS);
}

static void stop_waiting(run *r) {
  r->worker->waiting--;
  pool_set_waiting(r->entry, 0);
  running_waits(r->of->running, false);
  *r->waiting_at = r->next_waiting;
  if (r->next_waiting) r->next_waiting->waiting_at = r->waiting_at;
  if (r->worker->next_look == r) r->worker->next_look = r->next_waiting;
  if (!r->worker->first_waiting) uv_timer_stop(&r->worker->look);
}

/* The host calls this when a context that waited for it has come to its end. */
static void on_host_done(context *c, void *ud) {
  run *r = ud;
  stop_waiting(r);
  finish_run(r, c->state == CONTEXT_FAILED ? c->error.code : 0);
}

/* Tells other threads which job this one is at; NULL: none. */
static void publish_current_job(worker *w, const entry *e) {
  if (e) running_set(e->of->running, w->index, e->job);
  atomic_store_explicit(&w->current_engine, e ? e->of->engine : NULL, memory_order_relaxed);
  atomic_store_explicit(&w->current_since, e ? engine_now(e->of->engine) : 0, memory_order_relaxed);
  atomic_store_explicit(&w->current_job, e ? e->job : 0, memory_order_release);
}

static void begin_entry(worker *w, entry *e, store_prefetched *prefetched) {
  member *m = e->of;
  if (!lock_owner_begins(&m->locker)) {
    pool_delay(e, WORKER_LEASE_MS);
    return;
  }
  publish_current_job(w, e);
  run *r = new_run(w, e);
  if (!r) {
    pool_delay(e, WORKER_ABANDONED_MS);
    return;
  }
  orr_error err = {0};
  run_start start = {.job = e->job, .key = e->key, .owner = atomic_load(&m->locker.number), .prefetched = prefetched};
  if (!e->exclusive) start.place = siblings_join(m->engine->units, orr_id_group(e->job));
  int rc = run_begin(m->engine, host_of_engine(m), &start, &r->context, &err);
  if (rc) run_log(m->engine, ORR_LOG_ERROR, "a job could not be begun", e->job, &err);
  orr_error_clear(&err);
  if (!r->context) {
    if (rc) abandon_run(r);
    else end_worker_run(r); /* gone, or no longer ours */
    return;
  }
  metrics_count(m->engine, METRIC_JOB_STARTED, 1);
  context *c = r->context;
  c->worker = w;
  c->may_pend = true;
  c->place = &w->place;
  c->on_done = on_host_done;
  c->on_done_ud = r;
  rc = c->state == CONTEXT_FAILED ? c->error.code : context_run(c);
  if (rc == RUN_PENDING) start_waiting(r);
  else finish_run(r, rc);
}

void worker_begin(worker *w, entry *e, store_prefetched *prefetched) {
  member *m = e->of;
  begin_entry(w, e, prefetched);
  running_set(m->running, w->index, 0);
  publish_current_job(w, NULL);
}

/* ---- Jobs that are gone ---------------------------------------------------------------------- */

/* The context takes its calls with it. */
static void cut_run(run *r) {
  stop_waiting(r);
  context_end(r->context);
  r->context = NULL;
  run_log(r->of->engine, ORR_LOG_INFO, "a waiting job was cut: it is gone, or no longer this executor's", r->job,
          NULL);
  end_worker_run(r);
}

/* 1: gone, suspended, or taken by somebody else. A look that fails is made again. */
static int has_lost_job(context *look, const run *r) {
  const rec_job *job = unit_job(look->u, r->job, &look->error);
  if (look->error.code) return look->error.code;
  return !job || job->state != ORR_JOB_LOCKED || job->owner != atomic_load(&r->of->locker.number);
}

/* In one view of the engine's store, at most `max` of its runs; *at is the first, then the one
 * behind the last. */
static uint32_t look_at_some(run **at, uint32_t max, run **lost) {
  orr_engine *engine = (*at)->of->engine;
  orr_error err = {0};
  context *look = context_begin(engine, host_of_engine((*at)->of), &err);
  uint32_t n = 0;
  for (; look && *at && n < max && (*at)->of->engine == engine; *at = (*at)->next_waiting, n++) {
    int answer = has_lost_job(look, *at);
    if (answer < 0) break;
    if (!answer) continue;
    (*at)->next = *lost;
    *lost = *at;
  }
  if (look) context_end(look);
  orr_error_clear(&err);
  return n;
}

/* Goes on where the last look ended, so that each has its turn. */
void worker_cut_lost_runs(worker *w) {
  run *lost = NULL, *at = w->next_look ? w->next_look : w->first_waiting;
  w->looks = false;
  for (uint32_t left = WORKER_LOOKS_MAX, n = 1; left && n && at; left -= n) n = look_at_some(&at, left, &lost);
  w->next_look = at;
  while (lost) {
    run *r = lost;
    lost = r->next;
    cut_run(r);
  }
}

/* What still waits when the time for draining is over goes back, to be begun anew elsewhere. The
 * contexts end while their hosts are open, for they have them abandon the calls. */
void worker_abandon_waiting(worker *w) {
  while (w->first_waiting) {
    run *r = w->first_waiting;
    stop_waiting(r);
    context_end(r->context);
    run_log(r->of->engine, ORR_LOG_WARNING, "a running job was abandoned", r->job, NULL);
    pool_delay(r->entry, 0);
    run_release(r);
  }
}
