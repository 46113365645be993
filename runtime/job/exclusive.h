/* The instance lock that goes with exclusive jobs: as long as one is locked, nobody else gets another of the same instance (or, as an
 * option, of the same call hierarchy). The record says who holds it and for how many jobs; whoever holds it runs them one after another.
 * It is taken and given up in the same batch as the job's own lock, so the guarantee holds across processes. */
#ifndef ORR_EXCLUSIVE_H
#define ORR_EXCLUSIVE_H

#include "job.h"

/* Counts one more locked job of `owner`; *taken false when another owner has the instance. */
int exclusive_take(context *c, const rec_job *job, rec_text owner, bool *taken);
/* One fewer. Fine when the lock is gone or somebody else's. */
int exclusive_release(context *c, const rec_job *job);
/* Who has it; NULL: nobody (or c->error). */
rec_exclusive *exclusive_of_job(context *c, const rec_job *job);
/* What the lock is for: the instance, or the root of its hierarchy. */
orr_id exclusive_scope(const orr_engine *engine, const rec_job *job);

#endif
