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
/* Is this job in flight here? */
bool executor_has(orr_executor *x, orr_engine *engine, orr_id job);
/* What an executor does with a job that it has. */
typedef enum executor_stage {
  STAGE_NONE,    /* it does not have it */
  STAGE_THREAD,  /* it is on a thread */
  STAGE_BEHIND,  /* an exclusive job of its instance goes first */
  STAGE_RESTING, /* it lost a race and comes again */
  STAGE_CROWDED, /* it waits while every thread is at another job */
  STAGE_AWAITS,  /* it was begun, and awaits something */
  STAGE_HELD     /* it waits in the queue, or is being committed */
} executor_stage;
typedef struct executor_place {
  executor_stage stage;
  uint32_t conflicts; /* of its present run */
  orr_id behind;      /* the job that it waits behind; 0: none that could be told */
  uint32_t thread;    /* that has that job, from 1; 0: none has */
} executor_place;
/* Where a job that is locked by this executor is. Any thread. */
executor_place executor_place_of(orr_executor *x, orr_engine *engine, orr_id job);
/* The rules by which the executor takes this engine's jobs, and how many more it has room for.
 * False: it is not running. The rules stay valid while it runs. */
bool executor_rules(orr_executor *x, const orr_engine *engine, acquire_rules *rules, uint32_t *room);
/* The owner's name in locks on this engine's jobs; NULL: the engine is not one of the executor's.
 * */
const char *executor_owner(orr_executor *x, const orr_engine *engine);
/* How many jobs of the engine are queued, run or are being committed; 0 when it does not belong
 * to it. Any thread. */
uint32_t executor_in_flight(orr_executor *x, orr_engine *engine);
/* Views of the engine's store that somebody holds for long, as its acquisition has seen them last; none when it does not
 * belong to it. Any thread. */
held_views executor_held_views(orr_executor *x, orr_engine *engine);

#endif
