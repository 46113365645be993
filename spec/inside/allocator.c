/* realloc, counting live bytes and requests, and refusing the request that a spec names. */
#include "allocator.h"

#include <stdlib.h>

static bool refused(failing_allocator *a) {
  a->requests++;
  if (a->fail_at == 0) return false;
  return a->forever ? a->requests >= a->fail_at : a->requests == a->fail_at;
}

static void *allocate(void *ud, void *old, size_t old_size, size_t new_size) {
  failing_allocator *a = ud;
  void *memory = NULL;
  pthread_mutex_lock(&a->mutex);
  if (new_size == 0) {
    free(old);
    a->live -= old_size;
  } else if (!refused(a)) {
    memory = realloc(old, new_size);
    if (memory) a->live += new_size - (old ? old_size : 0);
  }
  pthread_mutex_unlock(&a->mutex);
  return memory;
}

void failing_allocator_init(failing_allocator *a) {
  *a = (failing_allocator){0};
  pthread_mutex_init(&a->mutex, NULL);
}

failing_allocator_state failing_allocator_pause(failing_allocator *a) {
  pthread_mutex_lock(&a->mutex);
  failing_allocator_state state = {a->requests, a->fail_at, a->forever};
  a->fail_at = 0;
  pthread_mutex_unlock(&a->mutex);
  return state;
}

void failing_allocator_resume(failing_allocator *a, failing_allocator_state state) {
  pthread_mutex_lock(&a->mutex);
  a->requests = state.requests;
  a->fail_at = state.fail_at;
  a->forever = state.forever;
  pthread_mutex_unlock(&a->mutex);
}

void failing_allocator_arm(failing_allocator *a, size_t fail_at, bool forever) {
  failing_allocator_resume(a, (failing_allocator_state){.fail_at = fail_at, .forever = forever});
}

orr_allocator failing_allocator_hook(failing_allocator *a) { return (orr_allocator){.fn = allocate, .ud = a}; }
