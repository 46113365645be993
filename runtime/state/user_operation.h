/* The log of what users do: a row for each property that a command of a user changes, at the history level "full". A command
 * without a user writes none, nor do jobs, delegates and what else the engine runs by itself. Call before the change, while
 * what it is about is still there. */
#ifndef ORR_EXEC_USER_OPERATION_H
#define ORR_EXEC_USER_OPERATION_H

#include "state/context.h"

/* Who usually does such a thing; Camunda's words. */
#define OPERATION_BY_WORKER "TaskWorker"
#define OPERATION_BY_OPERATOR "Operator"
#define OPERATION_BY_ADMIN "Admin"

/* What is done to what. The names are Camunda's: "Claim" of a "Task". Ids that are 0 do not belong to it; of an instance, a
 * task, a job, ... the others that follow are filled in. */
typedef struct user_operation {
  const char *type, *entity, *category;
  orr_id instance, execution, task, job, job_definition, external_task, batch, deployment, definition;
} user_operation;

/* Is this command logged? For callers that would have to look for old values. */
bool user_operation_logged(const context *c);
/* `property` may be NULL: nothing that has values; so may they. Long values are cut. */
int user_operation_log(context *c, const user_operation *what, const char *property, const orr_value *before,
                       const orr_value *after);
/* The same with texts, "" and NULL being no value. */
int user_operation_texts(context *c, const user_operation *what, const char *property, const char *before, const char *after);
/* The same with whole numbers. */
int user_operation_numbers(context *c, const user_operation *what, const char *property, int64_t before, int64_t after);
/* Times; 0: none. */
int user_operation_times(context *c, const user_operation *what, const char *property, orr_time before, orr_time after);

/* "suspensionState", from active to suspended or back. */
int user_operation_suspension(context *c, const user_operation *what, bool suspended);

#endif
