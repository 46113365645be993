/* The threads meet before the first call and behind the last: what a thread's beginning and end
 * cost is not measured. */
#include "callers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "engine/engine.h"
#include "store/store.h"

enum { THREADS_MAX = 64 };

typedef struct callers {
  orr_engine *engine;
  callers_what what;
  const char *key;
  const orr_id *ids;
  uint32_t count;
  atomic_uint next;
  pthread_barrier_t begins, ends;
  pthread_mutex_t mutex;
  int rc; /* of the first that failed */
  orr_error *err;
} callers;

static double seconds_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int start(callers *k, orr_error *err) {
  orr_records *started = NULL;
  orr_start_options options = {.size = sizeof options, .key = k->key};
  int rc = orr_engine_instance_start(k->engine, &options, &started, err);
  orr_records_free(started);
  return rc;
}

static int message(callers *k, orr_id instance, orr_error *err) {
  orr_builder *answer = orr_builder_new();
  orr_message_options options = {.size = sizeof options, .instance = instance};
  int rc =
      answer ? orr_engine_message(k->engine, k->key, &options, answer, err) : error_memory(err);
  orr_builder_free(answer);
  return rc;
}

static int call(callers *k, uint32_t i, orr_error *err) {
  if (k->what == CALLERS_START) return start(k, err);
  if (k->what == CALLERS_MESSAGE) return message(k, k->ids[i], err);
  return orr_engine_task_complete(k->engine, k->ids[i], NULL, NULL, NULL, err);
}

static void fail(callers *k, int rc, orr_error *err) {
  pthread_mutex_lock(&k->mutex);
  if (!k->rc) error_move(k->err, err);
  if (!k->rc) k->rc = rc;
  pthread_mutex_unlock(&k->mutex);
  orr_error_clear(err);
}

static void *run(void *ud) {
  callers *k = ud;
  orr_error err = {0};
  int rc =
      orr_engine_set_user(k->engine, NULL, &err); /* the engine knows the thread from here on */
  pthread_barrier_wait(&k->begins);
  for (uint32_t i; !rc && (i = atomic_fetch_add(&k->next, 1)) < k->count;) rc = call(k, i, &err);
  if (rc) fail(k, rc, &err);
  pthread_barrier_wait(&k->ends);
  return NULL;
}

static int run_grouped(callers *k, uint32_t to_a_transaction, orr_error *err) {
  int rc = 0;
  for (uint32_t i = 0; i < k->count && !rc;) {
    rc = orr_engine_begin(k->engine, err);
    for (uint32_t n = 0; n < to_a_transaction && i < k->count && !rc; n++) rc = call(k, i++, err);
    if (rc) orr_engine_rollback(k->engine);
    else rc = orr_engine_commit(k->engine, err);
  }
  return rc;
}

static int run_threads(callers *k, uint32_t threads, callers_cost *cost) {
  pthread_t ids[THREADS_MAX];
  uint32_t started = 0;
  while (started < threads && !pthread_create(&ids[started], NULL, run, k)) started++;
  if (started < threads) abort(); /* those that are there wait for the others */
  pthread_barrier_wait(&k->begins);
  cost->seconds = -seconds_of(CLOCK_MONOTONIC);
  cost->processor = -seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  pthread_barrier_wait(&k->ends);
  cost->seconds += seconds_of(CLOCK_MONOTONIC);
  cost->processor += seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  for (uint32_t i = 0; i < started; i++) pthread_join(ids[i], NULL);
  return k->rc;
}

int callers_run(orr_engine *engine, callers_what what, const char *key, const orr_id *ids,
                uint32_t count, uint32_t threads, bool grouped, callers_cost *cost,
                orr_error *err) {
  callers k = {.engine = engine, .what = what, .key = key, .ids = ids, .count = count, .err = err};
  if (threads < 1 || threads > THREADS_MAX)
    return error_set(err, ORR_E_ARGUMENT, "1 to %d threads", THREADS_MAX);
  uint64_t commits = store_changed(engine->store);
  int rc;
  if (grouped) {
    double seconds = seconds_of(CLOCK_MONOTONIC), processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    rc = run_grouped(&k, threads, err);
    cost->seconds = seconds_of(CLOCK_MONOTONIC) - seconds;
    cost->processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
  } else {
    pthread_barrier_init(&k.begins, NULL, threads + 1);
    pthread_barrier_init(&k.ends, NULL, threads + 1);
    pthread_mutex_init(&k.mutex, NULL);
    rc = run_threads(&k, threads, cost);
    pthread_mutex_destroy(&k.mutex);
    pthread_barrier_destroy(&k.ends);
    pthread_barrier_destroy(&k.begins);
  }
  cost->commits = store_changed(engine->store) - commits;
  return rc;
}
