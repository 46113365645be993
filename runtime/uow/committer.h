/* Group commit: one thread that gathers the batches of many threads into one store transaction and one sync.
 *
 * While a group is written, or waits its turn behind other processes, the next one gathers: the busier the store, the
 * larger the groups, and no batch waits for a timer. Each batch wins or loses alone. */
#ifndef ORR_COMMITTER_H
#define ORR_COMMITTER_H

#include "base/env.h"
#include "uow/uow.h"

typedef struct committer committer;

#define COMMIT_REQUEST_MAX 256

typedef struct commit_request {
  struct commit_request *next;
  store_batch *batches; /* at most COMMIT_REQUEST_MAX; their status holds the answers when `done` is called */
  size_t count;
  /* Called on the committer's thread; must be quick and must not submit. `err` says why when the whole group failed, else
   * NULL. */
  void (*done)(struct commit_request *request, const orr_error *err);
} commit_request;

/* Starts the thread. NULL with err. */
committer *committer_start(const orr_env *env, store *s, orr_error *err);
/* Commits what was submitted, ends the thread. NULL is fine. */
void committer_stop(committer *c);

/* The request stays the caller's and must live until `done`. Any thread. */
void committer_submit(committer *c, commit_request *request);
/* Submits and waits; answers as store_commit does. At most COMMIT_REQUEST_MAX batches. */
int committer_commit(committer *c, store_batch *batches, size_t count, orr_error *err);

#endif
