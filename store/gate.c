/* The quick way touches no lock. Only who meets a closed gate takes the mutex, under which the closer looks and waits: so
 * either the closer sees the one inside, or that one sees the closed gate and wakes the closer when it leaves. */
#include "store/gate.h"

#include <stddef.h>

void gate_init(gate *g) {
  g->passes = NULL;
  atomic_init(&g->closed, false);
  pthread_mutex_init(&g->mutex, NULL);
  pthread_cond_init(&g->changed, NULL);
}

void gate_destroy(gate *g) {
  pthread_cond_destroy(&g->changed);
  pthread_mutex_destroy(&g->mutex);
}

void gate_add(gate *g, gate_pass *pass) {
  pthread_mutex_lock(&g->mutex);
  atomic_init(&pass->inside, false);
  pass->previous = NULL;
  pass->next = g->passes;
  if (g->passes) g->passes->previous = pass;
  g->passes = pass;
  pthread_mutex_unlock(&g->mutex);
}

void gate_remove(gate *g, gate_pass *pass) {
  gate_leave(g, pass);
  pthread_mutex_lock(&g->mutex);
  if (pass->next) pass->next->previous = pass->previous;
  *(pass->previous ? &pass->previous->next : &g->passes) = pass->next;
  pthread_mutex_unlock(&g->mutex);
}

bool gate_inside(const gate_pass *pass) { return atomic_load_explicit(&pass->inside, memory_order_relaxed); }

/* Is this thread inside, by another pass than `but`? The mutex is held. */
static bool has_entered(const gate *g, const gate_pass *but) {
  pthread_t self = pthread_self();
  for (const gate_pass *p = g->passes; p; p = p->next) {
    if (p != but && atomic_load(&p->inside) && pthread_equal(atomic_load(&p->thread), self)) return true;
  }
  return false;
}

static bool anyone_inside(const gate *g) {
  for (const gate_pass *p = g->passes; p; p = p->next) {
    if (atomic_load(&p->inside)) return true;
  }
  return false;
}

/* Steps back until the gate is open. True when the pass may stay inside though it is closed. */
static bool stay_or_wait(gate *g, gate_pass *pass) {
  pthread_mutex_lock(&g->mutex);
  bool stay = !atomic_load(&g->closed) || has_entered(g, pass);
  if (!stay) {
    atomic_store(&pass->inside, false);
    pthread_cond_broadcast(&g->changed);
    while (atomic_load(&g->closed)) pthread_cond_wait(&g->changed, &g->mutex);
  }
  pthread_mutex_unlock(&g->mutex);
  return stay;
}

void gate_enter(gate *g, gate_pass *pass) {
  atomic_store_explicit(&pass->thread, pthread_self(), memory_order_relaxed);
  do atomic_store(&pass->inside, true);
  while (atomic_load(&g->closed) && !stay_or_wait(g, pass));
}

void gate_leave(gate *g, gate_pass *pass) {
  if (!gate_inside(pass)) return;
  atomic_store(&pass->inside, false);
  if (!atomic_load(&g->closed)) return;
  pthread_mutex_lock(&g->mutex);
  pthread_cond_broadcast(&g->changed);
  pthread_mutex_unlock(&g->mutex);
}

bool gate_close(gate *g) {
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

void gate_open(gate *g) {
  pthread_mutex_lock(&g->mutex);
  atomic_store(&g->closed, false);
  pthread_cond_broadcast(&g->changed);
  pthread_mutex_unlock(&g->mutex);
}
