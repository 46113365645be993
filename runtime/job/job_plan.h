/* What a job does when it runs: its handler, by kind. */
#ifndef ORR_JOB_PLAN_H
#define ORR_JOB_PLAN_H

#include "job/job.h"

/* Plans what a job does. Then the context runs it. */
int job_plan(context *c, rec_job *job);

#endif
