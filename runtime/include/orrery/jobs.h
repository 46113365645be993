/* Jobs and why one does not run; job definitions, limits, batches, incidents. */
#ifndef ORRERY_JOBS_H
#define ORRERY_JOBS_H

#include "orrery/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Jobs ------------------------------------------------------------------------------------ */

/// Runs a job now, on this thread, whatever its due date. A failure is recorded on the job, and is
/// the function's error too.
ORR_API(1) ORR_ERR(BPMN_ERROR, CONFLICT, NOT_FOUND, SCRIPT, SUSPENDED)
int orr_engine_job_execute(orr_engine *engine, orr_id job, orr_error *err);
/// Sets how often a job may still be tried, and when it is due (0: as before). Retries above 0
/// resolve its incident.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_job_set_retries(orr_engine *engine, orr_id job, int64_t retries,
    orr_time due ORR_OPT, orr_error *err);
/// Sets when a job is due; ORR_TIME_NONE: at once. ORR_CASCADE moves the later firings of a cycle,
/// too.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_job_set_due(orr_engine *engine, orr_id job, orr_time due, orr_cascade cascade,
    orr_error *err);
/// Evaluates a timer's due date again, from its creation or from now.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_job_recalculate_due(orr_engine *engine, orr_id job, orr_due_basis basis,
    orr_error *err);
/// Sets the priority of one job.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_job_set_priority(orr_engine *engine, orr_id job, int64_t priority, orr_error *err);
/// Suspends one job: nothing runs it.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_job_suspend(orr_engine *engine, orr_id job, orr_error *err);
/// The opposite of orr_engine_job_suspend.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_job_activate(orr_engine *engine, orr_id job, orr_error *err);
/// Deletes a job. The execution that it would have continued stays where it is, and nothing
/// continues it.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_job_delete(orr_engine *engine, orr_id job, orr_error *err);
/// The message of the last failure and below it the traceback; nothing when there is none.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_job_traceback(orr_engine *engine, orr_id job, orr_builder *out, orr_error *err);
/// Suspends the jobs a filter (as of the `jobs` verb) finds; it needs a criterion.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_jobs_suspend(orr_engine *engine, const orr_value *filter, orr_error *err);
/// The opposite of orr_engine_jobs_suspend.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_jobs_activate(orr_engine *engine, const orr_value *filter, orr_error *err);

/* ---- Why a job does not run ------------------------------------------------------------------ */

/* The reasons that orr_engine_job_why gives. With the first four all is well: the job runs, waits
 * for its time, or an executor has it or takes it next. */
#define ORR_WHY_RUNNING "running"
#define ORR_WHY_NOT_DUE "not_due"
#define ORR_WHY_LOCKED "locked"
#define ORR_WHY_READY "ready"
#define ORR_WHY_INSTANCE_BUSY "instance_busy"
#define ORR_WHY_THREADS_BUSY "threads_busy"
#define ORR_WHY_COMMIT_FAILED "commit_failed"
#define ORR_WHY_CONFLICT "conflict"
#define ORR_WHY_LOCK_EXPIRED "lock_expired"
#define ORR_WHY_RETRY_LATER "retry_later"
#define ORR_WHY_SUSPENDED "suspended"
#define ORR_WHY_NO_RETRIES "no_retries"
#define ORR_WHY_LIMIT "limit"
#define ORR_WHY_DELEGATE_MISSING "delegate_missing"
#define ORR_WHY_WAITS_FOR_THREAD "waits_for_thread"
#define ORR_WHY_PRIORITY "priority"
#define ORR_WHY_DEPLOYMENT "deployment"
#define ORR_WHY_QUEUE_FULL "queue_full"
#define ORR_WHY_NO_EXECUTOR "no_executor"
/// Why a job does not run: a map of reason (a word for programs), text and cure.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_job_why(orr_engine *engine, orr_id job, orr_builder *out, orr_error *err);

/* ---- Job definitions ------------------------------------------------------------------------- */

/// Overrides the priority of future jobs; with ORR_CASCADE of the present ones, too.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_job_definition_set_priority(orr_engine *engine, orr_id job_definition,
    int64_t priority, orr_cascade cascade, orr_error *err);
/// Removes the override, for future jobs.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_job_definition_clear_priority(orr_engine *engine, orr_id job_definition,
    orr_error *err);
/// Gives new retries to the present jobs that have none left, and with `due` a due date. Their
/// incidents stay until they succeed.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_job_definition_set_retries(orr_engine *engine, orr_id job_definition,
    int64_t retries, orr_time due ORR_OPT, orr_error *err);
/// Suspends a job definition, at once or `at` a later time: its future jobs are suspended from the
/// start; with ORR_CASCADE the present ones are, too.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_job_definition_suspend(orr_engine *engine, orr_id job_definition, orr_cascade jobs,
    orr_time at ORR_OPT, orr_error *err);
/// The opposite of orr_engine_job_definition_suspend.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_job_definition_activate(orr_engine *engine, orr_id job_definition, orr_cascade jobs,
    orr_time at ORR_OPT, orr_error *err);

/* ---- Limits ---------------------------------------------------------------------------------- */

/* What a limit is of: one of the three. */
typedef struct orr_limit_target {
  uint32_t size;
  orr_id job_definition;
  const char *topic; /* of external tasks */
  const char *key;   /* what the attribute limitKey of an activity gives for its jobs */
} orr_limit_target ORR_OPTIONS;

typedef struct orr_limit_options {
  uint32_t size;
  int64_t max;       /* how many at once; 0: any number */
  double per_second; /* how many starts in a second; 0: any number */
  int64_t burst;     /* how many of these may be saved up; 0: a tenth of a second's, at least 1 */
} orr_limit_options ORR_OPTIONS;

/// Sets or changes a limit: `max`, `per_second` or both. What runs already is not counted. The verb
/// `limits` lists limits.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_limit_set(orr_engine *engine, const orr_limit_target *target,
    const orr_limit_options *limit, orr_error *err);
/// Removes a limit; what waited for it goes on.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND)
int orr_engine_limit_clear(orr_engine *engine, const orr_limit_target *target, orr_error *err);

/* ---- Batches --------------------------------------------------------------------------------- */

/* The members behind `priority` are what actions need; of each its comment names the actions. */
typedef struct orr_batch_options {
  uint32_t size;
  const char *action;            /* what is done to each thing: see orr_engine_batch_create */
  const char *list;              /* the verb that finds them; NULL: the first that it suits */
  const orr_value *filter;       /* of that list; NULL: all of it */
  int64_t job_size;              /* how many things one job handles, in one transaction; 0: 100 */
  int64_t jobs_per_seed;         /* how many jobs are made in one transaction; 0: 100 */
  int64_t priority;              /* of the batch's own jobs */
  int64_t retries;               /* retry: how many tries are given; 0: one, negative: none */
  orr_time due;                  /* retry, of jobs: when; 0: as before, ORR_TIME_NONE: at once */
  int64_t job_priority;          /* set_priority */
  const char *reason;            /* cancel */
  bool keep_called;              /* cancel: instances that it has called go on */
  const orr_value *variables;    /* set_variables, correlate_message: a map */
  const char *message;           /* correlate_message: its name; NULL: any */
  const orr_value *instructions; /* modify, restart: as for orr_engine_instance_modify */
  orr_id definition;             /* restart: by which; modify: what checks them at once */
  const orr_value *plan;         /* migrate: as orr_engine_migration_plan makes it */
  bool initial_variables;        /* restart: with the variables that it began with */
  bool without_business_key;     /* restart */
  bool skip_listeners, skip_io_mappings; /* cancel, modify, migrate, restart */
  orr_time at;                   /* set_removal_time: when; ORR_TIME_NONE: never */
  bool calculated;               /* set_removal_time: by historyTimeToLive, in place of `at` */
  bool hierarchical;             /* set_removal_time: also of the callers and the called */
} orr_batch_options ORR_OPTIONS;

/// Does one thing, by jobs, to everything that a list finds now. The actions, and the lists that
/// each suits: retry (jobs, external_tasks), set_priority (jobs), suspend and activate (instances,
/// jobs), cancel, set_variables, correlate_message, modify and migrate (instances), restart
/// (history_instances), delete_history (history_instances, history_decisions), set_removal_time
/// (history_instances, batches, history_decisions). A job that fails is tried again like any job.
/// The verb `batches` lists batches with their progress.
/// @return the batch.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STORE)
int orr_engine_batch_create(orr_engine *engine, const orr_batch_options *options,
    orr_records **out ORR_OUT, orr_error *err);
/// Ends a batch before it is done; what was done stays done.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_batch_cancel(orr_engine *engine, orr_id batch, orr_error *err);
/// Suspends a batch: its present jobs, and those that it has yet to make.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_batch_suspend(orr_engine *engine, orr_id batch, orr_error *err);
/// The opposite of orr_engine_batch_suspend.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_batch_activate(orr_engine *engine, orr_id batch, orr_error *err);
/// Deletes the record of a batch that has ended; ORR_CASCADE first ends one that runs.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_batch_delete(orr_engine *engine, orr_id batch, orr_cascade cascade, orr_error *err);

/* ---- Incidents ------------------------------------------------------------------------------- */

/// Creates an incident of the caller's own `type` at the activity where an execution is, and one in
/// each calling instance. It stays open until it is resolved or its token is gone. `configuration`
/// is a text of the caller's, kept as it is.
/// @return the incident.
ORR_API(1) ORR_ERR(ARGUMENT, NOT_FOUND, STATE)
int orr_engine_incident_create(orr_engine *engine, orr_id execution, const char *type,
    const char *configuration ORR_OPT, const char *message ORR_OPT, orr_records **out ORR_OUT,
    orr_error *err);
/// Resolves an incident. `state`: it ends with its cause, or when its job gets retries.
ORR_API(1) ORR_ERR(NOT_FOUND, STATE)
int orr_engine_incident_resolve(orr_engine *engine, orr_id incident, orr_error *err);
/// Sets or clears (NULL) an incident's annotation.
ORR_API(1) ORR_ERR(NOT_FOUND)
int orr_engine_incident_annotate(orr_engine *engine, orr_id incident, const char *text ORR_OPT,
    orr_error *err);

#ifdef __cplusplus
}
#endif
#endif
