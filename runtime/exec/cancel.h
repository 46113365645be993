/* Canceling tokens and scopes, and the end of an instance. */
#ifndef ORR_EXEC_CANCEL_H
#define ORR_EXEC_CANCEL_H

#include "exec/execution.h"

/* Canceling. Flags OP_SKIP_LISTENERS and OP_SKIP_IO hold for everything below; op->text is the reason. */
/* a token with everything below it, inner first, with end listeners (OP_CANCELED) */
int op_cancel(context *c, operation *op);
int op_cancel_children(context *c, operation *op); /* of a scope, keeping op->other */
/* Plans the canceling of all tokens of a scope but `keep` (0: none is kept). 0 or the context's
 * error. */
int plan_cancel_children(context *c, orr_id of, orr_id keep);
/* Process-level end listeners, history, removal; then the caller goes on. op->node: where it ended. op->text: why it was
 * deleted; op->data: the history state as a text, NULL: "completed". OP_SILENT: the caller is not told; OP_CANCELED as
 * listeners see it. */
int op_end_instance(context *c, operation *op);

#endif
