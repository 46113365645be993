/* Timers: the jobs of events that wait for a time. */
#ifndef ORR_TIMER_H
#define ORR_TIMER_H

#include "job/job.h"

/* Evaluates an event's timer and creates its job, which stores the repetitions that remain. A timer
 * whose expression gives null, or that never fires, is ORR_E_EXPRESSION, because the token would
 * wait for ever. */
rec_job *timer_job_create(context *c, int kind, rec_instance *instance, rec_execution *e, const definition *d, const node *n,
                          const timer *t);
/* When a timer would fire, without a job: for dates that a business calendar decides. 0: its
 * expression gives null. */
int timer_due(context *c, const definition *d, const node *n, const timer *t, orr_id scope_id, orr_time *out);
/* A repeating timer has fired: makes its next job, if any. */
int timer_repeat(context *c, const rec_job *fired, const node *n);
/* Computes a waiting timer's due date anew, from its creation or from now. ORR_E_STATE: it is no
 * timer. */
int timer_recalculate(context *c, rec_job *job, bool from_creation);

#endif
