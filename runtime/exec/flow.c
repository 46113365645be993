/* Leaving a node by its flows. */
#include "exec/flow.h"

#include "exec/async.h"
#include "exec/listener.h"
#include "exec/node/inclusive_join.h"
#include "exec/scope.h"
#include "exec/token.h"
#include "exec/branch_queue.h"
#include "record/states.h"
#include "state/expression.h"
#include "state/history.h"
#include "state/history_full.h"
#include "state/notices.h"
#include "state/variable.h"

/* ---- Choosing -------------------------------------------------------------------------------- */

enum { CHOICE_FEW = 8 }; /* flows that need no memory of the unit */

typedef struct choice {
  const flow **items;
  uint32_t count;
  const flow *few[CHOICE_FEW];
} choice;

/* flowable:skipExpression: with the switch variable set, it alone decides about its flow. The only
 * flow out of an activity or event is taken in any case. */
static int flow_holds(context *c, const rec_execution *e, const flow *f, bool *out) {
  const node *n = f->source;
  bool skip_counts;
  int rc = expr_skip(c, &f->skip, e->id, n, &skip_counts, out);
  if (rc) return rc;
  if (skip_counts) *out = *out || (n->n_outgoing == 1 && n->type != NODE_EXCLUSIVE_GATEWAY);
  else *out = n->type == NODE_PARALLEL_GATEWAY || f != n->default_flow;
  bool asks = *out && !skip_counts && n->type != NODE_PARALLEL_GATEWAY && expr_given(&f->condition);
  return asks ? expr_boolean(c, &f->condition, e->id, n, out) : 0;
}

static int nothing_chosen(context *c, const node *n) {
  c->failed_at = n;
  return context_error(c, ORR_E_STATE,
                       "no outgoing sequence flow of %s \"%s\" can be taken: no condition holds, and there is no default flow",
                       n->element, n->id);
}

/* The first that holds (exclusive gateway) or all; else the default. */
static int choose_holding(context *c, const rec_execution *e, const node *n, choice *out) {
  bool first_only = n->type == NODE_EXCLUSIVE_GATEWAY;
  for (uint32_t i = 0; i < n->n_outgoing; i++) {
    const flow *f = n->outgoing[i];
    bool holds;
    int rc = flow_holds(c, e, f, &holds);
    if (rc) return rc;
    if (holds) out->items[out->count++] = f;
    if (holds && first_only) return 0;
  }
  if (out->count) return 0;
  if (!n->default_flow) return nothing_chosen(c, n);
  out->items[out->count++] = n->default_flow;
  return 0;
}

static int choose_flows(context *c, const rec_execution *e, const node *n, choice *out) {
  out->count = 0;
  out->items = n->n_outgoing <= CHOICE_FEW ? out->few : ARENA_ARRAY(c->arena, const flow *, n->n_outgoing);
  if (!out->items) return context_memory(c);
  return choose_holding(c, e, n, out);
}

/* ---- Taking ---------------------------------------------------------------------------------- */

static int arrive(context *c, rec_execution *e, const flow *f) {
  int rc = execution_move(c, e, f->target, f);
  return rc ? rc : token_enter(c, e, f->target, 0);
}

static int op_arrive(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  if (!e || e->state != EXECUTION_LEAVING) return c->error.code;
  return arrive(c, e, op->flow);
}

/* The token is at the flow's end. It enters the node there at once, or queues behind others. */
static int arrive_or_queue(context *c, rec_execution *e, const flow *f) {
  if (!branches_wait(c)) return arrive(c, e, f);
  const definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  if (!d->dialect->branches_take_turns) return arrive(c, e, f);
  return branch_queue_add(c, &(operation){.run = op_arrive, .execution = e->id, .flow = f}, ROUNDS_OF_FLOW);
}

static int op_took_flow(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  if (!e || e->state != EXECUTION_LEAVING) return c->error.code;
  return arrive_or_queue(c, e, op->flow);
}

/* A flow without listeners is taken at once. */
static int take_flow(context *c, rec_execution *e, const flow *f, uint32_t flags) {
  int rc = history_flow(c, orr_id_instance(e->id), f);
  if (rc) return rc;
  if (!f->listeners.count && !c->lists.changes) return arrive_or_queue(c, e, f);
  rc = listeners_plan(c, e->id, f->source, f, LISTENER_TAKE, flags, NULL);
  if (rc) return rc;
  operation *op = agenda_plan(c, op_took_flow, e->id);
  if (!op) return c->error.code;
  op->flow = f;
  return 0;
}

int op_take_flow(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  if (!e || e->state != EXECUTION_LEAVING) return c->error.code;
  return take_flow(c, e, op->flow, op->flags);
}

/* The token for the i-th of several flows. The first continues as itself; the others are new, and
 * stay at the node until they are run. */
static rec_execution *token_for(context *c, rec_execution *e, const scope *parent, const node *n, uint32_t i) {
  if (i == 0) return e;
  rec_execution *other = execution_create(c, parent, n, EXECUTION_TOKEN);
  if (!other || lifecycle_move(c, other, EXECUTION_LEAVING)) return NULL;
  return other;
}

/* Do tokens wait here for something from outside? */
static bool waits_for_outside(const node *n) {
  if (n->type == NODE_SERVICE_TASK || n->type == NODE_SEND_TASK || n->type == NODE_BUSINESS_RULE_TASK)
    return n->service->run.kind == IMPLEMENTATION_EXTERNAL;
  return n->type == NODE_USER_TASK || n->type == NODE_RECEIVE_TASK || n->type == NODE_CATCH_EVENT;
}

static void reverse_choice(choice *chosen) {
  for (uint32_t low = 0, high = chosen->count - 1; low < high; low++, high--) {
    const flow *swapped = chosen->items[low];
    chosen->items[low] = chosen->items[high];
    chosen->items[high] = swapped;
  }
}

static int take_all(context *c, rec_execution *e, const node *n, const choice *chosen, bool by_job) {
  scope parent;
  int rc = scope_of(c, e, &parent);
  for (uint32_t i = 0; !rc && i < chosen->count; i++) {
    rec_execution *token = token_for(c, e, &parent, n, i);
    if (!token || unit_touch(c->u, token)) return c->error.code ? c->error.code : context_memory(c);
    token->flow = chosen->items[i]->index + 1;
    if (by_job) {
      rc = async_wait(c, token, n, ORR_JOB_ASYNC_AFTER, chosen->items[i]);
      continue;
    }
    operation *op = agenda_plan(c, op_take_flow, token->id);
    if (!op) return c->error.code;
    op->node = n;
    op->flow = chosen->items[i];
  }
  return !rc && by_job ? notice_tokens(c, &parent) : rc; /* they are still here, but their flows are chosen */
}

int flows_leave(context *c, rec_execution *e, const node *n, const flow *chosen) {
  definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  bool by_job = n->async_after && !d->dialect->async_after_leaves_in_job;
  if (!chosen && n->n_outgoing == 0) {
    if (by_job) return async_wait(c, e, n, ORR_JOB_ASYNC_AFTER, NULL);
    return plan_on(c, op_end_token, e->id, n, 0);
  }
  choice all;
  all.items = &chosen;
  all.count = 1;
  const flow *first = n->n_outgoing == 1 ? n->outgoing[0] : NULL;
  if (!chosen && first && !expr_given(&first->condition) && !expr_given(&first->skip)) chosen = first;
  if (!chosen) {
    int rc = choose_flows(c, e, n, &all);
    if (rc) return rc;
  }
  if (all.count > 1 && !by_job && d->dialect->wait_state_reverses && waits_for_outside(n)) reverse_choice(&all);
  if (by_job || all.count > 1) return take_all(c, e, n, &all, by_job);
  if (context_touch(c, e)) return c->error.code;
  e->flow = all.items[0]->index + 1;
  return take_flow(c, e, all.items[0], 0);
}

