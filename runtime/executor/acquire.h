/* Acquisition: finding the jobs that may run now, in order, and locking them (features J3-J7, J13, J16).
 *
 * It has two phases. Candidates are read through a snapshot, then locked in one store transaction, in
 * small batches, each checked alone. If others were faster, we lose only the batches in question. A
 * lost lock is no error: the job is left out.
 *
 *   due timers --promote--> ready index of the order in use --filter--> candidates --lock--> acquired
 *
 * Jobs are filtered by priority range, by registered deployments, and by instances whose exclusive jobs
 * another owner has. A job whose limit is full becomes THROTTLED in passing (limit.h), until there is
 * room (throttle.h). */
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
  const char *owner;  /* its name, as given; NULL: none */
  lock_owner *locker; /* the owner of the locks; NULL where nothing is locked */
  absent_taker taker; /* who will run what is taken */
  bool one_exclusive; /* one exclusive job of an instance at a time; the caller has no chains (pool.c) */
} acquire_rules;

/* The rules that these options amount to. 0 or ORR_E_ARGUMENT. */
int acquire_rules_read(const orr_executor_options *options, acquire_rules *out, orr_error *err);
/* The same for an engine or executor that will acquire by them: activates the ready order. */
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
  ready_place *place; /* where the round begins; it moves this. NULL: at the front */
  uint32_t skip;      /* so many candidates are left to others first, if there are more */
  /* The locks are committed behind other changes, which make no job ready. So the round stops at the
   * first job whose instance is busy, because those changes may free it. It takes nothing when locks
   * have expired, timers are due or limits are set. */
  bool behind_changes;
  share *share;       /* the jobs that it looks at; NULL: all, as in any order but the default */
  bool stakes;        /* others acquire, too: stakes jobs before it locks them, and leaves theirs alone */
  bool contested;     /* others may well lock the same jobs */
  uint32_t left;      /* runs of candidates that others had staked */
  orr_id first_left;  /* of these candidates; 0: there were none */
  uint32_t lost;      /* candidates that others locked first */
  uint32_t blocked;   /* candidates whose instance is busy elsewhere */
  uint32_t reclaimed; /* expired locks given back */
  uint32_t parked;    /* jobs that became THROTTLED */
  bool throttled;     /* jobs wait for their limits */
  bool rated;         /* some of them wait for the time of a limit's next start */
  bool unfinished;    /* one round could not make everything ready, or throttled: ask again at once */
  orr_time next_due;  /* of the next waiting timer, or throttled job's token; 0: none waits */
} acquisition;

/* Is it within the priorities of these rules? */
bool acquire_in_range(const acquire_rules *rules, int64_t priority);
/* Is the job's deployment registered with the engine? Always true for rules that are not
 * deployment-aware. */
bool acquire_registered(orr_engine *engine, const acquire_rules *rules, const rec_job *job);
/* May a job with these rules be taken? */
bool acquire_allows(orr_engine *engine, const acquire_rules *rules, const rec_job *job);
/* Locks a ready job in this context's unit for rules->locker, which is registered. *taken false:
 * its instance is busy elsewhere, and nothing was changed. */
int acquire_lock(context *c, const acquire_rules *rules, rec_job *job, bool *taken);
/* Runs a round. `still_mine` (NULL: no) says whether a job that the owner has locked is known to be
 * in this process. */
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
