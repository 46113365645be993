/* What a job of each kind does. A table, because job/ does not know the rooms that its jobs belong
 * to. */
#ifndef ORR_JOB_TABLE_H
#define ORR_JOB_TABLE_H

#include "engine/engine.h"

/* For the engine to install. */
extern const job_table job_handlers;

#endif
