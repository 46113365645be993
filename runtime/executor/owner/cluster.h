/* Nodes: who works on the store's jobs, on whatever machine, as the records of lock owners tell it.
 *
 * An executor says in its owner's record, each time that it prolongs its lease, what its threads are at, for how many more
 * jobs it has room, and what it takes. So what is told here is as old as a third of a lease at most, unless the node has
 * fallen silent. Of executors on this machine their file (presence.h) tells the same as of now.
 *
 * A thread that runs jobs itself (run_jobs, poll) is an owner, too, while it has not ended; of itself it says nothing more
 * than its name. */
#ifndef ORR_CLUSTER_H
#define ORR_CLUSTER_H

#include "executor/owner/lock_owner.h"
#include "executor/owner/presence.h"

/* Puts down in the owner's record what the member's executor is at (lock_owner.tell). */
int cluster_tell(void *member, context *c, rec_owner *r);

typedef enum cluster_state {
  CLUSTER_AT_WORK,
  CLUSTER_SILENT,  /* its lease still holds, but it should have prolonged it long ago */
  CLUSTER_EXPIRED, /* its lease is over: whoever acquires next gives its jobs back */
  CLUSTER_GONE     /* its process has certainly ended, or works on the store that this one is a copy of */
} cluster_state;
/* "at work", "silent", "expired", "gone". */
const char *cluster_state_name(cluster_state state);

typedef struct cluster_node {
  const rec_owner *owner; /* of the unit */
  cluster_state state;
  int64_t held; /* jobs that it has locked */
  uint32_t room, waiting;
  bool stopping;
  rec_ids jobs; /* that its threads are at */
} cluster_node;

/* Jobs that are counted for each node; one that has so many has so many or more. */
#define CLUSTER_HELD_MAX 10000
typedef struct cluster_nodes {
  cluster_node *items; /* the context's arena */
  size_t count;
} cluster_nodes;

/* Every owner of locks as its record tells, the oldest first, those that are being given up behind them. 0 or
 * the context's error. */
int cluster_find(context *c, cluster_nodes *out);
/* What those of this machine are at now, in the place of what they told last. */
int cluster_hear_files(context *c, cluster_nodes *list);
/* Counts what each holds. 0 or the context's error. */
int cluster_count_held(context *c, cluster_nodes *list);
/* An executor, and not a thread that runs jobs itself. */
bool cluster_is_executor(const cluster_node *n);
/* May it still take jobs? */
bool cluster_is_alive(const cluster_node *n);
/* What it takes, and for how much more it has room, as a file would say it; `deployment` 0: any. */
running_view cluster_view(const cluster_node *n, orr_id deployment);

/* Shows every executor of the store that is alive, on whatever machine: by its file where there is one, else by its record.
 * 0 or the context's error. */
int cluster_each_executor(context *c, orr_id deployment, void (*visit)(void *ud, const running_view *view), void *ud);

/* Was its executor at that job when it last told, and not ending in good order? */
bool cluster_was_at(const rec_owner *owner, orr_id job);

/* A node for people: "process 7 on db1", or with a name that was given to it "night (process 7 on db1)". NULL: out of
 * memory. */
const char *cluster_title(context *c, const rec_owner *owner);

#endif
