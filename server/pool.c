/* The pool of threads. */
#include "server/pool.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct pool_task {
  request *q;
  void (*work)(request *q);
  struct pool_task *next;
} pool_task;

struct pool {
  pthread_mutex_t mutex;
  pthread_cond_t ready;
  pool_task *first, **last;
  size_t waiting, running, n_threads;
  bool ending;
  pthread_t threads[];
};

/* With the mutex held. NULL: the pool ends. */
static pool_task *pool_next(pool *p) {
  while (!p->first && !p->ending) pthread_cond_wait(&p->ready, &p->mutex);
  pool_task *t = p->first;
  if (!t) return NULL;
  p->first = t->next;
  if (!p->first) p->last = &p->first;
  p->waiting--;
  p->running++;
  return t;
}

static void *pool_thread(void *ud) {
  pool *p = ud;
  pthread_mutex_lock(&p->mutex);
  for (pool_task *t; (t = pool_next(p));) {
    pthread_mutex_unlock(&p->mutex);
    t->work(t->q);
    free(t);
    pthread_mutex_lock(&p->mutex);
    p->running--;
  }
  pthread_mutex_unlock(&p->mutex);
  return NULL;
}

pool *pool_new(size_t threads) {
  pool *p = calloc(1, sizeof *p + threads * sizeof p->threads[0]);
  if (!p) return NULL;
  pthread_mutex_init(&p->mutex, NULL);
  pthread_cond_init(&p->ready, NULL);
  p->last = &p->first;
  while (p->n_threads < threads && pthread_create(&p->threads[p->n_threads], NULL, pool_thread, p) == 0) p->n_threads++;
  if (p->n_threads > 0) return p;
  pool_free(p);
  return NULL;
}

bool pool_submit(pool *p, request *q, void (*work)(request *q)) {
  pool_task *t = malloc(sizeof *t);
  if (!t) return false;
  *t = (pool_task){.q = q, .work = work};
  pthread_mutex_lock(&p->mutex);
  bool taken = !p->ending && p->waiting < POOL_QUEUE_MAX;
  if (taken) {
    *p->last = t;
    p->last = &t->next;
    p->waiting++;
    pthread_cond_signal(&p->ready);
  }
  pthread_mutex_unlock(&p->mutex);
  if (!taken) free(t);
  return taken;
}

size_t pool_busy(pool *p) {
  pthread_mutex_lock(&p->mutex);
  size_t busy = p->waiting + p->running;
  pthread_mutex_unlock(&p->mutex);
  return busy;
}

void pool_free(pool *p) {
  if (!p) return;
  pthread_mutex_lock(&p->mutex);
  p->ending = true;
  pthread_cond_broadcast(&p->ready);
  pthread_mutex_unlock(&p->mutex);
  for (size_t i = 0; i < p->n_threads; i++) pthread_join(p->threads[i], NULL);
  pthread_cond_destroy(&p->ready);
  pthread_mutex_destroy(&p->mutex);
  free(p);
}
