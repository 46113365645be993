/* Deleting instances and the tokens of one, with what is left empty above them. */
#ifndef ORR_DELETE_H
#define ORR_DELETE_H

#include "exec/execution.h"

/* Plans the cancelling of a token, then of every enclosing scope that is left without tokens, and of the instance itself. */
int plan_cancel_upwards(context *c, orr_id token, const char *reason, uint32_t flags);
/* Plans the deletion of an instance, then what the dialect says about its caller: cancelled with it, or going on. */
int delete_with_caller(context *c, rec_instance *instance, const char *reason, uint32_t flags);

#endif
