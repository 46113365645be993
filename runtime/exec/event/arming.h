/* Arming events: making the subscriptions and timers by which a token or a scope waits for them. */
#ifndef ORR_EXEC_EVENT_ARMING_H
#define ORR_EXEC_EVENT_ARMING_H

#include "exec/event/subscription.h"

/* Arms the boundary events of an activity that a token, now its scope, has entered. */
int arm_boundary(context *c, rec_execution *e, const node *activity);
/* Arms the start events of the event sub-processes of a scope that opens. */
int arm_event_subprocesses(context *c, const scope *s);
/* Arms one event for an execution: of catch events, receive tasks, targets of event gateways. */
int arm_event(context *c, orr_id execution, const node *event_node);

#endif
