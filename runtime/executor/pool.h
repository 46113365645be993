/* The pool of an executor, as the rest of the engine sees it: room in its queue, jobs that enter it or are lent, and what it is
 * asked about them. */
#ifndef ORR_POOL_H
#define ORR_POOL_H

#include "engine/engine.h"
#include "executor/acquire.h"
#include "uow/readers.h"

/* What a locked job must say. */
typedef struct executor_terms {
  uint64_t owner;
  orr_time expires;  /* of the owner's lease, as far as it is known here */
  ready_order order; /* in which the executor acquires */
  bool exclusive_over_hierarchies;
} executor_terms;

/* Reserves room in the queue for a job that is about to be created. False: the queue is full, the
 * executor stops, or its rules do not take such a job. `succeeds`: the job follows one of this
 * executor's, which ends with the same commit. */
bool executor_reserve(orr_executor *x, orr_engine *engine, const rec_job *job, bool succeeds, executor_terms *terms);
/* Gives a reservation back: the job was not created after all. */
void executor_unreserve(orr_executor *x, orr_engine *engine);
/* Queues a job that has a reservation and whose lock is committed. */
void executor_enqueue(orr_executor *x, orr_engine *engine, const placed_job *job);
/* A job waits for the thread that opened the engine: wakes that thread if it sleeps in wait_idle,
 * so that it runs the job. */
void executor_calls_home(orr_executor *x);
/* A job of the executor that another thread runs: it stays the executor's, which prolongs its lock
 * and does not end its stop before the job is done. */
typedef struct lent_job {
  struct entry *entry; /* NULL: none */
  orr_id job, key;     /* key: as placed_job's */
  uint64_t owner;      /* under whose number it is locked */
} lent_job;
/* Lends a job that was not begun to the calling thread, when every thread of the executor is at
 * another job. */
lent_job executor_lend(orr_executor *x, orr_engine *engine);
/* Does the calling thread run a job that an executor has lent to it? */
bool executor_lent_here(void);
/* The job is done, or gone. */
void executor_lent_done(orr_executor *x, const lent_job *lent);
/* The job has lost a race: the executor's threads try it again after `wait_ms`. */
void executor_lent_again(orr_executor *x, const lent_job *lent, int64_t wait_ms);
/* Has the acquisition thread look for ready jobs at once. */
void executor_wake(orr_executor *x);
/* A job has given its place in a limit back: has the acquisition thread look, if jobs wait for a
 * limit. */
void executor_lease_returned(executor *x, orr_engine *engine);
/* Has the acquisition thread look no later than `due`: a timer was created for that time. */
void executor_due(orr_executor *x, orr_engine *engine, orr_time due);
/* Is this job in flight here? */
bool executor_has(orr_executor *x, orr_engine *engine, orr_id job);
/* The rules by which the executor takes this engine's jobs, and how many more it has room for.
 * False: it is not running. The rules stay valid while it runs. */
bool executor_rules(orr_executor *x, const orr_engine *engine, acquire_rules *rules, uint32_t *room);
/* How many jobs of the engine are queued, run or are being committed; 0 when it does not belong
 * to it. Any thread. */
uint32_t executor_in_flight(orr_executor *x, orr_engine *engine);
/* Views of the engine's store that somebody holds for long, as its acquisition has seen them last; none when it does not
 * belong to it. Any thread. */
held_views executor_held_views(orr_executor *x, orr_engine *engine);

#endif
