/* Branches that advance side by side, where the dialect has it so (branches_take_turns).
 *
 * The agenda runs a path as far as it goes before it begins the next. Flowable's agenda is a queue:
 * what a step plans comes behind everything that is planned already. So its parallel branches
 * advance side by side, and that decides how far the others have come when one of them throws a
 * signal or an error, or ends by a terminate end event. Here, a token that is about to enter a node
 * waits in a queue while others have something to do. The agenda takes from the queue when nothing
 * else is planned. A path alone never waits in it.
 *
 * From one node to the next Flowable needs three operations: choosing the flows, the flow, the
 * node. A token therefore lets others go first as often, so that branches with sub-processes, which
 * need more operations, fall behind by as much. */
#ifndef ORR_BRANCH_QUEUE_H
#define ORR_BRANCH_QUEUE_H

#include "exec/agenda.h"

enum {
  ROUNDS_OF_FLOW = 2, /* rounds that a token waits between leaving a node and entering the next */
  ROUNDS_OF_END = 1,  /* ... between the end of a sub-process's last token and its own end, which is a third */
};

/* Is there anything that a queued token would wait for? */
static inline bool branches_wait(const context *c) { return c->agenda.count > c->floor || c->branches.first; }

/* Queues an operation; it lets others go first `waits` times. */
int branch_queue_add(context *c, const operation *op, uint32_t waits);
/* Is a token of this instance queued, in this run of the agenda or one around it? */
bool branch_queue_concerns(const context *c, orr_id instance);
/* Plans the first operation that has waited long enough. The queue is not empty. */
int branch_queue_run_next(context *c);

#endif
