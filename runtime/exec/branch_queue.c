/* A queue of operations, one for each branch that waits. */
#include "exec/branch_queue.h"

struct queued_branch {
  struct queued_branch *next;
  operation op;
  uint32_t waits; /* how often it still lets others go first */
};

static void add_last(context *c, struct queued_branch *t) {
  t->next = NULL;
  *(c->branches.first ? &c->branches.last->next : &c->branches.first) = t;
  c->branches.last = t;
}

static struct queued_branch *take_first(context *c) {
  struct queued_branch *t = c->branches.first;
  c->branches.first = t->next;
  return t;
}

int branch_queue_add(context *c, const operation *op, uint32_t waits) {
  struct queued_branch *t = c->spare_branches;
  if (t) c->spare_branches = t->next;
  else t = ARENA_NEW(c->arena, struct queued_branch);
  if (!t) return context_memory(c);
  t->op = *op;
  t->waits = waits;
  add_last(c, t);
  return 0;
}

int branch_queue_run_next(context *c) {
  struct queued_branch *t = take_first(c);
  while (t->waits > 0 && c->branches.first) {
    t->waits--;
    add_last(c, t);
    t = take_first(c);
  }
  operation *op = agenda_plan(c, t->op.run, t->op.execution);
  if (!op) return c->error.code;
  op->node = t->op.node;
  op->flow = t->op.flow;
  op->flags = t->op.flags;
  op->value = t->op.value;
  t->next = c->spare_branches;
  c->spare_branches = t;
  return 0;
}

bool branch_queue_concerns(const context *c, orr_id instance) {
  for (const branch_queue *queue = &c->branches; queue; queue = queue->outer)
    for (const struct queued_branch *t = queue->first; t; t = t->next)
      if (orr_id_group(t->op.execution) == orr_id_group(instance)) return true;
  return false;
}
