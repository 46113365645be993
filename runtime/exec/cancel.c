/* Canceling tokens and scopes, and the end of an instance. */
#include "exec/cancel.h"

#include "exec/awaiting.h"
#include "exec/data/io_mapping.h"

#include <inttypes.h>

#include "exec/event/subscription.h"
#include "exec/listener.h"
#include "exec/node/behavior.h"
#include "exec/node/inclusive_join.h"
#include "exec/node/parallel_join.h"
#include "exec/scope.h"
#include "exec/token.h"
#include "job/job.h"
#include "state/history.h"
#include "state/notices.h"
#include "state/variable.h"

/* ---- Marking --------------------------------------------------------------------------------- */

/* A listener of something canceled may await, and others run meanwhile. So tokens that are about to
 * go must be out of their way before the first listener runs: all of them are marked first. A
 * marked token is CANCELING. It moves no more, nothing reaches it (its calls are dropped, what it
 * waits for is disarmed, joins forget it), and what was planned for it is left out. Then each is
 * canceled in order, by the state that it had before. If another cancel reaches a token whose
 * listener awaits, that cancel continues once the listener is done. */

/* The state that the token had before it was marked; `was` 0: it is not marked. */
static execution_state unmarked_state(const rec_execution *e) {
  return e->was ? (execution_state)(e->was - 1) : (execution_state)e->state;
}

/* Boundary events of the outermost token would lead out of what goes; those of inner tokens would
 * start something in it. */
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

/* Marks what it has called as well. */
static int mark_called(context *c, orr_id id, uint32_t run) {
  rec_instance *called = unit_instance(c->u, id, &c->error);
  scope root;
  if (!called) return c->error.code;
  if (!called->canceled_by) called->canceled_by = run;
  int rc = scope_get(c, id, &root);
  return rc ? rc : mark_within(c, &root, 0, run, false);
}

/* Marks it with everything that runs in it, called instances included. */
static int mark_all(context *c, rec_execution *e, uint32_t run, bool outermost) {
  scope own = {.record = &e->head, .execution = e, .id = e->id};
  if (e->state == EXECUTION_CANCELING) return 0;
  int rc = mark_token(c, e, run, outermost);
  if (!rc && e->children) rc = mark_within(c, &own, 0, run, false);
  return rc || !e->called_id ? rc : mark_called(c, e->called_id, run);
}

static int mark_within(context *c, const scope *s, orr_id keep, uint32_t run, bool outermost) {
  rec_execution **children;
  uint32_t count;
  int rc = scope_child_list(c, s, &children, &count);
  for (uint32_t i = 0; !rc && i < count; i++)
    if (children[i]->id != keep) rc = mark_all(c, children[i], run, outermost);
  return rc;
}

int cancel_mark(context *c, const orr_id *tokens, uint32_t count, uint32_t since) {
  int rc = 0;
  agenda_take_along(c);
  for (uint32_t i = 0; !rc && i < count; i++) {
    rec_execution *e = execution_get(c, tokens[i]);
    rc = e ? mark_all(c, e, since, true) : c->error.code;
  }
  return rc;
}

bool cancel_overtakes(context *c, const operation *op) {
  if (op->flags & OP_CANCELED || orr_id_local(op->execution) == 1) return false;
  const rec_execution *e = execution_get(c, op->execution);
  return e && e->state == EXECUTION_CANCELING;
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

/* Plans a step of canceling `execution`, with the reason of `from`; `step` is the operation's own.
 * `since`: the run that began it. */
static int plan_cancel(context *c, operation_fn run, orr_id execution, const operation *from, uint32_t step, uint32_t since) {
  operation *op = agenda_plan(c, run, execution);
  if (!op) return c->error.code;
  op->flags = from->flags | OP_CANCELED;
  op->text = from->text;
  op->step = step;
  op->other = since;
  return 0;
}

static int op_cancel(context *c, operation *op);

int cancel_marked(context *c, orr_id token, const operation *from, uint32_t since) {
  return plan_cancel(c, op_cancel, token, from, 0, since);
}

static int plan_children(context *c, const scope *s, const operation *from, orr_id keep, uint32_t since) {
  rec_execution **children;
  uint32_t count;
  int rc = scope_child_list(c, s, &children, &count);
  for (uint32_t i = 0; !rc && i < count; i++)
    if (children[i]->id != keep) rc = plan_cancel(c, op_cancel, children[i]->id, from, 0, since);
  return rc;
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

/* A listener may start something in what is being canceled, by a modification, a message or an
 * event of it: that is canceled, too. A listener that cancels something around its own token cannot
 * wait for that: its token is its own caller. */
typedef enum leftover { NOTHING_LEFT, NEWCOMERS, CALLERS } leftover;

/* Will another cancel remove it, once the listener that cancels has returned? */
static bool is_callers(context *c, const rec_execution *e) {
  return e->overtaken && e->state == EXECUTION_CANCELING && !await_of_canceled(c, e->id);
}

static leftover what_is_left(context *c, const scope *s) {
  rec_execution **list;
  uint32_t count = 0;
  leftover left = NOTHING_LEFT;
  if (!scope_children(s) || scope_child_list(c, s, &list, &count)) return left;
  for (uint32_t i = 0; i < count && left != NEWCOMERS; i++)
    if (list[i]->kind != EXECUTION_EVENT_SCOPE) left = is_callers(c, list[i]) ? CALLERS : NEWCOMERS;
  return left;
}

static int cancel_newcomers(context *c, const scope *s, const operation *op, uint32_t since) {
  agenda_take_along(c);
  int rc = mark_within(c, s, 0, since, false);
  return rc ? rc : plan_children(c, s, op, 0, since);
}

/* An end that a cancel has left to the listener that caused it: it continues when that token is
 * gone. */
struct put_off {
  struct put_off *next;
  operation op;
};

static int put_off(context *c, const operation *op) {
  struct put_off *p = ARENA_NEW(c->arena, struct put_off);
  if (!p) return context_memory(c);
  *p = (struct put_off){c->lists.put_off, *op};
  c->lists.put_off = p;
  return 0;
}

static int plan_put_off(context *c, orr_id of) {
  for (struct put_off **at = &c->lists.put_off, *p; (p = *at);) {
    if (p->op.execution != of) {
      at = &p->next;
      continue;
    }
    operation *next = agenda_plan(c, p->op.run, of);
    if (!next) return c->error.code;
    next->node = p->op.node;
    next->text = p->op.text;
    next->data = p->op.data;
    next->flags = p->op.flags;
    next->other = p->op.other;
    *at = p->next;
  }
  return 0;
}

/* The one that canceled it anew may be gone, and have left its scope: then that ends. */
static int end_overtaken_scope(context *c, const scope *s, const node *ended_at) {
  bool going = scope_flags(s) & ORR_SCOPE_ENDING || scope_children(s) > 0;
  return going ? 0 : plan_on(c, op_scope_empty, s->id, ended_at, 0);
}

static int op_canceled(context *c, operation *op);

static int cancel_again(context *c, const scope *own, const operation *op) {
  uint32_t since = (uint32_t)op->other;
  int rc = cancel_newcomers(c, own, op, since);
  return rc ? rc : plan_cancel(c, op_canceled, own->id, op, 0, since);
}

static int op_canceled(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  if (!e) return c->error.code;
  scope parent, own = {.record = &e->head, .execution = e, .id = e->id};
  leftover left = what_is_left(c, &own);
  if (c->error.code) return c->error.code;
  if (left == CALLERS) {
    e->overtaken = true; /* its canceler continues before it is gone */
    return put_off(c, op);
  }
  if (left == NEWCOMERS) return cancel_again(c, &own, op);
  int rc = scope_of(c, e, &parent);
  if (!rc && e->activity_instance) rc = history_activity_ended(c, e, true);
  if (!rc && e->n_armed_rows) rc = history_boundary_ended(c, e);
  if (!rc) rc = lifecycle_move(c, e, EXECUTION_ENDED);
  if (!rc) rc = context_touch(c, parent.record); /* if a sibling comes or goes meanwhile, one of the two loses */
  bool overtaken = e->overtaken;
  if (!rc) rc = execution_remove(c, e);
  if (!rc) rc = notice_tokens(c, &parent);
  if (!rc && c->lists.put_off) rc = plan_put_off(c, parent.id);
  return rc || !overtaken ? rc : end_overtaken_scope(c, &parent, op->node);
}

/* step 1: the token had entered its node, so its end listeners and output mapping run. */
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

/* Has the node's behavior release what only it knows of, while the token still exists. */
static int release_by_behavior(context *c, rec_execution *e, const node *n) {
  const behavior *b = e->kind == EXECUTION_MULTI_BODY ? &behavior_multi_body : behavior_of(n);
  return b->cancel ? b->cancel(c, e, n) : 0;
}

/* Something that is being canceled already will be gone when this continues, unless the cancel
 * comes from one of its own listeners: nothing can wait for that. */
static int cancel_behind(context *c, rec_execution *e, const operation *op) {
  awaited_call *w = await_of_canceled(c, e->id);
  e->overtaken = !w;
  if (!w) return c->error.code;
  await_hold_behind(c, w, (uint32_t)op->other);
  return plan_cancel(c, op_cancel, e->id, op, 0, (uint32_t)op->other);
}

/* Cancels what has come since the others were marked. */
static int begin_cancel(context *c, rec_execution *e, uint32_t run) {
  e->canceled_by = run;
  int rc = e->state == EXECUTION_JOINING ? join_forget(c, e) : 0;
  await_drop(c, e);
  return rc ? rc : lifecycle_move(c, e, EXECUTION_CANCELING);
}

static int op_cancel(context *c, operation *op) {
  rec_execution *e = execution_get(c, op->execution);
  if (!e) return c->error.code;
  if (e->state == EXECUTION_CANCELING && !e->was) return cancel_behind(c, e, op);
  const node *n = execution_node(c, e);
  if (!n) return c->error.code;
  execution_state was = unmarked_state(e);
  bool entered = was == EXECUTION_STARTING || was == EXECUTION_ACTIVE || was == EXECUTION_JOINING;
  bool active = was == EXECUTION_ACTIVE && e->kind != EXECUTION_COMPENSATION;
  int rc = e->was ? 0 : begin_cancel(c, e, (uint32_t)op->other);
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

/* Plans the next step of an instance's end, of which `from` is one. */
static int plan_end_step(context *c, operation_fn run, const operation *from) {
  operation *next = agenda_plan(c, run, from->execution);
  if (!next) return c->error.code;
  next->node = from->node;
  next->text = from->text;
  next->data = from->data;
  next->flags = from->flags;
  return 0;
}

/* Is something left in the instance? Then `op` runs again once that is gone. */
static int clear_instance(context *c, rec_instance *i, const operation *op, bool *any) {
  scope root;
  *any = false;
  int rc = i->children ? scope_get(c, i->id, &root) : 0;
  leftover left = !rc && i->children ? what_is_left(c, &root) : NOTHING_LEFT;
  if (c->error.code) return c->error.code;
  *any = left != NOTHING_LEFT;
  if (left == CALLERS) return put_off(c, op);
  if (left == NOTHING_LEFT) return 0;
  if (!i->canceled_by) i->canceled_by = c->agenda.runs;
  rc = cancel_newcomers(c, &root, op, i->canceled_by);
  return rc ? rc : plan_end_step(c, op->run, op);
}

/* The caller reads what it needs of the called instance before that is removed. */
static int op_instance_ended(context *c, operation *op) {
  rec_instance *instance = unit_instance(c->u, op->execution, &c->error);
  bool newcomers = false;
  int waits = instance ? clear_instance(c, instance, op, &newcomers) : c->error.code;
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
    /* The output mapping continues in the script host. */
    if (agenda_has_called(c)) return plan_end_step(c, op_remove_instance, op);
  }
  return remove_instance(c, instance, op);
}

int op_end_instance(context *c, operation *op) {
  rec_instance *instance = unit_instance(c->u, op->execution, &c->error);
  bool newcomers = false;
  int rc = instance ? clear_instance(c, instance, op, &newcomers) : c->error.code;
  if (!instance || rc || newcomers) return rc;
  scope root;
  rc = scope_get(c, instance->id, &root);
  if (!rc && scope_flags(&root) & (ORR_SCOPE_SUBSCRIPTIONS | ORR_SCOPE_JOBS)) rc = disarm(c, &root, NULL);
  if (!rc) rc = scope_flag(c, &root, ORR_SCOPE_ENDING);
  if (!rc) rc = listeners_plan_process(c, instance->id, root.node, op->node, LISTENER_END, op->flags, op->text);
  return rc ? rc : plan_end_step(c, op_instance_ended, op);
}

/* If its caller is being canceled, `since` is the run that marked it. */
int op_delete_instance(context *c, operation *op) {
  rec_instance *i = unit_instance(c->u, op->execution, &c->error);
  operation within = *op;
  scope root;
  within.flags &= ~(uint32_t)OP_SILENT;
  if (op->step) agenda_take_along(c);
  int rc = i ? scope_get(c, i->id, &root) : c->error.code;
  if (rc || !i) return rc;
  if (!i->canceled_by) i->canceled_by = op->other ? (uint32_t)op->other : c->agenda.runs;
  rc = mark_within(c, &root, 0, i->canceled_by, false);
  if (!rc) rc = plan_children(c, &root, &within, 0, i->canceled_by);
  return rc ? rc : plan_end_step(c, op_end_instance, op);
}

int plan_interrupt_children(context *c, orr_id of, orr_id keep) {
  operation *op = agenda_plan(c, op_interrupt_children, of);
  if (!op) return c->error.code;
  op->other = keep;
  op->flags = OP_CANCELED;
  return 0;
}

typedef struct id_list {
  const orr_id *items;
  uint32_t count;
} id_list;

static int op_interrupt_tokens(context *c, operation *op) {
  const id_list *ids = op->data;
  uint32_t run = c->agenda.runs;
  int rc = cancel_mark(c, ids->items, ids->count, run);
  for (uint32_t i = 0; !rc && i < ids->count; i++) rc = cancel_marked(c, ids->items[i], op, run);
  return rc;
}

static int op_interrupt_scopes(context *c, operation *op) {
  const id_list *ids = op->data;
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

/* NULL: the context's error. */
static operation *plan_ids(context *c, operation_fn run, const orr_id *items, uint32_t count) {
  id_list *ids = ARENA_NEW(c->arena, id_list);
  operation *op = ids ? agenda_plan(c, run, items[0]) : NULL;
  if (!ids) context_memory(c);
  if (!op) return NULL;
  *ids = (id_list){items, count};
  op->flags = OP_CANCELED;
  op->data = ids;
  return op;
}

int plan_interrupt_scopes(context *c, const orr_id *items, uint32_t count, orr_id keep) {
  operation *op = plan_ids(c, op_interrupt_scopes, items, count);
  if (!op) return c->error.code;
  op->other = keep;
  return 0;
}

int plan_interrupt_tokens(context *c, const orr_id *items, uint32_t count, const char *reason,
                          uint32_t flags) {
  operation *op = count ? plan_ids(c, op_interrupt_tokens, items, count) : NULL;
  if (!op) return c->error.code;
  op->text = reason;
  op->flags |= flags;
  return 0;
}
