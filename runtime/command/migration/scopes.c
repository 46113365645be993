/* Scopes that vanish, and scopes that appear, around what moves.
 *
 * A sub-process of the source that no instruction maps vanishes. What runs in it moves out, to the
 * nearest scope around that stays; then it is canceled (end listeners, output mapping) while the
 * instance still runs by its source. A sub-process of the target that is between a token's place
 * and the nearest mapped scope around it appears: it is opened (start listeners, input mapping,
 * events), once for everything that was in one scope of the source. The body of a multi-instance
 * activity vanishes when its target has no loop: its instances continue as tokens of their own. */
#include "command/migration/migration_internal.h"
#include "exec/cancel.h"
#include "exec/event/subscription.h"
#include "exec/token.h"

/* ---- Vanishing ------------------------------------------------------------------------------- */

bool migration_vanishes(const migration *m, const rec_execution *e) {
  const node *from = m->source->nodes[e->node - 1], *to = m->to[from->index];
  if (!e->scope || e->state != EXECUTION_ACTIVE || e->kind == EXECUTION_EVENT_SCOPE || e->kind == EXECUTION_COMPENSATION)
    return false;
  if (m->replaced[from->index]) return false; /* it ends, with all its instances */
  if (e->kind == EXECUTION_MULTI_BODY) return !to || !to->multi;
  return !to && node_is_scope(from) && e->children > 0;
}

/* Decides which scopes vanish before anything leaves them, because an empty scope looks like any
 * that waits for nothing. */
typedef struct vanishing {
  const migration *m;
  const migrated *moved;
  bool *is; /* by position in moved->executions */
} vanishing;

static bool is_vanishing(const vanishing *v, orr_id id) {
  size_t at;
  return migrated_position(v->moved, id, &at) && v->is[at];
}

/* The nearest scope around that stays: an execution, or the instance. */
static orr_id staying_scope(const vanishing *v, orr_id scope_id) {
  while (orr_id_local(scope_id) != 1 && is_vanishing(v, scope_id)) {
    const rec_execution *e = execution_get(v->m->c, scope_id);
    if (!e) break;
    scope_id = e->parent;
  }
  return scope_id;
}

/* What runs in a vanishing scope and does not vanish itself moves out. */
static int move_out(const vanishing *v, rec_execution *e) {
  context *c = v->m->c;
  orr_id around = staying_scope(v, e->parent);
  scope to;
  if (c->error.code || around == e->parent) return c->error.code;
  int rc = scope_get(c, around, &to);
  return rc ? rc : execution_reparent(c, e, &to);
}

int migration_vanish(const migration *m, const migrated *moved, orr_id *ids, uint32_t *count) {
  vanishing v = {m, moved, ARENA_ARRAY(m->c->arena, bool, moved->executions.count + 1)};
  if (!v.is) return context_memory(m->c);
  bool any = false;
  for (size_t k = 0; k < moved->executions.count; k++) {
    v.is[k] = migration_vanishes(m, (const rec_execution *)moved->executions.items[k]);
    any = any || v.is[k];
  }
  int rc = 0;
  for (size_t k = 0; !rc && any && k < moved->executions.count; k++) {
    rec_execution *e = (rec_execution *)moved->executions.items[k];
    if (!v.is[k]) rc = move_out(&v, e);
    else if (!is_vanishing(&v, e->parent)) ids[(*count)++] = e->id; /* takes those inside along */
  }
  return rc;
}

/* ---- Appearing ------------------------------------------------------------------------------- */

typedef struct appeared {
  struct appeared *next;
  orr_id old_parent; /* what was in this scope of the source, */
  orr_id around;     /* and is in this one now, */
  const node *node;  /* shares this scope of the target */
  orr_id id;
} appeared;

/* The scope `n` of the target inside `around`, opened when it is the first time. */
static int appear(const migration *m, appeared **all, orr_id old_parent, const scope *around, const node *n, scope *out) {
  context *c = m->c;
  for (const appeared *a = *all; a; a = a->next)
    if (a->old_parent == old_parent && a->around == around->id && a->node == n) return scope_get(c, a->id, out);
  rec_execution *e = execution_create(c, around, n, EXECUTION_TOKEN);
  appeared *a = e ? ARENA_NEW(c->arena, appeared) : NULL;
  if (!a) return e ? context_memory(c) : c->error.code;
  *a = (appeared){*all, old_parent, around->id, n, e->id};
  *all = a;
  int rc = token_begin_scope(c, e, n, OP_OPENED);
  if (!rc && n->type == NODE_EVENT_SUB_PROCESS && n->start && n->start->interrupting) rc = interrupt_listening(c, around);
  return rc ? rc : scope_get(c, e->id, out);
}

static bool lies_in(const node *n, const node *around) {
  while (n && n != around) n = n->scope;
  return n == around;
}

/* From `at` inwards to `wanted`, scope by scope. */
static int descend(const migration *m, appeared **all, orr_id old_parent, const node *wanted, scope *at) {
  while (at->node != wanted) {
    const node *next = wanted;
    while (next->scope != at->node) next = next->scope;
    scope outer = *at;
    int rc = appear(m, all, old_parent, &outer, next, at);
    if (rc) return rc;
  }
  return 0;
}

/* Where the token's scope is not that of its new node, or not any more. */
static int settle_token(const migration *m, appeared **all, rec_execution *e, orr_id old_parent) {
  context *c = m->c;
  const node *wanted = m->target->nodes[e->node - 1]->scope;
  scope at;
  int rc = scope_get(c, e->parent, &at);
  bool inner = e->kind == EXECUTION_MULTI_INSTANCE && at.execution && at.execution->kind == EXECUTION_MULTI_BODY;
  if (rc || inner || at.node == wanted) return rc;
  while (!rc && at.execution && (!lies_in(wanted, at.node) || at.execution->kind == EXECUTION_MULTI_BODY))
    rc = scope_get(c, at.execution->parent, &at);
  if (!rc) rc = descend(m, all, old_parent, wanted, &at);
  return rc ? rc : execution_reparent(c, e, &at);
}

/* An instance whose body has vanished is a token like any other, and keeps what is its own. */
static int free_instance(const migration *m, rec_execution *e) {
  if (e->kind != EXECUTION_MULTI_INSTANCE || m->target->nodes[e->node - 1]->multi) return 0;
  if (context_touch(m->c, e)) return m->c->error.code;
  e->kind = EXECUTION_TOKEN;
  e->loop_counter = 0;
  return 0;
}

/* A scope that everything has left sideways has nothing to wait for, unless something has begun in
 * it. */
static int op_leave_deserted(context *c, operation *op) {
  const rec_execution *e = execution_get(c, op->execution);
  if (!e || e->children > 0) return c->error.code;
  operation *end = agenda_plan(c, op_interrupt, e->id);
  if (!end) return c->error.code;
  end->flags = OP_CANCELED;
  end->text = "migration";
  return 0;
}

static int plan_deserted(const migration *m, const rec_execution *e) {
  const node *at = m->target->nodes[e->node - 1];
  bool deserted =
      e->scope && e->kind == EXECUTION_TOKEN && e->state == EXECUTION_ACTIVE && node_is_scope(at) && e->children == 0;
  return !deserted || agenda_plan(m->c, op_leave_deserted, e->id) ? 0 : m->c->error.code;
}

int migration_appear(const migration *m, const migrated *moved) {
  appeared *all = NULL;
  int rc = 0;
  for (size_t k = 0; !rc && k < moved->executions.count; k++) {
    rec_execution *e = (rec_execution *)moved->executions.items[k];
    if (!moved->from[k]) continue;
    rc = free_instance(m, e);
    if (!rc) rc = settle_token(m, &all, e, moved->parents[k]);
  }
  for (size_t k = 0; !rc && k < moved->executions.count; k++)
    rc = plan_deserted(m, (const rec_execution *)moved->executions.items[k]);
  return rc;
}
