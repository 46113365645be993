/* The job executor: an acquisition thread, a bounded queue, and a pool of workers, for one engine or several.
 *
 *   acquisition --lock--> queue --> workers --batch--> committer --answer--> workers
 *        ^                  ^                                                   |
 *        '---- wake-ups ----'<------------- hand-over of follow-up jobs --------'
 *
 * The queue holds jobs that are locked for us and neither finished nor given back ("in flight", at most queue_size per
 * engine); acquisition never takes more than there is room for. Exclusive jobs of one instance form a chain: the next
 * enters the queue when the one before is done. Engines take turns, so that a busy one does not starve another. */
#ifndef ORR_EXECUTOR_H
#define ORR_EXECUTOR_H

#include "engine/engine.h"
#include "executor/acquire.h"
#include "uow/readers.h"

/* Has it threads, also while it stops? */
bool executor_runs(const orr_engine *engine);
/* Is the caller running inside a job of this engine, or on a thread of the executor that serves it?
 * Such a caller may neither stop the executor nor close the engine. */
bool executor_inside(orr_engine *engine);
/* Marks the calling thread as one of the executor's. Workers and the acquisition thread call it
 * when they begin. */
void executor_serve(const orr_executor *x);
/* Called when the engine closes: ends its own executor, or removes the engine from a shared one. */
void executor_detach(orr_engine *engine);

#endif
