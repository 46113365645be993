/* History rows, written in the same transaction as what they record. The engine's history level
 * decides which: instances and activities from "activity" on, tasks and variables from "audit" on;
 * incidents, first variables and the logs of jobs and external tasks with "full". Below its level a
 * function does nothing. A function skips a row that is missing, because clean-up took it or the
 * level was lower when it would have begun.
 *
 * Call each once the record has the values that the row is to show. */
#ifndef ORR_HISTORY_H
#define ORR_HISTORY_H

#include "state/execution.h"

/* Are rows of this level written? */
bool history_records(const context *c, orr_history_level level);

/* ---- Instances ------------------------------------------------------------------------------- */

/* `start`: the start event; NULL: the instance begins elsewhere. */
int history_instance_started(context *c, rec_instance *i, const node *start);
/* The variables that the instance begins with. */
int history_instance_variables(context *c, const rec_instance *i);
/* "active", "suspended". */
int history_instance_state(context *c, rec_instance *i, const char *state);
/* Its caller, or the topmost of its callers, has changed. */
int history_instance_moved(context *c, const rec_instance *i);
/* `state`: "completed", "terminated", …; `reason` and `end`, the end event, may be NULL. */
int history_instance_ended(context *c, rec_instance *i, const char *state, const char *reason, const node *end);

/* ---- Activities ------------------------------------------------------------------------------ */

/* Begins a row, and sets e->activity_instance to its number. */
int history_activity_started(context *c, rec_execution *e, const node *n);
/* Ends that row. The execution is then in no activity. */
int history_activity_ended(context *c, rec_execution *e, bool canceled);
/* By dialect, rows of boundary events begin when the events are armed. The first firing uses its
 * event's row. */
int history_boundary_armed(context *c, rec_execution *activity, const node *n);
/* The row of the boundary event now belongs to the token that the event made. */
int history_boundary_fired(context *c, const rec_execution *activity, const node *event, rec_execution *token);
/* Ends the rows of boundary events that did not fire, as canceled, with their activity. */
int history_boundary_ended(context *c, rec_execution *activity);
/* The instance, and what runs in it, belongs to another definition now. What has ended keeps its
 * definition. */
int history_instance_migrated(context *c, const rec_instance *i);
/* The same for the activity that a token is in: its row names the node of the new definition. */
int history_activity_migrated(context *c, const rec_execution *e, const rec_instance *i, const node *n);
/* Notes in the row of what `e` is at: its task and the assignee (task 0: none), or the instance
 * that it called (0: none). */
int history_activity_update(context *c, rec_execution *e, orr_id task, const char *assignee, orr_id called);

/* When clean-up may remove what ends now, by a historyTimeToLive: a number of days, or a duration.
 * 0: never, as without one (NULL or ""). */
int history_removal_time(context *c, const char *time_to_live, orr_time *out);
/* The same for what ended at `ended`, by the time to live that its definition has now: the model's,
 * or what was set since. */
int history_removal_of(context *c, orr_id definition_id, orr_time ended, orr_time *out);
/* The same, by that definition's record, which may be lent. */
int history_removal_by(context *c, const rec_definition *d, orr_time ended, orr_time *out);

/* ---- The rest -------------------------------------------------------------------------------- */

/* A variable of a scope has a new value; ORR_NIL: it was removed. `created`: the scope did not have
 * it before, so an existing row of that name belongs to an earlier scope. 0 or the context's
 * error. */
int history_variable(context *c, orr_id scope_id, const char *name, bool created,
                     const orr_value *value);
/* A variable of a token's branch has a new value, while the token's scope hides it by one of the
 * same name. The row that the token's id finds is the scope's then. */
int history_variable_beneath(context *c, orr_id token, const char *name, bool created,
                             const orr_value *value);
/* The scope's variable was removed, so the branch's is visible again: the row belongs to the branch
 * now. */
int history_variable_emerges(context *c, orr_id token, const char *name);
/* The same for a task without a process. */
int history_task_variable(context *c, const rec_task *t, const char *name, const orr_value *value);
/* Writes or updates the row of a task. `ended` closes it; `reason` says why the task was deleted
 * (NULL: it was not). */
int history_task(context *c, const rec_task *t, bool ended, const char *reason);
/* `state`: "open", "resolved", "deleted". */
int history_incident(context *c, const rec_incident *i, const char *state);
/* Adds a row to the log of a job. `error` may be NULL; the job's traceback is stored with it. */
int history_job(context *c, const rec_job *j, const char *state, const char *error);
/* Adds a row to the log of an external task, at level full; `state` says what happened. */
int history_external(context *c, const rec_external_task *t, const char *state);

#endif
