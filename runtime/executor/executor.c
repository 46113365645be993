/* The executor's life: which engines it serves, starting, stopping, waiting for idleness. */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/null.h"
#include "base/options.h"
#include "engine/metrics.h"
#include "engine/open.h"
#include "executor/absent.h"
#include "executor/job_log.h"
#include "executor/owner/cluster.h"
#include "executor/pool.h"
#include "executor/pool_internal.h"
#include "executor/owner/reclaim.h"
#include "executor/run_jobs.h"

/* How long the jobs of a machine that died wait on a store that machines share; on one machine its processes are seen to be
 * gone. */
enum { LEASE_SHARED_MS = 20000 };
enum { THREADS_DEFAULT = 4, QUEUE_DEFAULT = 4000, PAGE_DEFAULT = 1000, DRAIN_DEFAULT_MS = 30000 };

static _Thread_local const orr_executor *served; /* whose worker or acquisition this thread is */

void executor_serve(const orr_executor *x) { served = x; }

/* A job that is lent to this thread is waited for; the log is called between its steps. So is a commit's room for jobs,
 * and what the log hears of the store comes in the middle of one. */
static bool inside(const orr_executor *x) {
  if (served == x || executor_lent_here()) return true;
  for (uint32_t i = 0; i < x->n_members; i++)
    if (context_inside(x->members[i]->engine) || engine_hears_of_store(x->members[i]->engine)) return true;
  return false;
}

bool executor_inside(orr_engine *engine) {
  const orr_executor *x = engine->executor;
  return context_inside(engine) || engine_hears_of_store(engine) || (x && inside(x));
}

/* In a child of fork there are no threads to stop or to wait for. */
static bool executor_forked(const orr_executor *x) { return x->n_members > 0 && engine_forked(x->members[0]->engine); }

static int refuse_forked(orr_error *err) {
  return error_set(err, ORR_E_STATE, "the executor belongs to the process that forked this one");
}

static int refuse_inside(const char *verb, orr_error *err) {
  return error_set(err, ORR_E_STATE, "an executor cannot be %s by what its engines run", verb);
}

static int64_t executor_or_default(int64_t given, int64_t standard) { return given > 0 ? given : standard; }

/* ---- Making ---------------------------------------------------------------------------------- */

static uint32_t cores(void) {
  uv_cpu_info_t *info;
  int n;
  if (uv_cpu_info(&info, &n) != 0) return THREADS_DEFAULT;
  uv_free_cpu_info(info, n);
  return n > 0 ? (uint32_t)n : THREADS_DEFAULT;
}

/* Sleeping threads wait by the monotonic clock, so that a wall clock that jumps wakes nobody. */
static void init_conditions(orr_executor *x) {
  pthread_condattr_t attr;
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(&x->acquire, &attr);
  pthread_cond_init(&x->progress, &attr);
  pthread_cond_init(&x->answered, &attr);
  pthread_condattr_destroy(&attr);
  pthread_mutex_init(&x->mutex, NULL);
  pthread_mutex_init(&x->ask_mutex, NULL);
}

/* Options are read again whenever an engine joins, long after the caller's are gone. What is no integer is refused then. */
static const orr_value *keep_bound(const orr_value *given, orr_value *own) {
  if (!given) return NULL;
  *own = given->type == ORR_INT ? *given : orr_bool(false);
  if (given->type == ORR_NIL || given->type == ORR_NULL) *own = (orr_value){0};
  return own;
}

static int executor_make(const orr_env *env, const orr_executor_options *options, orr_executor **out, orr_error *err) {
  *out = NULL;
  uint32_t threads = options && options->threads ? options->threads : cores();
  if (threads > EXECUTOR_THREADS_MAX)
    return error_set(err, ORR_E_ARGUMENT, "an executor has at most %d threads", EXECUTOR_THREADS_MAX);
  orr_executor *x = env_zalloc(&env->allocator, sizeof *x);
  uint32_t slots = threads + ORR_THREADS_REPLACED_MAX;
  if (slots > EXECUTOR_THREADS_MAX) slots = EXECUTOR_THREADS_MAX;
  worker *workers = env_zalloc(&env->allocator, slots * sizeof *workers);
  if (!x || !workers) {
    env_free(&env->allocator, x, sizeof *x);
    env_free(&env->allocator, workers, slots * sizeof *workers);
    return error_memory(err);
  }
  x->env = *env;
  if (options) {
    x->options = *options;
    if (options->owner) strncpy(x->owner, options->owner, OWNER_BYTES_MAX - 1);
    x->options.owner = NULL;
    x->options.priority_min = keep_bound(options->priority_min, &x->bounds[0]);
    x->options.priority_max = keep_bound(options->priority_max, &x->bounds[1]);
  }
  x->workers = workers;
  x->n_workers = x->n_threads = threads;
  x->n_slots = slots;
  init_conditions(x);
  *out = x;
  return 0;
}

static void member_free(orr_executor *x, member *m) {
  if (m->rules.locker) lock_owner_destroy(&m->locker);
  env_free(&x->env.allocator, m->found, m->page * sizeof *m->found);
  table_free(&m->flight, &x->env.allocator);
  table_free(&m->busy, &x->env.allocator);
  env_free(&x->env.allocator, m, sizeof *m);
}

static int member_configure(orr_executor *x, member *m, orr_error *err) {
  orr_executor_options o = acquire_options_merge(&m->engine->acquisition, &x->options);
  char name[OWNER_BYTES_MAX];
  int rc = x->owner[0] ? (memcpy(name, x->owner, sizeof name), 0) : owner_name(m->engine, name, sizeof name);
  if (rc) return error_set(err, rc, "the lock owner's name would be longer than %d bytes", OWNER_BYTES_MAX);
  o.owner = name;
  m->capacity = (uint32_t)executor_or_default(o.queue_size, QUEUE_DEFAULT);
  m->page = (uint32_t)executor_or_default(o.max_jobs_per_acquisition, PAGE_DEFAULT);
  m->backoff = backoff_rules_of(&o);
  front_init(&m->front);
  m->last = &m->first;
  m->found = env_alloc(&x->env.allocator, m->page * sizeof *m->found);
  if (!m->found) return error_memory(err);
  if (o.lock_time <= 0 && store_is_shared(m->engine->store)) o.lock_time = LEASE_SHARED_MS;
  rc = acquire_rules_from(m->engine, &o, &m->rules, err);
  if (!rc) rc = lock_owner_init(&m->locker, m->engine, name, m->rules.lock_ms, err);
  if (rc) return rc;
  m->rules.owner = m->locker.name;
  m->rules.locker = &m->locker;
  m->locker.tell = cluster_tell;
  m->locker.tell_ud = m;
  return 0;
}

int orr_executor_add(orr_executor *x, orr_engine *engine, orr_error *err) {
  REQUIRE_AS(x, "executor");
  REQUIRE(engine);
  if (x->running) return error_set(err, ORR_E_STATE, "stop the executor before it gets another engine");
  if (engine->executor && engine->executor != x) return error_set(err, ORR_E_STATE, "the engine has an executor already");
  if (pool_member(x, engine)) return 0;
  if (x->n_members == EXECUTOR_ENGINES_MAX)
    return error_set(err, ORR_E_LIMIT, "an executor serves at most %d engines", EXECUTOR_ENGINES_MAX);
  member *m = env_zalloc(&x->env.allocator, sizeof *m);
  if (!m) return error_memory(err);
  m->engine = engine;
  m->executor = x;
  int rc = member_configure(x, m, err);
  if (rc) {
    member_free(x, m);
    return rc;
  }
  pthread_mutex_lock(&x->mutex); /* others may list the executors meanwhile */
  x->members[x->n_members++] = m;
  pthread_mutex_unlock(&x->mutex);
  engine->executor = x;
  return 0;
}

int orr_executor_remove(orr_executor *x, orr_engine *engine, orr_error *err) {
  REQUIRE_AS(x, "executor");
  REQUIRE(engine);
  if (inside(x)) return refuse_inside("changed", err);
  bool again = x->running;
  int rc = orr_executor_stop(x, err);
  if (rc) return rc;
  for (uint32_t i = 0; i < x->n_members; i++) {
    member *gone = x->members[i];
    if (gone->engine != engine) continue;
    engine->executor = NULL;
    pthread_mutex_lock(&x->mutex);
    x->members[i] = x->members[--x->n_members];
    pthread_mutex_unlock(&x->mutex);
    member_free(x, gone);
    break;
  }
  return again ? orr_executor_start(x, err) : 0;
}

int orr_executor_new(const orr_executor_options *given, orr_executor **out, orr_error *err) {
  REQUIRE(out);
  orr_executor_options own;
  const orr_executor_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  orr_env env;
  env_system(&env);
  return executor_make(&env, options, out, err);
}

void orr_executor_free(orr_executor *x) {
  if (!x || executor_forked(x)) return;
  if (inside(x)) {
    engine_log(x->members[0]->engine, ORR_LOG_ERROR, NULL, "an executor cannot be closed by what its engines run; it goes on");
    return;
  }
  (void)orr_executor_stop(x, NULL);
  for (uint32_t i = 0; i < x->n_members; i++) {
    x->members[i]->engine->executor = NULL;
    member_free(x, x->members[i]);
  }
  while (x->idle_entries) {
    entry *e = x->idle_entries;
    x->idle_entries = e->next;
    env_free(&x->env.allocator, e, sizeof *e);
  }
  pthread_cond_destroy(&x->acquire);
  pthread_cond_destroy(&x->progress);
  pthread_cond_destroy(&x->answered);
  pthread_mutex_destroy(&x->mutex);
  pthread_mutex_destroy(&x->ask_mutex);
  orr_allocator allocator = x->env.allocator;
  env_free(&allocator, x->workers, x->n_slots * sizeof *x->workers);
  env_free(&allocator, x, sizeof *x);
}

/* ---- Starting -------------------------------------------------------------------------------- */

static orr_value bound_or_nil(bool given, int64_t bound) { return given ? orr_int(bound) : (orr_value){0}; }

static void log_life(const member *m, const char *event, bool starts) {
  const acquire_rules *r = &m->rules;
  const event_field fields[] = {{"owner", orr_string(m->locker.name)},
                                {"threads", orr_int(m->executor->n_threads)},
                                {"queue_size", orr_int(m->capacity)},
                                {"deployment_aware", orr_bool(r->deployment_aware)},
                                {"priority_min", bound_or_nil(r->has_min, r->priority_min)},
                                {"priority_max", bound_or_nil(r->has_max, r->priority_max)}};
  job_log(m->engine, ORR_LOG_INFO, event, fields, starts ? sizeof fields / sizeof *fields : 1, NULL);
}

static void on_foreign_commit(void *ud) {
  orr_executor *x = ud;
  pthread_mutex_lock(&x->mutex);
  x->news = true;
  pthread_cond_signal(&x->acquire);
  pthread_mutex_unlock(&x->mutex);
}

/* Locks of a process of this machine that is gone come back before anything is acquired. */
static int member_start(member *m, orr_error *err) {
  orr_engine *engine = m->engine;
  uint32_t reclaimed = 0;
  int rc = orr_engine_commits_share(engine, err);
  if (!rc) rc = reclaim_dead(engine, &reclaimed, err);
  if (!rc) running_forget_dead(engine);
  if (!rc) rc = lock_owner_keep(&m->locker, err);
  m->running = running_open(engine, &m->rules);
  m->reporter = thread_reporter_open(engine, m->locker.name);
  metrics_count(engine, METRIC_LOCK_RECLAIMED, reclaimed);
  m->renew_at_ns = m->executor->env.mono_ns(m->executor->env.ud) + m->rules.lock_ms * 1000000 / 3;
  m->acquire_at_ns = 0;
  m->next_due = 0;
  m->starved = false;
  if (!rc) store_on_foreign_commit(engine->store, on_foreign_commit, m->executor);
  if (!rc) log_life(m, "executor started", true);
  return rc;
}

static int start_threads(orr_executor *x, orr_error *err) {
  for (uint32_t i = 0; i < x->n_workers; i++) {
    int rc = worker_start(&x->workers[i], x, i, err);
    if (rc) return rc;
  }
  int rc = pthread_create(&x->acquirer, NULL, acquisition_main, x);
  return rc ? error_set(err, ORR_E_LIMIT, "cannot start the acquisition thread: %s", strerror(rc)) : 0;
}

/* What each has of the store and beside it; for those that were not started there is nothing to do. */
static void leave_stores(orr_executor *x) {
  for (uint32_t i = 0; i < x->n_members; i++) {
    store_on_foreign_commit(x->members[i]->engine->store, NULL, NULL);
    thread_reporter_close(x->members[i]->reporter);
    x->members[i]->reporter = NULL;
    lock_owner_end(&x->members[i]->locker);
    running_close(x->members[i]->running);
    x->members[i]->running = NULL;
  }
}

static void stop_workers(orr_executor *x) {
  inspect_close(x);
  for (uint32_t i = 0; i < x->n_workers; i++) worker_join(&x->workers[i]);
  inspect_open(x);
}

int orr_executor_start(orr_executor *x, orr_error *err) {
  REQUIRE_AS(x, "executor");
  if (x->running) return error_set(err, ORR_E_STATE, "the executor runs already");
  for (uint32_t i = 0; i < x->n_members; i++) {
    int rc = member_start(x->members[i], err);
    if (rc) leave_stores(x);
    if (rc) return rc;
  }
  pthread_mutex_lock(&x->mutex);
  x->stopping = x->abandoning = x->drained = false;
  x->drain_until_ns = 0;
  x->n_workers = x->n_threads;
  memset(x->workers, 0, x->n_slots * sizeof *x->workers); /* all at once: from here on they are looked at by each other */
  x->running = true;
  x->wake = true;
  pthread_mutex_unlock(&x->mutex);
  int rc = start_threads(x, err);
  if (!rc) return 0;
  pool_stop(x);
  stop_workers(x);
  leave_stores(x);
  x->running = false;
  return rc;
}

/* ---- Stopping -------------------------------------------------------------------------------- */

/* Chains stay as long as their jobs cannot run elsewhere: until the job that they wait for has
 * ended. False: without memory nothing was done. */
static bool give_back_jobs(member *m, bool chains) {
  size_t count, capacity;
  orr_id *ids = pool_drain(m, chains, &count, &capacity);
  if (!ids) return false;
  orr_error err = {0};
  if (acquire_release(m->engine, atomic_load(&m->locker.number), ids, count, &err)) {
    atomic_fetch_add(&m->engine->locks_lost, 1);
    engine_log(m->engine, ORR_LOG_WARNING, NULL, "%zu job locks could not be given back and will expire: %s", count,
               err.message ? err.message : "");
  }
  orr_error_clear(&err);
  env_free(&m->executor->env.allocator, ids, capacity * sizeof *ids);
  return true;
}

/* What is there, or comes while others still run: other processes may run it. */
static bool give_back_queued(orr_executor *x) {
  bool done = true;
  for (uint32_t i = 0; i < x->n_members; i++)
    done = give_back_jobs(x->members[i], false) && done;
  return done;
}

/* Waits for `progress` until the deadline; false when it is past. The mutex is held. */
static bool wait_locked(orr_executor *x, int64_t deadline_ns) {
  struct timespec until = {.tv_sec = deadline_ns / 1000000000, .tv_nsec = deadline_ns % 1000000000};
  return pthread_cond_timedwait(&x->progress, &x->mutex, &until) == 0 || x->env.mono_ns(x->env.ud) < deadline_ns;
}

/* What a job that ends brings, or what waited behind it, is given back before the last one has
 * ended. The mutex is held. */
static bool wait_draining_locked(orr_executor *x, int64_t deadline_ns) {
  if (!pool_has_work_locked(x)) return wait_locked(x, deadline_ns);
  pthread_mutex_unlock(&x->mutex);
  bool done = give_back_queued(x);
  pthread_mutex_lock(&x->mutex);
  return done || wait_locked(x, deadline_ns);
}

static void wake_workers(orr_executor *x) {
  for (uint32_t i = 0; i < x->n_workers; i++) worker_wake(&x->workers[i]);
}

/* Nothing more is taken or begun. */
static void begin_drain(orr_executor *x) {
  if (x->drain_until_ns) return;
  int64_t ms = x->options.drain_time == ORR_TIME_NONE
                   ? INT64_MAX / 2000000
                   : executor_or_default(x->options.drain_time, DRAIN_DEFAULT_MS);
  for (uint32_t i = 0; i < x->n_members; i++) running_stopping(x->members[i]->running);
  pool_stop(x);
  x->drain_until_ns = x->env.mono_ns(x->env.ud) + ms * 1000000;
  wake_workers(x);
}

/* Lets the workers come to their end; those that still have waiting jobs then leave them. Their
 * threads are joined once the acquisition thread, which wakes and asks them, has ended. */
static void drain_workers(orr_executor *x) {
  pthread_mutex_lock(&x->mutex);
  while (x->n_working > 0 && wait_draining_locked(x, x->drain_until_ns)) continue;
  x->abandoning = true;
  pthread_mutex_unlock(&x->mutex);
  wake_workers(x);
  pthread_mutex_lock(&x->mutex);
  while (x->n_working > 0) pthread_cond_wait(&x->progress, &x->mutex);
  pthread_mutex_unlock(&x->mutex);
}

/* Or other threads have jobs of the executor. */
static bool has_reservations(const orr_executor *x) {
  for (uint32_t i = 0; i < x->n_members; i++)
    if (x->members[i]->reserved > 0 || x->members[i]->lent > 0) return true;
  return false;
}

/* Commands on other threads may have reserved room before the stop: their jobs are committed as locked and must be given
 * back, too. */
static void wait_for_reservations(orr_executor *x) {
  pthread_mutex_lock(&x->mutex);
  while (has_reservations(x)) pthread_cond_wait(&x->progress, &x->mutex);
  pthread_mutex_unlock(&x->mutex);
}

/* Nothing runs any more: nobody's lock is prolonged. */
static void stop_acquirer(orr_executor *x) {
  pthread_mutex_lock(&x->mutex);
  x->drained = true;
  pthread_cond_signal(&x->acquire);
  pthread_mutex_unlock(&x->mutex);
  pthread_join(x->acquirer, NULL);
}

static int may_stop(const orr_executor *x, orr_error *err) {
  if (executor_forked(x)) return refuse_forked(err);
  return inside(x) ? refuse_inside("stopped", err) : 0;
}

/* First no more is taken or begun, then what runs comes to its end, while what was not begun is
 * given back; in the end the rest is (a run may have brought a follow-up). */
int orr_executor_stop(orr_executor *x, orr_error *err) {
  REQUIRE_AS(x, "executor");
  int rc = may_stop(x, err);
  if (rc || !x->running) return rc;
  begin_drain(x);
  drain_workers(x);
  wait_for_reservations(x);
  stop_acquirer(x);
  stop_workers(x);
  for (uint32_t i = 0; i < x->n_members; i++) (void)give_back_jobs(x->members[i], true);
  leave_stores(x);
  for (uint32_t i = 0; i < x->n_members; i++) log_life(x->members[i], "executor stopped", false);
  pthread_mutex_lock(&x->mutex);
  x->running = false;
  pthread_cond_broadcast(&x->progress);
  pthread_mutex_unlock(&x->mutex);
  return 0;
}

/* ---- Waiting for idleness -------------------------------------------------------------------- */

/* Between two looks at what is there but cannot be taken: somebody has it, or a rate holds it back.
 */
enum { IDLE_PAUSE_MS = 1, IDLE_PAUSE_RATED_MS = 20 };

/* Jobs wait for the thread that waits here. */
static bool called_home(orr_engine *engine, bool home) { return home && absent_elsewhere(engine) > 0; }

/* Nothing in flight, then a round that shows it at rest. On the home thread it ends early when jobs wait for that. */
static bool wait_idle(orr_executor *x, orr_engine *engine, int64_t deadline, bool home) {
  bool idle = false;
  pthread_mutex_lock(&x->mutex);
  member *m = pool_member(x, engine);
  for (bool in_time = true; in_time && m && x->running && !idle && !called_home(engine, home);) {
    while (in_time && x->running && m->in_flight > 0 && !called_home(engine, home)) in_time = wait_locked(x, deadline);
    if (called_home(engine, home)) break;
    uint64_t round = ++x->cycles_asked;
    pthread_cond_signal(&x->acquire);
    while (in_time && x->running && x->cycles_done < round) in_time = wait_locked(x, deadline);
    idle = in_time && x->running && m->idle_asked >= round;
    if (!in_time || idle || m->in_flight > 0) continue;
    int64_t pause_ms = m->rated ? IDLE_PAUSE_RATED_MS : IDLE_PAUSE_MS;
    int64_t soon = x->env.mono_ns(x->env.ud) + pause_ms * 1000000;
    (void)wait_locked(x, soon < deadline ? soon : deadline);
    in_time = x->env.mono_ns(x->env.ud) < deadline;
  }
  if (!x->running) idle = true;
  pthread_mutex_unlock(&x->mutex);
  return idle;
}

/* ---- An engine's own executor ---------------------------------------------------------------- */

int orr_engine_executor_start(orr_engine *engine, const orr_executor_options *given, orr_error *err) {
  REQUIRE(engine);
  orr_executor_options own;
  const orr_executor_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  orr_executor *x = engine->executor;
  if (engine_forked(engine)) return refuse_forked(err);
  if (x && x->running) return error_set(err, ORR_E_STATE, "the engine's executor runs already");
  if (executor_inside(engine)) return refuse_inside("started", err);
  if (x && !x->private_to_engine)
    return error_set(err, ORR_E_STATE, "the engine belongs to an executor of several engines; start that one");
  orr_executor_free(x); /* the options may differ this time */
  orr_executor_options merged = acquire_options_merge(&engine->acquisition, options);
  int rc = executor_make(&engine->env, &merged, &x, err);
  if (rc) return rc;
  x->private_to_engine = true;
  rc = orr_executor_add(x, engine, err);
  if (!rc) rc = orr_executor_start(x, err);
  if (rc) orr_executor_free(x);
  return rc;
}

int orr_engine_executor_stop(orr_engine *engine, orr_error *err) {
  REQUIRE(engine);
  orr_executor *x = engine->executor;
  return x ? orr_executor_stop(x, err) : 0;
}

int orr_engine_executor_drain(orr_engine *engine, orr_error *err) {
  REQUIRE(engine);
  orr_executor *x = engine->executor;
  int rc = x ? may_stop(x, err) : 0;
  if (!rc && x && x->running) begin_drain(x);
  return rc;
}

bool orr_engine_executor_draining(orr_engine *engine) {
  if (!engine) return false;
  orr_executor *x = engine->executor;
  if (!x || executor_forked(x) || !x->running || !x->drain_until_ns) return false;
  pthread_mutex_lock(&x->mutex);
  bool works = x->n_working > 0, queued = works && pool_has_work_locked(x);
  pthread_mutex_unlock(&x->mutex);
  if (queued) (void)give_back_queued(x);
  return works && x->env.mono_ns(x->env.ud) < x->drain_until_ns;
}

void executor_detach(orr_engine *engine) {
  orr_executor *x = engine->executor;
  if (!x) return;
  if (x->private_to_engine) orr_executor_free(x);
  else (void)orr_executor_remove(x, engine, NULL);
}

bool executor_runs(const orr_engine *engine) {
  orr_executor *x = engine->executor;
  if (!x || executor_forked(x)) return false;
  pthread_mutex_lock(&x->mutex);
  bool runs = x->running;
  pthread_mutex_unlock(&x->mutex);
  return runs;
}

bool orr_engine_executor_active(orr_engine *engine) {
  if (!engine) return false;
  orr_executor *x = engine->executor;
  if (!x || executor_forked(x)) return false;
  pthread_mutex_lock(&x->mutex);
  bool active = x->running && !x->stopping;
  pthread_mutex_unlock(&x->mutex);
  return active;
}

/* A pause, unless something happens before. */
static void pause_ms(orr_executor *x, int64_t ms) {
  pthread_mutex_lock(&x->mutex);
  (void)wait_locked(x, x->env.mono_ns(x->env.ud) + ms * 1000000);
  pthread_mutex_unlock(&x->mutex);
}

/* Who waits on the home thread runs meanwhile what only that can run. */
static int wait_at_home(orr_engine *engine, int64_t deadline, bool *idle, orr_error *err) {
  engine_thread *thread = engine_thread_get(engine, err);
  if (!thread) return err ? err->code : ORR_E_MEMORY;
  bool home = absent_taker_of(thread) == ABSENT_HOME;
  for (;;) {
    int64_t ran = 0;
    *idle = wait_idle(engine->executor, engine, deadline, home);
    if (!called_home(engine, home)) return 0;
    int rc = run_jobs_at_home(engine, deadline, &ran, err);
    bool in_time = engine->env.mono_ns(engine->env.ud) < deadline;
    if (rc || !in_time) return rc;
    if (ran == 0) pause_ms(engine->executor, IDLE_PAUSE_MS);
  }
}

int orr_engine_wait_idle(orr_engine *engine, double timeout_ms, bool *out, orr_error *err) {
  REQUIRE(engine);
  OUT_PLAIN(bool, out);
  *out = true;
  if (!engine->executor) return 0;
  if (engine_forked(engine)) return refuse_forked(err);
  if (executor_inside(engine) && orr_engine_executor_active(engine))
    return error_set(err, ORR_E_STATE, "what the engine runs cannot wait until the engine is idle");
  bool bounded = timeout_ms > 0 && timeout_ms < 1e12;
  int64_t ns = bounded ? (int64_t)(timeout_ms * 1e6) : timeout_ms > 0 ? INT64_C(1000000000) * 1000000000 : 0;
  return wait_at_home(engine, engine->env.mono_ns(engine->env.ud) + ns, out, err);
}
