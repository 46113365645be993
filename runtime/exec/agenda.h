/* The agenda: a stack of small operations. An operation plans what comes next; planned operations run in the order they
 * were planned, before anything that was there already. So paths run depth first, in document order, without recursion, in
 * constant C stack. (In some dialects, branches advance side by side: branch_queue.h.)
 *
 * Each operation is a function of (context, operation). It may
 *   - plan operations (agenda_plan),
 *   - call the script host as its last act (agenda_call): the continuation runs with c->result, now or when the host
 *     answers; while it does not, what is planned for other tokens goes on (awaiting.h),
 *   - return 0, or a code with c->error filled: the context fails.
 * BPMN errors are not failures: throw_bpmn_error (event/propagation.h) plans the catching. */
#ifndef ORR_AGENDA_H
#define ORR_AGENDA_H

#include "state/context.h"

typedef int (*operation_fn)(context *c, operation *op);

struct operation {
  operation_fn run;
  /* the token or scope it is about; looked up again when it runs: it may be gone by then, which run must bear */
  orr_id execution;
  const node *node;
  const flow *flow;
  uint32_t step;       /* position in a list of listeners, parameters, instances */
  uint32_t flags;      /* OP_* */
  orr_id other;        /* a second record */
  const char *text;
  orr_value value;     /* arena */
  void *data;          /* arena */
  uint32_t base;       /* the agenda's size below its branch: what lies deeper is no concern of what runs here */
  uint32_t planned_by; /* the number of the run that planned it; what lies higher was planned no earlier */
  bool branch;         /* planned by an operation about another token: a branch begins */
};

enum {
  OP_CANCELED = 1,
  OP_SKIP_LISTENERS = 2,
  OP_SKIP_IO = 4,
  OP_SILENT = 8,
  OP_TRIGGERED = 16, /* op_enter, op_execute: the event has happened already (it won an event gateway) */
  OP_NO_FLOW = 32,   /* op_leave: the path ends here, whatever leads on */
  OP_RESUMED = 64,   /* op_leave: behind its async-after job */
  OP_OPENED = 128,   /* a scope that a modification opens around what it starts */
  OP_HOLDS_PLANNED = 256,    /* agenda_call: what was planned beside it relies on it, and waits with it for the answer */
};

/* Plans an operation; the returned slot (run and execution filled, what the caller does not fill is zero) is valid until
 * the next plan. NULL: out of memory, c->error filled. */
operation *agenda_plan(context *c, operation_fn run, orr_id execution);
/* Calls the host; then `next` runs as an operation copied from `op` with run = next, and finds the answer in c->result.
 * HOST_FAILED also goes to `next`: it must look at c->result.error.code and c->result.bpmn_error first (event/propagation.h:
 * throw_result). */
int agenda_call(context *c, const operation *op, const host_call *call, operation_fn next);
/* Has the running operation called the host? Then what it plans comes behind the continuation's own plans. */
static inline bool agenda_has_called(const context *c) { return c->waiting || c->pending_call; }
/* The host answered; the answer is in c->result from now on. */
void agenda_answered(context *c, host_status status, host_result *result);
/* Runs what is planned down to c->floor, and what was awaited and may go on. 0, RUN_PENDING, or the failure's code. */
int agenda_run(context *c);
/* What is planned for this token does nothing any more. */
void agenda_drop(context *c, orr_id execution);
/* What lies next on the agenda counts as planned by the running operation, which has planned nothing yet. */
void agenda_take_along(context *c);
/* Room for `n` more operations. */
int agenda_reserve(context *c, uint32_t n);
int context_fail(context *c, orr_error *err); /* moves err into c->error and returns its code */

#endif
