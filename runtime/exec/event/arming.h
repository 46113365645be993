/* Arming events: making the subscriptions and timers by which a token or a scope waits for them. */
#ifndef ORR_EXEC_EVENT_ARMING_H
#define ORR_EXEC_EVENT_ARMING_H

#include "exec/event/subscription.h"

/* Boundary events of an activity that a token (now its scope) has entered. */
int arm_boundary(context *c, rec_execution *e, const node *activity);
/* Start events of the event sub-processes of a scope that opens. */
int arm_event_subprocesses(context *c, const scope *s);
/* One event on behalf of an execution: catch events, receive tasks, event gateway targets (op: node is the event). */
int arm_event(context *c, orr_id execution, const node *event_node);

#endif
