/* BPMN errors and escalations: what travels outwards through scopes until something catches it. */
#ifndef ORR_PROPAGATION_H
#define ORR_PROPAGATION_H

#include "exec/node/behavior.h"

typedef struct bpmn_error {
  const char *code, *message;
  orr_value variables;       /* set in the catching scope */
  const orr_value *types;    /* of a raised table, for <error errorCode="a.b.Failure"> */
} bpmn_error;

/* Finds the nearest catcher (event sub-process, boundary event; through call activities) and plans the catch. Uncaught: by
 * dialect and configuration the path ends, or c->error becomes ORR_E_BPMN_ERROR and its code is returned. */
int throw_bpmn_error(context *c, orr_id execution, const bpmn_error *error);
/* What a failed host call means: a BPMN error, a mapped exception, an <error> that catches its type, or the context's failure.
 * Returns 0 when something caught it. `n` supplies exception mappings (may be NULL). */
int throw_result(context *c, orr_id execution, const node *n, host_result *result);

/* An expression about this activity failed with `rc` and c->error. A BPMN error that a function in it raised is thrown
 * there: 0 once somebody catches it. Any other failure is passed on. */
int throw_raised(context *c, orr_id execution, int rc);

/* throw_result for an execution listener at `n`: whether the activity's own boundary events may catch is the dialect's matter,
 * and what a process's listeners or those of something canceled (OP_CANCELED) or opened by a modification (OP_OPENED)
 * raise reaches the caller. */
int throw_listener_result(context *c, orr_id execution, const node *n, uint32_t flags, host_result *result);

/* Plans the nearest event that catches the escalation. Where none does, *caught is false, which is no failure. */
int throw_escalation(context *c, orr_id execution, const char *code, const orr_value *variables, bool *caught);

#endif
