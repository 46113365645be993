/* Activities that end by a migration, and what begins in their place: by dialect, where one becomes several, several become
 * one, or an activity becomes one of another kind. What ends is canceled while the instance runs by its source; what
 * begins does so as by a modification, once it runs by its target. */
#include "command/instance/modify_commands.h"
#include "command/migration/migration_internal.h"
#include "exec/agenda.h"
#include "exec/task/task.h"
#include "uow/find.h"

/* The body of a multi-instance takes its instances along. */
static bool is_replaced(const migration *m, const rec_execution *e) {
  bool stands = e->kind != EXECUTION_EVENT_SCOPE && e->kind != EXECUTION_COMPENSATION && e->kind != EXECUTION_MULTI_INSTANCE;
  return stands && m->replaced[e->node - 1];
}

void migration_list_replaced(const migration *m, const migrated *all, bool *ended, orr_id *ids,
                             uint32_t *count) {
  for (size_t k = 0; k < all->executions.count; k++) {
    const rec_execution *e = (const rec_execution *)all->executions.items[k];
    if (!is_replaced(m, e)) continue;
    ids[(*count)++] = e->id;
    ended[m->replaced[e->node - 1]->number] = true;
  }
}

int migration_begin_replacing(const migration *m, orr_id instance, const bool *ended) {
  uint32_t next = 0; /* in the order of the instructions */
  int rc = 0;
  while (!rc && next < m->n_replacements) {
    const replacement *r = NULL;
    for (uint32_t i = 0; i < m->source->n_nodes && !r; i++)
      if (m->replaced[i] && m->replaced[i]->number == next) r = m->replaced[i];
    if (r && ended[next]) rc = modify_begin(m->c, instance, r->to, r->by->n_to, &r->by->local_variables);
    next++;
  }
  return rc;
}

/* ---- Assignees ------------------------------------------------------------------------------- */

/* Has this execution come to its node by the instruction? */
static bool has_come_by(const migration *m, const migrated *before, const migration_instruction *in, const rec_execution *e) {
  size_t at;
  if (!migrated_position(before, e->id, &at)) return true;
  for (uint32_t i = 0; i < in->n_from; i++)
    if (before->from[at] == definition_node(m->source, in->from[i])) return true;
  return false;
}

static int assign_by(const migration *m, orr_id instance, const migrated *before, const migration_instruction *in,
                     const node *to) {
  context *c = m->c;
  unit_found found;
  int rc = unit_find_group(c->u, &rec_execution_type, orr_id_group(instance), &found, &c->error);
  for (size_t k = 0; !rc && k < found.count; k++) {
    const rec_execution *e = (const rec_execution *)found.items[k];
    if (e->node != to->index + 1 || e->task_id == 0 || !has_come_by(m, before, in, e)) continue;
    rec_task *t = unit_task(c->u, e->task_id, &c->error);
    rc = t ? task_assign(c, t, in->assignee) : c->error.code;
  }
  return rc;
}

typedef struct assigning {
  const migration *m;
  const migrated *before;
} assigning;

static int op_assign(context *c, operation *op) {
  const assigning *a = op->data;
  const migration *m = a->m;
  int rc = 0;
  for (uint32_t i = 0; !rc && i < m->count; i++) {
    const migration_instruction *in = &m->items[i];
    for (uint32_t k = 0; !rc && in->assignee && k < in->n_to; k++)
      rc = assign_by(m, op->execution, a->before, in, definition_node(m->target, in->to[k]));
  }
  return rc ? rc : c->error.code;
}

int migration_assign(const migration *m, orr_id instance, const migrated *before) {
  assigning *a = ARENA_NEW(m->c->arena, assigning);
  operation *op = a ? agenda_plan(m->c, op_assign, instance) : NULL;
  if (!op) return a ? m->c->error.code : context_memory(m->c);
  *a = (assigning){m, before};
  op->data = a;
  return 0;
}
