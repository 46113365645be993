/* What is in flight: reservations, the queue, chains of exclusive jobs. */
#include "executor/pool.h"

#include "engine/metrics.h"
#include "executor/pool_internal.h"
#include "executor/absent.h"

member *pool_member(orr_executor *x, const orr_engine *engine) {
  for (uint32_t i = 0; i < x->n_members; i++)
    if (x->members[i]->engine == engine) return x->members[i];
  return NULL;
}

/* A successor takes the place that its predecessor is about to give back: acquisition, which fills every free place, would
 * leave none. So for the length of a commit there may be one more in flight for each job that runs. */
bool executor_reserve(orr_executor *x, orr_engine *engine, const rec_job *job, bool succeeds, executor_terms *terms) {
  pthread_mutex_lock(&x->mutex);
  member *m = x->running && !x->stopping ? pool_member(x, engine) : NULL;
  bool room = m && m->in_flight < (succeeds ? 2 * m->capacity : m->capacity);
  if (room) {
    m->in_flight++;
    m->reserved++;
    m->handed++;
    *terms = (executor_terms){.owner = atomic_load(&m->locker.number),
                              .expires = atomic_load(&m->locker.expires),
                              .order = m->rules.order,
                              .exclusive_over_hierarchies = m->rules.exclusive_over_hierarchies};
  }
  pthread_mutex_unlock(&x->mutex);
  if (m && !room) metrics_count(engine, METRIC_JOB_REJECTED, 1);
  if (!room) return false;
  if (acquire_allows(engine, &m->rules, job) && absent_allows(engine, ABSENT_AWAY, job->id)) return true;
  executor_unreserve(x, engine);
  return false;
}

/* Room is worth a round when half of what can come back soon has: not what waits for the host, which may take for ever. */
static bool has_room_locked(const member *m) {
  uint32_t waiting = m->waiting < m->capacity ? m->waiting : m->capacity;
  return m->in_flight < m->capacity && m->in_flight <= waiting + (m->capacity - waiting) / 2;
}

static void end_starving_locked(member *m) {
  if (!m->starved || !has_room_locked(m)) return;
  m->starved = false;
  m->executor->wake = true;
  pthread_cond_signal(&m->executor->acquire);
}

void pool_set_waiting(entry *e, uint32_t thread) {
  member *m = e->of;
  pthread_mutex_lock(&m->executor->mutex);
  e->waits_on = thread;
  if (thread) m->waiting++;
  else m->waiting--;
  end_starving_locked(m);
  pthread_mutex_unlock(&m->executor->mutex);
}

/* The member has one job or reservation less; wakes the threads that wait for room or for idleness. The caller
 * holds the mutex. */
static void released_locked(member *m) {
  orr_executor *x = m->executor;
  m->in_flight--;
  end_starving_locked(m);
  if (m->in_flight == 0 || x->stopping) pthread_cond_broadcast(&x->progress);
}

void executor_unreserve(orr_executor *x, orr_engine *engine) {
  pthread_mutex_lock(&x->mutex);
  member *m = pool_member(x, engine);
  if (m) m->reserved--;
  if (m) released_locked(m);
  pthread_mutex_unlock(&x->mutex);
}

static void pool_signal(orr_executor *x, uint32_t jobs) {
  for (uint32_t i = 0; i < x->n_workers && jobs; i++) {
    bool sleeping = !atomic_load(&x->workers[i].retired);
    if (!sleeping || !atomic_compare_exchange_strong(&x->workers[i].sleeping, &sleeping, false)) continue;
    uv_async_send(&x->workers[i].wake);
    jobs--;
  }
}

static void queue_locked(member *m, entry *e) {
  e->next = NULL;
  *m->last = e;
  m->last = &e->next;
}

static entry *new_entry_locked(member *m, const placed_job *job) {
  orr_executor *x = m->executor;
  entry *e = x->idle_entries;
  if (e) x->idle_entries = e->next;
  else e = env_alloc(&x->env.allocator, sizeof *e);
  if (!e) return NULL;
  *e = (entry){.job = job->id, .key = job->key, .exclusive = job->exclusive, .of = m};
  e->chain_last = &e->chain;
  return e;
}

static void free_entry_locked(orr_executor *x, entry *e) {
  e->next = x->idle_entries;
  x->idle_entries = e;
}

/* Queues the entry, or chains it behind the one that has its instance. */
static int place_locked(member *m, entry *e) {
  const orr_allocator *allocator = &m->executor->env.allocator;
  entry *holder = e->exclusive ? table_get(&m->busy, e->exclusive) : NULL;
  if (holder) {
    *holder->chain_last = e;
    holder->chain_last = &e->next;
    return 0;
  }
  if (e->exclusive && table_put(&m->busy, allocator, e->exclusive, e)) return ORR_E_MEMORY;
  queue_locked(m, e);
  return 0;
}

/* The job's entry is another one by now when it was taken again while this one's run was ending. */
static void leave_flight_locked(member *m, const entry *e) {
  if (table_get(&m->flight, e->job) == e) table_remove(&m->flight, e->job);
}

/* With an entry of its own for the job: 0, or the job is lost sight of. */
static int enter_locked(member *m, const placed_job *job) {
  orr_executor *x = m->executor;
  entry *e = new_entry_locked(m, job);
  int rc = e ? table_put(&m->flight, &x->env.allocator, job->id, e) : ORR_E_MEMORY;
  if (!rc) rc = place_locked(m, e);
  if (rc && e) {
    leave_flight_locked(m, e);
    free_entry_locked(x, e);
  }
  return rc;
}

/* A job that was handed over has its lock from the commit on, and comes here after it: one that was taken for lost in between
 * was given back, and acquisition has taken it once more. Then it is here already, and one of the two reservations is too
 * many. But its worker may have found just before that the lock was gone, as when its instance was suspended and activated
 * again, and be about to drop it: so it looks once more. One whose run is ending is another matter: it has failed, and is
 * taken again before its worker has the answer. */
void pool_enqueue(member *m, const placed_job *job) {
  orr_executor *x = m->executor;
  pthread_mutex_lock(&x->mutex);
  entry *other = table_get(&m->flight, job->id);
  bool known = other && !other->committing;
  if (known) other->taken_again = true;
  int rc = known ? 0 : enter_locked(m, job);
  if (rc || known) released_locked(m);
  if (x->stopping) pthread_cond_broadcast(&x->progress);
  if (!rc && !known) pool_signal(x, 1); /* under the mutex: a stop may take the workers away right after */
  if (rc) atomic_fetch_add(&m->engine->locks_lost, 1);
  pthread_mutex_unlock(&x->mutex);
}

void executor_enqueue(orr_executor *x, orr_engine *engine, const placed_job *job) {
  member *m = pool_member(x, engine);
  metrics_count(engine, METRIC_JOB_HANDED_OVER, 1);
  if (job->exclusive) metrics_count(engine, METRIC_JOB_LOCKED_EXCLUSIVE, 1);
  if (!m) return;
  pool_enqueue(m, job);
  pthread_mutex_lock(&x->mutex);
  m->reserved--; /* not before it is queued: a stop waits for that, to give it back */
  if (x->stopping) pthread_cond_broadcast(&x->progress);
  pthread_mutex_unlock(&x->mutex);
}

static entry *pop_locked(member *m) {
  entry *e = m->first;
  if (!e) return NULL;
  m->first = e->next;
  if (!m->first) m->last = &m->first;
  e->next = NULL;
  return e;
}

static uint32_t take_queued_locked(orr_executor *x, entry **out) {
  uint32_t n = 0, empty = 0;
  while (n < LOCAL_QUEUE_MAX && x->n_members && empty < x->n_members) {
    entry *e = pop_locked(x->members[x->next_member % x->n_members]);
    x->next_member++;
    if (e) {
      out[n++] = e;
      empty = 0;
    } else empty++;
  }
  return n;
}

/* Of the worker that has most left, for it may be in a delegate that blocks. */
static uint32_t take_shared_locked(worker *w, entry **out) {
  orr_executor *x = w->executor;
  local_queue *most = NULL;
  for (uint32_t i = 0; i < x->n_workers; i++)
    if (!most || local_queue_left(&x->workers[i].local) > local_queue_left(most)) most = &x->workers[i].local;
  return most ? local_queue_steal(most, out) : 0;
}

/* Wakes sleeping workers for the jobs that this worker has not begun: they may steal these, and would
 * not look by themselves. */
void pool_take(worker *w) {
  orr_executor *x = w->executor;
  entry *taken[LOCAL_QUEUE_MAX];
  pthread_mutex_lock(&x->mutex);
  uint32_t n = x->stopping ? 0 : take_queued_locked(x, taken);
  if (!n && !x->stopping) n = take_shared_locked(w, taken);
  for (uint32_t i = 0; i < n; i++) w->prefetch.taken[i] = (taken_job){.job = taken[i]->job, .of = taken[i]->of};
  w->prefetch.count = n;
  w->prefetch.at = 0;
  if (n) local_queue_fill(&w->local, taken, n);
  if (n > 1) pool_signal(x, n - 1);
  pthread_mutex_unlock(&x->mutex);
}

bool pool_has_work_locked(const orr_executor *x) {
  bool any = false;
  for (uint32_t i = 0; i < x->n_members && !any; i++) any = x->members[i]->first;
  for (uint32_t i = 0; i < x->n_workers && !any; i++) any = local_queue_left(&x->workers[i].local) > 0;
  return any;
}

/* To the head of the queue, in the order that they had. */
static void return_locked(entry *const *taken, uint32_t n) {
  while (n > 0) {
    entry *e = taken[--n];
    e->next = e->of->first;
    if (!e->next) e->of->last = &e->next;
    e->of->first = e;
  }
}

/* ---- Lending --------------------------------------------------------------------------------- */

bool pool_all_busy_locked(const orr_executor *x) {
  for (uint32_t i = 0; i < x->n_workers; i++)
    if (!atomic_load(&x->workers[i].current_job) && !atomic_load(&x->workers[i].retired)) return false;
  return true;
}

/* From the queue, else from what a thread has taken of this engine's. */
static entry *unbegun_of_locked(orr_executor *x, member *m) {
  entry *e = pop_locked(m);
  for (uint32_t i = 0; !e && i < x->n_workers; i++) {
    local_queue *s = &x->workers[i].local;
    entry *first = local_queue_left(s) ? local_queue_next(s) : NULL;
    if (first && first->of == m) e = first;
    else if (first) return_locked(&first, 1);
  }
  return e;
}

static _Thread_local uint32_t borrowed; /* jobs that this thread runs for executors */

bool executor_lent_here(void) { return borrowed > 0; }

lent_job executor_lend(orr_executor *x, orr_engine *engine) {
  lent_job lent = {0};
  pthread_mutex_lock(&x->mutex);
  member *m = x->running && !x->stopping ? pool_member(x, engine) : NULL;
  bool busy = m && pool_all_busy_locked(x);
  entry *e = busy ? unbegun_of_locked(x, m) : NULL;
  if (e) {
    m->lent++;
    borrowed++;
    e->lent = true;
    lent = (lent_job){e, e->job, e->key, atomic_load(&m->locker.number)};
  }
  pthread_mutex_unlock(&x->mutex);
  return lent;
}

static void lent_is_back(orr_executor *x, member *m) {
  borrowed--;
  pthread_mutex_lock(&x->mutex);
  m->lent--;
  if (x->stopping) pthread_cond_broadcast(&x->progress);
  pthread_mutex_unlock(&x->mutex);
}

void executor_lent_done(orr_executor *x, const lent_job *lent) {
  member *m = lent->entry->of;
  pool_finished(lent->entry);
  lent_is_back(x, m);
}

void executor_lent_again(orr_executor *x, const lent_job *lent, int64_t wait_ms) {
  member *m = lent->entry->of;
  pool_delay(lent->entry, wait_ms);
  lent_is_back(x, m);
}

void pool_stop(orr_executor *x) {
  pthread_mutex_lock(&x->mutex);
  x->stopping = true;
  for (uint32_t i = 0; i < x->n_workers; i++) {
    entry *taken[LOCAL_QUEUE_MAX];
    for (uint32_t n; (n = local_queue_steal(&x->workers[i].local, taken)) > 0;) return_locked(taken, n);
  }
  pthread_cond_signal(&x->acquire);
  pthread_mutex_unlock(&x->mutex);
}

/* The next of the chain takes over the instance and the rest of the chain. */
static entry *next_of_chain_locked(entry *e) {
  member *m = e->of;
  entry *next = e->chain;
  if (!next) {
    table_remove(&m->busy, e->exclusive);
    return NULL;
  }
  if (next->next) {
    next->chain = next->next;
    next->chain_last = e->chain_last;
  }
  (void)table_put(&m->busy, &m->executor->env.allocator, e->exclusive, next); /* replaces: cannot fail */
  queue_locked(m, next);
  return next;
}

/* It keeps its place and, if it is exclusive, its instance. */
static void look_again_locked(entry *e) {
  e->taken_again = e->committing = false;
  e->conflicts = 0;
  queue_locked(e->of, e);
  pool_signal(e->of->executor, 1);
}

void pool_finished(entry *e) {
  member *m = e->of;
  orr_executor *x = m->executor;
  pthread_mutex_lock(&x->mutex);
  if (e->taken_again) {
    look_again_locked(e);
    pthread_mutex_unlock(&x->mutex);
    return;
  }
  leave_flight_locked(m, e);
  bool follows = e->exclusive && next_of_chain_locked(e);
  free_entry_locked(x, e);
  released_locked(m);
  pthread_mutex_unlock(&x->mutex);
  if (follows) pool_signal(x, 1);
}

/* A job that was taken again while this run of it was ending has an entry of its own, which goes on instead. */
void pool_delay(entry *e, int64_t wait_ms) {
  orr_executor *x = e->of->executor;
  pthread_mutex_lock(&x->mutex);
  if (table_get(&e->of->flight, e->job) != e) {
    pthread_mutex_unlock(&x->mutex);
    pool_finished(e);
    return;
  }
  e->committing = e->lent = false;
  e->not_before_ns = x->env.mono_ns(x->env.ud) + wait_ms * 1000000;
  e->next = x->delayed;
  x->delayed = e;
  pthread_cond_signal(&x->acquire);
  pthread_mutex_unlock(&x->mutex);
}

int64_t pool_wake_delayed_locked(orr_executor *x, int64_t now_ns) {
  int64_t next = INT64_MAX;
  uint32_t woken = 0;
  for (entry **at = &x->delayed; *at;) {
    entry *e = *at;
    if (e->not_before_ns > now_ns) {
      if (e->not_before_ns < next) next = e->not_before_ns;
      at = &e->next;
      continue;
    }
    *at = e->next;
    queue_locked(e->of, e);
    woken++;
  }
  if (woken) pool_signal(x, woken);
  return next;
}

void pool_committing(entry *e) {
  pthread_mutex_lock(&e->of->executor->mutex);
  e->committing = true;
  pthread_mutex_unlock(&e->of->executor->mutex);
}

void pool_running_on(entry *e) {
  pthread_mutex_lock(&e->of->executor->mutex);
  e->committing = false;
  pthread_mutex_unlock(&e->of->executor->mutex);
}

/* ---- Giving back ----------------------------------------------------------------------------- */

static void drop_locked(member *m, entry *e, orr_id *ids, size_t *n) {
  while (e) {
    entry *next = e->next, *chain = e->chain;
    ids[(*n)++] = e->job;
    leave_flight_locked(m, e);
    if (e->exclusive && table_get(&m->busy, e->exclusive) == e) table_remove(&m->busy, e->exclusive);
    free_entry_locked(m->executor, e);
    released_locked(m);
    if (chain) drop_locked(m, chain, ids, n); /* one level: entries of a chain have none */
    e = next;
  }
}

/* Chains of jobs that run now: what waits behind them goes. */
static void drop_chains_locked(member *m, orr_id *ids, size_t *n) {
  for (uint32_t i = 0; m->busy.slots && i <= m->busy.mask; i++) {
    entry *e = m->busy.slots[i].key ? m->busy.slots[i].value : NULL;
    if (!e || !e->chain) continue;
    entry *chain = e->chain;
    e->chain = NULL;
    e->chain_last = &e->chain;
    drop_locked(m, chain, ids, n);
  }
}

static entry *delayed_of_locked(member *m) {
  entry *mine = NULL;
  for (entry **at = &m->executor->delayed; *at;) {
    entry *e = *at;
    if (e->of != m) {
      at = &e->next;
      continue;
    }
    *at = e->next;
    e->next = mine;
    mine = e;
  }
  return mine;
}

orr_id *pool_drain(member *m, bool chains, size_t *count, size_t *capacity) {
  orr_executor *x = m->executor;
  *count = 0;
  pthread_mutex_lock(&x->mutex);
  *capacity = m->in_flight; /* a job may have two entries, of which one is ending */
  orr_id *ids = *capacity ? env_alloc(&x->env.allocator, *capacity * sizeof *ids) : NULL;
  if (ids) {
    if (chains) drop_chains_locked(m, ids, count);
    entry *queue = m->first;
    m->first = NULL;
    m->last = &m->first;
    drop_locked(m, queue, ids, count);
    drop_locked(m, delayed_of_locked(m), ids, count);
  }
  pthread_mutex_unlock(&x->mutex);
  return ids;
}

/* ---- Wake-ups -------------------------------------------------------------------------------- */

static void wake_locked(orr_executor *x) {
  x->wake = true;
  for (uint32_t i = 0; i < x->n_members; i++) x->members[i]->acquire_at_ns = 0;
  pthread_cond_signal(&x->acquire);
}

void executor_calls_home(orr_executor *x) {
  pthread_mutex_lock(&x->mutex);
  pthread_cond_broadcast(&x->progress);
  pthread_mutex_unlock(&x->mutex);
}

void executor_wake(orr_executor *x) {
  pthread_mutex_lock(&x->mutex);
  wake_locked(x);
  pthread_mutex_unlock(&x->mutex);
}

void executor_lease_returned(orr_executor *x, orr_engine *engine) {
  pthread_mutex_lock(&x->mutex);
  member *m = pool_member(x, engine);
  if (m) m->returned++; /* a round under way may have counted without it, and say only later that jobs wait */
  if (m && m->throttled) wake_locked(x);
  pthread_mutex_unlock(&x->mutex);
}

void executor_due(orr_executor *x, orr_engine *engine, orr_time due) {
  pthread_mutex_lock(&x->mutex);
  member *m = pool_member(x, engine);
  if (m && (m->next_due == 0 || due < m->next_due)) {
    m->next_due = due;
    x->wake = true;
    pthread_cond_signal(&x->acquire);
  }
  pthread_mutex_unlock(&x->mutex);
}

bool executor_has(orr_executor *x, orr_engine *engine, orr_id job) {
  pthread_mutex_lock(&x->mutex);
  member *m = pool_member(x, engine);
  bool has = m && table_get(&m->flight, job);
  pthread_mutex_unlock(&x->mutex);
  return has;
}

bool executor_rules(orr_executor *x, const orr_engine *engine, acquire_rules *rules, uint32_t *room) {
  pthread_mutex_lock(&x->mutex);
  const member *m = x->running && !x->stopping ? pool_member(x, engine) : NULL;
  if (m) {
    *rules = m->rules;
    *room = m->capacity > m->in_flight ? m->capacity - m->in_flight : 0;
  }
  pthread_mutex_unlock(&x->mutex);
  return m;
}

uint32_t executor_in_flight(orr_executor *x, orr_engine *engine) {
  pthread_mutex_lock(&x->mutex);
  member *m = pool_member(x, engine);
  uint32_t n = m ? m->in_flight : 0;
  pthread_mutex_unlock(&x->mutex);
  return n;
}

held_views executor_held_views(orr_executor *x, orr_engine *engine) {
  pthread_mutex_lock(&x->mutex);
  const member *m = pool_member(x, engine);
  held_views held = m ? readers_held(&m->readers) : (held_views){0};
  pthread_mutex_unlock(&x->mutex);
  return held;
}
