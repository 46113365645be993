/* The inside of a worker: its thread and loop (worker.c), the jobs that it has begun
 * (job_run.c), and what the committer answers to their batches (answers.c). Everything is the
 * worker's own thread's unless it says otherwise. */
#ifndef ORR_WORKER_H
#define ORR_WORKER_H

#include "executor/pool_internal.h"

/* Jobs a worker has begun and not ended; their contexts are what a waiting job costs. */
#define WORKER_ACTIVE_MAX 20000

/* Memory of a parcel that is used again: a job's batch is of some 900 bytes. */
#define WORKER_PARCEL_BYTES 1536

/* Parcels kept for reuse: as many as come back together from a large group commit. */
#define WORKER_PARCELS_MAX 4096

/* How soon a job comes again whose failure could not be recorded: the store or memory needs a
 * moment. */
#define WORKER_ABANDONED_MS 1000

/* ---- job_run.c ------------------------------------------------------------------------------- */

/* Begins a job, and takes it as far as it goes. The entry may be gone then. */
void worker_begin(worker *w, entry *e, store_prefetched *prefetched);
/* Ends the runs that wait for the host, and whose jobs are gone or no longer ours; goes on where
 * the last look ended. */
void worker_cut_lost_runs(worker *w);
/* Ends the runs that wait for the host; their jobs are to be given back. */
void worker_abandon_waiting(worker *w);
/* What others have committed is taken into the run, and it goes on. */
void run_go_on(run *r);
/* Writes down that the job has failed, in a batch of its own. */
void run_record_failure(run *r);
/* The run has lost a race: the job is tried again later, or fails when it has lost too many in a
 * row. */
void run_conflicted(run *r);
/* The first half of that: the job is tried again later, which costs no retry. False: it has lost
 * too many in a row. Any thread that has the answer in hand. */
bool run_try_later(run *r);
/* The run is out of this worker's hands. */
void run_let_go(run *r);

/* ---- answers.c ------------------------------------------------------------------------------- */

/* `done` of a run's request: puts it into the worker's inbox. */
void answers_take(commit_request *request, const orr_error *err);
/* The siblings that a run waits for are committed. Any thread. */
void answers_quiet(siblings_waiter *waiter);
/* Ends what the inbox has; how many. */
uint32_t answers_read(worker *w);
/* Is the inbox empty? */
bool answers_none(worker *w);

#endif
