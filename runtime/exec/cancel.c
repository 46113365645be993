/* Canceling tokens and scopes, and the end of an instance. */
#include "exec/cancel.h"

#include "exec/awaiting.h"
#include "exec/data/io_mapping.h"

#include <inttypes.h>

#include "exec/data/variable.h"
#include "exec/event/subscription.h"
#include "exec/history.h"
#include "exec/listener.h"
#include "exec/node/behavior.h"
#include "exec/node/inclusive_join.h"
#include "exec/node/parallel_join.h"
#include "exec/scope.h"
#include "exec/token.h"
#include "job/job.h"

/* ---- Tokens ---------------------------------------------------------------------------------- */

/* A step of canceling `execution` for the reason that `from` has; `step` is the operation's own. */
static int plan_cancel(context *c, operation_fn run, orr_id execution, const operation *from, uint32_t step) {
  operation *op = agenda_plan(c, run, execution);
  if (!op) return c->error.code;
  op->flags = from->flags | OP_CANCELED;
  op->text = from->text;
  op->step = step;
  return 0;
}

static int plan_children(context *c, const scope *s, const operation *from, orr_id keep) {
  rec_execution **children;
  uint32_t count;
  int rc = scope_child_list(c, s, &children, &count);
  for (uint32_t i = 0; !rc && i < count; i++)
    if (children[i]->id != keep) rc = plan_cancel(c, op_cancel, children[i]->id, from, 0);
  return rc;
}

int op_cancel_children(context *c, operation *op) {
  scope s;
  int rc = scope_get(c, op->execution, &s);
  return rc ? rc : plan_children(c, &s, op, op->other);
}

/* Listeners that hear of the end may start something in what goes, by a modification, a message, an event of it: that goes,
 * too. `children`: how many tokens the scope counts. */
static bool has_newcomers(context *c, const scope *s, int64_t children) {
  rec_execution **list;
  uint32_t count = 0;
  bool any = false;
  if (!children || scope_child_list(c, s, &list, &count)) return false;
  for (uint32_t i = 0; i < count && !any; i++) any = list[i]->kind != EXECUTION_EVENT_SCOPE;
  return any;
}

static int op_canceled(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  if (!e) return c->error.code;
  scope parent, own = {.record = &e->head, .execution = e, .id = e->id};
  if (has_newcomers(c, &own, e->children)) {
    int failed = plan_children(c, &own, op, 0);
    return failed ? failed : plan_cancel(c, op_canceled, e->id, op, 0);
  }
  if (c->error.code) return c->error.code;
  int rc = scope_of(c, e, &parent);
  if (!rc && e->activity_instance) rc = history_activity_ended(c, e, true);
  if (!rc && e->n_armed_rows) rc = history_boundary_ended(c, e);
  if (!rc) rc = lifecycle_move(c, e, EXECUTION_ENDED);
  if (!rc) rc = context_touch(c, parent.record); /* siblings that come or go meanwhile are the canceler's business */
  if (!rc) rc = execution_remove(c, e);
  return rc ? rc : inclusive_join_suspect(c, &parent);
}

/* step 1: the token had entered its node, so that its end listeners and output mapping are due. */
static int op_cancel_self(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  if (!e) return c->error.code;
  definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  const node *n = d->nodes[e->node - 1];
  int rc = e->flags & (ORR_SCOPE_SUBSCRIPTIONS | ORR_SCOPE_JOBS) ? disarm_events(c, e, n) : 0;
  bool body = e->kind == EXECUTION_MULTI_BODY;
  bool listens = d->dialect->end_listeners_on_cancel && (!body || d->dialect->multi_listeners_for_body);
  if (!rc && op->step && n->listeners.count && listens)
    rc = listeners_plan(c, e->id, n, NULL, LISTENER_END, op->flags, op->text);
  if (!rc && op->step && io_has_outputs(n) && !body && !c->skip_io_mappings && !(op->flags & OP_SKIP_IO))
    rc = plan_on(c, op_io_output, e->id, n, op->flags);
  return rc ? rc : plan_cancel(c, op_canceled, e->id, op, 0);
}

/* Behaviors let go of what only they know while the token still stands. */
static int let_go_of_children(context *c, rec_execution *e, const node *n) {
  const behavior *b = e->kind == EXECUTION_MULTI_BODY ? &behavior_multi_body : behavior_of(n);
  return b->cancel ? b->cancel(c, e, n) : 0;
}

int op_cancel(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  if (!e || e->state == EXECUTION_CANCELING) return c->error.code;
  const node *n = execution_node(c, e);
  if (!n) return c->error.code;
  bool entered = e->state == EXECUTION_STARTING || e->state == EXECUTION_ACTIVE || e->state == EXECUTION_JOINING;
  bool active = e->state == EXECUTION_ACTIVE && e->kind != EXECUTION_COMPENSATION;
  int rc = e->state == EXECUTION_JOINING ? join_forget(c, e) : 0;
  await_drop(c, e);
  if (!rc) rc = lifecycle_move(c, e, EXECUTION_CANCELING);
  if (!rc && e->children) {
    scope own = {.record = &e->head, .execution = e, .id = e->id, .node = n};
    rc = plan_children(c, &own, op, 0);
  }
  if (!rc && active) rc = let_go_of_children(c, e, n);
  return rc ? rc : plan_cancel(c, op_cancel_self, e->id, op, entered && e->kind != EXECUTION_COMPENSATION);
}

/* ---- Instances ------------------------------------------------------------------------------- */

static int remove_instance(context *c, rec_instance *instance, const operation *op) {
  scope root;
  const char *state = op->data ? op->data : "completed";
  int rc = scope_get(c, instance->id, &root);
  if (!rc) rc = history_instance_ended(c, instance, state, op->text, op->node);
  if (!rc) rc = scope_drop(c, &root);
  if (rc) return rc;
  c->last.instance = NULL;
  return unit_delete(c->u, instance) ? context_memory(c) : 0;
}

static int op_remove_instance(context *c, operation *op) {
  rec_instance *instance = unit_instance(c->u, op->execution, &c->error);
  return instance ? remove_instance(c, instance, op) : c->error.code;
}

/* The next step of an instance's end, of which `from` is one. */
static int plan_end_step(context *c, operation_fn run, const operation *from) {
  operation *next = agenda_plan(c, run, from->execution);
  if (!next) return c->error.code;
  next->node = from->node;
  next->text = from->text;
  next->data = from->data;
  next->flags = from->flags;
  return 0;
}

/* The instance's end is come to `again` once they are canceled. *any: there are some. */
static int cancel_newcomers(context *c, const rec_instance *i, operation_fn again, const operation *op, bool *any) {
  scope root;
  *any = false;
  int rc = i->children ? scope_get(c, i->id, &root) : 0;
  *any = !rc && i->children && has_newcomers(c, &root, i->children);
  if (c->error.code || !*any) return c->error.code;
  rc = plan_cancel(c, op_cancel_children, i->id, op, 0);
  return rc ? rc : plan_end_step(c, again, op);
}

/* The caller reads what it wants of the called instance before that is gone. */
static int op_instance_ended(context *c, operation *op) {
  rec_instance *instance = unit_instance(c->u, op->execution, &c->error);
  bool newcomers = false;
  int waits = instance ? cancel_newcomers(c, instance, op_instance_ended, op, &newcomers) : c->error.code;
  if (!instance || waits || newcomers) return waits;
  rec_execution *caller = NULL;
  if (instance->super_execution && !(op->flags & OP_SILENT)) caller = execution_get(c, instance->super_execution);
  if (c->error.code) return c->error.code;
  if (caller && caller->called_id == instance->id && caller->state == EXECUTION_ACTIVE) {
    const node *n = execution_node(c, caller);
    if (!n) return c->error.code;
    const rec_instance *above = context_instance(c, caller->id, &c->error);
    if (!above) return c->error.code;
    if (above->suspended) {
      c->held_by = above->id;
      return context_error(c, ORR_E_SUSPENDED, "process instance %" PRIu64 " cannot go on at \"%s\": it is suspended",
                           above->id, n->id);
    }
    int rc = behavior_of(n)->trigger(c, caller, n, TRIGGER_CALLED, NULL);
    if (rc) return rc;
    /* The output mapping goes on in the script host. */
    if (agenda_has_called(c)) return plan_end_step(c, op_remove_instance, op);
  }
  return remove_instance(c, instance, op);
}

int op_end_instance(context *c, operation *op) {
  rec_instance *instance = unit_instance(c->u, op->execution, &c->error);
  bool newcomers = false;
  int rc = instance ? cancel_newcomers(c, instance, op_end_instance, op, &newcomers) : c->error.code;
  if (!instance || rc || newcomers) return rc;
  scope root;
  rc = scope_get(c, instance->id, &root);
  if (!rc && scope_flags(&root) & (ORR_SCOPE_SUBSCRIPTIONS | ORR_SCOPE_JOBS)) rc = disarm(c, &root, NULL);
  if (!rc) rc = scope_flag(c, &root, ORR_SCOPE_ENDING);
  if (!rc) rc = listeners_plan_process(c, instance->id, root.node, op->node, LISTENER_END, op->flags, op->text);
  return rc ? rc : plan_end_step(c, op_instance_ended, op);
}

int plan_cancel_children(context *c, orr_id of, orr_id keep) {
  operation *op = agenda_plan(c, op_cancel_children, of);
  if (!op) return c->error.code;
  op->other = keep;
  op->flags = OP_CANCELED;
  return 0;
}
