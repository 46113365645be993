/* A list of who is inside under one mutex; whoever closes the gate waits until the list is empty. */
#include "store/gate.h"

#include <stddef.h>

void gate_init(gate *g) {
  *g = (gate){0};
  pthread_mutex_init(&g->mutex, NULL);
  pthread_cond_init(&g->changed, NULL);
}

void gate_destroy(gate *g) {
  pthread_cond_destroy(&g->changed);
  pthread_mutex_destroy(&g->mutex);
}

static bool is_inside(const gate *g, pthread_t thread) {
  for (const gate_pass *p = g->passes; p; p = p->next) {
    if (pthread_equal(p->thread, thread)) return true;
  }
  return false;
}

void gate_enter(gate *g, gate_pass *pass) {
  pthread_t self = pthread_self();
  pthread_mutex_lock(&g->mutex);
  /* One who is inside may enter again though somebody waits to close: the wait is for its first passage. */
  while (g->closed && !is_inside(g, self)) pthread_cond_wait(&g->changed, &g->mutex);
  *pass = (gate_pass){.next = g->passes, .thread = self, .inside = true};
  if (g->passes) g->passes->previous = pass;
  g->passes = pass;
  pthread_mutex_unlock(&g->mutex);
}

void gate_leave(gate *g, gate_pass *pass) {
  pthread_mutex_lock(&g->mutex);
  if (pass->inside) {
    if (pass->next) pass->next->previous = pass->previous;
    *(pass->previous != NULL ? &pass->previous->next : &g->passes) = pass->next;
    pass->inside = false;
    if (!g->passes && g->closed) pthread_cond_broadcast(&g->changed);
  }
  pthread_mutex_unlock(&g->mutex);
}

bool gate_close(gate *g) {
  pthread_t self = pthread_self();
  pthread_mutex_lock(&g->mutex);
  bool possible = !is_inside(g, self);
  if (possible) {
    while (g->closed) pthread_cond_wait(&g->changed, &g->mutex);
    g->closed = true;
    while (g->passes) pthread_cond_wait(&g->changed, &g->mutex);
  }
  pthread_mutex_unlock(&g->mutex);
  return possible;
}

void gate_open(gate *g) {
  pthread_mutex_lock(&g->mutex);
  g->closed = false;
  pthread_cond_broadcast(&g->changed);
  pthread_mutex_unlock(&g->mutex);
}
