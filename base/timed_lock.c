/* The bound is a time of the monotonic clock, which does not jump. */
#include "base/timed_lock.h"

#include <time.h>

#include "base/env.h"

int timed_lock(pthread_mutex_t *mutex, int ms) {
  orr_env system;
  env_system(&system);
  int64_t until_ns = system.mono_ns(system.ud) + ms * INT64_C(1000000);
  struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
  return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until);
}
