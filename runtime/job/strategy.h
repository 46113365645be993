/* Retry strategies: a registered name decides what becomes of a failed job, instead of a retry
 * cycle.
 *
 * The attribute `retryStrategy` of an activity or event (for inner instances, of its loop
 * characteristics) names one, else the engine's option `retry_strategy`. Its `retry(job, error)`
 * gets the text of the failure and a map of the job after counting down (id, activity_id,
 * instance_id, handler, retries, failures, priority, created). It answers nil (as if there were no
 * strategy), a wait in seconds, or a map: `retries`, and `wait` in seconds or `due` in seconds
 * since the epoch. */
#ifndef ORR_STRATEGY_H
#define ORR_STRATEGY_H

#include "job/job.h"

/* *decided is false when there is no strategy, or it answers nil, or it fails. A failure is only
 * logged, because the job's own failure must be recorded in any case. */
int strategy_decide(context *c, rec_job *job, const definition *d, const node *n, bool *decided);

#endif
