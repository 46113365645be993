/* Suspending records, for the commands of jobs and job definitions too. */
#ifndef ORR_COMMAND_SUSPEND_COMMANDS_H
#define ORR_COMMAND_SUSPEND_COMMANDS_H

#include "command/frame.h"

/* An instance with its tasks, external tasks and jobs. */
int suspend_instance_record(context *c, rec_instance *i, bool suspended);
/* One job, whatever held it before; a run that is on its way cannot commit any more. 0 or the
 * context's error. */
int suspend_job_record(context *c, rec_job *job, bool suspended);
/* A job that suspends or activates, later. */
int suspend_job(context *c, rec_job *job);

#endif
