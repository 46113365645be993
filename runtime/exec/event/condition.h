/* Conditional events: variable changes are kept until the step that made them is over, then shown to the events that can
 * see them. */
#ifndef ORR_CONDITIONS_H
#define ORR_CONDITIONS_H

#include "exec/event/subscription.h"

/* Plans the evaluation of what the changes so far concern, and forgets the changes. */
int conditions_flush(context *c);
/* A scope with conditional events opened: they are evaluated once, changes or not. */
int conditions_entered(context *c, orr_id scope_id);

/* The changes of a scope that are still to be shown count no more. */
void conditions_forget(context *c, orr_id scope_id);

#endif
