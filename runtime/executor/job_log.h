/* The log of jobs (features J18): one line an event, with its fields as a map:
 *
 *   executor started  owner, threads, queue_size, deployment_aware, priority_min, priority_max     (info)
 *   executor stopped  owner                                                                        (info)
 *   jobs acquired     asked, acquired, lost, blocked, parked, reclaimed, duration_ms, rest_ms      (debug)
 *   job locked        job, owner                                                                   (debug)
 *   job started       job, handler, instance, activity, attempt, waited_ms                         (debug)
 *   job succeeded     job, duration_ms                                                             (debug)
 *   job conflict      job, conflicts, wait_ms                                                      (debug)
 *   job interrupted   job, wait_ms                                                                 (debug)
 *   job held          job, instance, by                                                            (info)
 *   job failed        job, retries, due, instance, activity                                        (warning)
 *   job incident      job, instance, activity                                                      (warning)
 *
 * Every map has `event`, `time` and `thread` too; a failure's `text` is what failed. Lines below the configured level are
 * not made. */
#ifndef ORR_EVENTS_H
#define ORR_EVENTS_H

#include "job/job.h"

typedef struct event_field {
  const char *name;
  orr_value value; /* ORR_NIL: left out; ORR_FLOAT: a time */
} event_field;

/* A time as such a field has it: seconds. */
orr_value event_time(orr_time time);

/* `text` (may be NULL) is what a person reads behind the fields. */
void job_log(orr_engine *engine, orr_log_level level, const char *event, const event_field *fields, size_t count,
             const char *text);

/* A job begins to run, at level debug. */
void log_started(context *c, const rec_job *job);
/* Its commit is made: from when to when it ran; 0: till now. Any thread. */
void log_succeeded(orr_engine *engine, orr_id job, orr_time began, orr_time ended);
/* A run lost a race and is tried again after `wait_ms`, at level debug. */
void log_conflict(orr_engine *engine, orr_id job, uint32_t conflicts, int64_t wait_ms);
/* A run lost its connection with the store and is made again after `wait_ms`, at level debug. */
void log_interrupted(orr_engine *engine, orr_id job, int64_t wait_ms, const orr_error *why);
/* By the suspension of a calling instance. */
void log_held(context *c, const rec_job *job);
/* It waits for a delegate; `elsewhere`: that another thread has. */
void log_absent(context *c, const rec_job *job, const char *name, bool elsewhere);
/* After the failure is planned: retries and due date are those to come. */
void log_failed(context *c, const rec_job *job, const char *message);

#endif
