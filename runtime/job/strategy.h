/* Retry strategies: a registered name decides what becomes of a failed job, instead of its cycle.
 *
 * Named by `retryStrategy` of an activity or event (of its loop characteristics for inner instances), else by the engine's
 * option `retry_strategy`. Its `retry(job, error)` gets a map of the job as it stands after counting down (id,
 * activity_id, instance_id, handler, retries, failures, priority, created) and the failure's text. It answers nil (as if
 * there were no strategy), a wait in seconds, or a map: `retries`, and `wait` in seconds or `due` in seconds since the
 * epoch. */
#ifndef ORR_STRATEGY_H
#define ORR_STRATEGY_H

#include "job/job.h"

/* *decided false: there is none, it leaves the decision, or it failed (which is logged: a failure must be recorded in any
 * case). */
int strategy_decide(context *c, rec_job *job, const definition *d, const node *n, bool *decided);

#endif
