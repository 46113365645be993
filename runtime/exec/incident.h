/* Incidents, up the whole call hierarchy. */
#ifndef ORR_INCIDENT_H
#define ORR_INCIDENT_H

#include "exec/execution.h"

/* Creates an incident on the execution (may be 0) and on every calling instance; `type` "failed_job",
 * "failed_external_task". Nothing where one stands for the job. */
int incident_create(context *c, const char *type, orr_id instance, orr_id execution, orr_id job, const char *message,
                    const char *activity_id, const char *failed_activity_id);
/* Resolves (or with `deleted` drops) every incident of a job or external task, callers' ones too. */
int incident_resolve_job(context *c, orr_id job, bool deleted);
/* Resolves one incident that nothing caused, and those it caused in calling instances. */
int incident_resolve(context *c, const rec_incident *root);
/* The token is gone: so are its incidents and those they caused, with state "deleted" in history. */
int incident_drop_scope(context *c, orr_id execution);

#endif
