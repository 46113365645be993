/* Tokens that wait for an async job, and what the job continues with. */
#ifndef ORR_EXEC_ASYNC_H
#define ORR_EXEC_ASYNC_H

#include "exec/scope.h"

/* What an async job continues with (async_job)
 *   ASYNC_BEFORE             op_start
 *   ASYNC_AFTER with a flow  op_take_flow: listeners, mapping and conditions came before the job (one job a flow)
 *   ASYNC_AFTER without one  by dialect: op_leave with OP_RESUMED (all of leaving is in the job), or, where no flow leads
 *     on, op_end_token;
 *                            for an inner instance multi_instance_left */

/* The token waits for a job before or after its node. */
int async_wait(context *c, rec_execution *e, const node *n, int kind, const flow *f);
/* A job before or after a node: its token goes on. */
int async_job(context *c, rec_job *job);

#endif
