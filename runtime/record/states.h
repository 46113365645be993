/* The enumerations that conditions in records.lua name. They are stored, so a number keeps its meaning for good. */
#ifndef ORR_RECORD_STATES_H
#define ORR_RECORD_STATES_H

typedef enum orr_job_state {
  ORR_JOB_WAITING = 1, /* due lies ahead */
  ORR_JOB_READY,       /* may be acquired now; in the ready indexes */
  ORR_JOB_LOCKED,      /* acquired, by `owner` */
  ORR_JOB_EXHAUSTED,   /* no retries left */
  ORR_JOB_SUSPENDED,
  ORR_JOB_THROTTLED,   /* ready, but its limit is full: put aside until there is room; job/limit.h */
} orr_job_state;

typedef enum orr_job_kind {
  ORR_JOB_ASYNC_BEFORE = 1,
  ORR_JOB_ASYNC_AFTER,
  ORR_JOB_TIMER_START, /* the timers lie together: job_kind_is_timer */
  ORR_JOB_TIMER_CATCH,
  ORR_JOB_TIMER_BOUNDARY,
  ORR_JOB_TIMER_EVENT_SUBPROCESS,
  ORR_JOB_TIMER_TASK_LISTENER,
  ORR_JOB_SIGNAL_ASYNC,
  ORR_JOB_MESSAGE_ASYNC,
  ORR_JOB_SUSPEND,
  ORR_JOB_ACTIVATE,
  ORR_JOB_START_ASYNC,
  ORR_JOB_CLEAN_HISTORY,
  ORR_JOB_BATCH,
  ORR_JOB_MIGRATE = 16, /* these stand at no node: ids of job definitions have room for 16 kinds a node (job/job.c) */
  ORR_JOB_MODIFY,
  ORR_JOB_TRIGGER_ASYNC, /* of a token that waits at an activity, but not of the activity: no job definition */
  ORR_JOB_BATCH_SEED,    /* makes the next jobs of a batch */
  ORR_JOB_BATCH_MONITOR, /* sees that a batch is done */
} orr_job_kind;

static inline int job_kind_is_timer(unsigned kind) {
  return kind >= ORR_JOB_TIMER_START && kind <= ORR_JOB_TIMER_TASK_LISTENER;
}

/* The text of a kind, as the Lua API shows it: type "async", handler "async-before". */
const char *job_type_name(int kind);
/* The same for the handler: "async-before". */
const char *job_handler_name(int kind);

/* Named by its token (execution.job_id), and not found by it. */
static inline int job_continues_token(unsigned kind) { return kind == ORR_JOB_ASYNC_BEFORE || kind == ORR_JOB_ASYNC_AFTER; }

#endif
