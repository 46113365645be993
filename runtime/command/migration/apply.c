/* Moving one instance: every record that names a node, a flow or a definition. events.c arms and
 * disarms events later, once all executions are in the target. */
#include <string.h>

#include "command/lookup.h"
#include "command/migration/migration_internal.h"
#include "exec/cancel.h"
#include "exec/node/inclusive_join.h"
#include "exec/node/parallel_join.h"
#include "exec/task/task.h"
#include "job/job.h"
#include "state/history.h"
#include "state/incident.h"
#include "state/notices.h"
#include "state/variable.h"
#include "uow/find.h"

/* ---- Flows ----------------------------------------------------------------------------------- */

static bool same_ends(const migration *m, const flow *from, const flow *to) {
  return m->to[from->source->index] == to->source && m->to[from->target->index] == to->target;
}

/* The flow of the same id, else the one between the same activities: not every flow has an id. */
static const flow *corresponding(const migration *m, flow *const *list, uint32_t count, const flow *wanted) {
  for (uint32_t i = 0; i < count; i++)
    if (wanted->id && list[i]->id && strcmp(list[i]->id, wanted->id) == 0) return list[i];
  for (uint32_t i = 0; i < count; i++)
    if (same_ends(m, wanted, list[i])) return list[i];
  return NULL;
}

const flow *migration_leaving_flow(const migration *m, uint32_t flow_number, const node *target) {
  const flow *same = corresponding(m, target->outgoing, target->n_outgoing, m->source->flows[flow_number - 1]);
  return !same && target->n_outgoing == 1 ? target->outgoing[0] : same;
}

static const flow *migration_arriving_flow(const migration *m, uint32_t flow_number, const node *target) {
  return corresponding(m, target->incoming, target->n_incoming, m->source->flows[flow_number - 1]);
}

/* The flow that a token came by, or is about to leave by; none when the target has none that corresponds. */
static uint32_t moved_flow(const migration *m, uint32_t flow_number, const node *from, const node *to) {
  if (flow_number == 0) return 0;
  const flow *f = m->source->flows[flow_number - 1];
  const flow *moved =
      f->source == from ? migration_leaving_flow(m, flow_number, to) : migration_arriving_flow(m, flow_number, to);
  return moved ? moved->index + 1 : 0;
}

/* ---- Executions ------------------------------------------------------------------------------ */

/* An event sub-process that has not begun yet remembers which of its start events it was. */
static void move_start_event(const migration *m, rec_execution *e, const node *to) {
  if (to->type != NODE_EVENT_SUB_PROCESS || e->kind != EXECUTION_TOKEN || e->data.type != ORR_INT || e->children > 0) return;
  const node *start = m->to[e->data.as.integer];
  e->data = start ? orr_int(start->index) : (orr_value){0};
}

const node *migration_compensated(const migration *m, uint32_t node_number) {
  const node *from = m->source->nodes[node_number - 1], *to = m->to[from->index];
  for (uint32_t i = 0; !to && i < from->n_boundary; i++) {
    const node *boundary = from->boundary[i], *moved = m->to[boundary->index];
    if (boundary->event.type == EVENT_COMPENSATE && moved) to = moved->attached_to;
  }
  return to;
}

static int move_execution(const migration *m, rec_execution *e) {
  context *c = m->c;
  const node *from = m->source->nodes[e->node - 1];
  const node *to = e->kind == EXECUTION_EVENT_SCOPE ? migration_compensated(m, e->node) : migration_to(m, e->node);
  if (!to)
    return context_error(c, ORR_E_STATE, "a token came to \"%s\" while its instance moved, and no instruction maps that",
                         from->id);
  if (context_touch(c, e)) return c->error.code;
  e->flow = moved_flow(m, e->flow, from, to);
  e->node = to->index + 1;
  move_start_event(m, e, to);
  if (e->state == EXECUTION_ACTIVE && to->needs_scope) e->scope = true;
  return 0;
}

/* All executions, with their nodes and scopes. */
static int list_executions(const migration *m, orr_id instance, migrated *out) {
  context *c = m->c;
  int rc = unit_find_group(c->u, &rec_execution_type, orr_id_group(instance), &out->executions, &c->error);
  if (rc) return rc;
  out->from = ARENA_ARRAY(c->arena, const node *, out->executions.count + 1);
  out->parents = ARENA_ARRAY(c->arena, orr_id, out->executions.count + 1);
  if (!out->from || !out->parents) return context_memory(c);
  for (size_t k = 0; k < out->executions.count; k++) {
    const rec_execution *e = (const rec_execution *)out->executions.items[k];
    out->from[k] = m->source->nodes[e->node - 1];
    out->parents[k] = e->parent;
  }
  return 0;
}

bool migrated_position(const migrated *all, orr_id id, size_t *out) {
  size_t low = 0, high = all->executions.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const rec_execution *at = (const rec_execution *)all->executions.items[middle];
    *out = middle;
    if (at->id == id) return true;
    if (at->id < id) low = middle + 1;
    else high = middle;
  }
  return false;
}

/* The scope that an execution was in before any vanished. */
static orr_id parent_before(const migrated *before, const rec_execution *e) {
  size_t at;
  return migrated_position(before, e->id, &at) ? before->parents[at] : e->parent;
}

static int move_executions(const migration *m, const rec_instance *i, const migrated *before, migrated *out) {
  int rc = list_executions(m, i->id, out);
  for (size_t k = 0; !rc && k < out->executions.count; k++) {
    rec_execution *e = (rec_execution *)out->executions.items[k];
    out->parents[k] = parent_before(before, e);
    rc = move_execution(m, e);
  }
  return rc;
}

/* ---- Joins ----------------------------------------------------------------------------------- */

static int drop_joins(const migration *m, const rec_instance *i, const unit_found *executions) {
  int rc = i->flags & ORR_SCOPE_JOINS ? join_drop_scope(m->c, i->id) : 0;
  for (size_t k = 0; !rc && k < executions->count; k++) {
    const rec_execution *e = (const rec_execution *)executions->items[k];
    if (e->flags & ORR_SCOPE_JOINS) rc = join_drop_scope(m->c, e->id);
  }
  return rc;
}

static int wait_again(const migration *m, const unit_found *executions, const bool *known, bool wanted) {
  int rc = 0;
  for (size_t k = 0; !rc && k < executions->count; k++) {
    rec_execution *e = (rec_execution *)executions->items[k];
    const node *at = m->target->nodes[e->node - 1];
    int64_t distinct;
    if (e->state == EXECUTION_JOINING && at->type == NODE_PARALLEL_GATEWAY && known[k] == wanted)
      rc = join_wait(m->c, e, at, &distinct);
  }
  return rc;
}

/* Tokens whose flow also exists in the target take their places first; the others take what is
 * free. */
static int move_joins(const migration *m, const rec_instance *i, const unit_found *executions) {
  bool *known = ARENA_ARRAY(m->c->arena, bool, executions->count + 1);
  if (!known) return context_memory(m->c);
  for (size_t k = 0; k < executions->count; k++) known[k] = ((const rec_execution *)executions->items[k])->flow != 0;
  int rc = drop_joins(m, i, executions);
  if (!rc) rc = wait_again(m, executions, known, true);
  return rc ? rc : wait_again(m, executions, known, false);
}

/* What waits at an inclusive gateway may have come into another scope. */
static int flag_inclusive_joins(const migration *m, const unit_found *executions) {
  int rc = 0;
  for (size_t k = 0; !rc && k < executions->count; k++) {
    const rec_execution *e = (const rec_execution *)executions->items[k];
    scope s;
    if (e->state != EXECUTION_JOINING || m->target->nodes[e->node - 1]->type != NODE_INCLUSIVE_GATEWAY) continue;
    rc = scope_of(m->c, e, &s);
    if (!rc) rc = scope_flag(m->c, &s, ORR_SCOPE_INCLUSIVE);
  }
  return rc;
}

/* Fewer paths may lead to an inclusive gateway now. */
static int suspect_joins(const migration *m, const rec_instance *i, const unit_found *executions) {
  scope s;
  int waits = flag_inclusive_joins(m, executions);
  if (waits) return waits;
  int rc = scope_get(m->c, i->id, &s);
  if (!rc) rc = notice_tokens(m->c, &s);
  for (size_t k = 0; !rc && k < executions->count; k++) {
    const rec_execution *e = (const rec_execution *)executions->items[k];
    if (!(e->flags & ORR_SCOPE_INCLUSIVE)) continue;
    rc = scope_get(m->c, e->id, &s);
    if (!rc) rc = notice_tokens(m->c, &s);
  }
  return rc;
}

/* ---- What hangs on them ---------------------------------------------------------------------- */

static int move_task(const migration *m, const rec_instance *i, rec_head *record) {
  rec_task *t = (rec_task *)record;
  const node *to = migration_to(m, t->node);
  if (!to) return 0; /* of no activity */
  if (context_touch(m->c, t)) return m->c->error.code;
  t->node = to->index + 1;
  t->key = unit_textz(m->c->u, to->id);
  t->definition_id = i->definition_id;
  t->definition_key = i->definition_key;
  return history_task(m->c, t, false, NULL);
}

static int move_external_task(const migration *m, const rec_instance *i, rec_head *record) {
  rec_external_task *t = (rec_external_task *)record;
  const node *to = migration_to(m, t->node);
  if (context_touch(m->c, t)) return m->c->error.code;
  t->node = to->index + 1;
  t->activity_id = unit_textz(m->c->u, to->id);
  t->definition_id = i->definition_id;
  t->definition_key = i->definition_key;
  t->version_tag = unit_textz(m->c->u, m->target->version_tag);
  return 0;
}

/* Timers are events: events.c. The job that runs this migration goes with it. */
static int move_job(const migration *m, const rec_instance *i, rec_head *record) {
  context *c = m->c;
  rec_job *job = (rec_job *)record;
  if (job == c->job || job_kind_is_timer(job->kind)) return 0;
  if (context_touch(c, job)) return c->error.code;
  const node *from = job->node != 0 ? m->source->nodes[job->node - 1] : NULL, *to = migration_to(m, job->node);
  job->flow = to ? moved_flow(m, job->flow, from, to) : 0;
  job->node = to ? to->index + 1 : 0;
  job->definition_id = i->definition_id;
  job->definition_key = i->definition_key;
  job->deployment_id = m->target->deployment_id;
  job->job_definition_id = job_definition_find(c, m->target, to, job->kind);
  return c->error.code;
}

/* Incidents of called instances stay there; the ones that they caused here are at the call. */
static int move_incident(const migration *m, const rec_instance *i, rec_head *record) {
  rec_incident *n = (rec_incident *)record;
  if (context_touch(m->c, n)) return m->c->error.code;
  const node *from = n->activity_id.size > 0 ? definition_node(m->source, n->activity_id.data) : NULL;
  const node *failed = n->failed_activity_id.size > 0 ? definition_node(m->source, n->failed_activity_id.data) : NULL;
  if (from && m->to[from->index]) n->activity_id = unit_textz(m->c->u, m->to[from->index]->id);
  if (failed && m->to[failed->index]) n->failed_activity_id = unit_textz(m->c->u, m->to[failed->index]->id);
  n->definition_id = i->definition_id;
  return history_incident(m->c, n, "open");
}

static int move_execution_row(const migration *m, const rec_instance *i, rec_head *record) {
  const rec_execution *e = (const rec_execution *)record;
  return history_activity_migrated(m->c, e, i, m->target->nodes[e->node - 1]);
}

typedef int (*move_fn)(const migration *m, const rec_instance *i, rec_head *record);

static int each(const migration *m, const rec_instance *i, const rec_type *type, move_fn move) {
  unit_found found;
  int rc = unit_find_group(m->c->u, type, orr_id_group(i->id), &found, &m->c->error);
  for (size_t k = 0; !rc && k < found.count; k++) rc = move(m, i, found.items[k]);
  return rc;
}

/* ---- The instance ---------------------------------------------------------------------------- */

static int move_instance(const migration *m, rec_instance *i) {
  if (context_touch(m->c, i)) return m->c->error.code;
  const node *start = migration_to(m, i->start_node);
  i->definition_id = m->target->id;
  i->definition_key = unit_textz(m->c->u, m->target->key);
  i->start_node = start ? start->index + 1 : 0;
  return history_instance_migrated(m->c, i);
}

/* Runs once the vanishing scopes of the source are gone. */
static int move_all(const migration *m, rec_instance *i, const migrated *before) {
  context *c = m->c;
  migrated moved;
  int rc = move_executions(m, i, before, &moved);
  if (!rc) rc = move_instance(m, i);
  if (!rc) rc = migration_appear(m, &moved);
  if (!rc) rc = move_joins(m, i, &moved.executions);
  if (!rc) rc = each(m, i, &rec_execution_type, move_execution_row);
  if (!rc) rc = each(m, i, &rec_task_type, move_task);
  if (!rc) rc = each(m, i, &rec_external_task_type, move_external_task);
  if (!rc) rc = each(m, i, &rec_job_type, move_job);
  if (!rc) rc = each(m, i, &rec_incident_type, move_incident);
  if (!rc) rc = variable_set_all(c, i->id, &m->variables, true);
  if (!rc) rc = migration_events(m, i, &moved);
  return rc ? rc : suspect_joins(m, i, &moved.executions);
}

typedef struct pending_move {
  migration m;
  migrated before;
  bool *ended; /* by number: there was something to replace */
} pending_move;

/* Begins what is new once the instance has moved, and before anything empty ends. */
static int op_move_all(context *c, operation *op) {
  const pending_move *p = op->data;
  rec_instance *i = unit_instance(c->u, op->execution, &c->error);
  if (!i) return c->error.code;
  int rc = migration_begin_replacing(&p->m, i->id, p->ended);
  if (!rc) rc = move_all(&p->m, i, &p->before);
  return rc ? rc : migration_assign(&p->m, i->id, &p->before);
}

int migration_apply(const migration *m, rec_instance *i) {
  context *c = m->c;
  uint32_t count = 0;
  pending_move *p = ARENA_NEW(c->arena, pending_move);
  if (!p) return context_memory(c);
  p->m = *m;
  p->ended = ARENA_ARRAY(c->arena, bool, m->n_replacements + 1);
  if (!p->ended) return context_memory(c);
  int rc = list_executions(m, i->id, &p->before);
  orr_id *ids = rc ? NULL : ARENA_ARRAY(c->arena, orr_id, p->before.executions.count + 1);
  if (!ids) return rc ? rc : context_memory(c);
  migration_list_replaced(m, &p->before, p->ended, ids, &count);
  rc = migration_vanish(m, &p->before, ids, &count);
  if (!rc) rc = plan_interrupt_tokens(c, ids, count, "migration", 0);
  if (rc) return rc;
  operation *op = agenda_plan(c, op_move_all, i->id);
  if (!op) return c->error.code;
  op->data = p;
  return 0;
}
