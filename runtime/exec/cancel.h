/* Canceling tokens and scopes, and the end of an instance. */
#ifndef ORR_EXEC_CANCEL_H
#define ORR_EXEC_CANCEL_H

#include "exec/agenda.h"
#include "state/execution.h"

/* Canceling takes a token away with everything below it, inner first, with end listeners. Flags OP_SKIP_LISTENERS and
 * OP_SKIP_IO hold for everything below; op->text is the reason; op->flags has OP_CANCELED.
 *
 * A single operation, planned right behind, is all that relies on it: only that waits for listeners and mappings of what
 * is canceled. */
int op_interrupt(context *c, operation *op);
int op_interrupt_children(context *c, operation *op); /* of a scope, keeping op->other */
/* Is an operation about a token that is about to go, and no part of its canceling? */
bool cancel_overtakes(context *c, const operation *op);
/* Plans the canceling of all tokens of a scope but `keep` (0: none is kept), by
 * op_interrupt_children. 0 or the context's error. */
int plan_interrupt_children(context *c, orr_id of, orr_id keep);
/* The same of several scopes at once: all of them are marked before the first listener runs. The
 * ids stay the caller's until the canceling has begun. */
int plan_interrupt_scopes(context *c, const orr_id *ids, uint32_t count, orr_id keep);
/* The same of several tokens; of none: nothing. */
int plan_interrupt_tokens(context *c, const orr_id *ids, uint32_t count, const char *reason,
                          uint32_t flags);
/* For an operation that plans more between them: marks these tokens, those that there are. `since`:
 * the run that began the canceling. A listener of theirs holds up all that was planned since then.
 * 0 or the context's error. */
int cancel_mark(context *c, const orr_id *tokens, uint32_t count, uint32_t since);
/* Then plans the canceling of one of them, for the reason and with the flags of `from`. All that
 * the operation plans behind it waits for it. 0 or the context's error. */
int cancel_marked(context *c, orr_id token, const operation *from, uint32_t since);
/* Process-level end listeners, history, removal; then the caller goes on. op->node: where it ended. op->text: why it was
 * deleted; op->data: the history state as a text, NULL: "completed". OP_SILENT: the caller is not told; OP_CANCELED as
 * listeners see it. */
int op_end_instance(context *c, operation *op);
/* Cancels all that is in the instance first. op->step: does what is planned next wait for it?
 * op->other: the run that began the canceling, 0: this one. */
int op_delete_instance(context *c, operation *op);

#endif
