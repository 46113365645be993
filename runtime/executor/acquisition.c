/* The acquisition thread: asks each engine's store for jobs when there is room and reason, and sleeps until the next reason.
 *
 * Reasons: a wake-up (new or changed jobs of this process, a moved clock, room in a starved queue), the first waiting
 * timer, a commit of another process, the end of a pause (back-off), a delayed conflict, locks to prolong. */
#include <inttypes.h>

#include "engine/meter.h"
#include "engine/metrics.h"
#include "executor/owner/claims.h"
#include "executor/job_log.h"
#include "executor/pool.h"
#include "executor/pool_internal.h"
#include "executor/worker/time_limit.h"

/* How often a resting thread looks whether another process changed the store: what their jobs wait for at most, give or
 * take a round. The look reads a counter in shared memory. */
#define FOREIGN_LOOK_MS 50

/* The same where the store tells by itself, which may fail silently for a while. */
#define HEARD_LOOK_MS 1000

/* While the clock of the store's machines is in doubt. */
#define CLOCK_LOOK_MS 100

/* How often a resting thread has missing delegates looked for, as a module may appear without a word, and locks that could
 * not be given back. */
#define ABSENT_LOOK_MS 1000

static int64_t now_ns(const orr_executor *x) { return x->env.mono_ns(x->env.ud); }

bool pool_still_mine(void *ud, orr_id job) {
  member *m = ud;
  return executor_has(m->executor, m->engine, job);
}

/* Begins a round: how many the member has room for, `most` at most; the room is taken. Successors may have filled more than
 * all of it. */
static uint32_t take_room(member *m, uint32_t most) {
  pthread_mutex_lock(&m->executor->mutex);
  m->round_asked = m->executor->cycles_asked;
  m->round_returned = m->returned;
  m->round_began = (idle_traffic){.in_flight = m->in_flight, .handed = m->handed};
  uint32_t room = m->in_flight < m->capacity ? m->capacity - m->in_flight : 0;
  if (room > most) room = most;
  if (room == 0) m->starved = true;
  m->in_flight += room;
  pthread_mutex_unlock(&m->executor->mutex);
  return room;
}

/* rest_ms: when it asks again, unless something wakes it before. */
static void log_acquisition(member *m, const acquisition *a, int64_t took_ns, int64_t rest_ms, const orr_error *err) {
  if (err->code && engine_lost_store(err)) return;
  if (err->code) {
    engine_log(m->engine, ORR_LOG_ERROR, NULL, "job acquisition failed: %s",
               err->message ? err->message : orr_strerror(err->code));
    return;
  }
  const event_field fields[] = {
      {"asked", orr_int(a->max)}, {"acquired", orr_int(a->count)}, {"lost", orr_int(a->lost)}, {"blocked", orr_int(a->blocked)},
      {"parked", orr_int(a->parked)}, {"reclaimed", orr_int(a->reclaimed)},
      {"duration_ms", orr_int(took_ns / 1000000)}, {"rest_ms", orr_int(rest_ms)}};
  job_log(m->engine, ORR_LOG_DEBUG, "jobs acquired", fields, sizeof fields / sizeof *fields, NULL);
}

static void count_acquisition(member *m, const acquisition *a) {
  uint64_t exclusive = 0;
  for (uint32_t i = 0; i < a->count; i++) exclusive += a->items[i].exclusive != 0;
  metrics_count(m->engine, METRIC_ACQUISITION_ATTEMPT, 1);
  metrics_count(m->engine, METRIC_ACQUIRED_SUCCESS, a->count);
  metrics_count(m->engine, METRIC_ACQUIRED_FAILURE, a->lost);
  metrics_count(m->engine, METRIC_JOB_LOCKED_EXCLUSIVE, exclusive);
  metrics_count(m->engine, METRIC_LOCK_RECLAIMED, a->reclaimed);
}

/* Puts down what a round gave, and when to ask again; returns in how many milliseconds. */
static int64_t settle_round(member *m, const acquisition *a, bool failed, uint32_t room, int64_t now) {
  orr_executor *x = m->executor;
  backoff_outcome outcome = {.acquired = a->count, .lost = a->lost, .asked = room, .left = a->left > 0};
  pthread_mutex_lock(&x->mutex);
  int64_t wait_ms = backoff_next(&m->backoff, &m->backoff_state, &outcome, x->env.random(x->env.ud));
  bool looks = absent_waits(m->engine) || claims_lost(&m->locker);
  if (looks && wait_ms > ABSENT_LOOK_MS) wait_ms = ABSENT_LOOK_MS;
  if (m->front.left && wait_ms > m->front.patience_ms) wait_ms = m->front.patience_ms;
  if (a->unfinished || (a->throttled && m->returned != m->round_returned)) wait_ms = 0;
  m->acquire_at_ns = now + wait_ms * 1000000;
  m->in_flight -= room - a->count;
  m->next_due = a->next_due;
  m->throttled = a->throttled;
  m->rated = a->rated;
  m->starved = m->starved || (room > 0 && a->count == room);
  uint32_t left = a->blocked + a->lost + a->left + (a->unfinished ? 1 : 0) +
                  (m->front.left ? 1 : 0) + (a->rated ? 1 : 0);
  const idle_found found = {.failed = failed, .acquired = a->count, .left = left};
  const idle_traffic now_there = {.in_flight = m->in_flight, .handed = m->handed};
  if (idle_shown(&m->round_began, &found, &now_there)) m->idle_asked = m->round_asked;
  if (m->in_flight == 0) pthread_cond_broadcast(&x->progress);
  pthread_mutex_unlock(&x->mutex);
  return wait_ms;
}

/* Where the next round looks. */
static void move_region(member *m, const acquisition *a) {
  const orr_env *env = &m->executor->env;
  const region_outcome outcome = {
      .lost = a->lost > 0, .filled = a->count + a->lost >= a->max, .level = m->backoff_state.conflict_level};
  uint32_t rounds_max = m->rules.order.number ? REGION_ORDERED_ROUNDS_MAX : REGION_ROUNDS_MAX;
  m->skip = m->page * region_next(&m->region, &outcome, rounds_max, env->random(env->ud));
  if (!m->region.away) m->place = (ready_place){0};
}

/* A round beside other processes, which stake in the order that is only custom. */
static void look_for_rivals(member *m, acquisition *a) {
  uint64_t foreign = store_foreign(m->engine->store); /* before the round's view: what comes after it is news */
  rivals_look(&m->rivals, foreign != m->foreign);
  m->foreign = foreign;
  a->stakes = rivals_stake(&m->rivals) && m->rules.order.number == 0 && store_has_stakes(m->engine->store);
  a->contested = rivals_wary(&m->rivals, a->stakes);
}

static void tell_room(member *m) {
  pthread_mutex_lock(&m->executor->mutex);
  uint32_t room = m->in_flight < m->capacity ? m->capacity - m->in_flight : 0;
  pthread_mutex_unlock(&m->executor->mutex);
  running_tell(m->running, m->engine, room);
}

/* A clock that jumps makes leases look over that are not, or timers due: nothing is taken until it is certain. */
static bool clock_in_doubt(member *m) {
  int64_t jump = store_clock_jump(m->engine->store);
  if (jump == 0) {
    m->clock_jump = 0;
    return false;
  }
  if (!m->clock_jump)
    engine_log(m->engine, ORR_LOG_WARNING, NULL,
               "the clock of the database seems to have jumped by %" PRId64 " ms: no jobs are taken until it is certain",
               jump);
  m->clock_jump = jump;
  m->heard = false;
  m->acquire_at_ns = now_ns(m->executor) + CLOCK_LOOK_MS * 1000000;
  return true;
}

static void acquire_for(member *m) {
  if (clock_in_doubt(m)) return;
  uint32_t room = take_room(m, front_look(m));
  acquisition a = {.items = m->found, .max = room, .place = &m->place, .skip = m->skip};
  look_for_rivals(m, &a);
  m->heard = false;
  orr_error err = {0};
  int64_t began = now_ns(m->executor);
  int rc = front_acquire(m, &a, &err);
  if (rc) a.count = 0;
  count_acquisition(m, &a);
  int64_t ended = now_ns(m->executor);
  int64_t rest_ms = settle_round(m, &a, rc, room, ended);
  log_acquisition(m, &a, ended - began, rest_ms, &err);
  orr_error_clear(&err);
  rivals_settle(&m->rivals, &(rivals_outcome){.lost = a.lost > 0, .first = a.first_left}, ended);
  if (room > 0) move_region(m, &a);
  for (uint32_t i = 0; i < a.count; i++)
    pool_enqueue(m, &(placed_job){.id = a.items[i].job, .exclusive = a.items[i].exclusive});
  tell_room(m);
}

/* ---- Prolonging locks ------------------------------------------------------------------------ */

/* A live owner keeps its locks, however long a job takes: a third of the lock time is enough notice. */
static void renew_locks(member *m, int64_t now) {
  if (now < m->renew_at_ns) return;
  m->renew_at_ns = now + m->rules.lock_ms * 1000000 / 3;
  orr_error err = {0};
  if (lock_owner_keep(&m->locker, &err) && !engine_lost_store(&err))
    engine_log(m->engine, ORR_LOG_WARNING, NULL, "job locks could not be prolonged: %s", err.message ? err.message : "");
  orr_error_clear(&err);
  meter_write(m->engine);
}

/* ---- Views that are held long ---------------------------------------------------------------- */

static const char *what_view_holds(const store *s) {
  return store_is_shared(s)
             ? "a transaction in the database, of the server's process of this number, is open for long: no row that it may"
               " see can be cleaned up meanwhile, and every commit costs more"
             : "the store uses no page again that this view may see, and its file grows meanwhile";
}

static void tell_view(void *ud, const store_reader *reader, int64_t held_ms, bool ended) {
  const member *m = ud;
  const event_field fields[] = {{"process", orr_int(reader->process)}, {"thread", orr_int((int64_t)reader->thread)},
                                {"held_seconds", orr_int(held_ms / 1000)}, {"commits", orr_int((int64_t)reader->behind)}};
  job_log(m->engine, ended ? ORR_LOG_INFO : ORR_LOG_WARNING, ended ? "store view released" : "store view held", fields,
          sizeof fields / sizeof *fields,
          ended ? NULL : what_view_holds(m->engine->store));
}

/* ---- The loop -------------------------------------------------------------------------------- */

/* When the engine's clock reaches a member's first timer, on the monotonic clock; a manual clock wakes us itself. */
static int64_t due_at_ns(const member *m, int64_t now) {
  if (m->next_due == 0 || m->engine->config.manual_clock) return INT64_MAX;
  int64_t ahead = m->next_due - engine_now(m->engine);
  if (ahead <= 0) return now;
  return ahead > INT64_MAX / 2000000 ? INT64_MAX : now + ahead * 1000000;
}

/* Rests although the queue has room: then a foreign commit may bring work, however long the rest is to be. After lost
 * races it does not, or all who lost would try again at once. */
static bool listens_to_store(const member *m) {
  return !m->backoff_state.lost && m->in_flight < m->capacity && m->engine->config.path;
}

static int64_t foreign_look_ns(const member *m) {
  return (store_tells_foreign_commits(m->engine->store) ? HEARD_LOOK_MS : FOREIGN_LOOK_MS) * INT64_C(1000000);
}

static int64_t next_round_ns(const member *m, int64_t now) {
  int64_t at = due_at_ns(m, now);
  if (m->starved && m->in_flight >= m->capacity) at = INT64_MAX; /* no room: its return wakes us */
  else if (m->acquire_at_ns < at) at = m->acquire_at_ns;
  if (m->heard && at > now) at = now;
  else if (listens_to_store(m) && at > now + foreign_look_ns(m)) at = now + foreign_look_ns(m);
  if (m->readers.look_at_ns < at) at = m->readers.look_at_ns;
  return m->renew_at_ns < at ? m->renew_at_ns : at;
}

/* What workers do not see to themselves while they are in a delegate: outcomes of their jobs, and its time limit. */
static void look_after(orr_executor *x) {
  answers_look_after(x);
  time_limit_look(x);
}

static int64_t next_look_ns(orr_executor *x, int64_t now) {
  int64_t answers = answers_look_at_ns(x, now), limits = time_limit_look_at_ns(x, now);
  return answers < limits ? answers : limits;
}

static void sleep_until_locked(orr_executor *x, int64_t at_ns) {
  struct timespec until = {.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000};
  if (at_ns == INT64_MAX) pthread_cond_wait(&x->acquire, &x->mutex);
  else pthread_cond_timedwait(&x->acquire, &x->mutex, &until);
}

/* Without the mutex: the store may be waiting for its readers, and they for us. */
static void look_for_foreign(orr_executor *x) {
  for (uint32_t i = 0; i < x->n_members; i++) {
    member *m = x->members[i];
    pthread_mutex_lock(&x->mutex);
    bool listening = listens_to_store(m);
    pthread_mutex_unlock(&x->mutex);
    store *s = m->engine->store;
    bool away = store_state_of(s) == STORE_STAYS_AWAY, back = m->away && !away;
    m->away = away;
    m->heard = back || store_clock_jump(s) != m->clock_jump || (listening && store_foreign(s) > m->foreign);
  }
}

/* Sleeps until there is a reason; false when the executor stops. *all: every member is asked, whatever its back-off. */
static bool wait_for_reason(orr_executor *x, bool *all) {
  pthread_mutex_lock(&x->mutex);
  for (;;) {
    int64_t now = now_ns(x), at = pool_wake_delayed_locked(x, now);
    *all = x->wake || x->cycles_asked > x->cycles_done;
    if (x->stopping || *all) break;
    for (uint32_t i = 0; i < x->n_members; i++) {
      int64_t next = next_round_ns(x->members[i], now);
      if (next < at) at = next;
    }
    if (at <= now) break;
    int64_t look_at = next_look_ns(x, now);
    if (!x->news) sleep_until_locked(x, look_at < at ? look_at : at);
    x->news = false;
    pthread_mutex_unlock(&x->mutex);
    look_after(x);
    look_for_foreign(x);
    pthread_mutex_lock(&x->mutex);
  }
  x->wake = false;
  bool again = !x->stopping;
  pthread_mutex_unlock(&x->mutex);
  return again;
}

static bool wants_round(member *m, int64_t now) {
  pthread_mutex_lock(&m->executor->mutex);
  bool due = m->acquire_at_ns <= now || due_at_ns(m, now) <= now || m->heard;
  pthread_mutex_unlock(&m->executor->mutex);
  return due;
}

static void finish_cycle(orr_executor *x, uint64_t asked) {
  pthread_mutex_lock(&x->mutex);
  x->cycles_done = asked;
  pthread_cond_broadcast(&x->progress);
  pthread_mutex_unlock(&x->mutex);
}

/* Sleeps until a lock is to be prolonged; false when the workers have ended. */
static bool wait_for_renewal(orr_executor *x) {
  int64_t at = INT64_MAX;
  for (uint32_t i = 0; i < x->n_members; i++)
    if (x->members[i]->renew_at_ns < at) at = x->members[i]->renew_at_ns;
  pthread_mutex_lock(&x->mutex);
  for (int64_t now; !x->drained && (now = now_ns(x)) < at;) {
    int64_t look_at = next_look_ns(x, now);
    sleep_until_locked(x, look_at < at ? look_at : at);
    pthread_mutex_unlock(&x->mutex);
    look_after(x);
    pthread_mutex_lock(&x->mutex);
  }
  bool again = !x->drained;
  pthread_mutex_unlock(&x->mutex);
  return again;
}

/* What runs when the executor stops keeps its lock until it has come to its end. */
static void renew_while_draining(orr_executor *x) {
  while (wait_for_renewal(x))
    for (uint32_t i = 0; i < x->n_members; i++) renew_locks(x->members[i], now_ns(x));
}

void *acquisition_main(void *arg) {
  orr_executor *x = arg;
  env_name_thread("orr-acquire");
  executor_serve(x);
  for (bool all; wait_for_reason(x, &all);) {
    pthread_mutex_lock(&x->mutex);
    uint64_t asked = x->cycles_asked;
    pthread_mutex_unlock(&x->mutex);
    look_after(x);
    int64_t now = now_ns(x);
    for (uint32_t i = 0; i < x->n_members; i++) {
      if (all || wants_round(x->members[i], now)) acquire_for(x->members[i]);
      renew_locks(x->members[i], now);
      readers_watch(&x->members[i]->readers, x->members[i]->engine->store, now, tell_view, x->members[i]);
    }
    if (all) finish_cycle(x, asked);
  }
  renew_while_draining(x);
  return NULL;
}
