/* The inside of a worker: its thread and loop (worker.c), the jobs that it has begun
 * (job_run.c), and what the committer answers to their batches (answers.c). Everything is the
 * worker's own thread's unless it says otherwise. */
#ifndef ORR_WORKER_H
#define ORR_WORKER_H

#include "executor/pool_internal.h"

/* Jobs a worker has begun and not ended; their contexts are what a waiting job costs. */
#define WORKER_ACTIVE_MAX 20000

/* Memory of a pending commit that is used again: a job's batch takes some 900 bytes. */
#define WORKER_COMMIT_BYTES 1536

/* Parcels kept for reuse: as many as come back together from a large group commit. */
#define WORKER_COMMITS_MAX 4096

/* How soon a job comes again whose failure could not be recorded: the store or memory needs a
 * moment. */
#define WORKER_ABANDONED_MS 1000

#endif
