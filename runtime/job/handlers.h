/* What jobs of each kind do, implemented in the room each kind belongs to. Each plans operations in the context. */
#ifndef ORR_HANDLERS_H
#define ORR_HANDLERS_H

#include "job/job.h"

/* timer.c: a timer fires */
int timer_catch_job(context *c, rec_job *job);     /* an intermediate event: once */
int timer_repeating_job(context *c, rec_job *job); /* a boundary event or an event sub-process; a cycle goes on */
/* exec/ */
int async_job(context *c, rec_job *job);          /* async-before and async-after: the token goes on */
int signal_job(context *c, rec_job *job);         /* a signal reaches one subscription */
int task_timeout_job(context *c, rec_job *job);   /* a task listener's timer */
/* the engine's commands */
int message_job(context *c, rec_job *job);
int trigger_job(context *c, rec_job *job);        /* a triggerable task goes on, with the variables in the job */
int timer_start_job(context *c, rec_job *job);    /* a process begins by a timer; a cycle goes on */
int start_async_job(context *c, rec_job *job);    /* an instance begins that was started asynchronously */
int suspend_job(context *c, rec_job *job);        /* suspend and activate, later */
int clean_history_job(context *c, rec_job *job);  /* history that is old enough, a batch at a time */
int batch_job(context *c, rec_job *job);          /* a batch's action, to the things that the job names */
int batch_seed_job(context *c, rec_job *job);     /* the next jobs of a batch */
int batch_monitor_job(context *c, rec_job *job);  /* ends a batch whose jobs are all done */
int migrate_job(context *c, rec_job *job);        /* one instance */
int modify_job(context *c, rec_job *job);         /* one instance */

#endif
