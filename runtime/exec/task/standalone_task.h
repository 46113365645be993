/* Standalone tasks: tasks without a process, which somebody creates, and subtasks, which are such
 * tasks with a parent. They have no listeners, and variables of their own. A task of a process may
 * be a parent, too. */
#ifndef ORR_EXEC_STANDALONE_TASK_H
#define ORR_EXEC_STANDALONE_TASK_H

#include "exec/task/task.h"

/* `fields`: a map of what task_update takes, and parent_id (a task's id), tenant (default: the
 * parent's), own_id (which no other task has: the caller checks that). ORR_E_ARGUMENT says what is
 * wrong; ORR_E_NOT_FOUND: no such parent; ORR_E_LIMIT: subtasks nest too deep. NULL: c->error. */
rec_task *standalone_task_create(context *c, const orr_value *fields);
/* Makes it a subtask of another task (null: of none). ORR_E_ARGUMENT: no id; ORR_E_NOT_FOUND: no
 * such task; ORR_E_STATE: it belongs to a process, or would be its own subtask; ORR_E_LIMIT:
 * subtasks would nest too deep. */
int standalone_task_move(context *c, rec_task *t, const orr_value *parent_id);
/* Removes the subtasks of a task that ends, for the same reason. */
int task_remove_subtasks(context *c, const rec_task *t, const char *reason);
/* Something about the task has changed for which no listener is called: a comment, an
 * attachment. */
int task_mark_updated(context *c, rec_task *t);

#endif
