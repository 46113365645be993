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
#include "executor/owner/share.h"
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
  bool one_exclusive;       /* one exclusive job of an instance at a time: who takes it chains none behind the other (pool.c) */
} acquire_rules;

/* The rules that these options amount to. 0 or ORR_E_ARGUMENT. */
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
  bool behind_changes;
  share *share;       /* the jobs that are looked at; NULL: all. Where an order is asked for there are no shares */
  bool stakes;        /* others may acquire, too: what is taken is staked before, and what they have staked left to them */
  bool contested;     /* what is locked here may well be lost to them */
  uint32_t left;      /* runs of candidates that others have staked */
  orr_id first_left;  /* of these candidates; 0: there were none */
  uint32_t lost;      /* candidates that somebody else took first */
  uint32_t blocked;   /* left because their instance is busy elsewhere */
  uint32_t reclaimed; /* expired locks given back */
  uint32_t parked;    /* put aside because their limits are full */
  bool throttled;     /* some wait for their limits */
  bool rated;         /* some of these for the time alone, which brings a limit's next start */
  bool unfinished;    /* there was more to make ready, or to put aside, than one round does: ask again at once */
  orr_time next_due;  /* when the next waiting timer, or a throttled job's token, is due; 0: none waits */
} acquisition;

/* Is it within the priorities that these rules take? */
bool acquire_in_range(const acquire_rules *rules, int64_t priority);
/* Is the job's deployment registered with the engine? Always true for rules that are not
 * deployment-aware. */
bool acquire_registered(orr_engine *engine, const acquire_rules *rules, const rec_job *job);
/* May a job with these rules be taken? */
bool acquire_allows(orr_engine *engine, const acquire_rules *rules, const rec_job *job);
/* Locks a ready job in this context's unit for rules->locker, which is registered. *taken false:
 * the job's instance is busy elsewhere, and nothing was changed. */
int acquire_lock(context *c, const acquire_rules *rules, rec_job *job, bool *taken);
/* `still_mine` (NULL: no job is) says whether a job that the owner has locked is known to be right here. */
int acquire_jobs(orr_engine *engine, const acquire_rules *rules, bool (*still_mine)(void *ud, orr_id job), void *ud,
                 acquisition *out, orr_error *err);
/* The two halves of acquire_jobs, for a caller that commits the batches together with a batch of
 * its own: acquire_begin, a commit of what acquire_batches gives, acquire_end; on one thread, and
 * with nothing in between. */
#define ACQUIRE_BATCHES_MAX (COMMIT_REQUEST_MAX - 1) /* beside one that they are committed with */
typedef struct acquire_round acquire_round;
/* Reads candidates and makes the batches that lock them. *round is NULL when there is nothing to
 * commit; otherwise the caller must end it with acquire_end. 0, or an error, after which there is
 * nothing to end. */
int acquire_begin(orr_engine *engine, const acquire_rules *rules, bool (*still_mine)(void *ud, orr_id job), void *ud,
                  acquisition *out, acquire_round **round, orr_error *err);
/* Copies the batches to commit into `batches`, which has room for ACQUIRE_BATCHES_MAX, and returns
 * their number. */
uint32_t acquire_batches(const acquire_round *round, store_batch *batches);
/* Ends the round. `batches` hold the commit's statuses (NULL: the commit failed as a whole): the
 * acquisition keeps the jobs whose locks were granted. */
void acquire_end(acquire_round *round, const store_batch *batches);
/* Gives back the owner's locks on these jobs, which have not run. Jobs that it does not hold stay
 * as they are. */
int acquire_release(orr_engine *engine, uint64_t owner, const orr_id *jobs, size_t count, orr_error *err);

#endif
