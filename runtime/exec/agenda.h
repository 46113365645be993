/* The agenda: a stack of small operations. An operation plans what comes next. Planned operations run
 * in the order in which they were planned, before anything that was there already. So paths run depth
 * first, in document order, without recursion, on a constant C stack. (In some dialects branches
 * advance side by side: branch_queue.h.)
 *
 * An operation is a function of (context, operation). It may
 *   - plan operations (agenda_plan),
 *   - call the script host as its last act (agenda_call). The continuation runs with c->result, now or
 *     when the host answers. Until then, what is planned for other tokens runs (awaiting.h),
 *   - return 0, or a code with c->error filled: then the context fails.
 * BPMN errors are no failures: throw_bpmn_error (event/propagation.h) plans the catching. */
#ifndef ORR_AGENDA_H
#define ORR_AGENDA_H

#include "state/context.h"

typedef int (*operation_fn)(context *c, operation *op);

struct operation {
  operation_fn run;
  /* the token or scope it is about. `run` looks it up again, and it may be gone by then */
  orr_id execution;
  const node *node;
  const flow *flow;
  uint32_t step;       /* position in a list of listeners, parameters, instances */
  uint32_t flags;      /* OP_* */
  orr_id other;        /* a second record */
  const char *text;
  orr_value value;     /* arena */
  void *data;          /* arena */
  uint32_t base;       /* the agenda's size below its branch */
  uint32_t planned_by; /* the number of the run that planned it; never less than below it */
  bool branch;         /* planned by an operation about another token: a branch begins */
};

enum {
  OP_CANCELED = 1,
  OP_SKIP_LISTENERS = 2,
  OP_SKIP_IO = 4,
  OP_SILENT = 8,
  OP_TRIGGERED = 16, /* op_enter, op_execute: the event has happened (it won an event gateway) */
  OP_NO_FLOW = 32,   /* op_leave: the path ends here, whatever flows there are */
  OP_RESUMED = 64,   /* op_leave: its async-after job runs it */
  OP_OPENED = 128,   /* a scope that a modification opens around what it starts */
  OP_HOLDS_PLANNED = 256, /* agenda_call: what was planned beside it needs the answer, and waits too */
};

/* Plans an operation. The slot that it returns is valid until the next plan; run and execution are
 * filled, the rest is zero. NULL: out of memory, c->error filled. */
operation *agenda_plan(context *c, operation_fn run, orr_id execution);
/* Calls the host. Then `next` runs, as a copy of `op`, and finds the answer in c->result. It also
 * runs after HOST_FAILED, so it must look at c->result.error.code and c->result.bpmn_error first
 * (throw_result in event/propagation.h). */
int agenda_call(context *c, const operation *op, const host_call *call, operation_fn next);
/* Has the running operation called the host? Then what it plans runs after the continuation's own
 * plans. */
static inline bool agenda_has_called(const context *c) { return c->waiting || c->pending_call; }
/* Puts the host's answer into c->result. */
void agenda_answered(context *c, host_status status, host_result *result);
/* Runs what is planned down to c->floor, and answered calls. 0, RUN_PENDING, or the code of a
 * failure. */
int agenda_run(context *c);
/* Has everything that is planned for this token do nothing. */
void agenda_drop(context *c, orr_id execution);
/* The operation on top counts as planned by the running one, which has planned nothing yet. */
void agenda_take_along(context *c);
/* Makes room for `n` more operations. */
int agenda_reserve(context *c, uint32_t n);
int context_fail(context *c, orr_error *err); /* moves err into c->error and returns its code */

#endif
