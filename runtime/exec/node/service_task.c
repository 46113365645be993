/* Nodes that run an implementation: service, send, business rule and script tasks, and message
 * throw events that have one. The call is the hot path of the runtime: it needs one view and one
 * call record in the arena, and looks nothing up. */
#include <inttypes.h>
#include <string.h>

#include "exec/event/propagation.h"
#include "exec/node/behavior.h"
#include "exec/node/service_call.h"
#include "exec/task/external_task.h"
#include "exec/token.h"
#include "state/expression.h"
#include "state/variable.h"

/* ---- After the call -------------------------------------------------------------------------- */

static int leave_by_choice(context *c, const rec_execution *e, const node *n, const char *flow_id) {
  const flow *chosen = NULL;
  for (uint32_t i = 0; i < n->n_outgoing && !chosen; i++) {
    if (n->outgoing[i]->id && strcmp(n->outgoing[i]->id, flow_id) == 0) chosen = n->outgoing[i];
  }
  if (!chosen) return context_error(c, ORR_E_STATE, "\"%s\" has no outgoing flow \"%s\" to leave by", n->id, flow_id);
  operation *op = agenda_plan(c, op_leave, e->id);
  if (!op) return c->error.code;
  op->node = n;
  op->flow = chosen;
  return 0;
}

/* op->data is the view that the callee saw. */
static int leave_or_wait(context *c, const operation *op, const rec_execution *e, bool waits) {
  const orr_execution *view = op->data;
  if (view->leave_flow) return leave_by_choice(c, e, op->node, view->leave_flow);
  return waits || c->result.wait ? 0 : plan_leave(c, e, op->node);
}

static int op_called(context *c, operation *op) {
  if (c->result.error.code || c->result.bpmn_error) return throw_result(c, op->execution, op->node, &c->result);
  rec_execution *e = execution_get(c, op->execution);
  if (!e) return c->error.code;
  const service_task *s = op->node->service;
  if (s->result_variable || expr_given(&s->result_variable_expression)) {
    int rc = service_store_result(c, e->id, op->node, &c->result.value);
    if (rc) return rc;
  }
  return leave_or_wait(c, op, e, s->triggerable);
}

static int op_triggered(context *c, operation *op) {
  if (c->result.error.code || c->result.bpmn_error) return throw_result(c, op->execution, op->node, &c->result);
  const rec_execution *e = execution_get(c, op->execution);
  return e ? leave_or_wait(c, op, e, false) : c->error.code;
}

/* ---- The call -------------------------------------------------------------------------------- */

static int service_execute(context *c, rec_execution *e, const node *n) {
  const service_task *s = n->service;
  if (expr_given(&n->skip)) {
    bool skip;
    int rc = expr_skips(c, &n->skip, e->id, n, &skip);
    if (rc || skip) return rc ? rc : plan_leave(c, e, n);
  }
  switch (s->run.kind) {
    case IMPLEMENTATION_NONE: return s->triggerable ? 0 : plan_leave(c, e, n);
    case IMPLEMENTATION_EXTERNAL: return external_create(c, e, n);
    case IMPLEMENTATION_SCRIPT: return service_call(c, e, n, HOST_SCRIPT, NULL, op_called);
    case IMPLEMENTATION_CLASS: case IMPLEMENTATION_EXPRESSION: case IMPLEMENTATION_DELEGATE: case IMPLEMENTATION_TYPE: break;
  }
  return service_call(c, e, n, HOST_DELEGATE, NULL, op_called);
}

/* op->data: the trigger's variables. */
static int op_tell(context *c, operation *op) {
  const rec_execution *e = execution_get(c, op->execution);
  return e ? service_call(c, e, op->node, HOST_TRIGGER, op->data, op_triggered) : c->error.code;
}

/* Plans the call. A trigger comes from a command, and only an operation may call the host. */
static int plan_tell(context *c, const rec_execution *e, const node *n, const orr_value *variables) {
  orr_value *data = variables ? ARENA_NEW(c->arena, orr_value) : NULL;
  if (variables && !data) return context_memory(c);
  if (data) *data = *variables;
  operation *op = agenda_plan(c, op_tell, e->id);
  if (!op) return c->error.code;
  op->node = n;
  op->data = data;
  return 0;
}

/* Behind an expression or a script the token leaves at once. A delegate gets the trigger first, and
 * may wait again. */
static int service_trigger(context *c, rec_execution *e, const node *n, trigger_kind kind, const orr_value *variables) {
  if (kind == TRIGGER_EXTERNAL) return plan_leave(c, e, n);
  implementation_kind run = n->service->run.kind;
  if (run == IMPLEMENTATION_EXTERNAL) {
    return context_error(c, ORR_E_STATE, "execution %" PRIu64 " waits at external task \"%s\": its worker completes it", e->id,
                         n->id);
  }
  int rc = variable_set_all(c, e->id, variables, false);
  if (rc) return rc;
  if (run == IMPLEMENTATION_NONE || run == IMPLEMENTATION_EXPRESSION || run == IMPLEMENTATION_SCRIPT)
    return plan_leave(c, e, n);
  return plan_tell(c, e, n, variables);
}

static int service_cancel(context *c, rec_execution *e, const node *n) {
  (void)n;
  rec_external_task *t = e->task_id ? unit_external_task(c->u, e->task_id, &c->error) : NULL;
  return t ? external_remove(c, t, "deleted") : c->error.code;
}

const behavior behavior_service_task = {.execute = service_execute, .trigger = service_trigger, .cancel = service_cancel};
