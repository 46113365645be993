/* Removing the history of ended instances. */
#ifndef ORR_PURGE_H
#define ORR_PURGE_H

#include "command/frame.h"
#include "uow/find.h"

/* Removes every history row of an instance and, before those, of the instances that it called.
 * Stops when *left, which each instance counts down by one, is 0; *whole: nothing is left. */
int purge_tree(context *c, orr_id instance, int64_t *left, bool *whole);
/* Removes all of that at once. */
int purge_instance(context *c, orr_id instance);
/* Removes a variable's history: its last value and each writing. */
int purge_variable(context *c, rec_history_variable *row);
/* The same for a task without a process. */
int purge_task(context *c, orr_id task);
/* Removes the history of every instance of a definition, running ones included. */
int purge_definition(context *c, orr_id definition_id);
/* Removes the job logs of these definitions (in the order of their ids) that belong to no
 * instance. */
int purge_job_log(context *c, const unit_found *definitions_found);

#endif
