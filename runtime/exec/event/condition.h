/* Conditional events: changes of variables are kept until the step that made them is over, and then
 * shown to the events that can see them. */
#ifndef ORR_CONDITIONS_H
#define ORR_CONDITIONS_H

#include "exec/event/subscription.h"

/* Plans the evaluation of the conditions that the changes so far concern, and forgets the
 * changes. */
int conditions_flush(context *c);
/* A scope with conditional events has opened: evaluates them once, whatever has changed. */
int conditions_entered(context *c, orr_id scope_id);

/* Forgets the changes of a scope that were not shown yet. */
void conditions_forget(context *c, orr_id scope_id);

#endif
