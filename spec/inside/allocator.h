/* An allocator for specs: counts what lives, and fails the n-th request, once or from then on. */
#ifndef ORR_INSIDE_ALLOCATOR_H
#define ORR_INSIDE_ALLOCATOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "orrery.h"

typedef struct failing_allocator {
  pthread_mutex_t mutex;
  size_t requests; /* since the last arming */
  size_t fail_at;  /* 0: never */
  bool forever;
  size_t live;     /* bytes, by the sizes that callers named: a wrong size shows as a leak */
} failing_allocator;

void failing_allocator_init(failing_allocator *a);
/* What it counts and refuses; an executor's threads may be at work meanwhile. */
typedef struct failing_allocator_state {
  size_t requests, fail_at;
  bool forever;
} failing_allocator_state;

/* Refuses nothing until it is resumed, and does not count what is asked for between. */
failing_allocator_state failing_allocator_pause(failing_allocator *a);
void failing_allocator_resume(failing_allocator *a, failing_allocator_state state);
void failing_allocator_arm(failing_allocator *a, size_t fail_at, bool forever);
orr_allocator failing_allocator_hook(failing_allocator *a);

#endif
