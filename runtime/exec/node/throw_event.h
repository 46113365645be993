/* Throw and end events: what they send. */
#ifndef ORR_THROW_EVENT_H
#define ORR_THROW_EVENT_H

#include "exec/event/propagation.h"

/* None, message, signal, escalation, compensation events: throws, then leaves. */
int throw_event(context *c, rec_execution *e, const node *n);
/* Throws the error of an error end event, with its variables. */
int throw_error_event(context *c, rec_execution *e, const node *n);
/* Continues at the catch event of the same name. */
int throw_link(context *c, rec_execution *e, const node *n);
/* The trigger of messages that an implementation sends, perhaps an external worker's. */
int throw_trigger(context *c, rec_execution *e, const node *n, trigger_kind kind, const orr_value *variables);
/* Gives up what such an implementation was waiting for. */
int throw_cancel(context *c, rec_execution *e, const node *n);

#endif
