/* Hand-over: a job created here, while this process's executor has room, is created already locked by it. So it costs one write to make
 * and one to complete, and runs at once; acquisition is for the rest. Decided just before the batch is made, carried out after its
 * commit. */
#ifndef ORR_HANDOVER_H
#define ORR_HANDOVER_H

#include "job/job.h"

/* Locks what the executor takes, and settles the instance lock of the job that ran. */
int handover_prepare(context *c);
/* `status` of the commit: gives the jobs to the executor, or its room back; wakes it for what it has to find itself. */
void handover_done(context *c, int status);

#endif
