/* What travels with thrown events: the variables their mappings send, and what catchers take out of them. */
#ifndef ORR_EVENT_PAYLOAD_H
#define ORR_EVENT_PAYLOAD_H

#include "state/execution.h"

/* The variables that a throw or end event sends; ORR_NIL: it has no mappings. */
int payload_send(context *c, rec_execution *e, const node *n, orr_value *out);
/* What a catching event takes: everything, or what its own mappings (flowable:in) name, but for transient ones. Added to
 * an open map, or as a map. */
int payload_receive(context *c, const event_definition *event, const orr_value *variables, orr_builder *b);
/* The same, or all variables where the event maps none. */
int payload_received(context *c, const event_definition *event, const orr_value *variables, orr_value *out);
/* What its transient mappings name is set where the event stands. */
int payload_receive_transient(context *c, const event_definition *event, const orr_value *variables, orr_id scope_id);

#endif
