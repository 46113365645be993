/* The committer thread. */
#include "committer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "../error.h"

/* Batches in one transaction: enough to drown the cost of a sync, few enough that one group takes milliseconds. */
#define COMMIT_GROUP_MAX 4096

struct committer {
  orr_env env;
  store *store;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t work;
  commit_request *first, **last; /* submitted, in order */
  bool stopping;
  store_batch *group;            /* COMMIT_GROUP_MAX */
  atomic_uint_fast64_t groups, batches;
};

/* Takes up to COMMIT_GROUP_MAX requests; NULL when there are none left and the committer stops. */
static commit_request *take_group(committer *c, size_t *count) {
  pthread_mutex_lock(&c->mutex);
  while (!c->first && !c->stopping) pthread_cond_wait(&c->work, &c->mutex);
  commit_request *head = c->first, **end = &c->first;
  size_t n = 0;
  while (*end && n < COMMIT_GROUP_MAX) {
    end = &(*end)->next;
    n++;
  }
  c->first = *end;
  if (!c->first) c->last = &c->first;
  if (n) *end = NULL;
  pthread_mutex_unlock(&c->mutex);
  *count = n;
  return n ? head : NULL;
}

static void commit_group(committer *c, commit_request *head, size_t count) {
  size_t i = 0;
  for (commit_request *r = head; r; r = r->next) c->group[i++] = *r->batch;
  orr_error err = {0};
  int rc = store_commit(c->store, c->group, count, &err);
  atomic_fetch_add_explicit(&c->groups, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&c->batches, count, memory_order_relaxed);
  i = 0;
  while (head) {
    commit_request *r = head;
    head = r->next; /* `done` may free the request */
    r->batch->status = c->group[i].status;
    r->batch->lost_op = c->group[i++].lost_op;
    r->done(r, rc ? &err : NULL);
  }
  orr_error_clear(&err);
}

static void *committer_main(void *arg) {
  committer *c = arg;
  size_t count;
  for (commit_request *head; (head = take_group(c, &count)) != NULL;) commit_group(c, head, count);
  return NULL;
}

committer *committer_start(const orr_env *env, store *s, orr_error *err) {
  committer *c = env_zalloc(&env->allocator, sizeof *c);
  store_batch *group = env_zalloc(&env->allocator, sizeof *group * COMMIT_GROUP_MAX);
  if (!c || !group) {
    env_free(&env->allocator, c, sizeof *c);
    env_free(&env->allocator, group, sizeof *group * COMMIT_GROUP_MAX);
    error_memory(err);
    return NULL;
  }
  c->env = *env;
  c->store = s;
  c->group = group;
  c->last = &c->first;
  pthread_mutex_init(&c->mutex, NULL);
  pthread_cond_init(&c->work, NULL);
  int rc = pthread_create(&c->thread, NULL, committer_main, c);
  if (!rc) return c;
  error_set(err, ORR_E_LIMIT, "cannot start the committer's thread: %s", strerror(rc));
  pthread_cond_destroy(&c->work);
  pthread_mutex_destroy(&c->mutex);
  env_free(&env->allocator, group, sizeof *group * COMMIT_GROUP_MAX);
  env_free(&env->allocator, c, sizeof *c);
  return NULL;
}

void committer_stop(committer *c) {
  if (!c) return;
  pthread_mutex_lock(&c->mutex);
  c->stopping = true;
  pthread_cond_signal(&c->work);
  pthread_mutex_unlock(&c->mutex);
  pthread_join(c->thread, NULL);
  pthread_cond_destroy(&c->work);
  pthread_mutex_destroy(&c->mutex);
  orr_allocator allocator = c->env.allocator;
  env_free(&allocator, c->group, sizeof *c->group * COMMIT_GROUP_MAX);
  env_free(&allocator, c, sizeof *c);
}

void committer_submit(committer *c, commit_request *request) {
  request->next = NULL;
  pthread_mutex_lock(&c->mutex);
  bool idle = c->first == NULL;
  *c->last = request;
  c->last = &request->next;
  if (idle) pthread_cond_signal(&c->work);
  pthread_mutex_unlock(&c->mutex);
}

typedef struct waiting_request {
  commit_request request; /* first: `done` casts */
  pthread_mutex_t mutex;
  pthread_cond_t answered;
  bool done;
  orr_error *err;
} waiting_request;

static void wake_waiting(commit_request *request, const orr_error *err) {
  waiting_request *w = (waiting_request *)request;
  pthread_mutex_lock(&w->mutex);
  if (err) error_set(w->err, err->code, "%s", err->message ? err->message : orr_strerror(err->code));
  w->done = true;
  pthread_cond_signal(&w->answered);
  pthread_mutex_unlock(&w->mutex);
}

int committer_submit_wait(committer *c, store_batch *batch, orr_error *err) {
  waiting_request w = {.request = {.batch = batch, .done = wake_waiting}, .err = err};
  pthread_mutex_init(&w.mutex, NULL);
  pthread_cond_init(&w.answered, NULL);
  committer_submit(c, &w.request);
  pthread_mutex_lock(&w.mutex);
  while (!w.done) pthread_cond_wait(&w.answered, &w.mutex);
  pthread_mutex_unlock(&w.mutex);
  pthread_cond_destroy(&w.answered);
  pthread_mutex_destroy(&w.mutex);
  if (batch->status && (!err || !err->code)) error_set(err, batch->status, "%s", orr_strerror(batch->status));
  return batch->status;
}

committer_stats committer_get_stats(committer *c) {
  return (committer_stats){.groups = atomic_load(&c->groups), .batches = atomic_load(&c->batches)};
}
