/* Group commit: one thread that gathers the batches of many threads into one store transaction and one sync.
 *
 * While one group is written the next one gathers, so the busier the engine, the larger the groups: no batch waits for a timer.
 * Each batch wins or loses alone. */
#ifndef ORR_COMMITTER_H
#define ORR_COMMITTER_H

#include "../uow/uow.h"
#include "../env.h"

typedef struct committer committer;

typedef struct commit_request {
  struct commit_request *next;
  store_batch *batch; /* status holds the answer when `done` is called */
  /* Called on the committer's thread; must be quick and must not submit. `err` says why when the whole group failed, else NULL. */
  void (*done)(struct commit_request *request, const orr_error *err);
} commit_request;

/* Starts the thread. NULL with err. */
committer *committer_start(const orr_env *env, store *s, orr_error *err);
/* Commits what was submitted, ends the thread. NULL is fine. */
void committer_stop(committer *c);

/* The request stays the caller's and must live until `done`. Any thread. */
void committer_submit(committer *c, commit_request *request);
/* Submits and waits: 0, ORR_E_CONFLICT, ORR_E_STORE, with err. */
int committer_submit_wait(committer *c, store_batch *batch, orr_error *err);

typedef struct committer_stats {
  uint64_t groups, batches;
} committer_stats;
committer_stats committer_get_stats(committer *c);

#endif
