/* Triggering a waiting token by a job. */
#ifndef ORR_TRIGGER_COMMANDS_H
#define ORR_TRIGGER_COMMANDS_H

#include "state/context.h"

/* Continues a triggerable task with the variables in the job. */
int trigger_job(context *c, rec_job *job);

#endif
