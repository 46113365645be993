/* User tasks: their records, their links, and the listeners that every change calls.
 *
 * The functions change the record at once, and plan the listeners as agenda calls. Whatever must
 * come after the listeners (removing a completed task, leaving its activity) is planned behind
 * them. The caller checks suspension and permissions. */
#ifndef ORR_TASK_H
#define ORR_TASK_H

#include "state/execution.h"

/* Values of rec_task.phase; task.c explains them. */
enum { PHASE_IDLE = 0, PHASE_CREATING, PHASE_CHANGING, PHASE_COMPLETING, PHASE_DELETING };

/* Sets the variables (`local` in the task's own scope first), plans the complete listeners, then
 * the end of the task and of its activity. The maps may be NULL. ORR_E_STATE while the task is
 * delegated, or already completing. */
int task_complete(context *c, rec_task *t, const orr_value *variables, const orr_value *local, const orr_value *transient);
/* ORR_E_STATE when another user has it. For a user who has it already nothing changes, but update
 * listeners are called. */
int task_claim(context *c, rec_task *t, const char *user);
/* NULL clears the assignee. */
int task_assign(context *c, rec_task *t, const char *user);
/* The assignee becomes the owner if there is none, and `user` the assignee, who resolves the task
 * before it can be completed. */
int task_delegate(context *c, rec_task *t, const char *user);
/* Sets the variables (may be NULL) and gives the task back to its owner. */
int task_resolve(context *c, rec_task *t, const orr_value *variables);
/* `changes`: a map of name, description, assignee, owner, priority, due, follow_up, category, delegation, parent_id; null
 * clears. ORR_E_ARGUMENT names what is wrong; for parent_id see standalone_task_move. */
int task_update(context *c, rec_task *t, const orr_value *changes);
/* Deletes a task without a process. ORR_E_STATE: a task of a running instance ends only with its
 * activity. */
int task_delete(context *c, rec_task *t, const char *reason);
/* The activity is canceled: plans the delete listeners, then task_remove. */
int task_cancel(context *c, rec_task *t, const char *reason);
/* A link or a local variable of the task has changed: plans the update listeners, once. */
int task_changed(context *c, rec_task *t);
/* Throws a BPMN error from the task's activity. */
int task_bpmn_error(context *c, rec_task *t, const char *code, const char *message, const orr_value *variables);
/* Throws an escalation from it. ORR_E_STATE when no handler catches it: the task stays as it is. */
int task_escalation(context *c, rec_task *t, const char *code, const orr_value *variables);

/* Plans the listeners of a task that task_create has made. */
int task_created(context *c, rec_task *t);

/* Adds a link; exactly one of user and group is given. Adding what is there does nothing. The types
 * "assignee" and "owner" change the task's own fields, as task_update does, and take only users. */
int task_add_link(context *c, rec_task *t, const char *type, const char *user, const char *group);
/* The reverse; removing what is not there does nothing. 0 or the context's error. */
int task_remove_link(context *c, rec_task *t, const char *type, const char *user, const char *group);

/* Deletes the record, its links, timers and subtasks, without listeners; history gets `reason`. For
 * execution_remove. */
int task_remove(context *c, rec_task *t, const char *reason);
/* Runs the job of a task listener's timer. */
int task_timeout_job(context *c, rec_job *job);

#endif
