/* Nodes that do nothing but let the token through, and the answer of everything that waits for nothing. */
#ifndef ORR_EXEC_NODE_PASS_H
#define ORR_EXEC_NODE_PASS_H

#include "exec/node/behavior.h"

/* For behaviors that wait for nothing: ORR_E_STATE. */
int behavior_no_trigger(context *c, rec_execution *e, const node *n, trigger_kind kind, const orr_value *variables);

#endif
