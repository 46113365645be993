/* Numbers of an instance that a job reserves: ids for the jobs that follow it, and numbers for rows
 * of history.
 *
 * Counters in the instance's record give them out. So each step of a chain of async jobs would have
 * to write the instance for a number alone, and would lose to every other writer. Instead, the
 * first job of a chain takes more numbers than it needs and stores them in the job that follows,
 * which hands on what it does not use.
 *
 * The numbers are valid as long as the instance's counters have not moved since. Whoever else takes
 * numbers moves them, and the next job then takes from the instance again. So rows of history keep
 * their order. A job relies on nothing else of the instance without writing it: whoever suspends,
 * deletes, migrates or modifies the instance writes or deletes its jobs, and then the running job's
 * commit, which checks its job's revision, loses. */
#ifndef ORR_NUMBERS_H
#define ORR_NUMBERS_H

#include "state/context.h"

/* The context runs this job: the job's numbers are the context's from now on. */
void numbers_begin(context *c, const rec_job *job);
/* As unit_next_id. 0: c->error. */
orr_id numbers_next_id(context *c, rec_instance *instance);
/* A number for a row of history, as unit_next_sequence gives one. -1: out of memory. */
int64_t numbers_next_sequence(context *c, rec_instance *instance);
/* The place of a new row of history among the rows of its instance. A row of no instance, or of one
 * that is gone from the store, has its place among all such rows. 0: an older build at this store
 * could not read it. -1: c->error. */
int64_t numbers_place(context *c, orr_id instance);
/* To be called before the context's batch is made. Gives the job that continues in the instance
 * what is left, or new numbers where the instance is written anyway. 0 or an error. */
int numbers_hand_on(context *c);

#endif
