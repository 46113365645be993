/* Cleaning history by a job. */
#ifndef ORR_HISTORY_COMMANDS_H
#define ORR_HISTORY_COMMANDS_H

#include "state/context.h"

/* A job that removes history which is old enough, one step after the other. */
int clean_history_job(context *c, rec_job *job);

#endif
