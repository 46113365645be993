/* Removing what is left of ended instances. */
#ifndef ORR_PURGE_H
#define ORR_PURGE_H

#include "command/frame.h"
#include "uow/find.h"

/* Every history row of an instance, and before those the rows of what it called, which goes with
 * it. As far as *left goes, which counts down by one for each instance; *whole: nothing is left. */
int purge_tree(context *c, orr_id instance, int64_t *left, bool *whole);
/* All of that at once. */
int purge_instance(context *c, orr_id instance);
/* A variable's history: its last value and each writing. */
int purge_variable(context *c, rec_history_variable *row);
/* The same of a task without a process. */
int purge_task(context *c, orr_id task);
/* The history of every instance of a definition, running ones too. */
int purge_definition(context *c, orr_id definition_id);
/* That of jobs that belonged to no instance, of definitions in the order of their ids. */
int purge_job_log(context *c, const unit_found *definitions_found);

#endif
