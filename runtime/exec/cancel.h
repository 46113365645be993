/* Canceling tokens and scopes, and the end of an instance. */
#ifndef ORR_EXEC_CANCEL_H
#define ORR_EXEC_CANCEL_H

#include "exec/agenda.h"
#include "state/execution.h"

/* Cancels a token with everything below it, inner ones first, with end listeners. The flags
 * OP_SKIP_LISTENERS and OP_SKIP_IO apply to everything below; op->text is the reason; op->flags has
 * OP_CANCELED. Only the one operation that is planned right behind it waits for the listeners and
 * mappings of what is canceled. */
int op_interrupt(context *c, operation *op);
int op_interrupt_children(context *c, operation *op); /* of a scope, keeping op->other */
/* Is an operation about a token that is about to go, and no part of its canceling? */
bool cancel_overtakes(context *c, const operation *op);
/* Plans the canceling of all tokens of a scope except `keep` (0: of all). 0 or the context's
 * error. */
int plan_interrupt_children(context *c, orr_id of, orr_id keep);
/* The same for several scopes at once: all their tokens are marked before the first listener runs.
 * The caller keeps `ids` until the canceling has begun. */
int plan_interrupt_scopes(context *c, const orr_id *ids, uint32_t count, orr_id keep);
/* The same for several tokens, or for none. */
int plan_interrupt_tokens(context *c, const orr_id *ids, uint32_t count, const char *reason,
                          uint32_t flags);
/* For an operation that plans something between several cancels: marks those of these tokens that
 * exist. `since`: the run that began the canceling; a listener of theirs holds up all that was
 * planned since then. 0 or the context's error. */
int cancel_mark(context *c, const orr_id *tokens, uint32_t count, uint32_t since);
/* Then plans the canceling of one of them, with the reason and the flags of `from`. All that the
 * operation plans behind it waits for it. 0 or the context's error. */
int cancel_marked(context *c, orr_id token, const operation *from, uint32_t since);
/* Runs the process's end listeners, writes history, removes the instance, and continues its caller.
 * op->node: where it ended. op->text: why it was deleted. op->data: the state in history as a text;
 * NULL: "completed". OP_SILENT: the caller is not told. OP_CANCELED: what listeners see. */
int op_end_instance(context *c, operation *op);
/* The same, but cancels everything in the instance first. op->step: does what is planned next wait
 * for it? op->other: the run that began the canceling; 0: this one. */
int op_delete_instance(context *c, operation *op);

#endif
