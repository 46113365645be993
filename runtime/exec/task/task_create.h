/* How a user task comes into being: its attributes are evaluated, its links made, its timers
 * started. */
#ifndef ORR_TASK_CREATE_H
#define ORR_TASK_CREATE_H

#include "state/execution.h"

/* Makes the task of a user task's token: evaluates every attribute, makes the links, starts the
 * timers of timeout listeners, plans create and assignment listeners in the dialect's order. */
int task_create(context *c, rec_execution *e, const node *n);
/* If the task listener number `at` of the node is a timeout listener, starts its timer. */
int task_start_timeout(context *c, rec_execution *e, const node *n, rec_instance *i, uint32_t at);
/* Calls `each` for each name of a text attribute, which may hold several with commas between;
 * trimmed. */
int task_each_name(context *c, const orr_value *v, int (*each)(context *c, void *ud, const char *name), void *ud);

#endif
