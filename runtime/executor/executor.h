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

/* What a locked job must say. */
typedef struct executor_terms {
  uint64_t owner;
  orr_time expires;  /* of the owner's lease, as far as it is known here */
  ready_order order; /* in which the executor acquires */
  bool exclusive_over_hierarchies;
} executor_terms;

/* Takes room for one job of this engine; false: full, stopping, or outside the rules.
 * `succeeds`: it follows a job of this executor, which ends with the same commit. */
bool executor_reserve(orr_executor *x, orr_engine *engine, const rec_job *job, bool succeeds, executor_terms *terms);
/* Gives back room that was reserved and will not be used. */
void executor_unreserve(orr_executor *x, orr_engine *engine);
/* A job that has a reservation and a committed lock. */
void executor_enqueue(orr_executor *x, orr_engine *engine, orr_id job, orr_id exclusive);
/* A job waits for the home thread: whoever waits for idleness there is to run it. */
void executor_calls_home(orr_executor *x);
/* Something may be ready: acquire soon. */
void executor_wake(orr_executor *x);
/* A job of a limit is done: acquire soon, if any wait for one. */
void executor_lease_returned(executor *x, orr_engine *engine);
/* A timer will be due then. */
void executor_due(orr_executor *x, orr_engine *engine, orr_time due);

/* Is the calling code run by this engine, or by a thread of the executor that serves it? Then it can neither stop nor
 * close either. */
bool executor_inside(orr_engine *engine);
/* This thread works for the executor from now on: workers and acquisition say so when they begin. */
void executor_serve(const orr_executor *x);
/* The engine closes: its own executor ends, a shared one lets go of it. */
void executor_detach(orr_engine *engine);
/* Is this job in flight here? */
bool executor_has(orr_executor *x, orr_engine *engine, orr_id job);
/* What an executor does with a job that it has. */
typedef enum executor_stage {
  STAGE_NONE,    /* it does not have it */
  STAGE_THREAD,  /* it is on a thread */
  STAGE_BEHIND,  /* an exclusive job of its instance goes first */
  STAGE_RESTING, /* it lost a race and comes again */
  STAGE_CROWDED, /* it waits while every thread is at another job */
  STAGE_HELD     /* it waits in the queue, awaits something or is being committed */
} executor_stage;
/* Where a job that is locked by this executor is; `conflicts` is set to those of its present run
 * unless the answer is STAGE_NONE. Any thread. */
executor_stage executor_stage_of(orr_executor *x, orr_engine *engine, orr_id job, uint32_t *conflicts);
/* What it takes of this engine's jobs, and for how many more it has room; false when it does not run. Valid while it runs. */
bool executor_rules(orr_executor *x, const orr_engine *engine, acquire_rules *rules, uint32_t *room);
/* The name in its locks; NULL: the engine does not belong to it. */
const char *executor_owner(orr_executor *x, const orr_engine *engine);
/* How many jobs of the engine are queued, run or are being committed; 0 when it does not belong
 * to it. Any thread. */
uint32_t executor_in_flight(orr_executor *x, orr_engine *engine);

#endif
