/* Gateways. Which flows are taken is chosen when they are left: flow.c. */
#include "exec/event/arming.h"
#include "exec/event/condition.h"
#include "exec/node/gateway.h"
#include "exec/node/inclusive_join.h"
#include "exec/node/parallel_join.h"
#include "exec/node/pass_through.h"
#include "exec/token.h"

static int exclusive_execute(context *c, rec_execution *e, const node *n) { return plan_leave(c, e, n); }

static int parallel_execute(context *c, rec_execution *e, const node *n) {
  return n->n_incoming > 1 ? parallel_join_arrive(c, e, n) : plan_leave(c, e, n);
}

static int inclusive_execute(context *c, rec_execution *e, const node *n) {
  return n->joins ? inclusive_join_arrive(c, e, n) : plan_leave(c, e, n);
}

/* The token waits at the gateway; the events of its targets are armed on its behalf. */
static int event_gateway_execute(context *c, rec_execution *e, const node *n) {
  for (uint32_t i = 0; i < n->n_outgoing; i++) {
    int rc = arm_event(c, e->id, n->outgoing[i]->target);
    if (rc) return rc;
  }
  return 0;
}

int event_gateway_won(context *c, rec_execution *e, const node *gateway, const node *event) {
  int rc = disarm_events(c, e, gateway);
  if (rc) return rc;
  operation *op = agenda_plan(c, op_leave, e->id);
  if (!op) return c->error.code;
  op->node = gateway;
  op->flags = OP_TRIGGERED;
  op->data = (void *)(uintptr_t)event; /* op_leave goes there; read only */
  return 0;
}

const behavior behavior_exclusive = {.execute = exclusive_execute, .trigger = behavior_no_trigger};
const behavior behavior_parallel = {.execute = parallel_execute, .trigger = behavior_no_trigger};
const behavior behavior_inclusive = {.execute = inclusive_execute, .trigger = behavior_no_trigger};
const behavior behavior_event_gateway = {.execute = event_gateway_execute, .trigger = behavior_no_trigger};
