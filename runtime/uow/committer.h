/* Group commit: the batches of many threads go into one store transaction and one sync.
 *
 * Without a thread of its own the callers do it. Who finds nobody at it writes what all have
 * submitted when the store may be written; who comes meanwhile waits, and the first of those leads
 * the next group. So a lone caller commits on its own thread and waits for nobody. With
 * committer_start a thread leads all groups, and batches may be submitted that nobody waits for.
 *
 * While a group is written, or waits its turn behind other processes, the next one gathers: the
 * busier the store, the larger the groups, and no batch waits for a timer. Each batch wins or
 * loses alone. */
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
  /* Called on the thread that leads the group; must be quick and must not submit. `err` says why when the
   * whole group failed, else NULL. */
  void (*done)(struct commit_request *request, const orr_error *err);
} commit_request;

/* Without a thread. NULL with err. */
committer *committer_new(const orr_env *env, store *s, orr_error *err);
/* Starts the thread, if it is not there: 0, ORR_E_LIMIT or ORR_E_MEMORY. One caller at a time. */
int committer_start(committer *c, orr_error *err);
/* Has it a thread? */
bool committer_has_thread(const committer *c);
/* Commits what was submitted and ends the thread, if there is one: callers lead from then on. No
 * other thread uses it. */
void committer_stop(committer *c);
/* Stops it and lets go of it. NULL is fine. */
void committer_free(committer *c);

/* For a committer with a thread. The request stays the caller's and must live until `done`. Any
 * thread. */
void committer_submit(committer *c, commit_request *request);
/* Submits and waits; answers as store_commit does. At most COMMIT_REQUEST_MAX batches. The
 * caller has no view open: it may write for others. */
int committer_commit(committer *c, store_batch *batches, size_t count, orr_error *err);
/* How many requests are in no group yet. Any thread. */
size_t committer_waiting(committer *c);

#endif
