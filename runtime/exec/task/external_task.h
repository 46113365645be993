/* External tasks: work that waits for a worker outside. Camunda's type="external" and Flowable's type="external-worker"
 * are one thing. */
#ifndef ORR_EXTERNAL_TASK_H
#define ORR_EXTERNAL_TASK_H

#include "state/execution.h"

/* Makes the external task of a token at its service task. */
int external_create(context *c, rec_execution *e, const node *n);
/* Deletes the record; history gets `state` ("succeeded", "deleted"). */
int external_remove(context *c, rec_external_task *t, const char *state);

/* These are what a worker may say. ORR_E_STATE when another worker holds the task; the worker's own
 * lock may have expired. Maps may be NULL. */
int external_complete(context *c, rec_external_task *t, const char *worker, const orr_value *variables, const orr_value *local);
/* Ends the task with a BPMN error: the nearest handler catches it, else the engine's rule for
 * uncaught errors applies. */
int external_bpmn_error(context *c, rec_external_task *t, const char *worker, const char *code, const char *message,
                        const orr_value *variables);
/* `failure`: a map of message, details, retries, retry_timeout (seconds, or an ISO 8601 duration), variables,
 * local_variables. */
int external_fail(context *c, rec_external_task *t, const char *worker, const orr_value *failure);
/* Locks for `duration` milliseconds from now. ORR_E_STATE when another worker's lock still holds
 * or, with `extend`, when the lock is not this worker's, or has expired. */
int external_lock(context *c, rec_external_task *t, const char *worker, orr_duration duration, bool extend);
/* Removes the lock, whichever worker holds it, so that any worker can fetch the task. */
int external_unlock(context *c, rec_external_task *t);
/* 0 makes an incident; more resolves it. ORR_E_ARGUMENT when negative. */
int external_set_retries(context *c, rec_external_task *t, int64_t retries);
/* Tasks of a larger priority are handed out first. */
int external_set_priority(context *c, rec_external_task *t, int64_t priority);

/* One topic of a fetch request. Fields that are NULL, 0 or NIL do not restrict. */
typedef struct external_topic {
  const char *name;
  orr_duration lock;
  const char *business_key, *definition_key, *version_tag, *tenant;
  orr_id definition_id;
  orr_value match;         /* map: variables that must hold these values */
  bool local_variables;    /* of the returned ones: the activity's scope alone */
} external_topic;

typedef struct external_fetch {
  const char *worker;
  int64_t max;
  bool use_priority;
  /* Order beyond priority: by creation time, or none. */
  enum { EXTERNAL_ORDER_NONE, EXTERNAL_ORDER_CREATED, EXTERNAL_ORDER_CREATED_DESC } order;
  const external_topic *topics;
  uint32_t n_topics;
} external_fetch;

typedef struct external_locked {
  rec_external_task *task;
  const external_topic *topic;
} external_locked;

/* Unlocks every task of a worker, of a topic, or of both (NULL: any). */
int external_unlock_all(context *c, const char *worker, const char *topic);

#endif
