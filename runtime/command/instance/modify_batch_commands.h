/* Modifying instances by a batch. */
#ifndef ORR_MODIFY_BATCH_COMMANDS_H
#define ORR_MODIFY_BATCH_COMMANDS_H

#include "state/context.h"

/* A batch's job: modifies one instance. */
int modify_job(context *c, rec_job *job);

#endif
