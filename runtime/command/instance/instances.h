/* Commands over many instances: in one transaction, or by a job for each. */
#ifndef ORR_INSTANCES_H
#define ORR_INSTANCES_H

#include "command/frame.h"

typedef struct instances {
  const orr_id *ids; /* ascending, each once */
  uint32_t count;
} instances;

/* The ids in `list`, or those that the verb's `filter` finds. Exactly one of the two is given. */
int instances_read(context *c, const char *verb, const orr_value *list, const orr_value *filter, instances *out);

/* What a job of its own does to an instance: ORR_JOB_MIGRATE or ORR_JOB_MODIFY. */
typedef struct instance_work {
  orr_value what; /* the plan, or the instructions */
  bool skip_listeners, skip_io_mappings;
} instance_work;

/* Makes the job, which runs even while the instance is suspended. */
int instance_job_create(context *c, int kind, rec_instance *instance, const instance_work *work);
/* What such a job does, from its data; texts point into the job. */
void instance_job_work(const rec_job *job, instance_work *out);

#endif
