/* Opening and closing the scope that a token becomes in an activity that needs one. */
#ifndef ORR_EXEC_SCOPE_H
#define ORR_EXEC_SCOPE_H

#include "state/execution.h"

/* The token becomes a scope: data objects. */
int scope_open(context *c, rec_execution *e, const node *n);
/* Boundary events of the activity, event sub-processes of a sub-process. */
int scope_arm(context *c, rec_execution *e, const node *n);
/* The token is a plain token again: whatever hung on it is gone. */
int scope_close(context *c, rec_execution *e);

#endif
