/* Who leads a group, and how its members get their answers. */
#include "uow/committer.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"

/* Batches in one transaction: enough to drown the cost of a sync, few enough that one group
 * takes milliseconds. */
#define COMMIT_GROUP_MAX 4096

struct committer {
  orr_env env;
  store *store;
  long process; /* that made it */
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t work;
  commit_request *first, **last; /* submitted, in order */
  commit_request *taken;         /* of the group being written; only its leader uses it */
  bool led;                      /* a leader writes a group, or is about to */
  bool by_caller;                /* the leader is a caller; only it uses this */
  bool stopping;
  atomic_bool has_thread;                     /* it leads all groups, and callers wait */
  store_batch *group;                         /* the thread's: COMMIT_GROUP_MAX */
  store_batch of_callers[COMMIT_REQUEST_MAX]; /* the group that one of them leads */
};

/* ---- A group --------------------------------------------------------------------------------- */

static void wake_waiting(commit_request *request, const orr_error *err);

static store_batch *leaders_group(committer *c) { return c->by_caller ? c->of_callers : c->group; }

/* Does the group of `n` batches have room for these? Only the committer's thread answers requests
 * for which nobody waits. */
static bool takes_request(const committer *c, const commit_request *r, size_t n) {
  return c->by_caller ? r->done == wake_waiting && n + r->count <= COMMIT_REQUEST_MAX
                      : n + r->count <= COMMIT_GROUP_MAX;
}

/* Takes what was submitted, as far as there is room, once the store may be written. */
static store_batch *gather(void *ud, size_t *count) {
  committer *c = ud;
  store_batch *group = leaders_group(c);
  pthread_mutex_lock(&c->mutex);
  commit_request **end = &c->first;
  size_t n = 0;
  for (commit_request *r; (r = *end) && takes_request(c, r, n); end = &r->next) {
    memcpy(group + n, r->batches, r->count * sizeof *r->batches);
    n += r->count;
  }
  c->taken = c->first;
  c->first = *end;
  if (!c->first) c->last = &c->first;
  *end = NULL;
  pthread_mutex_unlock(&c->mutex);
  *count = n;
  return group;
}

static _Thread_local const committer *leading; /* whose group this thread writes */

/* Writes a group. Its members have their status, and have yet to be told. */
static commit_request *commit_group(committer *c, orr_error *err) {
  leading = c;
  int rc = store_commit_gathered(c->store, gather, c, err);
  leading = NULL;
  if (!rc) orr_error_clear(err);
  const store_batch *at = leaders_group(c);
  for (commit_request *r = c->taken; r; at += r->count, r = r->next)
    memcpy(r->batches, at, r->count * sizeof *at);
  return c->taken;
}

static void tell_members(commit_request *first, orr_error *err) {
  for (commit_request *r = first, *next; r; r = next) {
    next = r->next; /* `done` may free the request */
    r->done(r, err->code ? err : NULL);
  }
  orr_error_clear(err);
}

static void add_request(committer *c, commit_request *request) {
  request->next = NULL;
  *c->last = request;
  c->last = &request->next;
}

/* ---- The thread ------------------------------------------------------------------------------ */

/* False: there is none, and the committer stops. */
static bool wait_for_work(committer *c) {
  pthread_mutex_lock(&c->mutex);
  while ((!c->first || c->led) && !c->stopping) pthread_cond_wait(&c->work, &c->mutex);
  bool any = c->first;
  c->led = any;
  c->by_caller = false;
  pthread_mutex_unlock(&c->mutex);
  return any;
}

static void *committer_main(void *arg) {
  committer *c = arg;
  env_name_thread("orr-commit");
  while (wait_for_work(c)) {
    orr_error err = {0};
    commit_request *members = commit_group(c, &err);
    tell_members(members, &err);
    pthread_mutex_lock(&c->mutex);
    c->led = false;
    pthread_mutex_unlock(&c->mutex);
  }
  return NULL;
}

int committer_start(committer *c, orr_error *err) {
  if (committer_has_thread(c)) return 0;
  if (!c->group) c->group = env_alloc(&c->env.allocator, sizeof *c->group * COMMIT_GROUP_MAX);
  if (!c->group) return error_memory(err);
  int rc = pthread_create(&c->thread, NULL, committer_main, c);
  if (rc)
    return error_set(err, ORR_E_LIMIT, "cannot start the committer's thread: %s", strerror(rc));
  atomic_store(&c->has_thread, true);
  return 0;
}

bool committer_has_thread(const committer *c) {
  return atomic_load_explicit(&c->has_thread, memory_order_acquire);
}

void committer_submit(committer *c, commit_request *request) {
  pthread_mutex_lock(&c->mutex);
  bool idle = !c->first;
  add_request(c, request);
  if (idle) pthread_cond_signal(&c->work);
  pthread_mutex_unlock(&c->mutex);
}

/* ---- Callers --------------------------------------------------------------------------------- */

typedef struct waiting_request {
  commit_request request; /* first: `done` casts */
  sem_t woken;            /* once: the request is answered, or its caller is to lead */
  bool leads;
  int rc;
  orr_error *err;
} waiting_request;

/* The waiter may continue at once, and end the request: nothing of it is used after sem_post. */
static void wake_waiting(commit_request *request, const orr_error *err) {
  waiting_request *w = (waiting_request *)request;
  if (err) w->rc = error_copy(w->err, err);
  if (!w->leads) sem_post(&w->woken); /* the leader is no waiter */
}

static void call_to_lead(waiting_request *w) {
  w->leads = true;
  sem_post(&w->woken);
}

static void await_call(waiting_request *w) {
  while (sem_wait(&w->woken) && errno == EINTR) {}
}

/* True: this caller leads the next group. */
static bool join(committer *c, waiting_request *w) {
  pthread_mutex_lock(&c->mutex);
  bool idle = !c->first, leads = idle && !c->led && !committer_has_thread(c);
  add_request(c, &w->request);
  if (leads) w->leads = c->led = true;
  else if (idle && committer_has_thread(c)) pthread_cond_signal(&c->work);
  pthread_mutex_unlock(&c->mutex);
  return leads;
}

/* The next group is the thread's, if there is one, or the first waiter's. */
static void hand_on(committer *c) {
  waiting_request *next = NULL;
  pthread_mutex_lock(&c->mutex);
  if (!committer_has_thread(c)) next = (waiting_request *)c->first;
  c->led = next;
  if (!next && c->first) pthread_cond_signal(&c->work);
  pthread_mutex_unlock(&c->mutex);
  if (next) call_to_lead(next);
}

/* The leader is the first of those that wait, so its own request is in the group. */
static void lead(committer *c) {
  orr_error err = {0};
  c->by_caller = true;
  commit_request *members = commit_group(c, &err);
  tell_members(members, &err);
  hand_on(c);
}

/* A leader that commits again would wait for itself: the store may report its state meanwhile, and
 * the log hear of it. In a forked child nobody may be left to lead, and the store refuses
 * everything. */
int committer_commit(committer *c, store_batch *batches, size_t count, orr_error *err) {
  bool forked = c->env.process_id(c->env.ud) != c->process;
  if (forked) return store_commit(c->store, batches, count, err);
  if (leading == c) return error_set(err, ORR_E_STATE, "nothing can be committed in the middle of a commit");
  waiting_request w = {.request = {.batches = batches, .count = count, .done = wake_waiting},
                       .err = err};
  sem_init(&w.woken, 0, 0);
  if (!join(c, &w)) await_call(&w);
  if (w.leads) lead(c);
  sem_destroy(&w.woken);
  return w.rc;
}

size_t committer_waiting(committer *c) {
  size_t n = 0;
  pthread_mutex_lock(&c->mutex);
  for (const commit_request *r = c->first; r; r = r->next) n++;
  pthread_mutex_unlock(&c->mutex);
  return n;
}

/* ---- Life ------------------------------------------------------------------------------------ */

committer *committer_new(const orr_env *env, store *s, orr_error *err) {
  committer *c = env_zalloc(&env->allocator, sizeof *c);
  if (!c) {
    error_memory(err);
    return NULL;
  }
  c->env = *env;
  c->store = s;
  c->process = env->process_id(env->ud);
  c->last = &c->first;
  pthread_mutex_init(&c->mutex, NULL);
  pthread_cond_init(&c->work, NULL);
  return c;
}

void committer_stop(committer *c) {
  if (!committer_has_thread(c)) return;
  pthread_mutex_lock(&c->mutex);
  c->stopping = true;
  pthread_cond_signal(&c->work);
  pthread_mutex_unlock(&c->mutex);
  pthread_join(c->thread, NULL);
  c->stopping = false;
  atomic_store(&c->has_thread, false);
}

void committer_free(committer *c) {
  if (!c) return;
  committer_stop(c);
  pthread_cond_destroy(&c->work);
  pthread_mutex_destroy(&c->mutex);
  orr_allocator allocator = c->env.allocator;
  env_free(&allocator, c->group, sizeof *c->group * COMMIT_GROUP_MAX);
  env_free(&allocator, c, sizeof *c);
}
