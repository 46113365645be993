/* Compensation's inside; throw.h has what others call. */
#ifndef ORR_COMPENSATION_H
#define ORR_COMPENSATION_H

#include "exec/event/propagation.h"

/* May completing this activity leave something to compensate? The cheap test before compensation_arm. */
static inline bool compensation_wanted(const rec_execution *e, const node *n) {
  if (e->kind == EXECUTION_MULTI_BODY) return e->flags & ORR_SCOPE_SUBSCRIPTIONS;
  return n->compensation_handler || (node_is_scope(n) && n->type != NODE_EVENT_SUB_PROCESS && (e->flags || n->n_event_subprocesses));
}

/* A handler's token, or a completed scope's compensation, is done: `thrower` waits for one fewer. */
int compensation_done(context *c, orr_id thrower);

#endif
