/* BPMN errors and escalations: they travel outwards through scopes until something catches them. */
#ifndef ORR_PROPAGATION_H
#define ORR_PROPAGATION_H

#include "exec/node/behavior.h"

typedef struct bpmn_error {
  const char *code, *message;
  orr_value variables;       /* set in the catching scope */
  const orr_value *types;    /* of a raised table, for <error errorCode="a.b.Failure"> */
} bpmn_error;

/* Finds the nearest catcher (event sub-process, boundary event; also through call activities) and
 * plans the catch. Uncaught, the path ends or, by dialect and configuration, c->error becomes
 * ORR_E_BPMN_ERROR and its code is returned. */
int throw_bpmn_error(context *c, orr_id execution, const bpmn_error *error);
/* What a failed host call means: a BPMN error, a mapped exception, an <error> that catches its
 * type, or a failure of the context. 0: something caught it. `n` has the exception mappings (may be
 * NULL). */
int throw_result(context *c, orr_id execution, const node *n, host_result *result);

/* An expression about this activity has failed with `rc` and c->error. If a function in it raised a
 * BPMN error, throws that: 0 once something catches it. Returns any other failure. */
int throw_raised(context *c, orr_id execution, int rc);

/* throw_result for an execution listener at `n`. The dialect decides whether the activity's own
 * boundary events may catch it. What the listeners of a process raise, or those of something
 * canceled (OP_CANCELED) or opened by a modification (OP_OPENED), reaches the caller. */
int throw_listener_result(context *c, orr_id execution, const node *n, uint32_t flags, host_result *result);

/* Plans the nearest event that catches the escalation. If there is none, *caught is false, and that
 * is no failure. */
int throw_escalation(context *c, orr_id execution, const char *code, const orr_value *variables, bool *caught);

#endif
