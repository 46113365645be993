/* Running batches.
 *
 *   made: its things are cut into parts, and each part into jobs
 *     -> seeds: each makes the jobs of one part; the first part's are made with the batch
 *     -> jobs: each does the action to its things, in one transaction
 *     -> the last job ends the batch; if two end at once and neither sees that, the monitor does
 *
 * A step is one commit, and its job is deleted with it. So it is done once, however often it is tried;
 * after a crash between two steps, the next one is in the store. */
#ifndef ORR_COMMAND_BATCH_RUN_H
#define ORR_COMMAND_BATCH_RUN_H

#include "command/frame.h"

/* Cuts `ids` into the parts of a new batch and makes its first jobs. A batch of nothing has
 * ended. */
int batch_make(context *c, rec_batch *batch, const orr_id *ids, size_t count);
/* `state`: "completed" or "canceled". Deletes what is left of its jobs, parts and job
 * definitions. */
int batch_end(context *c, rec_batch *batch, const char *state);
/* Suspends or activates its jobs, and those that it has yet to make. */
int batch_switch(context *c, rec_batch *batch, bool suspended);
/* A batch's job: does the action to the things that the job names. */
int batch_job(context *c, rec_job *job);
/* A seed: makes the next jobs of the batch. */
int batch_seed_job(context *c, rec_job *job);
/* A monitor: ends the batch if all of its jobs are done. */
int batch_monitor_job(context *c, rec_job *job);

#endif
