/* A worker: one thread, one libuv loop, one script state an engine. It begins many jobs before
 * the first is finished: those whose delegates wait are resumed by the loop, those whose batches
 * are being written are ended when the committer answers. */
#include <poll.h>
#include <string.h>

#include "base/error.h"
#include "executor/worker/answers.h"
#include "executor/worker/job_run.h"
#include "executor/worker/time_limit.h"
#include "executor/worker/worker.h"

/* How long it begins jobs between two looks at answers and loop, give or take one: their
 * delegates may compute for long. */
#define WORKER_SLICE_NS INT64_C(1000000)

static uint32_t begin_some(worker *w) {
  const orr_env *env = &w->executor->env;
  if (w->active >= WORKER_ACTIVE_MAX || atomic_load(&w->retired)) return 0;
  if (!local_queue_left(&w->local)) {
    job_prefetch_drop(&w->prefetch);
    pool_take(w);
  }
  int64_t until = env->mono_ns(env->ud) + WORKER_SLICE_NS;
  uint32_t n = 0;
  for (entry *e; (n == 0 || env->mono_ns(env->ud) < until) && (e = local_queue_next(&w->local)); n++)
    worker_begin(w, e, job_prefetch_for(&w->prefetch, e));
  if (!local_queue_left(&w->local)) job_prefetch_drop(&w->prefetch);
  return n;
}

static bool may_end(worker *w) {
  pthread_mutex_lock(&w->executor->mutex);
  bool stopping = w->executor->stopping, abandoning = w->executor->abandoning;
  pthread_mutex_unlock(&w->executor->mutex);
  return stopping && w->active == (abandoning ? w->waiting : 0);
}

static bool may_begin(worker *w) {
  pthread_mutex_lock(&w->executor->mutex);
  bool any = !w->executor->stopping && pool_has_work_locked(w->executor);
  pthread_mutex_unlock(&w->executor->mutex);
  return any && w->active < WORKER_ACTIVE_MAX && !atomic_load(&w->retired);
}

/* Until the loop has something to do. It waits beside the loop and not within it, where what it
 * does next would count as sleep, too: a delegate that goes on there may compute for long, and a
 * job whose wake-up came to this worker would wait. */
static void await_loop(worker *w) {
  uv_update_time(&w->loop);
  struct pollfd events = {.fd = uv_backend_fd(&w->loop), .events = POLLIN};
  (void)poll(&events, 1, uv_backend_timeout(&w->loop)); /* cut short by a signal: the loop comes round */
}

/* Announces that it sleeps before it looks a last time, so that no wake-up falls between. */
static void rest_worker(worker *w) {
  atomic_store(&w->sleeping, true);
  if (!may_begin(w) && answers_none(w) && !may_end(w) && !atomic_load(&w->asked) && !atomic_load(&w->overdue)) await_loop(w);
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
  while (w->spare_commits) {
    pending_commit *p = w->spare_commits;
    w->spare_commits = p->next;
    env_free(&w->executor->env.allocator, p, WORKER_COMMIT_BYTES);
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

/* The last worker to leave wakes the thread that stops the executor. */
static void count_working(worker *w, int change) {
  orr_executor *x = w->executor;
  pthread_mutex_lock(&x->mutex);
  x->n_working = (uint32_t)((int)x->n_working + change);
  if (x->n_working == 0) pthread_cond_broadcast(&x->progress);
  pthread_mutex_unlock(&x->mutex);
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
    time_limit_back(w);
    time_limit_interrupt(w);
    inspect_answer(w);
    if (w->looks) worker_cut_lost_runs(w);
    uint32_t answers = answers_read(w), begun = begin_some(w);
    if (!answers && !begun) rest_worker(w);
    uv_run(&w->loop, UV_RUN_NOWAIT);
  }
  count_working(w, -1);
  worker_abandon_waiting(w);
  job_prefetch_drop(&w->prefetch);
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
  w->place.limit_ms = x->options.delegate_timeout > 0 ? x->options.delegate_timeout : 0;
  w->place.watch = time_limit_watch;
  w->place.ud = w;
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
