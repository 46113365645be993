/* Opening and closing the scope that a token becomes in an activity that needs one. */
#ifndef ORR_EXEC_SCOPE_H
#define ORR_EXEC_SCOPE_H

#include "state/execution.h"

/* Makes the token a scope, with its data objects. */
int scope_open(context *c, rec_execution *e, const node *n);
/* Arms the boundary events of the activity, and the event sub-processes of a sub-process. */
int scope_arm(context *c, rec_execution *e, const node *n);
/* Makes it a plain token again, and deletes whatever belonged to the scope. */
int scope_close(context *c, rec_execution *e);

#endif
