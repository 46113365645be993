/* Running a context: its agenda runs until it is empty, fails, or waits for the host. */
#ifndef ORR_CONTEXT_RUN_H
#define ORR_CONTEXT_RUN_H

#include "exec/awaiting.h"

/* Gives a new context what running needs. 0 or ORR_E_MEMORY. */
int context_run_prepare(context *c);
/* Runs the agenda until it is empty, pending, or failed. Returns 0, ORR_E_* (CONTEXT_FAILED), or RUN_PENDING. */
int context_run(context *c);
/* A call that a run of `c` awaits may continue. Runs the context, unless it is busy and will come
 * to the call by itself. */
void context_awakened(context *c, const await_frame *frame);
/* Waits on the caller's thread until `c` is no longer pending, and resumes it as answers come.
 * Checks now and then whether waiting still makes sense: ORR_E_CONFLICT once the job, or an
 * instance that waits, was deleted; else what c->check_wait answers. Ending the context abandons
 * calls that are still under way. RUN_PENDING: only a move of the manual clock would end the wait,
 * and c->leaves_clock_waits allows to leave it. */
int context_wait(context *c);
/* Runs the agenda until what was planned from `mark` on has run: for nested API calls. Waits for
 * pending calls by context_wait. */
int context_run_nested(context *c, uint32_t mark, orr_error *err);

#endif
