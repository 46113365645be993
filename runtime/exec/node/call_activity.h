/* Call activities: what errors and escalations that leave a called process need of them. */
#ifndef ORR_CALL_H
#define ORR_CALL_H

#include "state/execution.h"

/* Copies the called instance's variables out as they are now, when it ends by an error or sends an
 * escalation to its caller. */
int call_map_outputs(context *c, rec_execution *caller);

/* In the same cases, what the variable mapper is to see of the called instance; NIL: there is no
 * mapper. */
int call_mapper_sees(context *c, const rec_execution *caller, orr_value *out);
/* Plans the call of that mapper, before anything else of the token. */
int call_plan_mapper(context *c, orr_id caller, const orr_value *called);

#endif
