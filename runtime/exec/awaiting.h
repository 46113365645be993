/* Host calls that are pending, and how their operations continue.
 *
 * An operation whose call is pending is parked: it is kept here, with everything that is planned
 * for its token, and the agenda runs the others. When nothing else is left, the answered calls
 * continue, in the order of their answers; as long as there is none, the context is pending. So the
 * waits of parallel branches overlap in one transaction.
 *
 * A listener or mapping of something that is being canceled holds up the branch that cancels:
 * everything planned since then is parked with it (cancel.c says how the rest runs beside tokens
 * that are about to go). So does the variable mapper of a call whose process throws, because the
 * catch comes after it.
 *
 * The listeners of a whole process that is not being canceled hold up the whole agenda instead.
 *
 * A canceled token drops its call, and the host abandons it. What was planned behind the call runs,
 * and finds the token gone.
 *
 * Nested runs (context_run_nested) wait for their own calls, in a frame of their own. The calls of
 * outer runs continue when the outer run has nothing else left. None of this costs anything while
 * no call is pending. */
#ifndef ORR_AWAITING_H
#define ORR_AWAITING_H

#include "exec/agenda.h"
#include "exec/node/call_place.h"

typedef struct awaited_call awaited_call;

/* From here on calls belong to `frame`, which the caller keeps until it closes it. */
void await_open(context *c, await_frame *frame);
/* Abandons the calls of the innermost frame, and closes it. */
void await_close(context *c);

/* The running operation has called the host at `at`, and the answer will come later. Then `next`
 * runs, as a copy of `op`. */
int await_begin(context *c, const operation *op, operation_fn next, host_pending *call, const place_mark *at);
/* Parks that operation, once it has returned, with the views made since `mark` and with what is
 * planned for its token. 1: it holds up the whole agenda. 0: others run. */
int await_park(context *c, const struct view_slot *mark);

/* What became of a call that continued. */
typedef enum await_outcome {
  AWAIT_ANSWERED, /* *op is to run, and finds the answer in c->result */
  AWAIT_AGAIN,    /* pending once more: await_park is due */
  AWAIT_DROPPED,  /* its token is gone; what was planned behind it is on the agenda */
} await_outcome;

/* The next call of the innermost frame that may continue. NULL: none. */
awaited_call *await_next(context *c);
/* Puts back what was parked with `w`, and has the host continue the call. An await_outcome, or a
 * code. */
int await_resume(context *c, awaited_call *w, operation *op);

/* For the host, on the thread of the call: what the call awaits is there. Continues it now, or when
 * its context comes to it. */
void await_wake(host_pending *call);

/* The token is being canceled, or is gone: drops its calls. */
void await_drop(context *c, rec_execution *e);
/* A pending call of a token that is being canceled, or of one below it. If it belongs to an outer
 * run, it moves to this one. NULL: there is none, or c->error. */
awaited_call *await_of_canceled(context *c, orr_id execution);
/* What the running operation plans, and what was planned since the run `since` (0: everything),
 * will wait for `w`: await_hold_planned parks it once the operation has returned. */
void await_hold_behind(context *c, awaited_call *w, uint32_t since);
/* The last pending call of the innermost frame that the run `run`, or a later one, has made. NULL:
 * there is none. */
awaited_call *await_since(const context *c, uint32_t run);
/* Does so. 0 or the context's error. */
int await_hold_planned(context *c);
/* Is a call pending, or something parked behind one, that is about this instance? */
bool await_concerns(const context *c, orr_id instance);

/* Interrupts calls that are past their deadlines: their waits raise (call_place_overdue). Returns
 * when the next one is due, by call_clock as `now` is; 0: none is. On the context's thread. */
int64_t await_interrupt(context *c, int64_t now);
/* The place of the call that has waited longest, in the innermost run that waits. On the context's
 * thread. */
place_mark await_mark(const context *c);

/* ORR_E_CONFLICT: somebody has deleted the job that `c` runs, or an instance of which a call is
 * pending. */
int await_check(context *c);

#endif
