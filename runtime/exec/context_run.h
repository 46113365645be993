/* Running a context: its agenda goes on until it is empty, fails, or waits for the host. */
#ifndef ORR_CONTEXT_RUN_H
#define ORR_CONTEXT_RUN_H

#include "exec/awaiting.h"

/* A context that has just been made gets what running it needs. 0 or ORR_E_MEMORY. */
int context_run_prepare(context *c);
/* Runs the agenda until it is empty, pending, or failed. Returns 0, ORR_E_* (CONTEXT_FAILED), or RUN_PENDING. */
int context_run(context *c);
/* A call that a run of `c` waits for may go on: runs on, unless the context is busy and will come to it by itself. */
void context_awakened(context *c, const await_frame *frame);
/* Waits on the caller's thread until `c` is no longer pending, and resumes it as answers come.
 * Checks now and then whether waiting still makes sense: ORR_E_CONFLICT once the job, or an
 * instance that waits, has been deleted; otherwise what c->check_wait answers. Ending the context cuts
 * the calls that are still under way. RUN_PENDING: it may nap, and does. */
int context_wait(context *c);
/* Runs the agenda until what is planned from here on has run: for nested API calls. Waits for pending calls by
 * context_wait. */
int context_run_nested(context *c, uint32_t mark, orr_error *err);

#endif
