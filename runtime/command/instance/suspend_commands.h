/* Suspending records, for the commands of jobs and job definitions too. */
#ifndef ORR_COMMAND_SUSPEND_COMMANDS_H
#define ORR_COMMAND_SUSPEND_COMMANDS_H

#include "command/frame.h"

/* Suspends or activates an instance with its tasks, external tasks and jobs. */
int suspend_instance_record(context *c, rec_instance *i, bool suspended);
/* Runs a job that suspends or activates something at a later time. */
int suspend_job_record(context *c, rec_job *job, bool suspended);
/* A job that suspends or activates, later. */
int suspend_job(context *c, rec_job *job);

#endif
