/* What a job does when it runs: one row a kind. */
#include "job/job_handlers.h"

#include "engine/engine.h"

#include <inttypes.h>

#include "job/handlers.h"

typedef int (*job_fn)(context *c, rec_job *job);

static const job_fn job_fns[] = {
    [ORR_JOB_ASYNC_BEFORE] = async_job,
    [ORR_JOB_ASYNC_AFTER] = async_job,
    [ORR_JOB_TIMER_START] = timer_start_job,
    [ORR_JOB_TIMER_CATCH] = timer_catch_job,
    [ORR_JOB_TIMER_BOUNDARY] = timer_repeating_job,
    [ORR_JOB_TIMER_EVENT_SUBPROCESS] = timer_repeating_job,
    [ORR_JOB_TIMER_TASK_LISTENER] = task_timeout_job,
    [ORR_JOB_SIGNAL_ASYNC] = signal_job,
    [ORR_JOB_MESSAGE_ASYNC] = message_job,
    [ORR_JOB_TRIGGER_ASYNC] = trigger_job,
    [ORR_JOB_SUSPEND] = suspend_job,
    [ORR_JOB_ACTIVATE] = suspend_job,
    [ORR_JOB_START_ASYNC] = start_async_job,
    [ORR_JOB_CLEAN_HISTORY] = clean_history_job,
    [ORR_JOB_BATCH] = batch_job,
    [ORR_JOB_BATCH_SEED] = batch_seed_job,
    [ORR_JOB_BATCH_MONITOR] = batch_monitor_job,
    [ORR_JOB_MIGRATE] = migrate_job,
    [ORR_JOB_MODIFY] = modify_job,
};

int job_plan(context *c, rec_job *job) {
  job_fn fn = job->kind < sizeof job_fns / sizeof job_fns[0] ? job_fns[job->kind] : NULL;
  if (!fn) return context_error(c, ORR_E_UNSUPPORTED, "job %" PRIu64 " is of an unknown kind (%d)", job->id, job->kind);
  return fn(c, job);
}
