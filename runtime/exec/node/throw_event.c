/* Throw and end events. */
#include "exec/node/throw_event.h"

#include <string.h>

#include "base/value.h"
#include "engine/engine.h"
#include "exec/event/compensation.h"
#include "exec/event/signal.h"
#include "exec/event/subscription.h"
#include "exec/node/pass_through.h"
#include "exec/token.h"
#include "state/event_payload.h"
#include "state/expression.h"
#include "state/variable.h"

/* ---- Messages -------------------------------------------------------------------------------- */

/* If it has an implementation, runs that like a service task. */
static int throw_message(context *c, rec_execution *e, const node *n) {
  return n->service ? behavior_service_task.execute(c, e, n) : plan_leave(c, e, n);
}

/* ---- Signals, escalations, errors, compensation ---------------------------------------------- */

static int thrown_business_key(context *c, rec_execution *e, const node *n, const char **out) {
  *out = NULL;
  for (uint32_t i = 0; i < n->event.n_in; i++)
    if (expr_given(&n->event.in[i].business_key)) return expr_text(c, &n->event.in[i].business_key, e->id, n, out);
  return 0;
}

static int throw_signal(context *c, rec_execution *e, const node *n) {
  const char *name;
  orr_value variables;
  int rc = expr_text(c, &n->event.name, e->id, n, &name);
  signal_payload sent = {.variables = &variables};
  if (!rc) rc = payload_send(c, e, n, &variables);
  if (!rc) rc = thrown_business_key(c, e, n, &sent.business_key);
  rec_instance *instance = rc ? NULL : context_instance(c, e->id, &c->error);
  if (!instance) return rc ? rc : c->error.code;
  const definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  signal_reach reach = {.tenant = instance->tenant.size ? instance->tenant.data : "",
                        .nobody = d->dialect->signal_reaches_nobodys,
                        .within = n->event.signal_instance_scope ? instance->id : 0};
  rc = signal_throw(c, name ? name : "", &reach, n->event.async, &sent);
  return rc ? rc : plan_leave(c, e, n);
}

/* The code of an error or escalation in the model. NULL: an <error> without one, which every
 * catcher fits. */
static int thrown_code(context *c, rec_execution *e, const node *n, const char **code) {
  *code = NULL;
  int rc = expr_given(&n->event.name) ? expr_text(c, &n->event.name, e->id, n, code) : 0;
  if (!rc && !*code && !n->event.codeless) *code = n->event.ref;
  return rc;
}

/* An interrupting catcher cancels the thrower as well, so leaving is planned behind the catch and finds the token gone. */
static int throw_escalation_event(context *c, rec_execution *e, const node *n) {
  const char *code;
  orr_value variables;
  bool caught; /* if not, the token leaves */
  int rc = thrown_code(c, e, n, &code);
  if (!rc) rc = payload_send(c, e, n, &variables);
  if (!rc) rc = throw_escalation(c, e->id, code, &variables, &caught);
  return rc ? rc : plan_leave(c, e, n);
}

int throw_error_event(context *c, rec_execution *e, const node *n) {
  bpmn_error error = {0};
  int rc = thrown_code(c, e, n, &error.code);
  if (!rc && expr_given(&n->event.error_message)) rc = expr_text(c, &n->event.error_message, e->id, n, &error.message);
  if (!rc) rc = payload_send(c, e, n, &error.variables);
  return rc ? rc : throw_bpmn_error(c, e->id, &error);
}

int throw_event(context *c, rec_execution *e, const node *n) {
  switch (n->event.type) {
    case EVENT_MESSAGE: return throw_message(c, e, n);
    case EVENT_SIGNAL: return throw_signal(c, e, n);
    case EVENT_ESCALATION: return throw_escalation_event(c, e, n);
    case EVENT_COMPENSATE: return compensation_throw(c, e, n->event.activity);
    default: return plan_leave(c, e, n);
  }
}

/* ---- Links ----------------------------------------------------------------------------------- */

/* The token leaves this event as it leaves any other, but goes to the link's target instead of along sequence flows. */
int throw_link(context *c, rec_execution *e, const node *n) {
  if (!n->link_target) return context_error(c, ORR_E_STATE, "link \"%s\" leads nowhere", n->id);
  operation *op = agenda_plan(c, op_leave, e->id);
  if (!op) return c->error.code;
  op->node = n;
  op->flags = OP_TRIGGERED;
  op->data = n->link_target;
  return 0;
}

int throw_trigger(context *c, rec_execution *e, const node *n, trigger_kind kind, const orr_value *variables) {
  return n->event.type == EVENT_MESSAGE && n->service ? behavior_service_task.trigger(c, e, n, kind, variables)
                                                      : behavior_no_trigger(c, e, n, kind, variables);
}

int throw_cancel(context *c, rec_execution *e, const node *n) {
  return n->event.type == EVENT_MESSAGE && n->service ? behavior_service_task.cancel(c, e, n) : 0;
}
