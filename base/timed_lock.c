/* The bound is a time of the monotonic clock, which does not jump. */
#include "base/timed_lock.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

#include "base/env.h"

/* ThreadSanitizer knows the other ways to lock a mutex, not this one; so it is told. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
static void lock_begins(pthread_mutex_t *mutex) {
  __tsan_mutex_pre_lock(mutex, __tsan_mutex_try_lock);
}
static void lock_ends(pthread_mutex_t *mutex, bool locked) {
  unsigned failed = locked ? 0 : __tsan_mutex_try_lock_failed;
  __tsan_mutex_post_lock(mutex, __tsan_mutex_try_lock | failed, 0);
}
#else
static void lock_begins(pthread_mutex_t *mutex) { (void)mutex; }
static void lock_ends(pthread_mutex_t *mutex, bool locked) { (void)mutex, (void)locked; }
#endif

int timed_lock(pthread_mutex_t *mutex, int ms) {
  orr_env system;
  env_system(&system);
  int64_t until_ns = system.mono_ns(system.ud) + ms * INT64_C(1000000);
  struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
  lock_begins(mutex);
  int rc = pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until);
  lock_ends(mutex, !rc || rc == EOWNERDEAD);
  return rc;
}
