/* How often a job is tried, and when again (features J10). A retry strategy (strategy.h) decides
 * first. Otherwise a retry cycle does: the node's (for jobs of inner multi-instances, that of its
 * loop characteristics), else the engine's. Without one, the engine's `retries` and the dialect's
 * wait apply. */
#ifndef ORR_RETRY_H
#define ORR_RETRY_H

#include "job/job.h"

/* The number of tries of a new job. A malformed cycle counts as none, with a warning, unless the
 * dialect refuses it. */
int retry_initial(context *c, const rec_job *job, orr_id scope, const definition *d, const node *n, int64_t *retries);
/* After a failure: counts down, and sets the due date of the next try. The caller sets the job's
 * error fields. `asked_ms`: the least wait that the failed call asked for (0: none). A strategy has
 * the last word. */
int retry_after_failure(context *c, rec_job *job, const definition *d, const node *n, int64_t asked_ms);

#endif
