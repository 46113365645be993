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

/* ---- Marking --------------------------------------------------------------------------------- */

/* A listener of what is canceled may be awaited, and others go on meanwhile: tokens that are about to go must be out of
 * their way before the first listener runs. So all of them are marked first. A marked token is CANCELING: it moves no
 * more, nothing reaches it (its calls are dropped, what it waits for is disarmed, joins forget it), and what was planned
 * for it is left out. Each is canceled then in its turn, by what it was before. A cancel that comes to a token whose
 * listener is awaited for another one goes on behind that. */

/* What the token was; it is not marked: `was` 0. */
static execution_state unmarked_state(const rec_execution *e) {
  return e->was ? (execution_state)(e->was - 1) : (execution_state)e->state;
}

/* Boundary events of the outermost would lead out of what goes; those inside start what goes, too. */
static int disarm_marked(context *c, rec_execution *e, bool outermost) {
  if (!(e->flags & (ORR_SCOPE_SUBSCRIPTIONS | ORR_SCOPE_JOBS))) return 0;
  if (outermost) return disarm_own(c, e);
  scope own = {.record = &e->head, .execution = e, .id = e->id, .node = execution_node(c, e)};
  return own.node ? disarm(c, &own, own.node) : c->error.code;
}

static int mark_token(context *c, rec_execution *e, uint32_t run, bool outermost) {
  e->was = (uint8_t)(e->state + 1);
  e->canceled_by = run;
  int rc = e->state == EXECUTION_JOINING ? join_forget(c, e) : 0;
  await_drop(c, e);
  if (!rc) rc = disarm_marked(c, e, outermost);
  return rc ? rc : lifecycle_move(c, e, EXECUTION_CANCELING);
}

static int mark_within(context *c, const scope *s, orr_id keep, uint32_t run, bool outermost);

/* With what runs in it, called instances included. */
static int mark_all(context *c, rec_execution *e, uint32_t run, bool outermost) {
  scope own = {.record = &e->head, .execution = e, .id = e->id};
  if (e->state == EXECUTION_CANCELING) return 0;
  int rc = mark_token(c, e, run, outermost);
  if (!rc && e->children) rc = mark_within(c, &own, 0, run, false);
  if (rc || !e->called_id || !unit_instance(c->u, e->called_id, &c->error)) return rc ? rc : c->error.code;
  rc = scope_get(c, e->called_id, &own);
  return rc ? rc : mark_within(c, &own, 0, run, false);
}

static int mark_within(context *c, const scope *s, orr_id keep, uint32_t run, bool outermost) {
  rec_execution **children;
  uint32_t count;
  int rc = scope_child_list(c, s, &children, &count);
  for (uint32_t i = 0; !rc && i < count; i++)
    if (children[i]->id != keep) rc = mark_all(c, children[i], run, outermost);
  return rc;
}

bool cancel_overtakes(context *c, const operation *op) {
  if (op->flags & OP_CANCELED || orr_id_local(op->execution) == 1) return false;
  const rec_execution *e = execution_get(c, op->execution);
  return e && e->state == EXECUTION_CANCELING;
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

/* A step of canceling `execution` for the reason that `from` has; `step` is the operation's own. `since`: the run that began
 * it; 0: everything relies on it. */
static int plan_cancel(context *c, operation_fn run, orr_id execution, const operation *from, uint32_t step, uint32_t since) {
  operation *op = agenda_plan(c, run, execution);
  if (!op) return c->error.code;
  op->flags = from->flags | OP_CANCELED;
  op->text = from->text;
  op->step = step;
  op->other = since;
  return 0;
}

static int plan_children(context *c, const scope *s, const operation *from, orr_id keep, uint32_t since) {
  rec_execution **children;
  uint32_t count;
  int rc = scope_child_list(c, s, &children, &count);
  for (uint32_t i = 0; !rc && i < count; i++)
    if (children[i]->id != keep) rc = plan_cancel(c, op_cancel, children[i]->id, from, 0, since);
  return rc;
}

/* Beside others that are awaited while they go, what goes is marked here, too: it may come behind those. */
int op_cancel_children(context *c, operation *op) {
  scope s;
  int rc = scope_get(c, op->execution, &s);
  if (!rc && c->parted) rc = mark_within(c, &s, op->other, 0, true);
  return rc ? rc : plan_children(c, &s, op, op->other, 0);
}

int op_interrupt_children(context *c, operation *op) {
  scope s;
  uint32_t run = c->agenda.runs;
  agenda_take_along(c);
  int rc = scope_get(c, op->execution, &s);
  if (!rc) rc = mark_within(c, &s, op->other, run, true);
  return rc ? rc : plan_children(c, &s, op, op->other, run);
}

int op_interrupt(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  uint32_t run = c->agenda.runs;
  agenda_take_along(c);
  int rc = e ? mark_all(c, e, run, true) : c->error.code;
  return rc || !e ? rc : plan_cancel(c, op_cancel, e->id, op, 0, run);
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

/* Who canceled it anew may have gone and left its scope to it; then that ends. */
static int end_overtaken_scope(context *c, const scope *s, const node *ended_at) {
  bool going = scope_flags(s) & ORR_SCOPE_ENDING || scope_children(s) > 0;
  return going ? 0 : plan_on(c, op_scope_empty, s->id, ended_at, 0);
}

static int op_canceled(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  if (!e) return c->error.code;
  scope parent, own = {.record = &e->head, .execution = e, .id = e->id};
  if (has_newcomers(c, &own, e->children)) {
    uint32_t since = (uint32_t)op->other;
    int failed = plan_children(c, &own, op, 0, since);
    return failed ? failed : plan_cancel(c, op_canceled, e->id, op, 0, since);
  }
  if (c->error.code) return c->error.code;
  int rc = scope_of(c, e, &parent);
  if (!rc && e->activity_instance) rc = history_activity_ended(c, e, true);
  if (!rc && e->n_armed_rows) rc = history_boundary_ended(c, e);
  if (!rc) rc = lifecycle_move(c, e, EXECUTION_ENDED);
  if (!rc) rc = context_touch(c, parent.record); /* siblings that come or go meanwhile are the canceler's business */
  bool overtaken = e->overtaken;
  if (!rc) rc = execution_remove(c, e);
  if (!rc) rc = inclusive_join_suspect(c, &parent);
  return rc || !overtaken ? rc : end_overtaken_scope(c, &parent, op->node);
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
  return rc ? rc : plan_cancel(c, op_canceled, e->id, op, 0, (uint32_t)op->other);
}

/* Lets the node's behavior release what it alone knows about, while the token still exists. */
static int release_by_behavior(context *c, rec_execution *e, const node *n) {
  const behavior *b = e->kind == EXECUTION_MULTI_BODY ? &behavior_multi_body : behavior_of(n);
  return b->cancel ? b->cancel(c, e, n) : 0;
}

/* What is being canceled already is gone when this goes on, unless the one who does it is the caller of a listener that
 * cancels again: nothing can wait for that. */
static int cancel_behind(context *c, rec_execution *e, const operation *op) {
  awaiting *w = await_of_canceled(c, e->id);
  e->overtaken = !w;
  if (!w) return c->error.code;
  await_behind(c, w, (uint32_t)op->other);
  return plan_cancel(c, op_cancel, e->id, op, 0, (uint32_t)op->other);
}

static int begin_cancel(context *c, rec_execution *e) {
  int rc = e->state == EXECUTION_JOINING ? join_forget(c, e) : 0;
  await_drop(c, e);
  return rc ? rc : lifecycle_move(c, e, EXECUTION_CANCELING);
}

int op_cancel(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  if (!e) return c->error.code;
  if (e->state == EXECUTION_CANCELING && !e->was) return cancel_behind(c, e, op);
  const node *n = execution_node(c, e);
  if (!n) return c->error.code;
  execution_state was = unmarked_state(e);
  bool entered = was == EXECUTION_STARTING || was == EXECUTION_ACTIVE || was == EXECUTION_JOINING;
  bool active = was == EXECUTION_ACTIVE && e->kind != EXECUTION_COMPENSATION;
  int rc = e->was ? 0 : begin_cancel(c, e);
  e->was = 0;
  if (!rc && e->children) {
    scope own = {.record = &e->head, .execution = e, .id = e->id, .node = n};
    rc = plan_children(c, &own, op, 0, (uint32_t)op->other);
  }
  if (!rc && active) rc = release_by_behavior(c, e, n);
  bool ends = entered && e->kind != EXECUTION_COMPENSATION;
  return rc ? rc : plan_cancel(c, op_cancel_self, e->id, op, ends, (uint32_t)op->other);
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
  rc = plan_cancel(c, op_cancel_children, i->id, op, 0, 0);
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

int plan_interrupt_children(context *c, orr_id of, orr_id keep) {
  operation *op = agenda_plan(c, op_interrupt_children, of);
  if (!op) return c->error.code;
  op->other = keep;
  op->flags = OP_CANCELED;
  return 0;
}

typedef struct scope_ids {
  const orr_id *items;
  uint32_t count;
} scope_ids;

static int op_interrupt_scopes(context *c, operation *op) {
  const scope_ids *ids = op->data;
  scope s;
  uint32_t run = c->agenda.runs;
  int rc = 0;
  agenda_take_along(c);
  for (uint32_t i = 0; !rc && i < ids->count; i++) {
    rc = scope_get(c, ids->items[i], &s);
    if (!rc) rc = mark_within(c, &s, op->other, run, true);
  }
  for (uint32_t i = 0; !rc && i < ids->count; i++) {
    rc = scope_get(c, ids->items[i], &s);
    if (!rc) rc = plan_children(c, &s, op, op->other, run);
  }
  return rc;
}

int plan_interrupt_scopes(context *c, const orr_id *items, uint32_t count, orr_id keep) {
  scope_ids *ids = ARENA_NEW(c->arena, scope_ids);
  operation *op = ids ? agenda_plan(c, op_interrupt_scopes, items[0]) : NULL;
  if (!op) return ids ? c->error.code : context_memory(c);
  *ids = (scope_ids){items, count};
  op->other = keep;
  op->flags = OP_CANCELED;
  op->data = ids;
  return 0;
}
