/* Multi-instance activities and standard loops.
 *
 * The token becomes the body: a scope that holds the counters and, as its children, the inner instances, which stand at
 * the same node and live as any other token from op_enter to multi_instance_left. The counters that models see are
 * variables, and so models may change them; what counts is in the body's record: `data` the number of instances,
 * `loop_counter` how many have completed, `children` those alive.
 *
 * A parallel body plans all its instances at once; a sequential one plans the next when one has left. Either way the cost
 * is linear. */
#include "state/variable.h"

#include <inttypes.h>

#include "exec/cancel.h"
#include "exec/event/condition.h"
#include "exec/listener.h"
#include "exec/node/behavior.h"
#include "exec/node/multi_aggregate.h"
#include "exec/node/multi_collection.h"
#include "exec/node/multi_instance.h"
#include "exec/node/multi_overview.h"
#include "exec/scope.h"
#include "exec/token.h"
#include "exec/assumption.h"
#include "state/expression.h"
#include "uow/siblings.h"

static int set_counter(context *c, orr_id scope_id, const char *name, int64_t n) {
  orr_value v = orr_int(n);
  return variable_set_local(c, scope_id, name, &v);
}

static void body_scope(rec_execution *body, const node *n, scope *out) {
  *out = (scope){.record = &body->head, .execution = body, .id = body->id, .node = n};
}

/* ---- Instances ------------------------------------------------------------------------------- */

static rec_execution *make_instance(context *c, rec_execution *body, const node *n, int64_t index, const orr_value *element) {
  scope s;
  body_scope(body, n, &s);
  rec_execution *e = execution_create(c, &s, n, EXECUTION_MULTI_INSTANCE);
  if (!e) return NULL;
  const multi_instance *m = n->multi;
  e->scope = true; /* its counter and element are its own */
  e->loop_counter = index + 1;
  if (m->n_aggregations) e->flags |= ORR_SCOPE_GATHERS;
  int rc = set_counter(c, e->id, m->element_index_variable ? m->element_index_variable : "loopCounter", index);
  if (!rc && m->element_variable && element) {
    orr_value v = element->type == ORR_NIL ? orr_null() : *element;
    rc = variable_set_local(c, e->id, m->element_variable, &v);
  }
  return rc ? NULL : e;
}

static int add_instance(context *c, rec_execution *body, const node *n, int64_t index, const orr_value *element) {
  rec_execution *e = make_instance(c, body, n, index, element);
  return e ? plan_on(c, op_enter, e->id, n, 0) : c->error.code;
}

static int add_all_instances(context *c, rec_execution *body, const node *n, const multi_source *source) {
  orr_iterator it = orr_iterate(&source->items);
  int rc = 0;
  for (int64_t i = 0; !rc && i < source->count; i++) {
    orr_value element = {0};
    if (source->items.type == ORR_ARRAY) orr_next(&it, NULL, &element);
    rc = add_instance(c, body, n, i, &element);
  }
  return rc;
}

/* For sequential instances the counter is also in the body, for the conditional events of the
 * body. */
static int add_in_turn(context *c, rec_execution *body, const node *n, int64_t index,
                       const orr_value *element) {
  int rc = variable_changed(c, body->id, "loopCounter", index > 0 ? "update" : "create");
  return rc ? rc : add_instance(c, body, n, index, element);
}

static int add_first(context *c, rec_execution *body, const node *n, const multi_source *source) {
  orr_iterator it = orr_iterate(&source->items);
  orr_value element = {0};
  if (source->items.type == ORR_ARRAY) orr_next(&it, NULL, &element);
  return add_in_turn(c, body, n, 0, &element);
}

static int add_next(context *c, rec_execution *body, const node *n, int64_t index) {
  orr_value element;
  int rc = multi_element(c, body, n, index, &element);
  return rc ? rc : add_in_turn(c, body, n, index, &element);
}

static int finish_multi(context *c, rec_execution *body, const node *n) {
  multi_forget(c, body->id);
  int rc = n->multi->n_aggregations ? multi_aggregate_all(c, body, n) : 0;
  return rc ? rc : plan_leave(c, body, n);
}

/* ---- The body -------------------------------------------------------------------------------- */

static int run_body(context *c, rec_execution *e, const node *n) {
  multi_source source;
  int rc = lifecycle_move(c, e, EXECUTION_ACTIVE);
  if (!rc) rc = multi_resolve(c, e, n, &source);
  if (rc) return rc;
  e->data = orr_int(source.count);
  e->loop_counter = 0;
  rc = set_counter(c, e->id, "nrOfInstances", source.count);
  if (!rc) rc = set_counter(c, e->id, "nrOfCompletedInstances", 0);
  if (!rc) rc = set_counter(c, e->id, "nrOfActiveInstances", n->multi->sequential && source.count > 0 ? 1 : source.count);
  if (rc) return rc;
  if (source.count == 0) return finish_multi(c, e, n);
  rc = overview_begin(c, e);
  if (!rc) rc = multi_aggregate_overview(c, e, n);
  if (rc) return rc;
  return n->multi->sequential ? add_first(c, e, n, &source) : add_all_instances(c, e, n, &source);
}

int multi_body_open(context *c, rec_execution *e, const node *n) {
  e->kind = EXECUTION_MULTI_BODY;
  int rc = lifecycle_move(c, e, EXECUTION_STARTING);
  if (!rc) rc = scope_open(c, e, n);
  if (!rc) rc = scope_arm(c, e, n);
  if (!rc) rc = lifecycle_move(c, e, EXECUTION_ACTIVE);
  e->data = orr_int(0);
  if (!rc) rc = overview_begin(c, e);
  if (!rc) rc = set_counter(c, e->id, "nrOfInstances", 0);
  if (!rc) rc = set_counter(c, e->id, "nrOfCompletedInstances", 0);
  return rc ? rc : set_counter(c, e->id, "nrOfActiveInstances", 0);
}

rec_execution *multi_body_add(context *c, rec_execution *body, const node *n) {
  if (unit_touch(c->u, body)) {
    context_memory(c);
    return NULL;
  }
  int64_t index = body->data.as.integer;
  body->data = orr_int(index + 1);
  rec_execution *e = make_instance(c, body, n, index, NULL);
  if (!e || set_counter(c, body->id, "nrOfInstances", index + 1) ||
      set_counter(c, body->id, "nrOfActiveInstances", body->children))
    return NULL;
  return e;
}

static int op_run_body(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  if (!e || e->kind != EXECUTION_MULTI_BODY || e->state != EXECUTION_STARTING) return c->error.code;
  return run_body(c, e, op->node);
}

int multi_enter(context *c, rec_execution *e, const node *n) {
  const definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  int rc = lifecycle_move(c, e, EXECUTION_STARTING);
  if (rc) return rc;
  e->kind = EXECUTION_MULTI_BODY;
  rc = scope_open(c, e, n);
  if (!rc) rc = scope_arm(c, e, n);
  if (rc) return rc;
  bool listens = d->dialect->multi_listeners_for_body && n->listeners.count;
  if (!listens && !c->lists.changes) return run_body(c, e, n);
  rc = conditions_flush(c); /* first what holds on entry; setting the counters is another change */
  if (!rc && listens) rc = listeners_plan(c, e->id, n, NULL, LISTENER_START, 0, NULL);
  return rc ? rc : plan_on(c, op_run_body, e->id, n, 0);
}

/* The last instance did not complete: it was canceled alone, or an error of its own ended it. */
static int body_completed(context *c, rec_execution *e, const node *n) {
  return finish_multi(c, e, n);
}

static int body_execute(context *c, rec_execution *e, const node *n) {
  return run_body(c, e, n);
}

static int body_trigger(context *c, rec_execution *e, const node *n, trigger_kind kind, const orr_value *variables) {
  (void)kind;
  (void)variables;
  return context_error(c, ORR_E_STATE,
                       "execution %" PRIu64 " is the whole of multi-instance \"%s\": trigger one of its instances", e->id,
                       n->id);
}

static int body_cancel(context *c, rec_execution *e, const node *n) {
  multi_forget(c, e->id);
  return multi_aggregate_forget(c, e, n);
}

const behavior behavior_multi_body = {.execute = body_execute,
                                      .trigger = body_trigger,
                                      .completed = body_completed,
                                      .cancel = body_cancel};

/* ---- An instance is done --------------------------------------------------------------------- */

/* Instances that end at the same time only count themselves, unless something looks at their
 * number. */
static int count_side_by_side(context *c, rec_execution *body, const node *n, bool *out) {
  const definition *d = context_definition_of(c, body->id, &c->error);
  if (!d) return c->error.code;
  const multi_instance *m = n->multi;
  *out = !m->sequential && !m->n_aggregations && !expr_given(&m->completion_condition) && !d->waits_for_conditions;
  return 0;
}

static int count_completed(context *c, rec_execution *body, const node *n) {
  bool beside = false;
  int rc = count_side_by_side(c, body, n, &beside);
  if (rc) return rc;
  if (beside ? unit_touch_counter(c->u, body) : unit_touch(c->u, body)) return context_memory(c);
  body->loop_counter++;
  int (*set)(context *, orr_id, const char *, int64_t) = beside ? variable_count : set_counter;
  rc = set(c, body->id, "nrOfCompletedInstances", body->loop_counter);
  return rc || n->multi->sequential ? rc : set(c, body->id, "nrOfActiveInstances", body->children - 1);
}

/* Completes the whole once the rest is canceled, because canceling runs end listeners first. */
static int op_finish(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  if (!e || e->kind != EXECUTION_MULTI_BODY || e->state != EXECUTION_ACTIVE) return c->error.code;
  return finish_multi(c, e, op->node);
}

static int finish_early(context *c, rec_execution *body, const node *n) {
  if (body->children == 0) return finish_multi(c, body, n);
  int rc = plan_interrupt_children(c, body->id, 0);
  return rc ? rc : plan_on(c, op_finish, body->id, n, 0);
}

int multi_instance_left(context *c, rec_execution *inner, const node *n) {
  unit_catch_up(c->u);
  rec_execution *body = execution_get(c, inner->parent);
  if (!body) return c->error.code;
  bool satisfied = false;
  int64_t next = inner->loop_counter;
  int rc = count_completed(c, body, n);
  if (!rc && n->multi->n_aggregations) rc = multi_aggregate_one(c, body, inner, n);
  if (!rc && expr_given(&n->multi->completion_condition))
    rc = expr_boolean(c, &n->multi->completion_condition, inner->id, n, &satisfied);
  if (!rc) rc = lifecycle_move(c, inner, EXECUTION_ENDED);
  if (!rc) rc = execution_remove(c, inner);
  if (rc) return rc;
  bool last = satisfied || next >= body->data.as.integer;
  if (n->multi->sequential && last) conditions_forget(c, body->id); /* no event may see this count: the whole leaves */
  if (satisfied) return finish_early(c, body, n);
  if (n->multi->sequential && !last) return add_next(c, body, n, next);
  if (body->children == 0) return finish_multi(c, body, n);
  return assumption_keep(c, &(assumption){.record = &body->head, .counter = &body->children,
                                          .run = op_finish, .execution = body->id,
                                   .node = n});
}

/* ---- Standard loops -------------------------------------------------------------------------- */

/* loop_counter counts the rounds. As a variable it is the number of completed rounds, for
 * conditions. */
int loop_left(context *c, rec_execution *e, const node *n, bool *again) {
  const standard_loop *l = n->loop;
  *again = false;
  if (context_touch(c, e)) return c->error.code;
  e->loop_counter++;
  e->scope = true;
  int rc = set_counter(c, e->id, "loopCounter", e->loop_counter);
  if (rc || (l->maximum > 0 && e->loop_counter >= l->maximum)) return rc;
  if (!expr_given(&l->condition)) {
    *again = l->maximum > 0;
    return 0;
  }
  return expr_condition(c, &l->condition, e->id, n, again);
}
