/* User tasks: their records, their links, and the listeners that every change fires.
 *
 * The functions change the record at once and plan the listeners as agenda calls; what must come after the listeners
 * (removing a completed task, leaving its activity) is planned behind them. Suspension and permission are the caller's
 * matter. */
#ifndef ORR_TASK_H
#define ORR_TASK_H

#include "state/execution.h"

/* rec_task.phase; task.c says what it is for. */
enum { PHASE_IDLE = 0, PHASE_CREATING, PHASE_CHANGING, PHASE_COMPLETING, PHASE_DELETING };

/* Sets the variables (`local` in the task's own scope first), plans complete listeners, then the end of the task and of
 * its activity. The maps may be NULL. ORR_E_STATE while the task is delegated or already completing. */
int task_complete(context *c, rec_task *t, const orr_value *variables, const orr_value *local, const orr_value *transient);
/* ORR_E_STATE when somebody else has it. A user who has it already changes nothing, and update listeners hear of it. */
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
/* One without a process; ORR_E_STATE: a task of a running instance ends with its activity, not by itself. */
int task_delete(context *c, rec_task *t, const char *reason);
/* Its activity is canceled: plans delete listeners, then task_remove. */
int task_cancel(context *c, rec_task *t, const char *reason);
/* Something of the task changed (a link, a local variable): plans update listeners, once. */
int task_changed(context *c, rec_task *t);
/* A BPMN error or an escalation out of the task's activity. */
int task_bpmn_error(context *c, rec_task *t, const char *code, const char *message, const orr_value *variables);
/* ORR_E_STATE when no handler catches it: the task stays as it is. */
int task_escalation(context *c, rec_task *t, const char *code, const orr_value *variables);

/* Plans the listeners of a task that task_create made; task.c. */
int task_created(context *c, rec_task *t);

/* Exactly one of user and group. Adding what is there, or removing what is not, does nothing. The types "assignee" and
 * "owner" change the task's own fields, as task_update does; they take users alone. */
int task_add_link(context *c, rec_task *t, const char *type, const char *user, const char *group);
/* `type` as for task_add_link. 0 or the context's error. */
int task_remove_link(context *c, rec_task *t, const char *type, const char *user, const char *group);

/* Takes the record, its links, timers and subtasks away, without listeners; history says `reason`. For execution_remove. */
int task_remove(context *c, rec_task *t, const char *reason);
/* The job of a task listener's timer. */
int task_timeout_job(context *c, rec_job *job);

#endif
