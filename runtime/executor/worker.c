/* A worker: one thread, one libuv loop, one script state an engine. It begins many jobs before the first is finished:
 * those whose delegates wait are resumed by the loop, those whose batches are being written are ended when the committer
 * answers. */
#include <poll.h>
#include <string.h>

#include "base/error.h"
#include "exec/verdict.h"
#include "engine/metrics.h"
#include "executor/job_log.h"
#include "executor/pool_internal.h"

/* How long it begins jobs between two looks at answers and loop, give or take one: their delegates may compute for long. */
#define WORKER_STROKE_NS INT64_C(1000000)

/* Jobs a worker has begun and not ended; their contexts are what a waiting job costs. */
#define WORKER_ACTIVE_MAX 20000

/* Memory of a parcel that is used again: a job's batch is of some 900 bytes. */
#define WORKER_PARCEL_BYTES 1536

/* Parcels kept for reuse: as many as come back together from a large group commit. */
#define WORKER_PARCELS_MAX 4096

/* How soon a job comes again whose failure could not be recorded: the store or memory needs a moment. */
#define WORKER_ABANDONED_MS 1000

/* How soon a job is looked at again that does not begin since the lease nears its end. */
#define WORKER_LEASE_MS 500

/* How often runs that wait for the host look whether their jobs are still theirs, and how many at once: who deletes or
 * suspends an instance should not have its calls go on. */
#define WORKER_LOOK_MS 500
#define WORKER_LOOKS_MAX 2000

/* A run as long as this looks again at its job before it commits. */
#define WORKER_LASTED_MS 20

/* The run is out of this worker's hands. */
static void let_go_of_job(run *r) {
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
  let_go_of_job(r);
}

/* Store or memory failed, and not even that could be written down: the job keeps its lock and comes again. */
static void abandon_run(run *r) {
  pool_delay(r->entry, WORKER_ABANDONED_MS);
  let_go_of_job(r);
}

static run *new_run(worker *w, entry *e) {
  run *r = w->idle;
  if (r) w->idle = r->next;
  else r = env_alloc(&w->executor->env.allocator, sizeof *r);
  if (!r) return NULL;
  memset(r, 0, sizeof *r);
  r->worker = w;
  r->entry = e;
  r->since = atomic_load(&w->current_since);
  r->next_active = w->runs;
  r->at_active = &w->runs;
  if (w->runs) w->runs->at_active = &r->next_active;
  w->runs = r;
  w->active++;
  return r;
}

/* The committer's thread: what there is to tell goes into the worker's inbox. The worker is woken under the inbox's mutex:
 * once it has the last answer it may end and be freed. */
static void tell_worker(run *r) {
  worker *w = r->worker;
  r->next = NULL;
  pthread_mutex_lock(&w->inbox_mutex);
  *w->inbox_last = r;
  w->inbox_last = &r->next;
  bool sleeping = true;
  /* Still under the mutex: once the worker has this answer it may end, and its loop with it. */
  if (atomic_compare_exchange_strong(&w->sleeping, &sleeping, false)) uv_async_send(&w->wake);
  pthread_mutex_unlock(&w->inbox_mutex);
}

static void answered(commit_request *request, const orr_error *err) {
  run *r = (run *)request;
  if (err && r->failure.error.code == 0)
    error_set(&r->failure.error, err->code, "%s", err->message ? err->message : orr_strerror(err->code));
  if (r->siblings) siblings_answered(r->siblings, request->batches->status);
  tell_worker(r);
}

static void siblings_quiet(siblings_waiter *waiter) {
  tell_worker((run *)(void *)((char *)waiter - offsetof(run, quiet)));
}

static void record_worker_failure(run *r);

static void free_parcel(worker *w, parcel *p) {
  if (p->size > WORKER_PARCEL_BYTES || w->n_parcels == WORKER_PARCELS_MAX) {
    env_free(&w->executor->env.allocator, p, p->size > WORKER_PARCEL_BYTES ? p->size : WORKER_PARCEL_BYTES);
    return;
  }
  p->next = w->parcels;
  w->parcels = p;
  w->n_parcels++;
}

static void *parcel_memory(worker *w, size_t size) {
  parcel *p = size <= WORKER_PARCEL_BYTES ? w->parcels : NULL;
  if (!p) return env_alloc(&w->executor->env.allocator, size > WORKER_PARCEL_BYTES ? size : WORKER_PARCEL_BYTES);
  w->parcels = p->next;
  w->n_parcels--;
  return p;
}

/* The context goes back before the commit is answered: it is returned, to be ended. NULL: it stays. */
static context *pack(run *r) {
  size_t size = parcel_size(r->context, r->request.batches);
  void *memory = size ? parcel_memory(r->worker, size) : NULL;
  if (!memory) return NULL;
  r->parcel = parcel_pack(r->context, r->request.batches, memory, size);
  r->request.batches = &r->parcel->batch;
  context *packed = r->context;
  r->context = NULL;
  return packed;
}

/* Once it is submitted the committer may answer; but the answer is read by this thread. */
static void submit_batch(run *r) {
  r->request.count = 1;
  r->request.done = answered;
  r->siblings = unit_publish(r->context->u, r->request.batches);
  context *packed = pack(r);
  r->submitted = true;
  committer_submit(r->entry->of->engine->committer, &r->request);
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
  else record_worker_failure(r);
}

/* The script state of this thread for an engine; opened when the thread began. */
static host_thread *host_of_engine(member *m) {
  engine_thread *t = engine_thread_get(m->engine, NULL);
  return t ? t->host : NULL;
}

static void record_worker_failure(run *r) {
  member *m = r->entry->of;
  orr_error err = {0};
  r->failing = true;
  int rc = run_fail_begin(m->engine, host_of_engine(m), r->entry->job, atomic_load(&m->locker.number), &r->failure, r->final,
                          &r->context, &err);
  if (rc) run_log(m->engine, ORR_LOG_ERROR, "a job's failure could not be recorded", r->entry->job, &err);
  orr_error_clear(&err);
  if (r->context) submit(r);
  else if (rc) abandon_run(r);
  else end_worker_run(r);
}

/* Lost a race: costs no retry, comes again after a while; too many in a row are a failure. */
static void conflicted(run *r) {
  member *m = r->entry->of;
  metrics_count(m->engine, METRIC_JOB_CONFLICT, 1);
  if (++r->entry->conflicts > ORR_CONFLICTS_MAX) {
    orr_error_clear(&r->failure.error);
    run_conflicts_error(&r->failure.error);
    r->final = true;
    record_worker_failure(r);
    return;
  }
  uint64_t random = r->worker->executor->env.random(r->worker->executor->env.ud);
  int64_t wait = backoff_conflict(&m->backoff, r->entry->conflicts, random);
  log_conflict(m->engine, r->entry->job, r->entry->conflicts, wait);
  pool_delay(r->entry, wait);
  let_go_of_job(r);
}

static void worker_failed(run *r) {
  member *m = r->entry->of;
  int code = r->context->error.code;
  run_failure_take(r->context, &r->failure);
  context_end(r->context);
  r->context = NULL;
  if (code == ORR_E_CONFLICT) {
    conflicted(r);
    return;
  }
  if (run_failure_counts(&r->failure)) metrics_count(m->engine, METRIC_JOB_FAILED, 1);
  record_worker_failure(r);
}

/* Long enough for somebody to have changed the job, say its priority: worth a look, so that the work need not be done again. */
static bool lasted(const run *r) { return r->waited || engine_now(r->entry->of->engine) - r->since >= WORKER_LASTED_MS; }

static void stepped(run *r, int rc);
static void run_waits(run *r);

static void go_on(run *r) {
  unit_catch_up(r->context->u);
  int rc = verdicts_follow(r->context);
  if (!rc) rc = context_run(r->context);
  if (rc == RUN_PENDING) run_waits(r);
  else stepped(r, rc);
}

/* Others have come to their ends in the meantime, and what is left falls to this run: it goes on when they are committed. */
static void goes_on(run *r) {
  pool_running_on(r->entry);
  r->quiet = (siblings_waiter){.quiet = siblings_quiet};
  r->resting = true;
  if (unit_await_siblings(r->context->u, &r->quiet)) return;
  r->resting = false;
  go_on(r);
}

/* Nothing is planned any more; with siblings there may be, after what they have done. */
static void stepped(run *r, int rc) {
  context *c = r->context;
  bool more = false;
  pool_committing(r->entry);
  if (!rc && lasted(r)) rc = run_refresh(c, atomic_load(&r->entry->of->locker.number));
  if (!rc && unit_has_siblings(c->u)) {
    unit_settle(c->u);
    more = verdicts_overturned(c);
    if (more) unit_unsettle(c->u);
  }
  if (more) {
    goes_on(r);
    return;
  }
  if (!rc) rc = run_complete(c);
  if (!rc) submit(r);
  else worker_failed(r);
}

static void look_is_due(uv_timer_t *handle) { ((worker *)handle->data)->looks = true; }

static void run_waits(run *r) {
  worker *w = r->worker;
  r->waited = true;
  w->waiting++;
  pool_run_waits(r->entry, true);
  running_waits(r->entry->of->running, true);
  r->next_waiting = w->first_waiting;
  r->waiting_at = &w->first_waiting;
  if (r->next_waiting) r->next_waiting->waiting_at = &r->next_waiting;
  w->first_waiting = r;
  if (!uv_is_active((uv_handle_t *)&w->look)) uv_timer_start(&w->look, look_is_due, WORKER_LOOK_MS, WORKER_LOOK_MS);
}

static void waits_no_more(run *r) {
  r->worker->waiting--;
  pool_run_waits(r->entry, false);
  running_waits(r->entry->of->running, false);
  *r->waiting_at = r->next_waiting;
  if (r->next_waiting) r->next_waiting->waiting_at = r->waiting_at;
  if (r->worker->next_look == r) r->worker->next_look = r->next_waiting;
  if (!r->worker->first_waiting) uv_timer_stop(&r->worker->look);
}

/* The host resumed a waiting context and it came to its end. */
static void resumed(context *c, void *ud) {
  run *r = ud;
  waits_no_more(r);
  stepped(r, c->state == CONTEXT_FAILED ? c->error.code : 0);
}

/* What others can see of this thread while it is busy; NULL: nothing. */
static void now_at(worker *w, const entry *e) {
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
  now_at(w, e);
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
  c->on_done = resumed;
  c->on_done_ud = r;
  rc = c->state == CONTEXT_FAILED ? c->error.code : context_run(c);
  if (rc == RUN_PENDING) run_waits(r);
  else stepped(r, rc);
}

/* ---- Jobs that are gone ---------------------------------------------------------------------- */

/* The context takes its calls with it. */
static void cut_run(run *r) {
  waits_no_more(r);
  context_end(r->context);
  r->context = NULL;
  run_log(r->entry->of->engine, ORR_LOG_INFO, "a waiting job was cut: it is gone, or no longer this executor's", r->entry->job,
          NULL);
  end_worker_run(r);
}

/* 1: gone, suspended, or taken by somebody else. A look that fails is made again. */
static int has_lost_job(context *look, const run *r) {
  const rec_job *job = unit_job(look->u, r->entry->job, &look->error);
  if (look->error.code) return look->error.code;
  return !job || job->state != ORR_JOB_LOCKED || job->owner != atomic_load(&r->entry->of->locker.number);
}

/* In one view of the engine's store, at most `max` of its runs; *at is the first, then the one behind the last. */
static uint32_t look_at_some(run **at, uint32_t max, run **lost) {
  orr_engine *engine = (*at)->entry->of->engine;
  orr_error err = {0};
  context *look = context_begin(engine, host_of_engine((*at)->entry->of), &err);
  uint32_t n = 0;
  for (; look && *at && n < max && (*at)->entry->of->engine == engine; *at = (*at)->next_waiting, n++) {
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
static void cut_lost_runs(worker *w) {
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

/* ---- Answers --------------------------------------------------------------------------------- */

static void end_answered(run *r) {
  if (r->resting) {
    r->resting = false;
    go_on(r);
    return;
  }
  member *m = r->entry->of;
  int status = r->request.batches->status;
  r->submitted = false;
  r->siblings = NULL;
  if (r->parcel) {
    parcel_committed(r->parcel, status);
    free_parcel(r->worker, r->parcel);
    r->parcel = NULL;
  } else {
    context_committed(r->context, status);
    r->context = NULL;
  }
  if (status == 0) {
    if (!r->failing) {
      metrics_count(m->engine, METRIC_JOB_SUCCESSFUL, 1);
      log_succeeded(m->engine, r->entry->job, r->since);
    }
    end_worker_run(r);
  } else if (status == ORR_E_CONFLICT && r->failing) {
    record_worker_failure(r); /* somebody changed the job meanwhile: look again */
  } else if (status == ORR_E_CONFLICT) {
    conflicted(r);
  } else {
    run_log(m->engine, ORR_LOG_ERROR, "a job's commit failed", r->entry->job, &r->failure.error);
    abandon_run(r);
  }
}

static uint32_t read_inbox(worker *w) {
  pthread_mutex_lock(&w->inbox_mutex);
  run *r = w->inbox;
  w->inbox = NULL;
  w->inbox_last = &w->inbox;
  pthread_mutex_unlock(&w->inbox_mutex);
  uint32_t n = 0;
  for (run *next; r; r = next, n++) {
    next = r->next;
    end_answered(r);
  }
  return n;
}

/* ---- The loop -------------------------------------------------------------------------------- */

static uint32_t begin_some(worker *w) {
  const orr_env *env = &w->executor->env;
  if (w->active >= WORKER_ACTIVE_MAX) return 0;
  if (!stroke_left(&w->stroke)) {
    stroke_drop_ahead(&w->ahead);
    pool_take(w);
  }
  int64_t until = env->mono_ns(env->ud) + WORKER_STROKE_NS;
  uint32_t n = 0;
  for (entry *e; (n == 0 || env->mono_ns(env->ud) < until) && (e = stroke_next(&w->stroke)); n++) {
    member *m = e->of;
    begin_entry(w, e, stroke_read_ahead(&w->ahead, e)); /* may free the entry */
    running_set(m->running, w->index, 0);
    now_at(w, NULL);
  }
  if (!stroke_left(&w->stroke)) stroke_drop_ahead(&w->ahead);
  return n;
}

static bool inbox_empty(worker *w) {
  pthread_mutex_lock(&w->inbox_mutex);
  bool empty = !w->inbox;
  pthread_mutex_unlock(&w->inbox_mutex);
  return empty;
}

static bool may_end(worker *w) {
  pthread_mutex_lock(&w->executor->mutex);
  bool stopping = w->executor->stopping, abandoning = w->executor->abandoning;
  if (stopping) pool_return_locked(w);
  pthread_mutex_unlock(&w->executor->mutex);
  return stopping && w->active == (abandoning ? w->waiting : 0);
}

static bool may_begin(worker *w) {
  pthread_mutex_lock(&w->executor->mutex);
  bool any = !w->executor->stopping && pool_has_work_locked(w->executor);
  pthread_mutex_unlock(&w->executor->mutex);
  return any && w->active < WORKER_ACTIVE_MAX;
}

/* Until the loop has something to do. It waits beside the loop and not within it, where what it does next would count as
 * sleep, too: a delegate that goes on there may compute for long, and a job whose wake-up came to this worker would wait. */
static void await_loop(worker *w) {
  uv_update_time(&w->loop);
  struct pollfd events = {.fd = uv_backend_fd(&w->loop), .events = POLLIN};
  (void)poll(&events, 1, uv_backend_timeout(&w->loop)); /* cut short by a signal: the loop comes round */
}

/* Announces that it sleeps before it looks a last time, so that no wake-up falls between. */
static void rest_worker(worker *w) {
  atomic_store(&w->sleeping, true);
  if (!may_begin(w) && inbox_empty(w) && !may_end(w) && !atomic_load(&w->asked)) await_loop(w);
  atomic_store(&w->sleeping, false);
}

static void open_hosts(worker *w) {
  orr_executor *x = w->executor;
  for (uint32_t i = 0; i < x->n_members; i++) {
    orr_engine *engine = x->members[i]->engine;
    orr_error err = {0};
    w->opened[i] = engine_thread_open(engine, &w->loop, &err);
    if (!w->opened[i])
      engine_log(engine, ORR_LOG_ERROR, NULL, "a worker cannot serve this engine: %s", err.message ? err.message : "");
    orr_error_clear(&err);
  }
}

static void free_runs(worker *w) {
  while (w->idle) {
    run *r = w->idle;
    w->idle = r->next;
    env_free(&w->executor->env.allocator, r, sizeof *r);
  }
  while (w->parcels) {
    parcel *p = w->parcels;
    w->parcels = p->next;
    env_free(&w->executor->env.allocator, p, WORKER_PARCEL_BYTES);
  }
}

static void close_handle(uv_handle_t *handle, void *ud) {
  (void)ud;
  if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static void close_worker_loop(worker *w) {
  uv_walk(&w->loop, close_handle, NULL);
  uv_run(&w->loop, UV_RUN_DEFAULT);
  uv_loop_close(&w->loop);
  pthread_mutex_destroy(&w->inbox_mutex);
}

/* The last one out tells whoever stops the executor. */
static void count_working(worker *w, int change) {
  orr_executor *x = w->executor;
  pthread_mutex_lock(&x->mutex);
  x->n_working = (uint32_t)((int)x->n_working + change);
  if (x->n_working == 0) pthread_cond_broadcast(&x->progress);
  pthread_mutex_unlock(&x->mutex);
}

/* What still waits when the time for draining is over goes back, to be begun anew elsewhere. The contexts end while their
 * hosts are open, for they have them abandon the calls. */
static void abandon_waiting(worker *w) {
  while (w->first_waiting) {
    run *r = w->first_waiting;
    waits_no_more(r);
    context_end(r->context);
    run_log(r->entry->of->engine, ORR_LOG_WARNING, "a running job was abandoned", r->entry->job, NULL);
    pool_delay(r->entry, 0);
    orr_error_clear(&r->failure.error);
    w->active--;
    r->next = w->idle;
    w->idle = r;
  }
}

/* By the number that engine:running() tells. */
static void name_thread(const worker *w) {
  char name[ENV_THREAD_NAME_BYTES];
  snprintf(name, sizeof name, "orr-worker-%u", (unsigned)(w->index + 1));
  env_name_thread(name);
}

static void *worker_main(void *arg) {
  worker *w = arg;
  name_thread(w);
  executor_serve(w->executor);
  open_hosts(w);
  while (!may_end(w)) {
    inspect_answer(w);
    if (w->looks) cut_lost_runs(w);
    uint32_t answers = read_inbox(w), begun = begin_some(w);
    if (!answers && !begun) rest_worker(w);
    uv_run(&w->loop, UV_RUN_NOWAIT);
  }
  count_working(w, -1);
  abandon_waiting(w);
  stroke_drop_ahead(&w->ahead);
  for (uint32_t i = 0; i < w->executor->n_members; i++)
    if (w->opened[i]) engine_thread_close(w->executor->members[i]->engine);
  free_runs(w);
  return NULL;
}

static void on_wake(uv_async_t *handle) { (void)handle; }

int worker_start(worker *w, orr_executor *x, uint32_t index, orr_error *err) {
  w->executor = x;
  w->index = index;
  w->inbox_last = &w->inbox;
  pthread_mutex_init(&w->inbox_mutex, NULL);
  int rc = uv_loop_init(&w->loop);
  if (!rc) {
    rc = uv_async_init(&w->loop, &w->wake, on_wake);
    if (rc) uv_loop_close(&w->loop);
  }
  if (!rc) uv_timer_init(&w->loop, &w->look); /* it cannot fail */
  w->look.data = w;
  if (rc) return error_set(err, ORR_E_LIMIT, "cannot make a worker's event loop: %s", uv_strerror(rc));
  count_working(w, 1);
  rc = pthread_create(&w->thread, NULL, worker_main, w);
  if (rc) {
    count_working(w, -1);
    close_worker_loop(w);
    return error_set(err, ORR_E_LIMIT, "cannot start a worker: %s", strerror(rc));
  }
  w->started = true;
  return 0;
}

void worker_wake(worker *w) {
  if (w->started) uv_async_send(&w->wake);
}

/* The loop outlives the thread: a worker that ends by itself must still bear being woken. */
void worker_join(worker *w) {
  if (!w->started) return;
  uv_async_send(&w->wake);
  pthread_join(w->thread, NULL);
  close_worker_loop(w);
  w->started = false;
}
