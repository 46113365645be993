/* What the committer answers to the batches of a worker's jobs. The worker's own thread's unless it says otherwise. */
#ifndef ORR_ANSWERS_H
#define ORR_ANSWERS_H

#include "executor/worker/worker.h"

/* `done` of a run's request: puts it into the worker's inbox. */
void answers_take(commit_request *request, const orr_error *err);
/* The siblings that a run waits for are committed. Any thread. */
void answers_quiet(siblings_waiter *waiter);
/* Ends what the inbox has; how many. */
uint32_t answers_read(worker *w);
/* Is the inbox empty? */
bool answers_none(worker *w);

#endif
