/* Batches at work.
 *
 *   made: its things cut into parts, a part into jobs
 *     -> seeds: each makes the jobs of one part; the first part's are made with the batch
 *     -> jobs: each does the action to its things, in one transaction
 *     -> the last one that is done ends the batch; where two are done at once and neither sees it, the monitor does
 *
 * A step is one commit: its job goes with what it did, so it is done once, however often it is tried, and whatever is
 * killed between two steps finds the next one in the store. */
#ifndef ORR_COMMAND_BATCH_RUN_H
#define ORR_COMMAND_BATCH_RUN_H

#include "command/frame.h"

/* Cuts `ids` into the parts of a new batch and makes its first jobs; one about nothing has ended. */
int batch_make(context *c, rec_batch *batch, const orr_id *ids, size_t count);
/* `state`: "completed", "canceled". What is left of its jobs, parts and job definitions goes. */
int batch_end(context *c, rec_batch *batch, const char *state);
/* Suspends or activates its jobs, and those that it is yet to make. */
int batch_switch(context *c, rec_batch *batch, bool suspended);
/* The job of a batch: its action, to the things that the job names. */
int batch_job(context *c, rec_job *job);
/* Makes the next jobs of a batch. */
int batch_seed_job(context *c, rec_job *job);
/* Ends a batch whose jobs are all done. */
int batch_monitor_job(context *c, rec_job *job);

#endif
