/* History rows, written in the same transaction as what they tell. The engine's level says which: instances and activities
 * from "activity" on, tasks and variables from "audit"; incidents, first variables and the logs of jobs and external tasks
 * with "full". Below it a function does nothing. A row that is missing (clean-up took it, or the level was lower when it
 * began) is passed over.
 *
 * Call each once the record that it tells of says what the row shall say. */
#ifndef ORR_HISTORY_H
#define ORR_HISTORY_H

#include "state/execution.h"

/* Are rows of this level written? */
bool history_records(const context *c, orr_history_level level);

/* ---- Instances ------------------------------------------------------------------------------- */

/* `start`: the start event, NULL when it begins elsewhere. */
int history_instance_started(context *c, rec_instance *i, const node *start);
/* The variables that it begins with. */
int history_instance_variables(context *c, const rec_instance *i);
/* "active", "suspended". */
int history_instance_state(context *c, rec_instance *i, const char *state);
/* Its caller, or the topmost of its callers, is another one now. */
int history_instance_moved(context *c, const rec_instance *i);
/* `state`: "completed", "terminated", …; `reason` and `end`, the end event, may be NULL. */
int history_instance_ended(context *c, rec_instance *i, const char *state, const char *reason, const node *end);

/* ---- Activities ------------------------------------------------------------------------------ */

/* Sets e->activity_instance to the row's sequence. */
int history_activity_started(context *c, rec_execution *e, const node *n);
/* Ends that row, and the execution is in no activity then. */
int history_activity_ended(context *c, rec_execution *e, bool canceled);
/* Rows of boundary events that begin when they are armed: the first firing goes on with its event's row, and what never
 * fired is canceled as the activity ends. */
int history_boundary_armed(context *c, rec_execution *activity, const node *n);
/* The row of the boundary event goes over to the token that it made. */
int history_boundary_fired(context *c, const rec_execution *activity, const node *event, rec_execution *token);
/* The rows of those that did not fire end with the activity, canceled. */
int history_boundary_ended(context *c, rec_execution *activity);
/* The instance is another definition's now; so is what it has begun. What has ended keeps the definition that it ran by. */
int history_instance_migrated(context *c, const rec_instance *i);
/* The same of the activity that a token is in: the row names the node of the other definition. */
int history_activity_migrated(context *c, const rec_execution *e, const rec_instance *i, const node *n);
/* The row of what `e` is at learns of its task and who has it (task 0: not of a task), or of the instance it called (0:
 * none). */
int history_activity_update(context *c, rec_execution *e, orr_id task, const char *assignee, orr_id called);

/* When clean-up may take what ends now, by a historyTimeToLive: a number of days or a duration. 0: it is kept for good, as
 * without one (NULL, ""). */
int history_removal_time(context *c, const char *time_to_live, orr_time *out);
/* The same of what ended then of a definition, by the time to live that it has now: its model's, or what was set since. */
int history_removal_of(context *c, orr_id definition_id, orr_time ended, orr_time *out);
/* The same by that definition's record, which may be lent. */
int history_removal_by(context *c, const rec_definition *d, orr_time ended, orr_time *out);

/* ---- The rest -------------------------------------------------------------------------------- */

/* A variable of a scope is another value; ORR_NIL: it is removed. `created`: the scope has it only
 * now, so that a row by this name is of a scope before it. 0 or the context's error. */
int history_variable(context *c, orr_id scope_id, const char *name, bool created,
                     const orr_value *value);
/* One of a token's branch is another value while the token's scope has one by the same name, which
 * hides it: the row that is found by the token's id is the scope's then. */
int history_variable_beneath(context *c, orr_id token, const char *name, bool created,
                             const orr_value *value);
/* The scope has its variable no more, and the branch's is seen again: that row is the branch's now. */
int history_variable_emerges(context *c, orr_id token, const char *name);
/* Of a task without a process. */
int history_task_variable(context *c, const rec_task *t, const char *name, const orr_value *value);
/* Makes the task's row or brings it up to date; `ended` closes it, and `reason` says why it was deleted (NULL: it was not). */
int history_task(context *c, const rec_task *t, bool ended, const char *reason);
/* `state`: "open", "resolved", "deleted". */
int history_incident(context *c, const rec_incident *i, const char *state);
/* One more row of the log of a job or external task; `error`, which goes with the job's traceback, may be NULL. */
int history_job(context *c, const rec_job *j, const char *state, const char *error);
/* The same for an external task, at level full; `state`: what came to pass. */
int history_external(context *c, const rec_external_task *t, const char *state);

#endif
