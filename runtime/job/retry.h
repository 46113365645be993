/* How often a job is tried and when again (features J10). A retry cycle is looked for at the node (inner multi-instance
 * jobs: at its loop characteristics), then at the engine; a strategy (strategy.h) decides before it; without one, the
 * engine's `retries` and the dialect's wait hold. */
#ifndef ORR_RETRY_H
#define ORR_RETRY_H

#include "job/job.h"

/* The number of tries of a new job. A malformed cycle counts as none, with a warning, unless the dialect refuses it. */
int retry_initial(context *c, const rec_job *job, orr_id scope, const definition *d, const node *n, int64_t *retries);
/* After a failure: counts down and sets the due date of the next try. The job's error fields are the caller's. `asked_ms`:
 * what failed has asked for at least so long (0: it has not); a strategy has the last word. */
int retry_after_failure(context *c, rec_job *job, const definition *d, const node *n, int64_t asked_ms);

#endif
