/* What a job does when it runs. */
#ifndef ORR_JOB_PLAN_H
#define ORR_JOB_PLAN_H

#include "job/job.h"

/* Plans what a job does; the context then runs. */
int job_plan(context *c, rec_job *job);

#endif
