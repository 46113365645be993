/* The steps of running one job, for the caller's thread (run.c: job_run) and for workers (worker.c) alike.
 *
 *   run_begin -> context_run (maybe pending) -> run_complete -> flush, commit
 *                      \-> failed: run_fail_begin, in a unit of its own -> flush, commit */
#ifndef ORR_RUN_H
#define ORR_RUN_H

#include "job/job.h"
#include "uow/committer.h"
#include "uow/siblings.h"

/* What is known of a failed run when its context is gone. */
typedef struct run_failure {
  orr_error error;
  char activity[ORR_ID_BYTES_MAX + 1]; /* where it failed; "" when unknown */
  char absent[ORR_NAME_BYTES_MAX + 1]; /* a delegate that is not here, which is no failure that counts either; "" : none */
  bool elsewhere;                      /* ... but on the home thread */
  bool lost; /* the store was away, or a signal came: no failure either, nothing is recorded */
  orr_id held_by; /* nothing but this instance's suspension was in the way: no failure that counts; 0: none */
} run_failure;

/* What goes into the same transaction as the commit of a run that succeeded, behind it. */
typedef struct run_company {
  /* Called when the run's batch is made: fills `batches` (RUN_COMPANY_MAX) and returns how many. */
  size_t (*join)(void *ud, context *c, store_batch *batches);
  /* The commit has answered; NULL: it failed as a whole. Called only after a join that returned some. */
  void (*leave)(void *ud, const store_batch *batches);
  void *ud;
} run_company;
#define RUN_COMPANY_MAX (COMMIT_REQUEST_MAX - 1)

typedef struct run_start {
  orr_id job;
  orr_id key;                   /* as placed_job's */
  uint64_t owner;               /* who has it locked; 0: whoever */
  siblings_place place;         /* among its instance's units (uow/siblings.h); run_begin takes it over in any case */
  store_prefetched *prefetched; /* what the store has of it, and perhaps of others; NULL: it is fetched if it is far */
} run_start;

/* Begins a context for a job and plans what it does. *out NULL with 0: the job is gone or no longer the owner's. With owner
 * 0 a suspended job is ORR_E_SUSPENDED and one that somebody else runs ORR_E_STATE. */
int run_begin(orr_engine *engine, host_thread *thread, const run_start *start, context **out, orr_error *err);
/* Runs what was planned: as context_run. */
int run_step(context *c);
/* Waits for the host while the run is pending, on the caller's thread; then looks at the job again, as run_refresh does.
 * RUN_PENDING: as context_wait. */
int run_wait(context *c, uint64_t owner);
/* Is the job still there, and `owner`'s as it was when `c` began to run it? Else ORR_E_CONFLICT. For a context that is
 * pending: what it has changed stays as it is. */
int run_look(context *c, uint64_t owner);
/* Ends a run on the caller's thread: `rc` is how its context came to its end. Completes and commits, or records the
 * failure and returns it; a run that was lost with its connection only gives the job back. ORR_E_CONFLICT: nothing is
 * done, and the job is as it was, its lock too. `company` may be NULL. */
int run_end(context *c, int rc, orr_id job, uint64_t owner, const run_company *company, orr_error *err);
/* A job that has lost as many races in a row as it may fails for good: records that on the caller's thread. Returns
 * ORR_E_CONFLICT with the failure, or the code of what kept it from being recorded. */
int run_give_up(orr_engine *engine, host_thread *thread, orr_id job, uint64_t owner, orr_error *err);
/* What the failure of such a job says. */
void run_conflicts_error(orr_error *out);
/* Gives a job back that `owner` (NULL: nobody) has locked, for whoever comes next. If this fails, the lock expires. */
void run_unlock(orr_engine *engine, uint64_t owner, orr_id job);
/* The work is done: the job goes. */
int run_complete(context *c);
/* While the job ran its lock may have been prolonged, or its priority changed: the commit is checked against that.
 * ORR_E_CONFLICT: it is no longer `owner`'s, or is due at another time. */
int run_refresh(context *c, uint64_t owner);
/* Was it a failure, or does the job wait for something, or run again? */
bool run_failure_counts(const run_failure *failure);
/* An error, when a signal ends what the thread runs. `err` may be NULL. */
int run_interrupted(host_thread *thread, orr_error *err);
/* Takes the failure out of a failed context. */
void run_failure_take(context *c, run_failure *out);
/* A context that records the failure: retries, due date, text, incident; a job that is held is suspended instead, until
 * its holder is activated. *out NULL with 0: the job is gone. `final`: no more tries. */
int run_fail_begin(orr_engine *engine, host_thread *thread, orr_id job, uint64_t owner, const run_failure *failure,
                   bool final, context **out, orr_error *err);
/* A line about a job, with what failed (may be NULL) behind it; where that is the store's being away, "job interrupted". */
void run_log(orr_engine *engine, orr_log_level level, const char *event, orr_id job, const orr_error *failure);

/* Runs one free job in a context of its own on this thread, whatever its due date: plan, run, complete, commit; a failure
 * is recorded in a second unit and then returned. ORR_E_CONFLICT costs no retry. */
int job_run(orr_engine *engine, orr_id job, host_thread *thread, orr_error *err);

#endif
