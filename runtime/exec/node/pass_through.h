/* Nodes that let a token pass at once: tasks without work, none events. */
#ifndef ORR_EXEC_NODE_PASS_THROUGH_H
#define ORR_EXEC_NODE_PASS_THROUGH_H

#include "exec/node/behavior.h"

/* The trigger of behaviors that wait for nothing: ORR_E_STATE. */
int behavior_no_trigger(context *c, rec_execution *e, const node *n, trigger_kind kind, const orr_value *variables);

#endif
