/* The log of what users do: at the history level "full", a command of a user writes a row for each
 * property that it changes. Commands without a user write none, nor do jobs, delegates and whatever
 * else the engine runs by itself. Call these functions before the change, while what is changed
 * still exists. */
#ifndef ORR_EXEC_USER_OPERATION_H
#define ORR_EXEC_USER_OPERATION_H

#include "state/context.h"

/* Who usually does such a thing; Camunda's words. */
#define OPERATION_BY_WORKER "TaskWorker"
#define OPERATION_BY_OPERATOR "Operator"
#define OPERATION_BY_ADMIN "Admin"

/* What is done to what. The names are Camunda's: "Claim" of a "Task". An id of 0 is not part of it;
 * from an instance, a task or a job, the ids that follow from it are filled in. */
typedef struct user_operation {
  const char *type, *entity, *category;
  orr_id instance, execution, task, job, job_definition, external_task, batch, deployment, definition;
} user_operation;

/* Is this command logged? For callers that would have to look up old values. */
bool user_operation_logged(const context *c);
/* `property` may be NULL, when nothing has values; so may the values. Long values are cut. */
int user_operation_log(context *c, const user_operation *what, const char *property, const orr_value *before,
                       const orr_value *after);
/* The same with texts; "" and NULL mean no value. */
int user_operation_texts(context *c, const user_operation *what, const char *property, const char *before, const char *after);
/* The same with whole numbers. */
int user_operation_numbers(context *c, const user_operation *what, const char *property, int64_t before, int64_t after);
/* Times; 0: none. */
int user_operation_times(context *c, const user_operation *what, const char *property, orr_time before, orr_time after);

/* "suspensionState", from active to suspended or back. */
int user_operation_suspension(context *c, const user_operation *what, bool suspended);

#endif
