/* A token from node to node. execution.h shows the tree. */
#include "exec/token.h"

#include "exec/async.h"
#include "exec/cancel.h"
#include "exec/data/io_mapping.h"
#include "exec/event/arming.h"
#include "exec/event/compensation.h"
#include "exec/event/subscription.h"
#include "exec/flow.h"
#include "exec/listener.h"
#include "exec/node/behavior.h"
#include "exec/node/inclusive_join.h"
#include "exec/node/multi_instance.h"
#include "exec/scope.h"
#include "exec/branch_queue.h"
#include "exec/assumption.h"
#include "record/states.h"
#include "state/expression.h"
#include "state/history.h"
#include "state/incident.h"
#include "state/notices.h"
#include "state/variable.h"
#include "uow/relation.h"
#include "uow/siblings.h"

operation *plan_at(context *c, operation_fn run, orr_id execution, const node *n, uint32_t flags) {
  operation *op = agenda_plan(c, run, execution);
  if (!op) return NULL;
  op->node = n;
  op->flags = flags;
  return op;
}

int plan_on(context *c, operation_fn run, orr_id execution, const node *n, uint32_t flags) {
  return plan_at(c, run, execution, n, flags) ? 0 : c->error.code;
}

int plan_by_flow(context *c, operation_fn run, orr_id execution, const node *n, const flow *f, uint32_t flags) {
  operation *op = plan_at(c, run, execution, n, flags);
  if (!op) return c->error.code;
  op->flow = f;
  return 0;
}

int plan_leave(context *c, const rec_execution *e, const node *n) { return plan_on(c, op_leave, e->id, n, 0); }

/* The token of an operation, if it is still where the operation was planned for. NULL: it is not,
 * or c->error. */
static rec_execution *token_of(context *c, const operation *op, const node **at) {
  rec_execution *e = execution_get(c, op->execution);
  if (!e || e->state == EXECUTION_CANCELING) return NULL;
  *at = execution_node(c, e);
  return *at && (!op->node || op->node == *at) ? e : NULL;
}

/* ---- Instance -------------------------------------------------------------------------------- */

/* An asynchronous start event runs the start listeners of the process in its job. The data of its
 * token says that they have yet to run. */
static bool starts_in_job(const node *start) { return start && start->type == NODE_START_EVENT && start->async_before; }

static int op_first_token(context *c, operation *op) {
  if (!unit_instance(c->u, op->execution, &c->error)) return c->error.code;
  scope root;
  int rc = scope_get(c, op->execution, &root);
  if (rc || !op->node) return rc;
  rec_execution *e = execution_create(c, &root, op->node, EXECUTION_TOKEN);
  if (!e) return c->error.code;
  if (starts_in_job(op->node)) e->data = orr_bool(true);
  return plan_on(c, op_enter, e->id, op->node, 0);
}

int op_start_instance(context *c, operation *op) {
  scope root;
  int rc = scope_get(c, op->execution, &root);
  if (!rc && root.node->n_event_subprocesses) rc = arm_event_subprocesses(c, &root);
  if (!rc && !starts_in_job(op->node))
    rc = listeners_plan_process(c, op->execution, root.node, op->node, LISTENER_START, op->flags, NULL);
  return rc ? rc : plan_on(c, op_first_token, op->execution, op->node, op->flags);
}

int plan_token(context *c, const scope *parent, const node *at, const flow *by) {
  rec_execution *e = execution_create(c, parent, at, EXECUTION_TOKEN);
  if (!e) return c->error.code;
  e->flow = by ? by->index + 1 : 0;
  const definition *d = branches_wait(c) ? context_definition_of(c, e->id, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  if (d && d->dialect->branches_take_turns)
    return branch_queue_add(c, &(operation){.run = op_enter, .execution = e->id, .node = at}, 0);
  return plan_on(c, op_enter, e->id, at, 0);
}

/* ---- Enter ----------------------------------------------------------------------------------- */

/* The parser has settled which attributes of a multi-instance activity are about the whole, and
 * which about each instance. */
static bool waits_async_before(const rec_execution *e, const node *n) {
  return n->multi && e->kind == EXECUTION_MULTI_INSTANCE ? n->multi->async_before : n->async_before;
}

/* again: the next round of a standard loop, whose scope is open already. */
static int start(context *c, rec_execution *e, const node *n, uint32_t flags, bool again);

/* A failure on the way into a node belongs to that node, wherever the operation began. */
int token_enter(context *c, rec_execution *e, const node *n, uint32_t flags) {
  bool waits = waits_async_before(e, n) && !(flags & OP_TRIGGERED);
  int rc = waits ? async_wait(c, e, n, ORR_JOB_ASYNC_BEFORE, NULL) : start(c, e, n, flags, false);
  if (rc && !c->failed_at) c->failed_at = n;
  return rc;
}

int op_enter(context *c, operation *op) {
  const node *n;
  rec_execution *e = token_of(c, op, &n);
  if (!e) return c->error.code;
  if (op->flow) {
    if (context_touch(c, e)) return c->error.code;
    e->flow = op->flow->index + 1;
  }
  return token_enter(c, e, n, op->flags);
}

static int begin_in_job(context *c, rec_execution *e, const node *n, const operation *op) {
  if (context_touch(c, e)) return c->error.code;
  e->data = (orr_value){0};
  int rc = listeners_plan_process(c, orr_id_instance(e->id), n->scope, n, LISTENER_START, op->flags, NULL);
  return rc ? rc : plan_on(c, op_start, e->id, n, op->flags);
}

int op_start(context *c, operation *op) {
  const node *n;
  rec_execution *e = token_of(c, op, &n);
  if (!e) return c->error.code;
  return e->data.type == ORR_BOOL ? begin_in_job(c, e, n, op) : start(c, e, n, op->flags, false);
}

/* ---- Start ----------------------------------------------------------------------------------- */

static bool has_history(const definition *d, const node *n) {
  return n->event.type != EVENT_LINK || d->dialect->history_link_events;
}

static int execute(context *c, rec_execution *e, const node *n, uint32_t flags) {
  int rc = lifecycle_move(c, e, EXECUTION_ACTIVE);
  if (rc) return rc;
  if (flags & OP_TRIGGERED) return plan_leave(c, e, n);
  return behavior_of(n)->execute(c, e, n);
}

int op_execute(context *c, operation *op) {
  const node *n;
  rec_execution *e = token_of(c, op, &n);
  if (!e || e->state != EXECUTION_STARTING) return c->error.code;
  return execute(c, e, n, op->flags);
}

static int op_arm(context *c, operation *op) {
  const node *n;
  rec_execution *e = token_of(c, op, &n);
  return e ? scope_arm(c, e, n) : c->error.code;
}

/* A standard loop that tests first may not run even once. */
static int loop_wanted(context *c, rec_execution *e, const node *n, bool *wanted) {
  *wanted = true;
  if (!n->loop || !n->loop->test_before || e->loop_counter || !expr_given(&n->loop->condition)) return 0;
  return expr_condition(c, &n->loop->condition, e->parent, n, wanted);
}

/* By dialect, the start listeners of an event sub-process that interrupts by its event are
 * skipped. */
static bool starts_silently(const definition *d, const node *n) {
  if (n->type != NODE_EVENT_SUB_PROCESS || d->dialect->interrupting_start_listeners) return false;
  event_type by = n->start ? n->start->event.type : EVENT_NONE;
  return n->start && n->start->interrupting &&
         (by == EVENT_MESSAGE || by == EVENT_SIGNAL || by == EVENT_TIMER);
}

static int start(context *c, rec_execution *e, const node *n, uint32_t flags, bool again) {
  if (n->multi && e->kind == EXECUTION_TOKEN) return multi_enter(c, e, n);
  definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  int rc = lifecycle_move(c, e, EXECUTION_STARTING);
  bool wanted = true;
  if (!rc && n->loop) rc = loop_wanted(c, e, n, &wanted);
  if (!rc && !wanted) {
    rc = lifecycle_move(c, e, EXECUTION_LEAVING);
    return rc ? rc : flows_leave(c, e, n, NULL);
  }
  if (!rc && n->needs_scope && !again) rc = scope_open(c, e, n);
  /* the row of a boundary event may exist already */
  if (!rc && has_history(d, n) && !e->activity_instance) rc = history_activity_started(c, e, n);
  if (rc) return rc;
  bool inputs = io_has_inputs(n) && !c->skip_io_mappings && !(flags & OP_SKIP_IO);
  if (inputs) {
    rc = plan_on(c, op_io_input, e->id, n, flags);
    if (!rc && n->needs_scope && !again) rc = plan_on(c, op_arm, e->id, n, 0);
  } else if (n->needs_scope && !again) {
    rc = scope_arm(c, e, n);
  }
  if (rc) return rc;
  if (!inputs && !n->listeners.count && !c->lists.changes) return execute(c, e, n, flags);
  rc = starts_silently(d, n) ? 0 : listeners_plan(c, e->id, n, NULL, LISTENER_START, flags, NULL);
  return rc ? rc : plan_on(c, op_execute, e->id, n, flags);
}

/* ---- Leave ----------------------------------------------------------------------------------- */

static bool waits_async_after(const rec_execution *e, const node *n) {
  return n->multi && e->kind == EXECUTION_MULTI_INSTANCE ? n->multi->async_after : n->async_after;
}

/* The standard loop's next round. */
static int loop_again(context *c, rec_execution *e, const node *n, bool *again) {
  *again = false;
  if (!n->loop || e->kind != EXECUTION_TOKEN) return 0;
  int rc = loop_left(c, e, n, again);
  if (rc || !*again) return rc;
  rc = history_activity_ended(c, e, false);
  if (!rc) rc = lifecycle_move(c, e, EXECUTION_LEAVING);
  return rc ? rc : start(c, e, n, 0, e->scope);
}

static bool runs_listeners(const definition *d, const rec_execution *e) {
  return e->kind != EXECUTION_MULTI_BODY || d->dialect->multi_listeners_for_body;
}

static int close(context *c, rec_execution *e, const node *n, const operation *op);
static bool completes_before_job(const definition *d, const rec_execution *e, const node *n);

/* Disarms the own events first, so the end listeners of an activity do not trigger its boundary
 * events. */
static int begin_leaving(context *c, const definition *d, rec_execution *e, const node *n, const operation *op) {
  int rc = lifecycle_move(c, e, EXECUTION_LEAVING);
  if (!rc && e->flags & (ORR_SCOPE_SUBSCRIPTIONS | ORR_SCOPE_JOBS)) rc = disarm_events(c, e, n);
  if (!rc && !e->scope && e->flags & ORR_SCOPE_INCIDENTS) rc = incident_drop_own(c, e->id);
  if (rc) return rc;
  if (!e->scope) e->flags &= ORR_SCOPE_BRANCH; /* nothing else can have belonged to it */
  bool outputs = io_has_outputs(n) && e->kind != EXECUTION_MULTI_BODY && !c->skip_io_mappings && !(op->flags & OP_SKIP_IO);
  bool ends = n->listeners.count && runs_listeners(d, e);
  if (n->type == NODE_EXCLUSIVE_GATEWAY && !d->dialect->exclusive_end_listeners) ends = false;
  if (op->flags & OP_RESUMED && e->kind == EXECUTION_MULTI_BODY) ends = false; /* those ran before the job */
  if (!outputs && !ends && !c->lists.changes) return close(c, e, n, op);
  if (ends) rc = listeners_plan(c, e->id, n, NULL, LISTENER_END, op->flags, NULL);
  if (!rc && outputs) rc = plan_on(c, op_io_output, e->id, n, op->flags);
  if (rc) return rc;
  operation *next = agenda_plan(c, op_close, e->id);
  if (!next) return c->error.code;
  next->node = n;
  next->flow = op->flow;
  next->flags = op->flags;
  next->data = op->data;
  return 0;
}

static int op_wait_after(context *c, operation *op) {
  const node *n;
  rec_execution *e = token_of(c, op, &n);
  return e ? async_wait(c, e, n, ORR_JOB_ASYNC_AFTER, op->flow) : c->error.code;
}

/* For compensation, an activity that a job leaves later has completed before the job. */
static bool completes_before_job(const definition *d, const rec_execution *e, const node *n) {
  bool by_job = waits_async_after(e, n) && d->dialect->async_after_leaves_in_job;
  return by_job && n->compensation_handler && !node_is_scope(n) && e->kind != EXECUTION_MULTI_BODY;
}

/* The job does all of leaving, listeners included, except those for the whole of a
 * multi-instance. */
static int leave_by_job(context *c, const definition *d, rec_execution *e, const node *n,
                        const flow *by) {
  bool ends = n->listeners.count && e->kind == EXECUTION_MULTI_BODY && runs_listeners(d, e);
  int rc = e->flags & (ORR_SCOPE_SUBSCRIPTIONS | ORR_SCOPE_JOBS) ? disarm_events(c, e, n) : 0;
  if (!rc) rc = lifecycle_move(c, e, EXECUTION_LEAVING);
  if (!rc && completes_before_job(d, e, n)) rc = compensation_arm(c, e, n);
  if (rc || !ends) return rc ? rc : async_wait(c, e, n, ORR_JOB_ASYNC_AFTER, by);
  rc = listeners_plan(c, e->id, n, NULL, LISTENER_END, 0, NULL);
  return rc ? rc : plan_by_flow(c, op_wait_after, e->id, n, by, 0);
}

int op_leave(context *c, operation *op) {
  const node *n;
  rec_execution *e = token_of(c, op, &n);
  if (!e || (e->state == EXECUTION_LEAVING && !(op->flags & OP_RESUMED))) return c->error.code;
  definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  bool again = false;
  int rc = e->job_id ? execution_forget_job(c, e) : 0; /* triggered now, while a job would have done it */
  if (!rc && !(op->flags & (OP_RESUMED | OP_NO_FLOW))) rc = loop_again(c, e, n, &again);
  if (rc || again) return rc;
  if (waits_async_after(e, n) && d->dialect->async_after_leaves_in_job && !(op->flags & (OP_RESUMED | OP_NO_FLOW))) {
    return leave_by_job(c, d, e, n, op->flow);
  }
  return begin_leaving(c, d, e, n, op);
}

/* The token goes to the event that won an event gateway, which has happened already. */
static int go_to_winner(context *c, rec_execution *e, const node *gateway, const node *event) {
  const flow *by = NULL;
  for (uint32_t i = 0; i < gateway->n_outgoing; i++)
    if (gateway->outgoing[i]->target == event) by = gateway->outgoing[i];
  int rc = execution_move(c, e, event, by);
  return rc ? rc : token_enter(c, e, event, OP_TRIGGERED);
}

static int leave_inner_instance(context *c, const definition *d, rec_execution *e, const node *n) {
  if (waits_async_after(e, n) && !d->dialect->async_after_leaves_in_job) return async_wait(c, e, n, ORR_JOB_ASYNC_AFTER, NULL);
  return multi_instance_left(c, e, n);
}

/* Takes no flow, even if there are some. */
static int close_path(context *c, const definition *d, rec_execution *e, const node *n) {
  bool by_job = n->async_after && d->dialect->uncaught_error_by_job && n->type != NODE_TRANSACTION;
  return by_job ? async_wait(c, e, n, ORR_JOB_ASYNC_AFTER, NULL) : plan_on(c, op_end_token, e->id, n, 0);
}

static int close(context *c, rec_execution *e, const node *n, const operation *op) {
  definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  bool before = op->flags & OP_RESUMED && completes_before_job(d, e, n);
  bool completed = !(op->flags & OP_NO_FLOW) && !before;
  int rc = completed && compensation_wanted(d->dialect, e, n) ? compensation_arm(c, e, n) : 0;
  if (!rc && e->activity_instance) rc = history_activity_ended(c, e, false);
  if (!rc && e->n_armed_rows) rc = history_boundary_ended(c, e);
  if (rc) return rc;
  if (e->kind == EXECUTION_MULTI_INSTANCE) return leave_inner_instance(c, d, e, n);
  if (e->scope) rc = scope_close(c, e);
  if (rc) return rc;
  if (e->loop_counter) e->loop_counter = 0;
  if (op->flags & OP_NO_FLOW) return close_path(c, d, e, n);
  if (op->flags & OP_TRIGGERED && op->data) return go_to_winner(c, e, n, op->data);
  return flows_leave(c, e, n, op->flow);
}

int op_close(context *c, operation *op) {
  const node *n;
  rec_execution *e = token_of(c, op, &n);
  return e ? close(c, e, n, op) : c->error.code;
}

/* ---- End ------------------------------------------------------------------------------------- */

/* By dialect, event sub-processes may not start once the main flow has ended: if only such are
 * left, disarms the rest. */
static int stop_listening(context *c, const scope *s) {
  definition *d = context_definition_of(c, s->id, &c->error);
  if (!d) return c->error.code;
  if (d->dialect->event_subprocess_outlives_flow || !(scope_flags(s) & ORR_SCOPE_LISTENS)) return 0;
  struct rec_relation *children = unit_relation_of(c->u, s->record, UNIT_CHILDREN, &c->error);
  if (!children) return c->error.code;
  for (uint32_t i = 0; i < children->count; i++) {
    const rec_execution *child = (const rec_execution *)(const void *)children->items[i];
    if (child->kind != EXECUTION_EVENT_SCOPE && d->nodes[child->node - 1]->type != NODE_EVENT_SUB_PROCESS) return 0;
  }
  return disarm_starts(c, s);
}

/* The last token of a scope has ended. Where branches are queued, the end of a sub-process is, too,
 * and so is that of each sub-process around it. */
static int plan_scope_empty(context *c, const scope *s, const node *ended_at) {
  bool counts = s->execution && s->execution->kind != EXECUTION_MULTI_BODY && branches_wait(c);
  const definition *d = counts ? context_definition_of(c, s->id, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  if (!d || !d->dialect->branches_take_turns) return plan_on(c, op_scope_empty, s->id, ended_at, 0);
  return branch_queue_add(c, &(operation){.run = op_scope_empty, .execution = s->id, .node = ended_at}, ROUNDS_OF_END);
}

/* Others are left in the scope of the token that has ended. */
static int keep_scope_open(context *c, const scope *s, const node *ended_at) {
  const int64_t *children = s->instance ? &s->instance->children : &s->execution->children;
  int rc = assumption_keep(c, &(assumption){.record = s->record, .counter = children,
                                            .run = op_scope_empty, .execution = s->id,
                                            .node = ended_at});
  if (!rc) rc = stop_listening(c, s);
  return rc ? rc : notice_tokens(c, s);
}

int op_end_token(context *c, operation *op) {
  unit_catch_up(c->u);
  rec_execution *e = execution_get(c, op->execution);
  if (!e || e->state == EXECUTION_CANCELING) return c->error.code;
  scope parent;
  int rc = scope_of(c, e, &parent);
  orr_id thrower = e->thrower;
  if (!rc) rc = lifecycle_move(c, e, EXECUTION_ENDED);
  if (!rc) rc = execution_remove(c, e);
  if (!rc && thrower) rc = compensation_done(c, thrower);
  if (rc) return rc;
  return scope_children(&parent) ? keep_scope_open(c, &parent, op->node) : plan_scope_empty(c, &parent, op->node);
}

int op_scope_empty(context *c, operation *op) {
  if (orr_id_local(op->execution) == 1) {
    rec_instance *instance = unit_instance(c->u, op->execution, &c->error);
    if (!instance || instance->children > 0) return c->error.code;
    return plan_on(c, op_end_instance, op->execution, op->node, 0);
  }
  rec_execution *e = execution_get(c, op->execution);
  if (!e || e->children > 0 || e->kind == EXECUTION_COMPENSATION || e->state != EXECUTION_ACTIVE) return c->error.code;
  const node *n = execution_node(c, e);
  if (!n) return c->error.code;
  const behavior *b = e->kind == EXECUTION_MULTI_BODY ? &behavior_multi_body : behavior_of(n);
  return b->completed ? b->completed(c, e, n) : 0;
}

/* ---- Beginning around what runs already ------------------------------------------------------ */

static int op_open_events(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  return e ? scope_arm(c, e, op->node) : c->error.code;
}

static int op_opened(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  return e && e->state == EXECUTION_STARTING ? lifecycle_move(c, e, EXECUTION_ACTIVE) : c->error.code;
}

int token_begin_scope(context *c, rec_execution *e, const node *n, uint32_t flags) {
  int rc = lifecycle_move(c, e, EXECUTION_STARTING);
  if (!rc) rc = scope_open(c, e, n);
  if (!rc) rc = history_activity_started(c, e, n);
  if (!rc && io_has_inputs(n) && !c->skip_io_mappings) rc = plan_on(c, op_io_input, e->id, n, flags);
  if (!rc) rc = plan_on(c, op_open_events, e->id, n, flags);
  if (!rc) rc = listeners_plan(c, e->id, n, NULL, LISTENER_START, flags | OP_OPENED, NULL);
  return rc ? rc : plan_on(c, op_opened, e->id, n, flags);
}
