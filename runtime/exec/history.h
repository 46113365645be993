/* History rows, written in the same transaction as what they tell. The engine's level says which. */
#ifndef ORR_HISTORY_H
#define ORR_HISTORY_H

#include "execution.h"

int history_instance_started(context *c, rec_instance *i, const node *start);
/* The variables that it begins with. */
int history_instance_variables(context *c, const rec_instance *i);
int history_instance_state(context *c, rec_instance *i, const char *state);
int history_instance_ended(context *c, rec_instance *i, const char *state, const char *reason, const node *end);
/* Sets e->activity_instance to the row's sequence. */
int history_activity_started(context *c, rec_execution *e, const node *n);
int history_activity_ended(context *c, rec_execution *e, bool canceled);
/* Rows of boundary events that begin when they are armed: the first firing goes on with its event's row, and what never fired is
 * cancelled as the activity ends. */
int history_boundary_armed(context *c, rec_execution *activity, const node *n);
int history_boundary_fired(context *c, const rec_execution *activity, const node *event, rec_execution *token);
int history_boundary_ended(context *c, rec_execution *activity);
/* The instance is another definition's now; so is what it has begun. What has ended keeps the definition that it ran by. */
int history_instance_migrated(context *c, const rec_instance *i);
int history_activity_migrated(context *c, const rec_execution *e, const rec_instance *i, const node *n);
int history_activity_update(context *c, rec_execution *e, orr_id task, const char *assignee, orr_id called);
int history_variable(context *c, orr_id scope_id, const char *name, const orr_value *value); /* ORR_NIL: removed */
int history_task(context *c, const rec_task *t, bool ended, const char *reason);
int history_incident(context *c, const rec_incident *i, const char *state);
int history_job(context *c, const rec_job *j, const char *state, const char *error);
int history_external(context *c, const rec_external_task *t, const char *state);

#endif
