/* What a job of each kind does: one row a kind. Each function belongs to the room of what it does. */
#include "command/job_table.h"

#include "command/batch/batch_run.h"
#include "command/event/message_commands.h"
#include "command/instance/history_commands.h"
#include "command/instance/modify_batch_commands.h"
#include "command/instance/start_commands.h"
#include "command/instance/suspend_commands.h"
#include "command/instance/trigger_commands.h"
#include "command/migration/migration_commands.h"
#include "exec/async.h"
#include "exec/event/signal.h"
#include "exec/event/timer_event.h"
#include "exec/task/task.h"

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

const job_table job_handlers = {job_fns, sizeof job_fns / sizeof job_fns[0]};
