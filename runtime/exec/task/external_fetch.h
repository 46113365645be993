/* Fetch and lock: the external tasks that a worker gets. */
#ifndef ORR_EXEC_TASK_EXTERNAL_FETCH_H
#define ORR_EXEC_TASK_EXTERNAL_FETCH_H

#include "exec/task/external_task.h"

/* Locks up to `max` tasks that are free, have retries left and are not suspended. */
int external_fetch_and_lock(context *c, const external_fetch *request, external_locked **out, uint32_t *count);
/* The variables that the worker gets, as a map: those that the model names, or all (`local`: only
 * those of the activity's scope). */
int external_variables(context *c, const rec_external_task *t, bool local, orr_value *out);

#endif
