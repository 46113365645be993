/* Calling the implementation of a task, and keeping its result. */
#ifndef ORR_SERVICE_CALL_H
#define ORR_SERVICE_CALL_H

#include "exec/agenda.h"
#include "state/execution.h"

/* Calls what n->service runs, as a delegate, a script or a trigger. `next` finds the token in op->execution, the node in
 * op->node, and what the callee saw in op->data (orr_execution). */
int service_call(context *c, const rec_execution *e, const node *n, host_call_kind kind, const orr_value *data,
                 operation_fn next);
/* Stores what the implementation returned in the task's result variable: null when it returned
 * nothing. */
int service_store_result(context *c, orr_id execution, const node *n, const orr_value *value);

#endif
