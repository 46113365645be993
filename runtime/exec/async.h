/* Tokens that wait for an async job, and what the job continues with. */
#ifndef ORR_EXEC_ASYNC_H
#define ORR_EXEC_ASYNC_H

#include "exec/scope.h"

/* What an async job continues with (async_job)
 *   ASYNC_BEFORE             op_start
 *   ASYNC_AFTER with a flow  op_take_flow: listeners, mapping and conditions came before the job (one job a flow)
 *   ASYNC_AFTER without one  by dialect: op_leave with OP_RESUMED (the job does all of leaving), or
 *                            op_end_token where there is no flow;
 *                            multi_instance_left for an inner instance */

/* Makes the token wait for a job before or after its node. */
int async_wait(context *c, rec_execution *e, const node *n, int kind, const flow *f);
/* Runs such a job: its token continues. */
int async_job(context *c, rec_job *job);

#endif
