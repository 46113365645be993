/* The committer's answers. Each goes into the inbox of the worker that ran the job, which reads
 * it between two jobs. But its next job's delegate may compute or block for long, and what the
 * answer means must not wait for that: the job's outcome, those that follow it, and those of its
 * instance that wait behind it. So the acquisition thread looks after inboxes whose worker does
 * not come round, and settles what is in there; the worker has only its memory to take back
 * then. */
#include "executor/worker/answers.h"

#include "base/error.h"
#include "engine/metrics.h"
#include "executor/job_log.h"
#include "executor/worker/job_run.h"
#include "executor/worker/worker.h"

/* ---- Into the inbox -------------------------------------------------------------------------- */

/* There is something that a worker may not read for a while: the acquisition thread is to look.
 * Not woken when it looks already. */
static void have_watched(orr_executor *x) {
  if (atomic_load(&x->watching) || atomic_exchange(&x->watching, true)) return;
  pthread_mutex_lock(&x->mutex);
  pthread_cond_signal(&x->acquire);
  pthread_mutex_unlock(&x->mutex);
}

/* The worker is woken under the inbox's mutex: once it has the last answer it may end, its loop
 * with it, and the executor. `unsettled`: others than the worker may be of use. */
static void put_into_inbox(run *r, bool unsettled) {
  worker *w = r->worker;
  r->next = NULL;
  pthread_mutex_lock(&w->inbox_mutex);
  *w->inbox_last = r;
  w->inbox_last = &r->next;
  bool sleeping = true;
  if (atomic_compare_exchange_strong(&w->sleeping, &sleeping, false)) {
    uv_async_send(&w->wake);
  } else if (unsettled) {
    atomic_store(&w->unread, true);
    have_watched(w->executor);
  }
  pthread_mutex_unlock(&w->inbox_mutex);
}

void answers_take(commit_request *request, const orr_error *err) {
  run *r = (run *)request;
  if (err && r->failure.error.code == 0)
    (void)error_copy(&r->failure.error, err);
  if (engine_logs(r->of->engine, ORR_LOG_DEBUG)) r->ended = engine_now(r->of->engine);
  if (r->siblings) siblings_answered(r->siblings, request->batches->status);
  if (request->batches->status == 0) atomic_store(&r->over, true);
  put_into_inbox(r, true);
}

void answers_quiet(siblings_waiter *waiter) {
  put_into_inbox((run *)(void *)((char *)waiter - offsetof(run, quiet)), false);
}

static run *empty_inbox(worker *w) {
  pthread_mutex_lock(&w->inbox_mutex);
  run *first = w->inbox;
  w->inbox = NULL;
  w->inbox_last = &w->inbox;
  atomic_store_explicit(&w->unread, false, memory_order_relaxed);
  pthread_mutex_unlock(&w->inbox_mutex);
  return first;
}

bool answers_none(worker *w) {
  pthread_mutex_lock(&w->inbox_mutex);
  bool empty = !w->inbox;
  pthread_mutex_unlock(&w->inbox_mutex);
  return empty;
}

/* ---- What they mean -------------------------------------------------------------------------- */

static void succeeded(run *r) {
  member *m = r->of;
  if (!r->failing) {
    metrics_count(m->engine, METRIC_JOB_SUCCESSFUL, 1);
    log_succeeded(m->engine, r->job, r->since, r->ended);
  }
  pool_finished(r->entry);
}

static void commit_failed(run *r) {
  run_log(r->of->engine, ORR_LOG_ERROR, "a job's commit failed", r->job, &r->failure.error);
  pool_delay(r->entry, WORKER_ABANDONED_MS);
}

/* Needs the scripts of the worker's thread: to write down a failure, or to end a context. */
static bool needs_its_worker(const run *r) {
  if (r->resting || !r->pending) return true;
  bool lost = r->pending->batch.status == ORR_E_CONFLICT;
  return lost && (r->failing || r->entry->conflicts >= ORR_CONFLICTS_MAX);
}

static void settle(run *r) {
  int status = r->pending->batch.status;
  pending_commit_done(r->pending, status);
  if (status == 0) succeeded(r);
  else if (status == ORR_E_CONFLICT) (void)run_try_later(r);
  else commit_failed(r);
  r->settled = true;
  atomic_store(&r->over, true);
}

static void free_pending(worker *w, pending_commit *p) {
  if (p->size > WORKER_COMMIT_BYTES || w->n_spare_commits == WORKER_COMMITS_MAX) {
    size_t size = p->size > WORKER_COMMIT_BYTES ? p->size : WORKER_COMMIT_BYTES;
    env_free(&w->executor->env.allocator, p, size);
    return;
  }
  p->next = w->spare_commits;
  w->spare_commits = p;
  w->n_spare_commits++;
}

/* A context, or a pending commit whose answer only this thread can deal with. */
static void end_here(run *r) {
  int status = r->request.batches->status;
  if (r->pending) pending_commit_done(r->pending, status);
  else context_committed(r->context, status);
  r->context = NULL;
  if (r->pending) free_pending(r->worker, r->pending);
  r->pending = NULL;
  if (status == ORR_E_CONFLICT && r->failing) {
    run_record_failure(r); /* somebody changed the job meanwhile: look again */
  } else if (status == ORR_E_CONFLICT) {
    run_conflicted(r);
  } else {
    if (status == 0) succeeded(r);
    else commit_failed(r);
    run_release(r);
  }
}

static void end_answered(run *r) {
  if (r->resting) {
    r->resting = false;
    run_continue(r);
    return;
  }
  r->submitted = false;
  r->siblings = NULL;
  if (!r->settled && !needs_its_worker(r)) settle(r);
  if (!r->settled) {
    end_here(r);
    return;
  }
  free_pending(r->worker, r->pending);
  run_release(r);
}

uint32_t answers_read(worker *w) {
  uint32_t n = 0;
  atomic_fetch_add_explicit(&w->rounds, 1, memory_order_relaxed);
  for (run *r = empty_inbox(w), *next; r; r = next, n++) {
    next = r->next;
    end_answered(r);
  }
  return n;
}

/* ---- On the acquisition thread --------------------------------------------------------------- */

/* What has not been read since the last look, since the worker has not come round. True: there
 * may be more to look at. */
static bool look_into_inbox(worker *w) {
  if (!atomic_load(&w->unread)) return false;
  uint_fast32_t rounds = atomic_load_explicit(&w->rounds, memory_order_relaxed);
  bool held = rounds == w->rounds_seen;
  w->rounds_seen = rounds;
  for (run *r = held ? empty_inbox(w) : NULL, *next; r; r = next) {
    next = r->next;
    if (!r->settled && !needs_its_worker(r)) settle(r);
    put_into_inbox(r, false);
  }
  return true;
}

static bool any_unread(const orr_executor *x) {
  for (uint32_t i = 0; i < x->n_workers; i++)
    if (atomic_load(&x->workers[i].unread)) return true;
  return false;
}

void answers_look_after(orr_executor *x) {
  bool more = false;
  if (!atomic_load(&x->watching)) return;
  for (uint32_t i = 0; i < x->n_workers; i++) more = look_into_inbox(&x->workers[i]) || more;
  if (more) return;
  atomic_store(&x->watching, false);
  if (any_unread(x)) atomic_store(&x->watching, true); /* it came when somebody still looked */
}

int64_t answers_look_at_ns(const orr_executor *x, int64_t now_ns) {
  return atomic_load(&x->watching) ? now_ns + ANSWERS_LOOK_MS * INT64_C(1000000) : INT64_MAX;
}
