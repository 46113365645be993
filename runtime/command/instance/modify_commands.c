/* Modification of a running instance, instruction by instruction.
 *
 * Planned operations carry out each instruction, and the next one is planned behind them. So a path
 * that one starts has run to its wait states, and what it awaits has come, before the next one
 * looks at the tree. Meanwhile the instance is held by one child more than it has, so that it does
 * not end between the cancel of its last token and the next start.
 *
 * To start at a place, the innermost enclosing scope that runs is found, and the scopes from there
 * to the place are opened, with their start listeners, mappings and events, but not at their start
 * events. */
#include "command/instance/modify_commands.h"

#include <inttypes.h>

#include "base/null.h"
#include "base/options.h"
#include "base/value.h"
#include "command/instance/modify_instructions.h"
#include "command/lookup.h"
#include "command/operations.h"
#include "exec/awaiting.h"
#include "exec/cancel.h"
#include "exec/event/arming.h"
#include "exec/event/subscription.h"
#include "exec/flow.h"
#include "exec/instance.h"
#include "exec/node/multi_instance.h"
#include "exec/token.h"
#include "state/activity_instance.h"
#include "state/variable.h"
#include "uow/find.h"

int modify_check(context *c, const definition *d, const orr_value *instructions, bool starting) {
  modification m = {0};
  if (!instructions || instructions->type == ORR_NIL) return 0;
  return modify_read(c, d, instructions, starting, &m);
}

/* ---- Canceling ------------------------------------------------------------------------------ */

static bool is_target(const rec_execution *e, const instruction *in) {
  if (e->node != in->node->index + 1 || e->kind == EXECUTION_EVENT_SCOPE || e->kind == EXECUTION_COMPENSATION) return false;
  return in->body ? e->kind == EXECUTION_MULTI_BODY : e->kind != EXECUTION_MULTI_BODY;
}

/* What an instruction cancels. By dialect, scopes that this leaves empty are pruned at once, or
 * when the last instruction has run. */
typedef struct going {
  orr_id *at_once, *later;
  uint32_t n_at_once, n_later;
} going;

static int going_begin(context *c, instruction *in, size_t most, going *out) {
  *out = (going){ARENA_ARRAY(c->arena, orr_id, most + 1), ARENA_ARRAY(c->arena, orr_id, most + 1), 0, 0};
  in->left = ARENA_ARRAY(c->arena, orr_id, most + 1);
  return out->at_once && out->later && in->left ? 0 : context_memory(c);
}

static void going_add(const modification *m, instruction *in, const rec_execution *e, going *out) {
  if (!m->keeps_scopes || e->thrower) {
    out->at_once[out->n_at_once++] = e->id;
    return;
  }
  out->later[out->n_later++] = e->id;
  in->left[in->n_left++] = e->parent;
}

static int going_plan(context *c, const modification *m, const going *all) {
  int rc = plan_cancel_upwards(c, all->at_once, all->n_at_once, m->reason, m->flags);
  return rc ? rc : plan_interrupt_tokens(c, all->later, all->n_later, m->reason, m->flags);
}

/* Several tokens that move may be in one scope that is canceled: it is canceled once, and all of
 * them leave it. */
static int add_moved(context *c, const modification *m, instruction *in, const rec_execution *e,
                     going *all, bool *alone) {
  const definition *d = context_definition_of(c, e->id, &c->error);
  int rc = d ? move_is_alone(c, e, alone) : c->error.code;
  const rec_execution *whole = rc ? NULL : move_whole(c, d, e, in->moves->node);
  if (!whole || c->error.code) return c->error.code;
  for (uint32_t i = 0; i < all->n_later; i++) {
    if (all->later[i] != whole->id) continue;
    in->left[in->n_left++] = whole->parent;
    return 0;
  }
  going_add(m, in, whole, all);
  return 0;
}

static int cancel_all(context *c, const modification *m, instruction *in, orr_id instance) {
  unit_found found;
  going all;
  int rc = unit_find_group(c->u, &rec_execution_type, orr_id_group(instance), &found, &c->error);
  bool alone = false;
  if (!rc) rc = going_begin(c, in, found.count, &all);
  for (size_t i = 0; !rc && !alone && i < found.count; i++) {
    const rec_execution *e = (const rec_execution *)found.items[i];
    if (!is_target(e, in)) continue;
    if (in->moves) rc = add_moved(c, m, in, e, &all, &alone);
    else going_add(m, in, e, &all);
  }
  return rc ? rc : going_plan(c, m, &all);
}

static int cancel_token(context *c, const modification *m, instruction *in, const rec_execution *e) {
  going all;
  int rc = going_begin(c, in, 1, &all);
  if (rc) return rc;
  going_add(m, in, e, &all);
  return going_plan(c, m, &all);
}

static int prune_left(context *c, const modification *m) {
  int rc = 0;
  for (uint32_t i = 0; i < m->count; i++)
    for (uint32_t k = 0; !rc && k < m->items[i].n_left; k++) rc = plan_prune(c, m->items[i].left[k], m->reason, m->flags);
  return rc;
}

static int cancel_instruction(context *c, const modification *m, instruction *in, orr_id instance) {
  if (in->instance == instance) {
    operation *op = agenda_plan(c, op_interrupt_children, instance);
    if (!op) return c->error.code;
    op->flags = m->flags | OP_CANCELED;
    op->text = m->reason;
    return 0;
  }
  const rec_execution *e = orr_id_group(in->instance) == orr_id_group(instance) ? execution_get(c, in->instance) : NULL;
  if (e) return cancel_token(c, m, in, e);
  if (c->error.code != 0) return c->error.code;
  return context_error(c, ORR_E_ARGUMENT, "instruction %u: process instance %" PRIu64 " has no activity instance %" PRIu64,
                       in->number, instance, in->instance);
}

/* ---- Starting: where ------------------------------------------------------------------------- */

/* The scope that the started token will be in. For anything but an instance of a multi-instance,
 * that is the enclosing scope of its activity. An instance is in a body, which is one of the
 * executions at the activity itself. */
typedef struct place {
  const node *scope; /* whose scope to find or open */
  bool in_body;      /* of the multi-instance activity `scope` */
} place;

static bool inner_instance(const instruction *in) { return in->kind == START_BEFORE && in->node->multi && !in->body; }

/* An event sub-process is started by its event, from the scope around it. */
static const node *starting_event(const instruction *in) {
  const node *n = in->node;
  if (in->kind != START_BEFORE) return NULL;
  if (n->type == NODE_START_EVENT && n->scope->type == NODE_EVENT_SUB_PROCESS) return n;
  if (n->type != NODE_EVENT_SUB_PROCESS) return NULL;
  for (uint32_t i = 0; i < n->n_children; i++)
    if (n->children[i]->type == NODE_START_EVENT) return n->children[i];
  return NULL;
}

static place place_of_start(const instruction *in) {
  const node *event = starting_event(in);
  if (event) return (place){.scope = event->scope->scope};
  if (inner_instance(in)) return (place){.scope = in->node, .in_body = true};
  return (place){.scope = in->node->scope};
}

/* Outwards: a body is in the scope of its activity, and an inner instance in its body. */
static place place_above(const place *p) {
  if (!p->in_body && p->scope->multi) return (place){.scope = p->scope, .in_body = true};
  return (place){.scope = p->scope->scope};
}

static bool is_place(const rec_execution *e, const place *p) {
  if (e->node != p->scope->index + 1 || !e->scope || e->state != EXECUTION_ACTIVE) return false;
  if (p->in_body) return e->kind == EXECUTION_MULTI_BODY;
  return e->kind == (p->scope->multi ? EXECUTION_MULTI_INSTANCE : EXECUTION_TOKEN);
}

/* Where an instruction searches. Only an instruction that needs them reads all executions of the
 * instance, so starting thousands of tokens at the level of the process takes linear time. */
typedef struct tree {
  unit_found executions;
  bool read;
  orr_id instance, ancestor; /* ancestor 0: any */
} tree;

static int read_tree(context *c, tree *t) {
  if (t->read) return 0;
  t->read = true;
  return unit_find_group(c->u, &rec_execution_type, orr_id_group(t->instance), &t->executions, &c->error);
}

/* Is the ancestor that the instruction names this place? Then it is *out. */
static int match_ancestor(context *c, const tree *t, const place *p, orr_id *out) {
  bool inside = orr_id_group(t->ancestor) == orr_id_group(t->instance);
  const rec_execution *e = inside ? execution_get(c, t->ancestor) : NULL;
  if (e && is_place(e, p)) *out = e->id;
  return c->error.code;
}

/* The one scope that is this place; 0: there is none. */
static int find_place(context *c, tree *t, const place *p, const instruction *in, orr_id *out) {
  *out = 0;
  if (p->scope->type == NODE_PROCESS) {
    *out = t->instance;
    return 0;
  }
  if (t->ancestor != 0) return match_ancestor(c, t, p, out);
  int rc = read_tree(c, t);
  for (size_t i = 0; !rc && i < t->executions.count; i++) {
    const rec_execution *e = (const rec_execution *)t->executions.items[i];
    if (!is_place(e, p)) continue;
    if (*out != 0)
      return context_error(
          c, ORR_E_ARGUMENT,
          "instruction %u: \"%s\" runs several times; say by ancestor in which instance of it \"%s\" is to start", in->number,
          p->scope->id, in->node->id);
    *out = e->id;
  }
  return rc;
}

#define CHAIN_MAX (2 * ORR_XML_DEPTH_MAX)

/* What has to be opened, innermost first, and where. */
typedef struct chain {
  place items[CHAIN_MAX];
  uint32_t count;
  orr_id base;
} chain;

static int find_chain(context *c, const instruction *in, orr_id instance, chain *out) {
  tree t = {.instance = instance, .ancestor = in->ancestor == instance ? 0 : in->ancestor};
  int rc = 0;
  out->count = 0;
  for (place p = place_of_start(in); !rc; p = place_above(&p)) {
    /* With the instance itself as ancestor nothing that runs below it is used. */
    bool skip = in->ancestor == instance && p.scope->type != NODE_PROCESS;
    out->base = 0;
    if (!skip) rc = find_place(c, &t, &p, in, &out->base);
    if (rc || out->base != 0) break;
    if (out->count == CHAIN_MAX)
      return context_error(c, ORR_E_LIMIT, "instruction %u: \"%s\" lies too deep", in->number, in->node->id);
    out->items[out->count++] = p;
  }
  if (!rc && t.ancestor != 0 && out->base != t.ancestor)
    return context_error(c, ORR_E_ARGUMENT, "instruction %u: %" PRIu64 " is no running scope around \"%s\"", in->number,
                         t.ancestor, in->node->id);
  return rc;
}

/* ---- Starting: opening ----------------------------------------------------------------------- */

static int open_place(context *c, const scope *parent, const place *p, uint32_t flags, orr_id *out) {
  const node *n = p->scope;
  rec_execution *e;
  bool inner = n->multi && !p->in_body;
  e = inner ? multi_body_add(c, parent->execution, n) : execution_create(c, parent, n, EXECUTION_TOKEN);
  if (!e) return c->error.code;
  *out = e->id;
  return p->in_body ? multi_body_open(c, e, n) : token_begin_scope(c, e, n, flags);
}

static bool instruction_interrupts(const node *event_subprocess) {
  for (uint32_t i = 0; i < event_subprocess->n_children; i++)
    if (event_subprocess->children[i]->type == NODE_START_EVENT && event_subprocess->children[i]->interrupting) return true;
  return false;
}

/* An interrupting event sub-process that starts in a running scope ends its listening, as its event
 * would. A start in the main flow begins it again. By dialect, neither happens. */
static int settle_listening(context *c, const scope *s, const node *next) {
  const definition *d = context_definition_of(c, s->id, &c->error);
  if (!d) return c->error.code;
  if (d->dialect->modification_keeps_listening) return 0;
  if (next->type == NODE_EVENT_SUB_PROCESS) return instruction_interrupts(next) ? interrupt_listening(c, s) : 0;
  if (!(scope_flags(s) & ORR_SCOPE_INTERRUPTED)) return 0;
  if (context_touch(c, s->record)) return c->error.code;
  *(s->instance != NULL ? &s->instance->flags : &s->execution->flags) &= ~(int64_t)ORR_SCOPE_INTERRUPTED;
  return arm_event_subprocesses(c, s);
}

static int open_chain(context *c, const chain *missing, uint32_t flags, scope *out) {
  int rc = scope_get(c, missing->base, out);
  for (uint32_t i = missing->count; !rc && i-- > 0;) {
    orr_id opened = 0;
    rc = open_place(c, out, &missing->items[i], flags, &opened);
    if (!rc) rc = scope_get(c, opened, out);
  }
  return rc;
}

/* ---- Starting: the token --------------------------------------------------------------------- */

/* Start listeners of scopes that were opened may wait: what starts in these scopes comes behind
 * that. *waits: so it is. op->other: the run since which they may. */
static int begin_behind(context *c, const operation *op, bool *waits) {
  uint32_t since = op->other ? (uint32_t)op->other : op->planned_by;
  awaited_call *w = await_since(c, since);
  *waits = w != NULL;
  if (!w) return 0;
  await_hold_behind(c, w, since);
  operation *again = agenda_plan(c, op->run, op->execution);
  if (!again) return c->error.code;
  again->data = op->data;
  again->flags = op->flags;
  again->other = since;
  return 0;
}

/* Runs when the scopes around it are open. op->execution: the token; op->data: the instruction. */
static int op_begin(context *c, operation *op) {
  const instruction *in = op->data;
  bool waits;
  int behind = begin_behind(c, op, &waits);
  if (behind || waits) return behind;
  rec_execution *e = execution_get(c, op->execution);
  if (!e) return c->error.code;
  if (!in->flow) return plan_on(c, op_enter, e->id, in->node, op->flags);
  int rc = lifecycle_move(c, e, EXECUTION_LEAVING);
  operation *take = rc ? NULL : agenda_plan(c, op_take_flow, e->id);
  if (!take) return rc ? rc : c->error.code;
  take->node = in->node;
  take->flow = in->flow;
  take->flags = op->flags;
  return 0;
}

/* op->execution: the scope or activity that the event belongs to. */
static int op_begin_event(context *c, operation *op) {
  const instruction *in = op->data;
  bool waits;
  int behind = begin_behind(c, op, &waits);
  if (behind || waits) return behind;
  const node *event = starting_event(in);
  if (!event) return catch_event(c, op->execution, in->node, &in->local_variables);
  const definition *d = context_definition_of(c, op->execution, &c->error);
  if (!d) return c->error.code;
  event_start how = {.interrupts = d->dialect->modification_interrupts};
  how.listens = in->node != event && d->dialect->modification_keeps_listening;
  return event_subprocess_start(c, op->execution, event, &in->local_variables, how);
}

static int plan_with(context *c, operation_fn run, orr_id id, void *data, uint32_t flags) {
  operation *op = agenda_plan(c, run, id);
  if (!op) return c->error.code;
  op->data = data;
  op->flags = flags;
  return 0;
}

static int begin_token(context *c, const scope *parent, instruction *in, uint32_t flags) {
  rec_execution *e = inner_instance(in) ? multi_body_add(c, parent->execution, in->node)
                                        : execution_create(c, parent, in->node, EXECUTION_TOKEN);
  if (!e) return c->error.code;
  if (in->local_variables.type == ORR_MAP) {
    e->scope = true; /* they are the token's own, also where its activity needs no scope */
    int rc = variable_set_all(c, e->id, &in->local_variables, true);
    if (rc) return rc;
  }
  return plan_with(c, op_begin, e->id, in, flags);
}

/* An interrupting boundary event replaces its activity, if that runs. *out 0: it does not, or both
 * continue. */
static int interrupted_activity(context *c, const instruction *in, orr_id instance, orr_id *out) {
  const node *n = in->node;
  unit_found found;
  *out = 0;
  if (in->kind != START_BEFORE || n->type != NODE_BOUNDARY_EVENT || !n->interrupting) return 0;
  int rc = unit_find_group(c->u, &rec_execution_type, orr_id_group(instance), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_execution *e = (const rec_execution *)found.items[i];
    place activity = {.scope = n->attached_to, .in_body = n->attached_to->multi};
    if (!is_place(e, &activity) || (in->ancestor != 0 && e->parent != in->ancestor)) continue;
    if (*out != 0)
      return context_error(c, ORR_E_ARGUMENT,
                           "instruction %u: \"%s\" runs several times; say by ancestor in which scope \"%s\" interrupts it",
                           in->number, n->attached_to->id, n->id);
    *out = e->id;
  }
  return rc;
}

static int bring_variables(context *c, const instruction *in, orr_id base) {
  int rc = in->variables.type == ORR_MAP ? variable_set_all(c, base, &in->variables, false) : 0;
  return !rc && in->transient.type == ORR_MAP ? variable_set_all_transient(c, base, &in->transient, false) : rc;
}

/* The scopes around what starts: *parent is the innermost. */
static int open_around(context *c, const instruction *in, const chain *missing, uint32_t flags, scope *parent) {
  bool by_event = missing->count == 0 && starting_event(in); /* its event settles what listens */
  const node *next = missing->count > 0 ? missing->items[missing->count - 1].scope : in->node;
  int rc = scope_get(c, missing->base, parent);
  if (!rc && !by_event) rc = settle_listening(c, parent, next);
  return rc ? rc : open_chain(c, missing, flags, parent);
}

/* What is moved starts in the innermost scope around it in which it can. */
static int place_of_move(context *c, instruction *in, orr_id from) {
  in->ancestor = 0;
  for (orr_id id = from; orr_id_local(id) != 1;) {
    const rec_execution *e = execution_get(c, id);
    if (!e) return c->error.code;
    for (place p = place_of_start(in); p.scope->type != NODE_PROCESS; p = place_above(&p)) {
      if (!is_place(e, &p)) continue;
      in->ancestor = id;
      return 0;
    }
    id = e->parent;
  }
  return 0;
}

typedef struct moved_start {
  const modification *m;
  instruction *in;
} moved_start;

static int op_start_moved(context *c, operation *op);

/* Starts one for each that was canceled, one after the other. */
static int plan_moved(context *c, const modification *m, instruction *in, orr_id instance) {
  moved_start *start = ARENA_NEW(c->arena, moved_start);
  if (!start) return context_memory(c);
  *start = (moved_start){m, in};
  for (uint32_t i = 0; i < in->moves->n_left; i++) {
    operation *op = agenda_plan(c, op_start_moved, instance);
    if (!op) return c->error.code;
    op->data = start;
    op->other = in->moves->left[i];
  }
  return 0;
}

static int start_at(context *c, const modification *m, instruction *in, orr_id instance) {
  chain missing;
  scope parent;
  orr_id interrupted;
  int rc = interrupted_activity(c, in, instance, &interrupted);
  if (!rc && interrupted != 0) return plan_with(c, op_begin_event, interrupted, in, m->flags);
  if (!rc) rc = find_chain(c, in, instance, &missing);
  if (rc) return rc;
  if (inner_instance(in) && missing.count == 0 && in->node->multi->sequential)
    return context_error(
        c, ORR_E_ARGUMENT,
        "instruction %u: \"%s\" is a sequential multi-instance: its instances run one after another, and one runs", in->number,
        in->node->id);
  rc = bring_variables(c, in, missing.base);
  if (!rc) rc = open_around(c, in, &missing, m->flags, &parent);
  if (rc) return rc;
  if (starting_event(in)) return plan_with(c, op_begin_event, parent.id, in, m->flags);
  return begin_token(c, &parent, in, m->flags);
}

static int op_start_moved(context *c, operation *op) {
  const moved_start *start = op->data;
  int rc = place_of_move(c, start->in, op->other);
  return rc ? rc : start_at(c, start->m, start->in, op->execution);
}

/* ---- One after another ----------------------------------------------------------------------- */

static int op_modify(context *c, operation *op);

static int plan_next(context *c, orr_id instance, modification *m, uint32_t step) {
  operation *op = agenda_plan(c, op_modify, instance);
  if (!op) return c->error.code;
  op->data = m;
  op->step = step;
  return 0;
}

static int hold_instance(context *c, rec_instance *i, modification *m) {
  if (context_touch(c, i)) return c->error.code;
  i->children++;
  m->skip_listeners = c->skip_listeners;
  m->skip_io_mappings = c->skip_io_mappings;
  c->skip_listeners = c->skip_listeners || (m->flags & OP_SKIP_LISTENERS) != 0;
  c->skip_io_mappings = c->skip_io_mappings || (m->flags & OP_SKIP_IO) != 0;
  return 0;
}

/* Deletes what canceling has left empty; completes what ran to its end. */
static int op_release(context *c, operation *op) {
  const modification *m = op->data;
  rec_instance *i = unit_instance(c->u, op->execution, &c->error);
  if (!i) return c->error.code;
  if (context_touch(c, i)) return c->error.code;
  if (--i->children > 0) return 0;
  return m->started ? plan_on(c, op_scope_empty, i->id, NULL, 0) : instance_delete(c, i, m->reason, m->flags);
}

static int op_settle_flags(context *c, operation *op) {
  const modification *m = op->data;
  c->skip_listeners = m->skip_listeners;
  c->skip_io_mappings = m->skip_io_mappings;
  return 0;
}

static int run_instruction(context *c, modification *m, instruction *in, orr_id instance) {
  m->started = in->kind != CANCEL && in->kind != CANCEL_INSTANCE;
  switch (in->kind) {
    case CANCEL: return cancel_all(c, m, in, instance);
    case CANCEL_INSTANCE: return cancel_instruction(c, m, in, instance);
    case START_BEFORE: case START_AFTER: case TRANSITION: break;
  }
  bool moves = in->moves && in->ancestor == 0 && in->moves->n_left > 0;
  return moves ? plan_moved(c, m, in, instance) : start_at(c, m, in, instance);
}

/* After the last instruction: first what was left empty is deleted, then the instance is no longer
 * held. */
static int end_modification(context *c, const rec_instance *i, modification *m, bool pruned) {
  int rc = pruned ? plan_with(c, op_release, i->id, m, 0) : prune_left(c, m);
  if (rc) return rc;
  return pruned ? plan_with(c, op_settle_flags, i->id, m, 0) : plan_next(c, i->id, m, m->count + 1);
}

/* What an instruction has begun may wait: the next instruction comes behind that. The instance may
 * have ended meanwhile, for example by a terminate end event. */
static int op_modify(context *c, operation *op) {
  modification *m = op->data;
  rec_instance *i = unit_instance(c->u, op->execution, &c->error);
  if (!i) return c->error.code != 0 ? c->error.code : op_settle_flags(c, op);
  awaited_call *w = op->step ? await_since(c, m->since) : NULL;
  if (w) {
    await_hold_behind(c, w, m->since);
    return plan_next(c, i->id, m, op->step);
  }
  if (!op->step) m->since = op->planned_by;
  int rc = op->step == 0 ? hold_instance(c, i, m) : 0;
  if (rc) return rc;
  if (op->step >= m->count) return end_modification(c, i, m, op->step > m->count);
  rc = run_instruction(c, m, &m->items[op->step], i->id);
  return rc ? rc : plan_next(c, i->id, m, op->step + 1);
}

uint32_t modify_flags(bool skip_listeners, bool skip_io_mappings) {
  return (skip_listeners ? OP_SKIP_LISTENERS : 0u) | (skip_io_mappings ? OP_SKIP_IO : 0u);
}

/* Nothing starts in a suspended instance, except by a job in some dialects. Canceling is
 * allowed. */
static bool starts_by_job(const definition *d, const instruction *in) {
  bool may = d->dialect->modification_starts_suspended && in->node && in->node->scope == d->process;
  return may && in->kind == START_BEFORE && in->node->async_before && !inner_instance(in);
}

static int refuse_starts(context *c, const definition *d, const modification *m, orr_id instance) {
  for (uint32_t k = 0; k < m->count; k++) {
    const instruction *in = &m->items[k];
    bool cancels = in->kind == CANCEL || in->kind == CANCEL_INSTANCE;
    if (!cancels && !starts_by_job(d, in)) return refuse_suspended(c, instance);
  }
  return 0;
}

int modify_plan(context *c, orr_id instance, const orr_value *instructions, uint32_t flags, const char *reason) {
  definition *d = context_definition_of(c, instance, &c->error);
  modification *m = ARENA_NEW(c->arena, modification);
  if (!d || !m) return !d ? c->error.code : context_memory(c);
  m->flags = flags;
  m->reason = reason ? reason : "modification";
  m->keeps_scopes = d->dialect->modification_keeps_scopes;
  int rc = modify_read(c, d, instructions, false, m);
  if (!rc) rc = refuse_starts(c, d, m, instance);
  return rc ? rc : plan_next(c, instance, m, 0);
}

int modify_begin(context *c, orr_id instance, const node *const *nodes, uint32_t count, const orr_value *local_variables) {
  modification *m = ARENA_NEW(c->arena, modification);
  instruction *items = m ? ARENA_ARRAY(c->arena, instruction, count + 1) : NULL;
  if (!items) return context_memory(c);
  *m = (modification){.items = items, .count = count, .reason = "migration"};
  for (uint32_t i = 0; i < count; i++)
    items[i] = (instruction){.kind = START_BEFORE, .node = nodes[i], .body = !!nodes[i]->multi, .number = i + 1,
                             .local_variables = *local_variables};
  return plan_next(c, instance, m, 0);
}

/* ---- The command ----------------------------------------------------------------------------- */

typedef struct modify_call {
  orr_id instance;
  const orr_value *instructions;
  const orr_modify_options *options;
} modify_call;

static int modify_instance_body(context *c, void *ud) {
  const modify_call *call = ud;
  if (!lookup_instance(c, call->instance)) return c->error.code;
  uint32_t flags = modify_flags(call->options->skip_listeners, call->options->skip_io_mappings);
  user_operation what = operation_on_instance(call->instance, "ModifyProcessInstance");
  int rc = modify_plan(c, call->instance, call->instructions, flags, NULL);
  return rc ? rc : user_operation_log(c, &what, "instructions", NULL, call->instructions);
}

int orr_engine_instance_modify(orr_engine *engine, orr_id instance, const orr_value *instructions,
    const orr_modify_options *given,
                      orr_error *err) {
  REQUIRE(instructions);
  orr_modify_options own;
  const orr_modify_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  modify_call call = {instance, instructions, options};
  return command_run(engine, modify_instance_body, &call, err);
}
