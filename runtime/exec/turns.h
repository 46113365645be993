/* Branches that take turns, where the dialect has it so (branches_take_turns).
 *
 * The agenda runs a path as far as it goes before it turns to the next. Flowable's is a queue: what
 * a step plans comes behind everything that is planned already, so parallel branches advance side
 * by side, which decides how far the others have come when one of them throws a signal or an error,
 * or ends by a terminate end event. Here a token that is about to enter a node stands in a queue
 * while others have something to do, and the agenda turns to the queue when nothing else is
 * planned. A path alone never stands in it.
 *
 * From one node to the next Flowable needs three operations: choosing the flows, the flow, the
 * node. A token passes as many turns, so that branches with sub-processes, which take more, fall
 * behind by as much. */
#ifndef ORR_TURNS_H
#define ORR_TURNS_H

#include "exec/agenda.h"

enum {
  TURNS_OF_FLOW = 2, /* others' turns that a token waits between leaving a node and entering the next */
  TURNS_OF_END = 1,  /* and between a sub-process's last token's end and its own, which is a turn, too */
};

/* Is there anything that a queued token would wait for? */
static inline bool turn_others(const context *c) { return c->agenda.count > c->floor || c->turns.first; }

/* Plans an operation for its turn; `waits`: turns of others that come before. */
int turn_plan(context *c, const operation *op, uint32_t waits);
/* Does a token of this instance wait for its turn, in this run of the agenda or one around it? */
bool turn_concerns(const context *c, orr_id instance);
/* Puts the operation whose turn it is on the agenda; there is one. */
int turn_next(context *c);

#endif
