/* Incidents. One in a called instance is shown in every instance that called it, too. */
#ifndef ORR_INCIDENT_H
#define ORR_INCIDENT_H

#include "state/execution.h"

/* Creates an incident at the execution (0: none), and one in every calling instance. `type`:
 * "failed_job" or "failed_external_task". Does nothing when the job has an incident already. */
int incident_create(context *c, const char *type, orr_id instance, orr_id execution, orr_id job, const char *message,
                    const char *activity_id, const char *failed_activity_id);
/* Creates an incident for a program, at an execution that is at an activity. `configuration` and
 * `message` may be NULL. */
int incident_create_own(context *c, const rec_execution *e, const char *type, const char *configuration, const char *message,
                        rec_incident **out);
/* Resolves, or with `deleted` deletes, every incident of a job or external task, and those of
 * callers. */
int incident_resolve_job(context *c, orr_id job, bool deleted);
/* Resolves an incident that no other one caused, and those that it caused in callers. */
int incident_resolve(context *c, const rec_incident *root);
/* The token leaves the activity: deletes the incidents that a program made there. A job's are
 * resolved when the job ends. */
int incident_drop_own(context *c, orr_id execution);
/* The token is gone: deletes its incidents, and those that they caused. */
int incident_drop_scope(context *c, orr_id execution);

#endif
