/* Leaving a node by its flows. */
#ifndef ORR_EXEC_FLOW_H
#define ORR_EXEC_FLOW_H

#include "exec/agenda.h"
#include "exec/scope.h"
#include "state/execution.h"

int op_take_flow(context *c, operation *op);  /* op->flow */
/* Chooses the flows that a token leaves by, and plans their taking. `chosen`: this one alone. */
int flows_leave(context *c, rec_execution *e, const node *n, const flow *chosen);

#endif
