/* Acquisition: finding the jobs that may run now, in order, and locking them (features J3-J7, J13, J16).
 *
 * Two phases: candidates are read through a snapshot, then locked in one store transaction. Jobs go in small batches, each
 * checked alone, so whoever was faster takes only those batches from us: a lost lock is a filter, not an error.
 *
 *   due timers --promote--> ready index of the order in use --filter--> candidates --lock--> acquired
 *
 * A job whose limit is full is put aside in passing (limit.h); it becomes ready again when there is room (throttle.h).
 * Filters: priority range, registered deployments, an instance whose exclusive jobs somebody else has. */
#ifndef ORR_ACQUIRE_H
#define ORR_ACQUIRE_H

#include "executor/absent.h"
#include "executor/owner/lock_owner.h"
#include "job/job.h"
#include "uow/committer.h"
#include "uow/ready.h"

typedef struct acquire_rules {
  ready_order order;
  bool has_min, has_max;
  int64_t priority_min, priority_max;
  bool deployment_aware;
  bool exclusive_over_hierarchies;
  int64_t lock_ms;
  const char *owner;  /* the name that was given for it; NULL: none */
  lock_owner *locker; /* who locks what is taken; NULL where nothing is */
  absent_taker taker; /* who will run what is taken */
} acquire_rules;

/* What options come to. */
int acquire_rules_read(const orr_executor_options *options, acquire_rules *out, orr_error *err);
/* The same for an engine (or executor) that will acquire by them: activates the ready order. */
int acquire_rules_from(orr_engine *engine, const orr_executor_options *options, acquire_rules *out, orr_error *err);
/* Fields of `over` where they are given, else of `base`. */
orr_executor_options acquire_options_merge(const orr_executor_options *base, const orr_executor_options *over);

typedef struct acquired {
  orr_id job, exclusive; /* exclusive: the scope of its instance lock, or 0 */
  uint32_t batch;        /* acquire.c: which batch locks it */
} acquired;

typedef struct acquisition {
  acquired *items;    /* room for `max` */
  uint32_t max, count;
  ready_place *place; /* where to begin, moved on; NULL: at the front */
  uint32_t skip;      /* candidates from there on that are left to others, if there are more */
  /* What is taken is committed behind other changes, which leave no job ready: only what stands before any whose instance is
   * busy is taken, for they may free it; nothing, when locks have expired, timers are due or limits are set. */
  bool ahead;
  bool contested;     /* others write to the store: what is locked here may well be lost */
  uint32_t lost;      /* candidates that somebody else took first */
  uint32_t blocked;   /* left because their instance is busy elsewhere */
  uint32_t reclaimed; /* expired locks given back */
  uint32_t parked;    /* put aside because their limits are full */
  bool throttled;     /* some wait for their limits */
  bool unfinished;    /* there was more to make ready, or to put aside, than one round does: ask again at once */
  orr_time next_due;  /* when the next waiting timer, or a throttled job's token, is due; 0: none waits */
} acquisition;

/* Is it within the priorities that these rules take? */
bool acquire_in_range(const acquire_rules *rules, int64_t priority);
/* Does the engine have the job's deployment, as far as the rules ask? */
bool acquire_registered(orr_engine *engine, const acquire_rules *rules, const rec_job *job);
/* May a job with these rules be taken? */
bool acquire_allows(orr_engine *engine, const acquire_rules *rules, const rec_job *job);
/* Locks a ready job in this unit for the rules' owner, which is registered; *taken false: its instance is busy elsewhere. */
int acquire_lock(context *c, const acquire_rules *rules, rec_job *job, bool *taken);
/* `still_mine` (NULL: no job is) says whether a job that the owner has locked is known to be right here. */
int acquire_jobs(orr_engine *engine, const acquire_rules *rules, bool (*still_mine)(void *ud, orr_id job), void *ud,
                 acquisition *out, orr_error *err);
/* The two halves of acquire_jobs, for a caller that commits the batches together with something else, on this thread and
 * before anything else. *round NULL with 0: nothing is to be committed. acquire_batches fills at most ACQUIRE_BATCHES_MAX and
 * returns how many; acquire_end takes them as the commit answered, or NULL when it failed as a whole, and ends the round. */
#define ACQUIRE_BATCHES_MAX (COMMIT_REQUEST_MAX - 1) /* beside one that they are committed with */
typedef struct acquire_round acquire_round;
/* Reads candidates and makes batches that lock them. *round is NULL when there is nothing to
 * commit; else acquire_end frees it. 0 or an error, which leaves nothing to do. */
int acquire_begin(orr_engine *engine, const acquire_rules *rules, bool (*still_mine)(void *ud, orr_id job), void *ud,
                  acquisition *out, acquire_round **round, orr_error *err);
/* Copies the batches that are to be committed to `batches` (ACQUIRE_BATCHES_MAX) and says how
 * many they are. */
uint32_t acquire_batches(const acquire_round *round, store_batch *batches);
/* The store has answered them (NULL: they were never committed): out->items keeps the jobs whose
 * lock was granted. */
void acquire_end(acquire_round *round, const store_batch *batches);
/* Gives locks of an owner back without running; those that are not his are left. */
int acquire_release(orr_engine *engine, uint64_t owner, const orr_id *jobs, size_t count, orr_error *err);

#endif
