/* Changes of jobs and job definitions that several commands and jobs share. */
#ifndef ORR_JOB_CHANGES_H
#define ORR_JOB_CHANGES_H

#include "job/job.h"

/* ORR_E_ARGUMENT when negative. Above 0 resolves the job's incident, 0 makes one. `due` 0:
 * unchanged; ORR_TIME_NONE: at once. */
int job_change_retries(context *c, rec_job *job, int64_t retries, orr_time due);

/* What to do to one job. */
typedef int (*job_change)(context *c, rec_job *job, void *ud);
/* Calls `each` for the present jobs of a job definition: first those of no instance, then those of
 * its running instances. Stops at the first failure, which it returns. */
int jobs_of_definition(context *c, const rec_job_definition *jd, job_change each, void *ud);

/* Gives new retries to those that have none left. A failed job keeps its incident until it
 * succeeds. */
int job_definition_retry(context *c, const rec_job_definition *jd, int64_t retries, orr_time due);

/* `jobs`: the present jobs, too. */
int job_definition_switch(context *c, rec_job_definition *jd, bool suspended, bool jobs);
/* For suspend_job (suspend_commands.c): if the job is about a job definition, does it, and sets
 * *done. */
int job_definition_switch_job(context *c, const rec_job *job, bool *done);

#endif
