/* The instance lock of exclusive jobs: while one of them is locked, nobody else gets another of the
 * same instance or, as an option, of the same call hierarchy. Its record says which owner holds it,
 * and for how many jobs; that owner runs them one after another. The batch that locks or unlocks a
 * job also takes or gives back the instance lock, so the guarantee holds across processes. */
#ifndef ORR_EXCLUSIVE_H
#define ORR_EXCLUSIVE_H

#include "job/job.h"

/* Counts one more locked job of `owner` in `scope`, and notes in the job where it is counted,
 * because whoever releases it may acquire by other options. *taken is false when another owner has
 * the scope. */
int exclusive_take(context *c, rec_job *job, orr_id scope_id, uint64_t owner, bool *taken);
/* Counts one fewer. Does nothing when the lock is gone, or another owner's. */
int exclusive_release(context *c, const rec_job *job);
/* The lock of a scope; NULL: nobody holds it (or c->error). */
rec_exclusive *exclusive_holder(context *c, orr_id scope_id);
/* The scope that a job locks: its instance or, with `hierarchy`, the root of its call hierarchy. */
orr_id exclusive_scope(const rec_job *job, bool hierarchy);
/* The scope where a locked job is counted; 0: none. */
orr_id exclusive_scope_held(const rec_job *job);

#endif
