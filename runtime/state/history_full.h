/* History rows that only the level "full" has: each writing of a variable, changes of identity
 * links, sequence flows taken. Below that level these functions do nothing. */
#ifndef ORR_EXEC_HISTORY_FULL_H
#define ORR_EXEC_HISTORY_FULL_H

#include "state/execution.h"

/* Call it once `row` shows what was written, or that the variable was removed. */
int history_detail(context *c, const rec_history_variable *row, bool removed);
/* An identity link was added or removed: `change` is "add" or "delete". One of user and group is
 * empty. */
int history_link(context *c, const rec_task *t, const char *change, const char *type, rec_text user, rec_text group);
/* A task's assignee or owner (`type`) has changed. */
int history_holder(context *c, const rec_task *t, const char *type, rec_text before, rec_text after);
/* A token of `instance` takes the flow. */
int history_flow(context *c, orr_id instance, const flow *f);

#endif
