/* Compensation: what completed activities leave behind, and what a throw makes of it. */
#ifndef ORR_COMPENSATION_H
#define ORR_COMPENSATION_H

#include "exec/event/propagation.h"

/* May completing this activity leave something to compensate? A cheap test before
 * compensation_arm. */
static inline bool compensation_wanted(const dialect *say, const rec_execution *e, const node *n) {
  if (e->kind == EXECUTION_MULTI_BODY) return e->flags & ORR_SCOPE_SUBSCRIPTIONS;
  if (n->compensation_handler) return true;
  if (n->type == NODE_EVENT_SUB_PROCESS)
    return say->event_subprocess_compensable && !e->thrower && e->flags & ORR_SCOPE_SUBSCRIPTIONS;
  return node_is_scope(n) && (e->flags || n->n_event_subprocesses);
}

/* A handler's token, or the compensation of a completed scope, is done: `thrower` waits for one
 * fewer. */
int compensation_done(context *c, orr_id thrower);

/* An activity with a compensation handler has completed: keeps its variables in an event scope, and
 * a subscription for the handler. */
int compensation_arm(context *c, rec_execution *e, const node *activity);
/* Plans the handlers of one completed activity or, with NULL, of all in the thrower's scope, latest
 * first. The thrower waits for them, unless its event says otherwise. */
int compensation_throw(context *c, rec_execution *thrower, const node *activity_or_null);
/* A cancel end event: compensates the transaction around it, then leaves by its cancel boundary event. */
int transaction_cancel(context *c, rec_execution *thrower);

#endif
