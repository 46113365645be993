/* Event subscriptions: delivering to them, and disarming the events of a scope. */
#ifndef ORR_SUBSCRIPTION_H
#define ORR_SUBSCRIPTION_H

#include "exec/node/behavior.h"

/* Removes every subscription and timer of a scope, or those of one node. */
int disarm(context *c, const scope *s, const node *only);
/* The same without compensation: the boundary events and event sub-processes of an activity that is
 * left. */
int disarm_events(context *c, rec_execution *e, const node *activity);
/* Removes what a token waits for itself and its boundary events, but not the starts of event
 * sub-processes in it. 0 or the context's error. */
int disarm_own(context *c, rec_execution *e);
/* Removes only the starts of a scope's event sub-processes. 0 or the context's error. */
int disarm_starts(context *c, const scope *s);

/* Delivers to one subscription: resumes a token, fires a boundary event, starts an event sub-process, or wins an event
 * gateway. `variables` go to the instance, `local` to the waiting scope, `triggered` to the scope that opens. The
 * subscription is used up unless its event is non-interrupting. */
typedef struct delivery {
  const orr_value *variables, *local, *triggered, *transient;
} delivery;
/* Sets the variables and triggers the event. 0 or the context's error. */
int subscription_deliver(context *c, rec_subscription *s, const delivery *d);
/* The same for a due timer. */
int timer_deliver(context *c, rec_job *job, const node *event_node);

/* Plans the catch of an event at `event_node` by the scope or activity `scope_id`; interrupting
 * events cancel first. For messages, signals, timers, conditions, errors and escalations alike. The
 * new token (or event sub-process) gets `triggered` as local variables. */
int catch_event(context *c, orr_id scope_id, const node *event_node, const orr_value *triggered);

/* What an event sub-process that starts does to the scope around it: it cancels what runs there
 * (interrupts), or leaves its other start events armed (listens). */
typedef struct event_start {
  bool interrupts, listens;
  orr_id branch; /* the only token that it cancels; 0: all */
} event_start;
/* Starts an event sub-process of the scope at its start event, as if that event had happened. */
int event_subprocess_start(context *c, orr_id scope_id, const node *event,
                           const orr_value *triggered, event_start how);
/* An interrupting event sub-process begins in the scope: no other one can start any more. */
int interrupt_listening(context *c, const scope *s);

/* What a signal carries. The business key is for instances that it starts. Jobs carry no transient
 * variables. */
typedef struct signal_payload {
  const orr_value *variables, *transient;
  const char *business_key;
} signal_payload;

#endif
