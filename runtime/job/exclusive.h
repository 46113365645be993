/* The instance lock that goes with exclusive jobs: as long as one is locked, nobody else gets another of the same instance
 * (or, as an option, of the same call hierarchy). The record says who holds it and for how many jobs; whoever holds it
 * runs them one after another. It is taken and given up in the same batch as the job's own lock, so the guarantee holds
 * across processes. */
#ifndef ORR_EXCLUSIVE_H
#define ORR_EXCLUSIVE_H

#include "job/job.h"

/* Counts one more locked job of `owner` in `scope`, and puts down in the job where it is counted: whoever releases it may
 * acquire by other options. *taken false when another owner has the scope. */
int exclusive_take(context *c, rec_job *job, orr_id scope_id, uint64_t owner, bool *taken);
/* One fewer. Fine when the lock is gone or somebody else's. */
int exclusive_release(context *c, const rec_job *job);
/* Who has a scope; NULL: nobody (or c->error). */
rec_exclusive *exclusive_holder(context *c, orr_id scope_id);
/* What the lock is for: the instance, or with `hierarchy` the root of its call hierarchy. */
orr_id exclusive_scope(const rec_job *job, bool hierarchy);
/* Where a locked job is counted; 0: nowhere. */
orr_id exclusive_scope_held(const rec_job *job);

#endif
