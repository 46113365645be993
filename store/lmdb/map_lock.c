/* Readers take the mutex only when they find the lock exclusive. The thread that moves the map looks
 * and waits under the mutex. So either it sees a reader inside, or that reader sees that the lock is
 * exclusive, and wakes the thread when it leaves. */
#include "store/lmdb/map_lock.h"

#include <stddef.h>

void map_lock_init(map_lock *g) {
  g->readers = NULL;
  atomic_init(&g->closed, false);
  pthread_mutex_init(&g->mutex, NULL);
  pthread_cond_init(&g->changed, NULL);
}

void map_lock_destroy(map_lock *g) {
  pthread_cond_destroy(&g->changed);
  pthread_mutex_destroy(&g->mutex);
}

void map_lock_add(map_lock *g, map_reader *reader) {
  pthread_mutex_lock(&g->mutex);
  atomic_init(&reader->inside, false);
  reader->previous = NULL;
  reader->next = g->readers;
  if (g->readers) g->readers->previous = reader;
  g->readers = reader;
  pthread_mutex_unlock(&g->mutex);
}

void map_lock_remove(map_lock *g, map_reader *reader) {
  map_lock_leave(g, reader);
  pthread_mutex_lock(&g->mutex);
  if (reader->next) reader->next->previous = reader->previous;
  *(reader->previous ? &reader->previous->next : &g->readers) = reader->next;
  pthread_mutex_unlock(&g->mutex);
}

bool map_lock_held(const map_reader *reader) { return atomic_load_explicit(&reader->inside, memory_order_relaxed); }

/* Is this thread inside, by another reader than `but`? The mutex is held. */
static bool has_entered(const map_lock *g, const map_reader *but) {
  pthread_t self = pthread_self();
  for (const map_reader *p = g->readers; p; p = p->next) {
    if (p != but && atomic_load(&p->inside) && pthread_equal(atomic_load(&p->thread), self)) return true;
  }
  return false;
}

static bool anyone_inside(const map_lock *g) {
  for (const map_reader *p = g->readers; p; p = p->next) {
    if (atomic_load(&p->inside)) return true;
  }
  return false;
}

/* Steps back while the lock is held exclusively. True: the reader may stay, since its thread is a reader already. */
static bool stay_or_wait(map_lock *g, map_reader *reader) {
  pthread_mutex_lock(&g->mutex);
  bool stay = !atomic_load(&g->closed) || has_entered(g, reader);
  if (!stay) {
    atomic_store(&reader->inside, false);
    pthread_cond_broadcast(&g->changed);
    while (atomic_load(&g->closed)) pthread_cond_wait(&g->changed, &g->mutex);
  }
  pthread_mutex_unlock(&g->mutex);
  return stay;
}

void map_lock_share(map_lock *g, map_reader *reader) {
  atomic_store_explicit(&reader->thread, pthread_self(), memory_order_relaxed);
  do atomic_store(&reader->inside, true);
  while (atomic_load(&g->closed) && !stay_or_wait(g, reader));
}

void map_lock_leave(map_lock *g, map_reader *reader) {
  if (!map_lock_held(reader)) return;
  atomic_store(&reader->inside, false);
  if (!atomic_load(&g->closed)) return;
  pthread_mutex_lock(&g->mutex);
  pthread_cond_broadcast(&g->changed);
  pthread_mutex_unlock(&g->mutex);
}

bool map_lock_exclude(map_lock *g) {
  pthread_mutex_lock(&g->mutex);
  bool possible = !has_entered(g, NULL);
  if (possible) {
    while (atomic_load(&g->closed)) pthread_cond_wait(&g->changed, &g->mutex);
    atomic_store(&g->closed, true);
    while (anyone_inside(g)) pthread_cond_wait(&g->changed, &g->mutex);
  }
  pthread_mutex_unlock(&g->mutex);
  return possible;
}

void map_lock_readmit(map_lock *g) {
  pthread_mutex_lock(&g->mutex);
  atomic_store(&g->closed, false);
  pthread_cond_broadcast(&g->changed);
  pthread_mutex_unlock(&g->mutex);
}
