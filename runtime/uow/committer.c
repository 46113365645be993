/* The committer thread. */
#include "uow/committer.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"

/* Batches in one transaction: enough to drown the cost of a sync, few enough that one group takes milliseconds. */
#define COMMIT_GROUP_MAX 4096

struct committer {
  orr_env env;
  store *store;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t work;
  commit_request *first, **last; /* submitted, in order */
  commit_request *taken;         /* of the group in hand; the thread's own */
  bool stopping;
  store_batch *group;            /* COMMIT_GROUP_MAX */
};

/* Takes up to COMMIT_GROUP_MAX batches, when the store may be written. */
static store_batch *gather(void *ud, size_t *count) {
  committer *c = ud;
  pthread_mutex_lock(&c->mutex);
  commit_request **end = &c->first;
  size_t n = 0;
  for (commit_request *r; (r = *end) && n + r->count <= COMMIT_GROUP_MAX; end = &r->next) {
    memcpy(c->group + n, r->batches, r->count * sizeof *r->batches);
    n += r->count;
  }
  c->taken = c->first;
  c->first = *end;
  if (!c->first) c->last = &c->first;
  *end = NULL;
  pthread_mutex_unlock(&c->mutex);
  *count = n;
  return c->group;
}

static void answer_waiters(committer *c, const orr_error *err) {
  const store_batch *at = c->group;
  for (commit_request *r = c->taken, *next; r; r = next) {
    next = r->next; /* `done` may free the request */
    memcpy(r->batches, at, r->count * sizeof *r->batches);
    at += r->count;
    r->done(r, err);
  }
}

static void commit_gathered(committer *c) {
  orr_error err = {0};
  int rc = store_commit_gathered(c->store, gather, c, &err);
  answer_waiters(c, rc ? &err : NULL);
  orr_error_clear(&err);
}

/* False: there is none, and the committer stops. */
static bool wait_for_work(committer *c) {
  pthread_mutex_lock(&c->mutex);
  while (!c->first && !c->stopping) pthread_cond_wait(&c->work, &c->mutex);
  bool any = c->first;
  pthread_mutex_unlock(&c->mutex);
  return any;
}

static void *committer_main(void *arg) {
  committer *c = arg;
  env_name_thread("orr-commit");
  while (wait_for_work(c)) commit_gathered(c);
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
  bool idle = !c->first;
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
  int rc;
  orr_error *err;
} waiting_request;

static void wake_waiting(commit_request *request, const orr_error *err) {
  waiting_request *w = (waiting_request *)request;
  pthread_mutex_lock(&w->mutex);
  if (err) w->rc = error_copy(w->err, err);
  w->done = true;
  pthread_cond_signal(&w->answered);
  pthread_mutex_unlock(&w->mutex);
}

int committer_commit(committer *c, store_batch *batches, size_t count, orr_error *err) {
  waiting_request w = {.request = {.batches = batches, .count = count, .done = wake_waiting}, .err = err};
  pthread_mutex_init(&w.mutex, NULL);
  pthread_cond_init(&w.answered, NULL);
  committer_submit(c, &w.request);
  pthread_mutex_lock(&w.mutex);
  while (!w.done) pthread_cond_wait(&w.answered, &w.mutex);
  pthread_mutex_unlock(&w.mutex);
  pthread_cond_destroy(&w.answered);
  pthread_mutex_destroy(&w.mutex);
  return w.rc;
}
