/* Leaving a node by its flows. */
#ifndef ORR_EXEC_FLOW_H
#define ORR_EXEC_FLOW_H

#include "exec/agenda.h"
#include "exec/scope.h"
#include "state/execution.h"

int op_take_flow(context *c, operation *op);  /* op->flow */
/* Chooses the flows by which a token leaves, and plans to take them. `chosen`: only this one. */
int flows_leave(context *c, rec_execution *e, const node *n, const flow *chosen);

#endif
