/* Numbers of an instance that a job sets aside: ids of the jobs that follow it, and of rows of history.
 *
 * They are dealt by counters in the instance's record, so each step of a chain of async jobs would write the instance, and
 * lose to all that writes it meanwhile, for a number alone. Instead the first of a chain takes some more than it needs, puts
 * them down in the job that follows, and this one hands on what is left.
 *
 * They hold as long as the instance's counters are where they were when the numbers were taken: who else takes numbers moves
 * them on, and what follows then goes by the instance again. So rows of history keep their order. Nothing else of the
 * instance is relied on by not writing it: who suspends, deletes, migrates or modifies it writes or deletes its jobs, and
 * the job that runs goes, or is followed in its place, with the revision that it was read with. */
#ifndef ORR_NUMBERS_H
#define ORR_NUMBERS_H

#include "state/context.h"

/* The context runs this job: its numbers are the context's from now on. */
void numbers_begin(context *c, const rec_job *job);
/* As unit_next_id. 0: c->error. */
orr_id numbers_next_id(context *c, rec_instance *instance);
/* One number for a row of history, as unit_next_sequence. -1: out of memory. */
int64_t numbers_next_sequence(context *c, rec_instance *instance);
/* The place of a new row of history among those of its instance; of a row of no instance, or of
 * one that is gone from the store, among all such rows. 0: a build beside this one could not read
 * it. -1: c->error. */
int64_t numbers_place(context *c, orr_id instance);
/* Before the context's batch is made: the job that goes on in the instance gets what is left, or new ones where the instance
 * is written anyway. 0 or an error. */
int numbers_hand_on(context *c);

#endif
