/* What kinds of jobs are called. */
#include "record/states.h"

#include <stddef.h>

/* One row a kind: how the Lua API calls it. */
static const struct kind_name {
  const char *type, *handler;
} kind_names[] = {
    [ORR_JOB_ASYNC_BEFORE] = {"async", "async-before"},
    [ORR_JOB_ASYNC_AFTER] = {"async", "async-after"},
    [ORR_JOB_TIMER_START] = {"timer", "timer-start"},
    [ORR_JOB_TIMER_CATCH] = {"timer", "timer-catch"},
    [ORR_JOB_TIMER_BOUNDARY] = {"timer", "timer-boundary"},
    [ORR_JOB_TIMER_EVENT_SUBPROCESS] = {"timer", "timer-event-subprocess"},
    [ORR_JOB_SIGNAL_ASYNC] = {"signal", "signal-async"},
    [ORR_JOB_MESSAGE_ASYNC] = {"message", "message-async"},
    [ORR_JOB_SUSPEND] = {"suspend", "suspend"},
    [ORR_JOB_ACTIVATE] = {"activate", "activate"},
    [ORR_JOB_START_ASYNC] = {"async", "start-async"},
    [ORR_JOB_CLEAN_HISTORY] = {"clean-history", "clean-history"},
    [ORR_JOB_BATCH] = {"batch", "batch"},
    [ORR_JOB_BATCH_SEED] = {"batch-seed", "batch-seed"},
    [ORR_JOB_BATCH_MONITOR] = {"batch-monitor", "batch-monitor"},
    [ORR_JOB_MIGRATE] = {"migrate", "migrate"},
    [ORR_JOB_MODIFY] = {"modify", "modify"},
    [ORR_JOB_TRIGGER_ASYNC] = {"async", "async-trigger"},
    [ORR_JOB_TIMER_TASK_LISTENER] = {"timer", "timer-task-listener"},
};

#define KINDS (sizeof kind_names / sizeof kind_names[0])

static const struct kind_name *job_name(int kind) {
  static const struct kind_name unknown = {"unknown", "unknown"};
  return kind > 0 && (size_t)kind < KINDS && kind_names[kind].type ? &kind_names[kind] : &unknown;
}

const char *job_type_name(int kind) { return job_name(kind)->type; }
const char *job_handler_name(int kind) { return job_name(kind)->handler; }
