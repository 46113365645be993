/* The jobs that a worker has begun, from their first step to their end. The worker's own thread's unless it says otherwise. */
#ifndef ORR_JOB_RUN_H
#define ORR_JOB_RUN_H

#include "executor/worker/worker.h"

/* Begins a job, and takes it as far as it goes. The entry may be gone then. */
void worker_begin(worker *w, entry *e, store_prefetched *prefetched);
/* Ends the runs that wait for the host, and whose jobs are gone or no longer ours; goes on where
 * the last look ended. */
void worker_cut_lost_runs(worker *w);
/* Ends the runs that wait for the host; their jobs are to be given back. */
void worker_abandon_waiting(worker *w);
/* What others have committed is taken into the run, and it goes on. */
void run_continue(run *r);
/* Writes down that the job has failed, in a batch of its own. */
void run_record_failure(run *r);
/* The run has lost a race: the job is tried again later, or fails when it has lost too many in a
 * row. */
void run_conflicted(run *r);
/* The first half of that: the job is tried again later, which costs no retry. False: it has lost
 * too many in a row. Any thread that has the answer in hand. */
bool run_try_later(run *r);
/* The run is out of this worker's hands. */
void run_release(run *r);

#endif
