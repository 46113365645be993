/* What others need of call activities. */
#ifndef ORR_CALL_H
#define ORR_CALL_H

#include "execution.h"

/* Copies the called instance's variables out as they are now, as it ends by an error or sends an escalation to its caller. */
int call_map_outputs(context *c, rec_execution *caller);

#endif
