/* Incidents, up the whole call hierarchy. */
#ifndef ORR_INCIDENT_H
#define ORR_INCIDENT_H

#include "state/execution.h"

/* Creates an incident on the execution (may be 0) and on every calling instance; `type` "failed_job",
 * "failed_external_task". Does nothing when the job has an incident already. */
int incident_create(context *c, const char *type, orr_id instance, orr_id execution, orr_id job, const char *message,
                    const char *activity_id, const char *failed_activity_id);
/* One that a program makes of its own accord, at an execution that is at an activity; `configuration` and `message` may be
 * NULL. */
int incident_create_own(context *c, const rec_execution *e, const char *type, const char *configuration, const char *message,
                        rec_incident **out);
/* Resolves (or with `deleted` drops) every incident of a job or external task, callers' ones too. */
int incident_resolve_job(context *c, orr_id job, bool deleted);
/* Resolves one incident that nothing caused, and those it caused in calling instances. */
int incident_resolve(context *c, const rec_incident *root);
/* The token leaves the activity: what a program made there goes, with state "deleted"; a job's is resolved by its end. */
int incident_drop_own(context *c, orr_id execution);
/* The token is gone: so are its incidents and those they caused, with state "deleted" in history. */
int incident_drop_scope(context *c, orr_id execution);

#endif
