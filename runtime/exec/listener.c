/* Execution listeners: a list of host calls, each the continuation of the one before. */
#include "exec/listener.h"

#include <strings.h>

#include "exec/event/propagation.h"
#include "state/expression.h"
#include "state/variable.h"

static const char *event_name(listener_event event) {
  return event == LISTENER_START ? "start" : event == LISTENER_END ? "end" : "take";
}

static const listeners *listeners_of(const operation *op) { return op->flow ? &op->flow->listeners : &op->node->listeners; }

/* The activity that a listener of a process or a flow sees: the node of the token or, by dialect,
 * none. */
static int listener_view(context *c, const operation *op, const listener *l, orr_execution **out) {
  orr_execution *view = execution_view(c, op->execution, op->node, event_name((listener_event)op->other));
  definition *d = context_definition_of(c, op->execution, &c->error);
  if (!view || !d) return c->error.code;
  if (op->flow) view->flow = op->flow;
  if (op->flow && !d->dialect->listener_activity_id) view->node = NULL;
  if (op->node->type == NODE_PROCESS) {
    const node *at = op->data;
    view->node = d->dialect->listener_activity_id ? at : NULL;
  }
  view->run = &l->run;
  view->canceled = (op->flags & OP_CANCELED) != 0;
  view->delete_reason = op->text;
  *out = view;
  return 0;
}

int listener_check_language(context *c, const listener *l, orr_id scope_id, const node *at) {
  const char *language;
  if (!expr_given(&l->run.language)) return 0;
  int rc = expr_text(c, &l->run.language, scope_id, at, &language);
  if (rc || (language && strcasecmp(language, "lua") == 0)) return rc;
  c->failed_at = at;
  return context_error(c, ORR_E_EXPRESSION,
                       "a listener's script is in \"%.60s\"; a language that an expression gives must be lua",
                       language ? language : "");
}

static int op_listeners(context *c, operation *op);

static int call_next(context *c, operation *op) {
  const listeners *list = listeners_of(op);
  while (op->step < list->count && list->items[op->step].event != (listener_event)op->other) op->step++;
  if (op->step == list->count) return 0;
  const listener *l = &list->items[op->step++];
  host_call call = {.kind = HOST_LISTENER, .run = &l->run, .store_assignments = l->stores_assignments};
  int rc = listener_check_language(c, l, op->execution, op->node);
  if (!rc) rc = listener_view(c, op, l, &call.execution);
  return rc ? rc : agenda_call(c, op, &call, op_listeners);
}

static bool is_gone(context *c, orr_id of) {
  return orr_id_local(of) == 1 ? !unit_instance(c->u, of, &c->error) : !execution_get(c, of);
}

int listener_keep_result(context *c, const listener *l, orr_id scope_id, const node *at) {
  if (!expr_given(&l->result)) return 0;
  orr_value value = c->result.value.type == ORR_NIL ? orr_null() : c->result.value;
  return variable_set_named(c, &l->result, scope_id, at, &value);
}

/* step 0: no listener has run yet. */
static int op_listeners(context *c, operation *op) {
  if (op->step > 0 && c->result.error.code) return throw_listener_result(c, op->execution, op->node, op->flags, &c->result);
  if (op->step > 0 && c->result.bpmn_error) return throw_listener_result(c, op->execution, op->node, op->flags, &c->result);
  if (is_gone(c, op->execution)) return c->error.code;
  int rc = op->step > 0 ? listener_keep_result(c, &listeners_of(op)->items[op->step - 1], op->execution, op->node) : 0;
  return rc ? rc : call_next(c, op);
}

bool listeners_skipped(context *c, orr_id of) {
  if (c->skip_listeners) return true;
  const rec_instance *i = unit_instance(c->u, orr_id_instance(of), &c->error);
  return i && i->flags & ORR_SCOPE_QUIET;
}

/* `shown`: the node that listeners of the process see; NULL for all others. */
static int plan_listeners(context *c, orr_id of, const node *n, const flow *f, listener_event event, uint32_t flags,
                          const char *reason, const node *shown) {
  const listeners *list = f ? &f->listeners : &n->listeners;
  if (!list->count || flags & OP_SKIP_LISTENERS || !listeners_any(list, event)) return 0;
  if (listeners_skipped(c, of)) return c->error.code;
  operation *op = agenda_plan(c, op_listeners, of);
  if (!op) return c->error.code;
  op->node = n;
  op->flow = f;
  op->flags = flags;
  op->other = event;
  op->text = reason;
  op->data = (void *)(uintptr_t)shown; /* never changed */
  return 0;
}

int listeners_plan(context *c, orr_id of, const node *n, const flow *f, listener_event event, uint32_t flags,
                   const char *reason) {
  return plan_listeners(c, of, n, f, event, flags, reason, NULL);
}

int listeners_plan_process(context *c, orr_id instance, const node *process, const node *at, listener_event event,
                           uint32_t flags, const char *reason) {
  return plan_listeners(c, instance, process, NULL, event, flags, reason, at);
}
