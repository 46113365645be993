/* A token from node to node: enter, start, execute, leave. */
#ifndef ORR_EXEC_TOKEN_H
#define ORR_EXEC_TOKEN_H

#include "exec/agenda.h"
#include "exec/scope.h"
#include "state/execution.h"

/* The operations of a token:
 *
 *   enter -> [async-before job] -> start (scope, input mapping, arm events, start listeners) -> execute (behavior)
 *   -> leave (disarm, end listeners, output mapping, close scope) -> [async-after job] -> take (choose flows) -> flow
 *     (take listeners)
 *   -> enter
 *
 * A token that has no listeners, mappings or events goes from op_leave of one node up to the execution
 * of the next without the agenda. */

/* Begins a new instance (op->execution: its id; op->node: the start event, or NULL): arms the event
 * sub-processes of the root scope, runs the process's start listeners, makes the first token. The
 * record exists already, with its data objects and variables. */
int op_start_instance(context *c, operation *op);
int op_enter(context *c, operation *op);      /* op->flow: came by; a multi-instance or async-before node stops here first */
int op_start(context *c, operation *op);      /* behind async-before */
int op_execute(context *c, operation *op);    /* calls the behavior */
/* the behavior is done; op->flow: leaves by this flow alone, whatever conditions say */
int op_leave(context *c, operation *op);
int op_close(context *c, operation *op);      /* behind end listeners and output mapping */
int op_end_token(context *c, operation *op);  /* the path ends here: removes the token, ends the scope when it was the last */
int op_scope_empty(context *c, operation *op);/* a scope (op->execution) has no live children left: completes it */
/* Plans a new token in `parent`, which enters `at`. */
int plan_token(context *c, const scope *parent, const node *at, const flow *by);
/* Plans an operation on a token's node. The caller fills in what else it needs. NULL: out of
 * memory, c->error filled. */
operation *plan_at(context *c, operation_fn run, orr_id execution, const node *n, uint32_t flags);
/* The same where nothing else is needed: 0, or c->error's code. */
int plan_on(context *c, operation_fn run, orr_id execution, const node *n, uint32_t flags);
/* The token leaves its node, by the flows whose conditions hold. 0 or ORR_E_MEMORY. */
int plan_leave(context *c, const rec_execution *e, const node *n);
/* Plans op_take_flow, or op_leave, with its flow. */
int plan_by_flow(context *c, operation_fn run, orr_id execution, const node *n, const flow *f, uint32_t flags);
/* The token arrives at a node, and continues as far as it can without the agenda. `flags`: OP_*. */
int token_enter(context *c, rec_execution *e, const node *n, uint32_t flags);

/* Begins a sub-process (or one instance of it) around what the caller will put into it, instead of
 * at its start event. Plans its input mapping, the arming of its events and its start listeners. */
int token_begin_scope(context *c, rec_execution *e, const node *n, uint32_t flags);

#endif
