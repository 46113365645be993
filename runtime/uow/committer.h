/* Group commit: the batches of many threads go into one store transaction and one sync.
 *
 * Without a thread of its own, callers lead the groups. A caller that finds no leader becomes one:
 * once it holds the write lock, it writes everything that was submitted by then. Callers that come
 * meanwhile wait, and the first of them leads the next group. So a lone caller commits on its own
 * thread and waits for nobody. committer_start makes a thread lead all groups; then batches may be
 * submitted for which nobody waits.
 *
 * While a group is written, or waits for other processes to write, the next one gathers. So the
 * busier the store, the larger the groups, and no batch waits for a timer. Each batch wins or loses
 * alone. */
#ifndef ORR_COMMITTER_H
#define ORR_COMMITTER_H

#include "base/env.h"
#include "uow/uow.h"

typedef struct committer committer;

#define COMMIT_REQUEST_MAX 256

typedef struct commit_request {
  struct commit_request *next;
  store_batch *batches; /* at most COMMIT_REQUEST_MAX; with the answers once `done` is called */
  size_t count;
  /* The thread that leads the group calls it. It must be quick, and must not submit. `err`: why the
   * whole group failed; else NULL. */
  void (*done)(struct commit_request *request, const orr_error *err);
} commit_request;

/* Makes one without a thread. NULL with err. */
committer *committer_new(const orr_env *env, store *s, orr_error *err);
/* Starts the thread, if there is none: 0, ORR_E_LIMIT or ORR_E_MEMORY. One caller at a time. */
int committer_start(committer *c, orr_error *err);
/* Does it have a thread? */
bool committer_has_thread(const committer *c);
/* Commits what was submitted, and ends the thread, if there is one; callers lead from then on. No
 * other thread may use it meanwhile. */
void committer_stop(committer *c);
/* Stops and frees it. NULL is fine. */
void committer_free(committer *c);

/* Submits to the committer's thread, from any thread. The request stays the caller's, and must live
 * until `done`. */
void committer_submit(committer *c, commit_request *request);
/* Submits at most COMMIT_REQUEST_MAX batches and waits; answers as store_commit does. The caller
 * has no view open, because it may write for others. */
int committer_commit(committer *c, store_batch *batches, size_t count, orr_error *err);
/* How many requests are in no group yet. Any thread. */
size_t committer_waiting(committer *c);

#endif
