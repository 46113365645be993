/* Opening and closing the scope that a token becomes in an activity that needs one. */
#ifndef ORR_EXEC_SCOPE_H
#define ORR_EXEC_SCOPE_H

#include "exec/execution.h"

/* The token becomes a scope: data objects. */
int scope_open(context *c, rec_execution *e, const node *n);
/* Boundary events of the activity, event sub-processes of a sub-process. */
int scope_arm(context *c, rec_execution *e, const node *n);
/* The token is a plain token again: whatever hung on it is gone. */
int scope_close(context *c, rec_execution *e);

/* ops_flow.c: chooses the flows that a token leaves by, and plans their taking. `chosen`: this one alone. */
int flows_leave(context *c, rec_execution *e, const node *n, const flow *chosen);
/* ops.c: a token arrives at a node and goes on as far as it can without the agenda. `flags`: OP_*. */
int token_enter(context *c, rec_execution *e, const node *n, uint32_t flags);
/* ops_async.c: the token waits for a job before or after its node. */
int async_wait(context *c, rec_execution *e, const node *n, int kind, const flow *f);

#endif
