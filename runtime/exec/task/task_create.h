/* A user task comes into being: its attributes evaluated, its links made, its timers started. */
#ifndef ORR_TASK_CREATE_H
#define ORR_TASK_CREATE_H

#include "state/execution.h"

/* The task of a user task's token: every attribute evaluated, links made, timers of timeout listeners started, create and
 * assignment listeners planned in the dialect's order. */
int task_create(context *c, rec_execution *e, const node *n);
/* Starts the timer of a timeout listener, if it is one: `at` is its position among the node's task listeners. */
int task_start_timeout(context *c, rec_execution *e, const node *n, rec_instance *i, uint32_t at);
/* What a text attribute may hold: several names with commas between. Calls `each` for each one, trimmed. */
int task_each_name(context *c, const orr_value *v, int (*each)(context *c, void *ud, const char *name), void *ud);

#endif
