/* The pool of threads. A thread needs a place to run; there are `most` of them, and more when those that have one hang. The
 * thread that rested last is called first: its caches are the warmest, and threads that are never needed stay untouched. */
#include "server/transport/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define PATIENCE_NS 5000000L /* without anything begun, until more may run */

typedef struct pool_thread {
  pthread_t thread;
  pool *pool;
  pthread_cond_t called;
  bool warms, has_place, watches, rests;
  int waits;                 /* for something within something; its own */
  struct pool_thread *below; /* of those that rest */
} pool_thread;

struct pool {
  pthread_mutex_t mutex;
  request *first, **last;
  pool_thread *resting;
  size_t waiting;             /* requests */
  size_t running, most, base; /* places in use, that there are, that there are by themselves */
  uint64_t begun;             /* requests, ever */
  bool watched, ending;
  void (*warm)(void *ud);
  void *warm_ud;
  size_t n_threads;
  pool_thread threads[];
};

/* The calling thread, if it is of a pool. */
static _Thread_local pool_thread *pool_self;

/* ---- Places; with the mutex held -------------------------------------------------------------- */

/* Something waits for a place. As the pool ends there are places for all. */
static bool pool_full(const pool *p) { return p->first && p->running >= p->most && !p->ending; }

static void pool_give_place(pool *p, pool_thread *t) {
  t->has_place = true;
  p->running++;
}

/* More places than by themselves last as long as they are in use. */
static void pool_leave_place(pool *p, pool_thread *t) {
  t->has_place = false;
  p->running--;
  if (p->most > p->base) p->most = p->running > p->base ? p->running : p->base;
}

/* Something waits: calls a thread to run, or to watch that those which run go on. */
static void pool_call(pool *p) {
  pool_thread *t = p->resting;
  bool place = p->running < p->most;
  if (!p->first || !t || (!place && p->watched)) return;
  if (place) pool_give_place(p, t);
  else p->watched = t->watches = true;
  p->resting = t->below;
  t->rests = false;
  pthread_cond_signal(&t->called);
}

/* ---- Threads; with the mutex held ------------------------------------------------------------- */

static request *pool_pop(pool *p) {
  request *q = p->first;
  if (!q) return NULL;
  p->first = q->next;
  if (!p->first) p->last = &p->first;
  q->next = NULL;
  p->waiting--;
  p->begun++;
  return q;
}

/* For as long as it finds something. What it leaves behind is others' business, if there are places. */
static void pool_run(pool *p, pool_thread *t) {
  for (request *q; (p->ending || p->running <= p->most) && (q = pool_pop(p));) {
    pool_call(p);
    pthread_mutex_unlock(&p->mutex);
    q->work(q);
    pthread_mutex_lock(&p->mutex);
  }
  pool_leave_place(p, t);
}

/* Twice as many may run when nothing has begun in its time, though something waits and there is no place. */
static void pool_watch(pool *p, pool_thread *t) {
  uint64_t begun = p->begun;
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += PATIENCE_NS;
  if (until.tv_nsec >= 1000000000L) until.tv_sec++, until.tv_nsec -= 1000000000L;
  if (pool_full(p)) pthread_cond_timedwait(&t->called, &p->mutex, &until);
  if (pool_full(p) && p->begun == begun) p->most = p->running * 2;
  p->watched = t->watches = false;
}

static void pool_rest(pool *p, pool_thread *t) {
  t->below = p->resting;
  p->resting = t;
  t->rests = true;
  while (t->rests) pthread_cond_wait(&t->called, &p->mutex);
}

static void *pool_thread_main(void *ud) {
  pool_thread *t = ud;
  pool *p = t->pool;
  pool_self = t;
  if (t->warms) p->warm(p->warm_ud);
  pthread_mutex_lock(&p->mutex);
  while (!p->ending || p->first) {
    if (t->watches) pool_watch(p, t);
    if (p->first && !t->has_place && !pool_full(p)) pool_give_place(p, t);
    if (t->has_place) pool_run(p, t);
    else if (p->first && !p->watched) p->watched = t->watches = true;
    else if (!p->ending) pool_rest(p, t); /* it may have ended while this thread watched */
  }
  pthread_mutex_unlock(&p->mutex);
  return NULL;
}

/* ---- The pool --------------------------------------------------------------------------------- */

static bool pool_start(pool *p, pool_thread *t) {
  pthread_condattr_t monotonic;
  t->pool = p;
  t->warms = (size_t)(t - p->threads) < p->base;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&t->called, &monotonic);
  pthread_condattr_destroy(&monotonic);
  if (pthread_create(&t->thread, NULL, pool_thread_main, t) == 0) return true;
  pthread_cond_destroy(&t->called);
  return false;
}

pool *pool_new(size_t threads, size_t at_once, void (*warm)(void *ud), void *ud) {
  pool *p = calloc(1, sizeof *p + threads * sizeof p->threads[0]);
  if (!p) return NULL;
  pthread_mutex_init(&p->mutex, NULL);
  p->last = &p->first;
  p->most = p->base = at_once;
  p->warm = warm;
  p->warm_ud = ud;
  while (p->n_threads < threads && pool_start(p, &p->threads[p->n_threads])) p->n_threads++;
  if (p->n_threads > 0) return p;
  pool_free(p);
  return NULL;
}

request *pool_submit_chain(pool *p, request *first) {
  request *q = first;
  pthread_mutex_lock(&p->mutex);
  while (q && !p->ending && p->waiting < POOL_QUEUE_MAX) {
    request *next = q->next;
    q->next = NULL;
    *p->last = q;
    p->last = &q->next;
    p->waiting++;
    q = next;
  }
  pool_call(p);
  pthread_mutex_unlock(&p->mutex);
  return q;
}

bool pool_submit(pool *p, request *q, void (*work)(request *q)) {
  q->work = work;
  q->next = NULL;
  return !pool_submit_chain(p, q);
}

/* While it waits for one thing it may do another that has it wait. */
void pool_waits(pool *p, bool waits) {
  pool_thread *t = pool_self;
  if (!t || (waits ? t->waits++ : --t->waits)) return;
  pthread_mutex_lock(&p->mutex);
  if (waits) {
    p->running--;
    pool_call(p);
  } else {
    p->running++;
  }
  pthread_mutex_unlock(&p->mutex);
}

void pool_end(pool *p) {
  if (!p) return;
  pthread_mutex_lock(&p->mutex);
  p->ending = true;
  for (pool_thread *t = p->resting; t; t = t->below) {
    t->rests = false;
    pthread_cond_signal(&t->called);
  }
  p->resting = NULL;
  pthread_mutex_unlock(&p->mutex);
  for (size_t i = 0; i < p->n_threads; i++) {
    pthread_join(p->threads[i].thread, NULL);
    pthread_cond_destroy(&p->threads[i].called);
  }
}

void pool_free(pool *p) {
  if (!p) return;
  pthread_mutex_destroy(&p->mutex);
  free(p);
}
