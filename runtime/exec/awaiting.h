/* Host calls that are pending, and what goes on once they are answered.
 *
 * An operation whose call is pending steps aside: it is kept here together with what is planned for
 * its token, and the agenda goes on with the others. When nothing else is left to run, the calls
 * whose answers have come go on, in the order in which these came; while none has, the context is
 * pending. So the waits of parallel branches overlap in one transaction.
 *
 * Listeners and mappings of what is canceled hold up the branch that cancels: all that was planned
 * since then steps aside (cancel.c says how the rest can go on beside tokens that are about to go).
 * So does the mapper of a call whose process throws: what catches that comes behind it.
 *
 * The listeners of a whole process that is not canceled hold up the whole agenda instead.
 *
 * A token that is canceled drops its call: the host abandons it; what was planned behind it runs
 * and finds the token gone.
 *
 * Nested runs (context_run_nested) wait for their own calls, in a frame of their own; the outer
 * ones' go on when the outer run has nothing else left. Nothing of this costs anything as long as
 * no call is pending. */
#ifndef ORR_AWAITING_H
#define ORR_AWAITING_H

#include "exec/agenda.h"
#include "exec/node/call_place.h"

typedef struct awaited_call awaited_call;

/* From here on calls belong to `frame`, which the caller keeps until it closes it. */
void await_open(context *c, await_frame *frame);
/* Abandons what waits in the innermost frame, and closes that. */
void await_close(context *c);

/* The running operation made the call `at` of the host, which answers later; `next` goes on with what is copied from `op`. */
int await_begin(context *c, const operation *op, operation_fn next, host_pending *call, const place_mark *at);
/* The operation that began to wait has returned: it steps aside with the views made since `mark` and with what is planned
 * for its token. 1: the agenda stands still until it is answered. 0: it goes on with the others. */
int await_park(context *c, const struct view_slot *mark);

/* How a call that may go on did. */
typedef enum await_outcome {
  AWAIT_ANSWERED, /* *op goes on, and finds the answer in c->result */
  AWAIT_AGAIN,    /* pending once more: await_park is due */
  AWAIT_DROPPED,  /* its token is gone; what was planned behind it is on the agenda */
} await_outcome;

/* The next call of the innermost frame that may go on. NULL: none. */
awaited_call *await_next(context *c);
/* Puts back what stepped aside with `w` and lets the host go on with it. An await_outcome, or a code. */
int await_resume(context *c, awaited_call *w, operation *op);

/* For the host, on the thread of the call: what it awaits is there. Has the call go on now, or when its context comes to it. */
void await_wake(host_pending *call);

/* The token is being canceled, or is gone: so is what it waited for. */
void await_drop(context *c, rec_execution *e);
/* A call of what is being canceled that waits: this token's, or that of one below it. One of a run around this one is this
 * one's from now on. NULL: there is none, or c->error. */
awaited_call *await_of_canceled(context *c, orr_id execution);
/* What the running operation plans, and what was planned since the run `since` (0: all there is), comes behind `w`. */
void await_hold_behind(context *c, awaited_call *w, uint32_t since);
/* The last call of the innermost frame that was made by the run `run` or a later one, and is not over. NULL: there is none. */
awaited_call *await_since(const context *c, uint32_t run);
/* Does so, once that operation has returned. 0 or the context's error. */
int await_hold_planned(context *c);
/* Does a call wait, or stand something behind one, that concerns this instance? */
bool await_concerns(const context *c, orr_id instance);

/* Has calls go on that have waited beyond their deadlines: what they wait for raises (call_place_overdue). Answers when the next
 * one is due, by call_clock as `now` is; 0: none ever is. On the context's thread. */
int64_t await_interrupt(context *c, int64_t now);
/* The call that has waited for longest, in the innermost run that waits; on the context's thread. */
place_mark await_mark(const context *c);

/* ORR_E_CONFLICT: others have deleted the job that `c` runs, or an instance for which a call waits. */
int await_check(context *c);

#endif
