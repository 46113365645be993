/* Compensation and canceled transactions.
 *
 * A completed activity with a handler leaves a subscription in the scope around it. A completed sub-process whose inside
 * can be compensated leaves (beside the one for its own handler, if any) an event scope: an execution that keeps its
 * variables, its subscriptions and the event scopes of what completed in it, with a subscription of its own (data: the
 * event scope's id) in the scope around it. So the tree of what can be compensated mirrors the tree of what ran. The body
 * of a multi-instance is such a scope to its instances, where the dialect wants it: until all of them are done nothing
 * outside sees what some of them have completed.
 *
 * Throwing starts a token for every handler, newest completion first. Each names its thrower; the thrower counts them
 * (data) and goes on when the last is done. An event scope is a thrower of its own for what lies in it. */
#include "exec/event/compensation.h"

#include <inttypes.h>
#include <string.h>

#include "exec/cancel.h"
#include "exec/event/subscription.h"
#include "exec/token.h"
#include "state/history.h"
#include "state/variable.h"
#include "uow/relation.h"

/* ---- Arming ---------------------------------------------------------------------------------- */

static const node *compensation_subprocess(const node *n, const node **start) {
  for (uint32_t i = 0; i < n->n_event_subprocesses; i++) {
    const node *inner = n->event_subprocesses[i];
    for (uint32_t k = 0; k < inner->n_children; k++) {
      *start = inner->children[k];
      if ((*start)->type == NODE_START_EVENT && (*start)->event.type == EVENT_COMPENSATE) return inner;
    }
  }
  return NULL;
}

/* Does the record for `n` in the scope `around` stand for the whole of a multi-instance? Those of
 * its instances are in its body. */
static bool is_whole(const definition *d, const node *n, const scope *around) {
  return d->dialect->multi_compensates_as_whole && n->multi && around->node != n;
}

/* The scope that notes that an activity has completed. */
static int scope_around(context *c, const definition *d, const rec_execution *e, scope *out) {
  int rc = scope_of(c, e, out);
  bool beyond = e->kind == EXECUTION_MULTI_INSTANCE && out->execution && !d->dialect->multi_compensates_as_whole;
  return !rc && beyond ? scope_of(c, out->execution, out) : rc;
}

static const char *compensation_name(context *c, const definition *d, const scope *s, const node *activity,
                                     orr_id event_scope) {
  const node *handler = activity->compensation_handler;
  if (event_scope && is_whole(d, activity, s)) return arena_printf(c->arena, "%s#multiInstanceBody", activity->id);
  return handler && !d->dialect->compensation_named_by_activity ? handler->id : activity->id;
}

static int subscribe_compensation(context *c, const scope *s, const node *activity, orr_id event_scope) {
  rec_instance *instance = context_instance(c, s->id, &c->error);
  definition *d = context_definition_of(c, s->id, &c->error);
  orr_id id = instance && d ? unit_next_id(c->u, instance, &c->error) : 0;
  if (!id) return c->error.code;
  rec_subscription *r = unit_new_subscription(c->u, id);
  if (!r) return context_memory(c);
  r->type = unit_textz(c->u, "compensation");
  r->node = activity->index + 1;
  r->activity_id = unit_textz(c->u, compensation_name(c, d, s, activity, event_scope));
  r->execution_id = s->id;
  r->instance_id = instance->id;
  r->definition_id = instance->definition_id;
  r->created = context_stamp(c);
  r->tenant = instance->tenant;
  if (event_scope) r->data = orr_int((int64_t)event_scope);
  if (unit_attach(c->u, r)) return context_memory(c);
  return scope_flag(c, s, ORR_SCOPE_SUBSCRIPTIONS);
}

/* `of` names the compensated activity or, in some models, its handler. Where the name of the
 * handler counts, an activity with a handler is compensated by it, and not by what is inside the
 * activity. */
static bool is_of(const definition *d, const rec_subscription *s, const scope *in, const node *of) {
  const node *activity = d->nodes[s->node - 1];
  bool inside = s->data.type == ORR_INT && !is_whole(d, activity, in);
  if (of && inside && activity->compensation_handler && !d->dialect->compensation_named_by_activity) return false;
  return !of || activity == of || activity->compensation_handler == of;
}

/* The compensation subscriptions of a scope, newest first. `of` restricts to one activity. */
static int collect_handlers(context *c, const scope *s, const node *of, rec_subscription ***out, uint32_t *count) {
  *count = 0;
  *out = NULL;
  if (!(scope_flags(s) & ORR_SCOPE_SUBSCRIPTIONS)) return 0;
  struct rec_relation *list = unit_relation_of(c->u, s->record, UNIT_SUBSCRIPTIONS, &c->error);
  definition *d = list ? context_definition_of(c, s->id, &c->error) : NULL;
  if (!d) return c->error.code;
  *out = ARENA_ARRAY(c->arena, rec_subscription *, list->count + 1);
  if (!*out) return context_memory(c);
  for (uint32_t i = list->count; i > 0; i--) {
    rec_subscription *found = (rec_subscription *)(void *)list->items[i - 1];
    if (rec_text_is(found->type, "compensation") && is_of(d, found, s, of)) (*out)[(*count)++] = found;
  }
  return 0;
}

static int move_subscriptions(context *c, rec_subscription **list, uint32_t count, orr_id to) {
  for (uint32_t i = count; i > 0; i--) { /* the list is newest first */
    unit_detach(c->u, list[i - 1]);
    if (context_touch(c, list[i - 1])) return c->error.code;
    list[i - 1]->execution_id = to;
    if (unit_attach(c->u, list[i - 1])) return context_memory(c);
  }
  return 0;
}

static int move_event_scopes(context *c, const scope *from, orr_id to) {
  if (!(scope_flags(from) & ORR_SCOPE_EVENT_SCOPES)) return 0;
  struct rec_relation *children = unit_relation_of(c->u, from->record, UNIT_CHILDREN, &c->error);
  if (!children) return c->error.code;
  for (uint32_t i = children->count; i > 0; i--) {
    rec_execution *child = (rec_execution *)(void *)children->items[i - 1];
    if (child->kind != EXECUTION_EVENT_SCOPE) continue;
    unit_detach(c->u, child);
    if (context_touch(c, child)) return c->error.code;
    child->parent = to;
    if (unit_attach(c->u, child)) return context_memory(c);
  }
  return 0;
}

static int keep_scope(context *c, rec_execution *e, const node *n, const scope *outside, rec_subscription **list,
                      uint32_t count) {
  scope inside = {.record = &e->head, .execution = e, .id = e->id, .node = n};
  rec_execution *kept = execution_create(c, outside, n, EXECUTION_EVENT_SCOPE);
  if (!kept) return c->error.code;
  kept->scope = true;
  kept->flags = e->flags & (ORR_SCOPE_SUBSCRIPTIONS | ORR_SCOPE_EVENT_SCOPES);
  int rc = e->flags & ORR_SCOPE_VARIABLES ? variable_move_scope(c, e->id, kept->id) : 0;
  if (!rc) rc = move_subscriptions(c, list, count, kept->id);
  if (!rc) rc = move_event_scopes(c, &inside, kept->id);
  if (!rc) rc = scope_flag(c, outside, ORR_SCOPE_EVENT_SCOPES);
  return rc ? rc : subscribe_compensation(c, outside, n, kept->id);
}

int compensation_arm(context *c, rec_execution *e, const node *activity) {
  scope outside, inside = {.record = &e->head, .execution = e, .id = e->id, .node = activity};
  if (activity->for_compensation) return 0;
  bool whole = e->kind == EXECUTION_MULTI_BODY;
  const definition *d = context_definition_of(c, e->id, &c->error);
  if (!d || scope_around(c, d, e, &outside)) return c->error.code;
  int rc = 0;
  if (activity->compensation_handler && !whole) rc = subscribe_compensation(c, &outside, activity, 0);
  if (rc || !(node_is_scope(activity) || whole)) return rc;
  rec_subscription **list;
  uint32_t count;
  const node *start;
  rc = collect_handlers(c, &inside, NULL, &list, &count);
  if (rc || (count == 0 && (whole || !compensation_subprocess(activity, &start)))) return rc;
  return keep_scope(c, e, activity, &outside, list, count);
}

/* ---- Running handlers ------------------------------------------------------------------------ */

static int op_compensate_scope(context *c, operation *op);

static int run_handler(context *c, const scope *s, const node *handler, orr_id thrower) {
  rec_execution *token = execution_create(c, s, handler, EXECUTION_TOKEN);
  if (!token) return c->error.code;
  token->thrower = thrower;
  return plan_on(c, op_enter, token->id, handler, 0);
}

static int run_scope(context *c, orr_id event_scope, orr_id thrower) {
  rec_execution *kept = execution_get(c, event_scope);
  if (c->error.code) return c->error.code;
  if (!kept) return context_error(c, ORR_E_STORE, "event scope %" PRIu64 " is missing", event_scope);
  int rc = execution_revive(c, kept);
  if (rc) return rc;
  kept->thrower = thrower;
  return plan_on(c, op_compensate_scope, kept->id, NULL, 0);
}

/* Runs all handlers; each uses up its subscription. */
static int run_all(context *c, const definition *d, rec_subscription **list, uint32_t count, orr_id thrower) {
  for (uint32_t i = 0; i < count; i++) {
    rec_subscription *s = list[i];
    const node *activity = d->nodes[s->node - 1];
    orr_id event_scope = s->data.type == ORR_INT ? (orr_id)s->data.as.integer : 0;
    scope where;
    int rc = scope_get(c, s->execution_id, &where);
    if (!rc) rc = unit_delete(c->u, s) ? context_memory(c) : 0;
    if (!rc)
      rc = event_scope ? run_scope(c, event_scope, thrower) : run_handler(c, &where, activity->compensation_handler, thrower);
    if (rc) return rc;
  }
  return 0;
}

static int wait_for(context *c, rec_execution *thrower, uint32_t count) {
  if (context_touch(c, thrower)) return c->error.code;
  thrower->data = orr_int(count);
  return 0;
}

/* Compensates what completed inside a sub-process; if that has a compensation event sub-process,
 * that one decides. */
static int op_compensate_scope(context *c, operation *op) {
  rec_execution *kept = execution_get(c, op->execution);
  definition *d = kept ? context_definition_of(c, kept->id, &c->error) : NULL;
  if (!d) return c->error.code;
  const node *start, *n = d->nodes[kept->node - 1];
  scope outside, s = {.record = &kept->head, .execution = kept, .id = kept->id, .node = n};
  if (scope_of(c, kept, &outside)) return c->error.code;
  const node *inner = is_whole(d, n, &outside) ? NULL : compensation_subprocess(n, &start);
  if (inner) {
    int rc = wait_for(c, kept, 1);
    rec_execution *token = rc ? NULL : execution_create(c, &s, inner, EXECUTION_TOKEN);
    if (!token) return rc ? rc : c->error.code;
    token->thrower = kept->id;
    token->data = orr_int(start->index);
    return plan_on(c, op_enter, token->id, inner, 0);
  }
  rec_subscription **list;
  uint32_t count;
  int rc = collect_handlers(c, &s, NULL, &list, &count);
  if (!rc) rc = wait_for(c, kept, count);
  if (rc) return rc;
  return count ? run_all(c, d, list, count, kept->id) : plan_on(c, op_end_token, kept->id, NULL, 0);
}

/* ---- Throwing -------------------------------------------------------------------------------- */

/* A throw inside an event sub-process also reaches the handlers of the scope around it. `thrower` is 0 when no token
 * waits for the handlers. */
static int throw_in(context *c, const definition *d, orr_id thrower, const node *activity, scope s, uint32_t *total) {
  *total = 0;
  for (;;) {
    rec_subscription **list;
    uint32_t count;
    int rc = collect_handlers(c, &s, activity, &list, &count);
    if (!rc) rc = run_all(c, d, list, count, thrower);
    *total += count;
    if (rc || !s.execution || s.node->type != NODE_EVENT_SUB_PROCESS) return rc;
    rc = scope_of(c, s.execution, &s);
    if (rc) return rc;
  }
}

int compensation_throw(context *c, rec_execution *thrower, const node *activity_or_null) {
  definition *d = context_definition_of(c, thrower->id, &c->error);
  if (!d) return c->error.code;
  scope s;
  uint32_t total = 0;
  const node *at = d->nodes[thrower->node - 1];
  bool waits = !at->event.passes_on && d->dialect->compensation_waits;
  int rc = scope_of(c, thrower, &s);
  if (!rc) rc = throw_in(c, d, waits ? thrower->id : 0, activity_or_null, s, &total);
  if (rc || !total || !waits) return rc ? rc : plan_leave(c, thrower, at);
  return wait_for(c, thrower, total);
}

static int op_transaction_canceled(context *c, operation *op);

int compensation_done(context *c, orr_id thrower_id) {
  rec_execution *thrower = execution_get(c, thrower_id);
  if (!thrower || thrower->data.type != ORR_INT || thrower->state != EXECUTION_ACTIVE) return c->error.code;
  int64_t left = thrower->data.as.integer - 1;
  int rc = wait_for(c, thrower, (uint32_t)(left > 0 ? left : 0));
  if (rc || left > 0) return rc;
  thrower->data = (orr_value){0};
  if (thrower->kind == EXECUTION_COMPENSATION) return plan_on(c, op_end_token, thrower->id, NULL, 0);
  const node *at = execution_node(c, thrower);
  if (!at) return c->error.code;
  if (at->event.type == EVENT_CANCEL) return plan_on(c, op_transaction_canceled, thrower->id, at, 0);
  return plan_leave(c, thrower, at);
}

/* ---- Transactions ---------------------------------------------------------------------------- */

/* The transaction that contains a cancel end event; *keep: its child on the way to the thrower. */
static int find_transaction(context *c, rec_execution *thrower, scope *out, orr_id *keep) {
  rec_execution *e = thrower;
  for (;;) {
    *keep = e->id;
    int rc = scope_of(c, e, out);
    if (rc) return rc;
    if (!out->execution) return context_error(c, ORR_E_STATE, "a cancel end event lies in no transaction");
    e = out->execution;
    if (out->node->type == NODE_TRANSACTION && e->kind != EXECUTION_MULTI_BODY) return 0;
  }
}

/* By dialect all instances of a multi-instance transaction, when one is canceled; else that one. */
static int compensable_instances(context *c, const definition *d, const scope *transaction, rec_execution ***out,
                                 uint32_t *count) {
  scope body;
  rec_execution *own = transaction->execution;
  if (own->kind == EXECUTION_MULTI_INSTANCE && d->dialect->cancel_compensates_all_instances) {
    int rc = scope_of(c, own, &body);
    return rc ? rc : scope_child_list(c, &body, out, count);
  }
  *out = ARENA_ARRAY(c->arena, rec_execution *, 1);
  if (!*out) return context_memory(c);
  (*out)[0] = own;
  *count = 1;
  return 0;
}

static int compensate_completed(context *c, const definition *d, rec_execution *thrower, const scope *transaction,
                                uint32_t *total) {
  scope outside;
  rec_subscription **list;
  uint32_t count;
  if (transaction->execution->kind != EXECUTION_MULTI_INSTANCE || !d->dialect->cancel_compensates_all_instances) return 0;
  int rc = scope_around(c, d, transaction->execution, &outside);
  if (!rc) rc = collect_handlers(c, &outside, transaction->node, &list, &count);
  if (!rc) rc = run_all(c, d, list, count, thrower->id);
  *total += rc ? 0 : count;
  return rc;
}

/* Runs once everything that still ran is canceled. */
static int op_compensate_transaction(context *c, operation *op) {
  rec_execution *thrower = execution_get(c, op->execution), **instances;
  definition *d = thrower ? context_definition_of(c, thrower->id, &c->error) : NULL;
  if (!d) return c->error.code;
  scope transaction;
  orr_id keep;
  uint32_t n, total = 0;
  int rc = find_transaction(c, thrower, &transaction, &keep);
  if (!rc) rc = compensable_instances(c, d, &transaction, &instances, &n);
  for (uint32_t i = 0; !rc && i < n; i++) {
    scope s = {.record = &instances[i]->head, .execution = instances[i], .id = instances[i]->id, .node = transaction.node};
    rec_subscription **list;
    uint32_t count;
    rc = collect_handlers(c, &s, NULL, &list, &count);
    if (!rc) rc = run_all(c, d, list, count, thrower->id);
    total += rc ? 0 : count;
  }
  if (!rc) rc = compensate_completed(c, d, thrower, &transaction, &total);
  if (!rc) rc = wait_for(c, thrower, total);
  if (rc || total) return rc;
  return plan_on(c, op_transaction_canceled, thrower->id, op->node, 0);
}

static int require_cancel_boundary(context *c, const definition *d, const node *transaction) {
  if (!d->dialect->cancel_needs_boundary) return 0;
  for (uint32_t i = 0; i < transaction->n_boundary; i++)
    if (transaction->boundary[i]->event.type == EVENT_CANCEL) return 0;
  return context_error(c, ORR_E_STATE,
                       "transaction \"%s\" is canceled, but has no cancel boundary event",
                       transaction->id);
}

int transaction_cancel(context *c, rec_execution *thrower) {
  definition *d = context_definition_of(c, thrower->id, &c->error);
  if (!d) return c->error.code;
  scope transaction;
  orr_id keep;
  rec_execution **instances;
  uint32_t n;
  int rc = find_transaction(c, thrower, &transaction, &keep);
  if (!rc) rc = require_cancel_boundary(c, d, transaction.node);
  if (!rc) rc = compensable_instances(c, d, &transaction, &instances, &n);
  orr_id *ids = rc ? NULL : ARENA_ARRAY(c->arena, orr_id, n);
  if (!ids) return rc ? rc : context_memory(c);
  for (uint32_t i = 0; i < n; i++) ids[i] = instances[i]->id;
  rc = plan_interrupt_scopes(c, ids, n, keep);
  return rc ? rc : plan_on(c, op_compensate_transaction, thrower->id, d->nodes[thrower->node - 1], 0);
}

/* Everything is compensated: the token leaves the transaction by its cancel boundary event or,
 * without one, its path ends. */
static int op_transaction_canceled(context *c, operation *op) {
  rec_execution *thrower = execution_get(c, op->execution);
  if (!thrower) return c->error.code;
  scope transaction, body;
  orr_id keep;
  int rc = find_transaction(c, thrower, &transaction, &keep);
  if (!rc) rc = history_activity_ended(c, thrower, false);
  orr_id activity = transaction.id;
  if (!rc && transaction.execution->kind == EXECUTION_MULTI_INSTANCE) {
    rc = scope_of(c, transaction.execution, &body);
    activity = rc ? 0 : body.id;
  }
  for (uint32_t i = 0; !rc && i < transaction.node->n_boundary; i++)
    if (transaction.node->boundary[i]->event.type == EVENT_CANCEL)
      return catch_event(c, activity, transaction.node->boundary[i], NULL);
  if (!rc) rc = plan_interrupt_children(c, activity, 0);
  return rc ? rc : plan_on(c, op_leave, activity, transaction.node, OP_NO_FLOW);
}
