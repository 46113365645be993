/* Looking after deadlines, and replacing threads. */
#include "executor/worker/time_limit.h"

#include <inttypes.h>

#include "base/error.h"
#include "exec/awaiting.h"

/* How often deadlines are looked at: how much later than its limit a call fails, at most, if it can. A thread that is in the
 * same call at the second look is in C. */
#define LIMIT_LOOK_MS 50

void time_limit_watch(void *of) {
  worker *w = of;
  orr_executor *x = w->executor;
  atomic_store(&w->waits_limited, true); /* it may come to wait */
  if (atomic_load(&x->limiting) || atomic_exchange(&x->limiting, true)) return;
  pthread_mutex_lock(&x->mutex);
  pthread_cond_signal(&x->acquire);
  pthread_mutex_unlock(&x->mutex);
}

/* ---- On the worker's thread ------------------------------------------------------------------ */

void time_limit_interrupt(worker *w) {
  bool any = false;
  if (!atomic_exchange(&w->overdue, false)) return;
  for (run *r = w->first_waiting; r; r = r->next_waiting)
    any = await_interrupt(r->context, call_clock(r->of->engine)) || any;
  atomic_store(&w->waits_limited, any);
}

void time_limit_back(worker *w) {
  if (!atomic_load(&w->replaced)) return;
  pthread_mutex_lock(&w->executor->mutex);
  atomic_store(&w->replaced, false);
  atomic_store(&w->retired, true);
  pthread_mutex_unlock(&w->executor->mutex);
}

/* ---- Replacing ------------------------------------------------------------------------------- */

static worker *retired_locked(const orr_executor *x) {
  for (uint32_t i = 0; i < x->n_workers; i++)
    if (atomic_load(&x->workers[i].retired)) return &x->workers[i];
  return NULL;
}

static void log_replaced(const worker *w, orr_engine *engine, bool done) {
  engine_log(engine, ORR_LOG_WARNING, NULL, "job %" PRIu64 " has held thread %" PRIu32 " in C beyond its time limit: %s",
             atomic_load(&w->current_job), w->index + 1,
             done ? "another thread takes its place" : "no further thread takes its place");
}

/* Another one is started, unless the executor stops or has started as many as it may. */
static bool start_spare(orr_executor *x) {
  orr_error err = {0};
  pthread_mutex_lock(&x->mutex);
  bool room = !x->stopping && x->n_workers < x->n_slots;
  pthread_mutex_unlock(&x->mutex);
  if (!room || worker_start(&x->workers[x->n_workers], x, x->n_workers, &err)) {
    orr_error_clear(&err);
    return false;
  }
  pthread_mutex_lock(&x->mutex);
  x->n_workers++;
  pthread_mutex_unlock(&x->mutex);
  return true;
}

static bool use_retired(orr_executor *x) {
  pthread_mutex_lock(&x->mutex);
  worker *spare = retired_locked(x);
  if (spare) atomic_store(&spare->retired, false);
  if (spare) uv_async_send(&spare->wake);
  pthread_mutex_unlock(&x->mutex);
  return spare;
}

static void replace_thread(worker *w, orr_engine *engine) {
  orr_executor *x = w->executor;
  bool done = use_retired(x) || start_spare(x);
  if (done) atomic_store(&w->replaced, true);
  log_replaced(w, engine, done);
}

/* ---- Looking --------------------------------------------------------------------------------- */

/* True: the thread is in a call with a deadline. */
static bool look_at_call(worker *w) {
  int64_t deadline = atomic_load(&w->place.deadline);
  orr_engine *engine = atomic_load(&w->current_job) ? atomic_load(&w->current_engine) : NULL;
  if (!deadline || !engine || call_clock(engine) < deadline) return deadline;
  if (w->over_deadline == deadline && !atomic_load(&w->replaced) && !w->over_told) {
    w->over_told = true;
    replace_thread(w, engine);
  } else if (w->over_deadline != deadline) {
    w->over_told = false;
  }
  w->over_deadline = deadline;
  if (engine->host) engine->host->methods->ask(w->thread);
  return true;
}

static bool look_at_waits(worker *w) {
  if (!atomic_load(&w->waits_limited)) return false;
  atomic_store(&w->overdue, true);
  worker_wake(w);
  return true;
}

static bool any_limited(const orr_executor *x) {
  for (uint32_t i = 0; i < x->n_workers; i++)
    if (atomic_load(&x->workers[i].place.deadline) || atomic_load(&x->workers[i].waits_limited)) return true;
  return false;
}

void time_limit_look(orr_executor *x) {
  bool more = false;
  if (!atomic_load(&x->limiting)) return;
  int64_t now = x->env.mono_ns(x->env.ud);
  if (now < x->limits_look_ns) return;
  x->limits_look_ns = now + LIMIT_LOOK_MS * INT64_C(1000000);
  for (uint32_t i = 0; i < x->n_workers; i++) {
    bool waits = look_at_waits(&x->workers[i]), calls = look_at_call(&x->workers[i]);
    more = more || waits || calls;
  }
  if (more) return;
  atomic_store(&x->limiting, false);
  if (any_limited(x)) atomic_store(&x->limiting, true); /* it came when somebody still looked */
}

int64_t time_limit_look_at_ns(orr_executor *x, int64_t now_ns) {
  if (!atomic_load(&x->limiting)) return INT64_MAX;
  return x->limits_look_ns > now_ns ? x->limits_look_ns : now_ns;
}
