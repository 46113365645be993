/* Jobs that wait for their limits: putting them aside, and making them ready again when there is
 * room.
 *
 * What it costs: a job is put aside at most once for each time that it becomes ready, at most
 * THROTTLE_PARK_MAX in one round of acquisition; a round looks at each limit of the store, and
 * counts the leases (at most `max`) of those for which jobs wait. */
#ifndef ORR_THROTTLE_H
#define ORR_THROTTLE_H

#include "executor/acquire.h"
#include "job/limit.h"

/* Jobs put aside in one round: what a round adds to its transaction, and how long those behind them wait for theirs. */
#define THROTTLE_PARK_MAX 1000

/* Puts the job aside until the limit has room. 0 or the context's error. */
int throttle_park(context *c, rec_job *job, const limit_room *full);
/* Makes as many ready as their limits and `out->max` have room for. Sets out->throttled, brings out->next_due forward to
 * the next token, and says whether there are limits at all. */
int throttle_promote(orr_engine *engine, acquisition *out, bool *limits, orr_error *err);
/* Makes ready up to `most` jobs that wait for a limit; *count: how many. */
int throttle_release(context *c, rec_text limit, size_t most, size_t *count);
/* The commit must find waiting for the limit those that wait for it now, no more and none less. */
int throttle_rely_on_all(context *c, rec_text limit);

#endif
