/* What a thrown event carries: the variables that its mappings send, and those that a catcher
 * takes. */
#ifndef ORR_EVENT_PAYLOAD_H
#define ORR_EVENT_PAYLOAD_H

#include "state/execution.h"

/* The variables that a throw or end event sends; ORR_NIL: it has no mappings. */
int payload_send(context *c, rec_execution *e, const node *n, orr_value *out);
/* Adds what a catching event takes to an open map: everything, or what its own mappings
 * (flowable:in) name; transient ones are left out. */
int payload_receive(context *c, const event_definition *event, const orr_value *variables, orr_builder *b);
/* The same as a map; all variables where the event has no mappings. */
int payload_received(context *c, const event_definition *event, const orr_value *variables, orr_value *out);
/* Sets what the event's transient mappings name, in the scope where the event is. */
int payload_receive_transient(context *c, const event_definition *event, const orr_value *variables, orr_id scope_id);

#endif
