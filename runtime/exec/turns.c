/* Branches that take turns: a queue of operations. */
#include "exec/turns.h"

struct turn {
  struct turn *next;
  operation op;
  uint32_t waits; /* turns of others to pass */
};

static void turn_append(context *c, struct turn *t) {
  t->next = NULL;
  *(c->turns.first ? &c->turns.last->next : &c->turns.first) = t;
  c->turns.last = t;
}

static struct turn *turn_take(context *c) {
  struct turn *t = c->turns.first;
  c->turns.first = t->next;
  return t;
}

int turn_plan(context *c, const operation *op, uint32_t waits) {
  struct turn *t = c->spare_turns;
  if (t) c->spare_turns = t->next;
  else t = ARENA_NEW(c->arena, struct turn);
  if (!t) return context_memory(c);
  t->op = *op;
  t->waits = waits;
  turn_append(c, t);
  return 0;
}

/* Plans the first token that has let enough others pass, or the last one in the queue. */
int turn_next(context *c) {
  struct turn *t = turn_take(c);
  while (t->waits > 0 && c->turns.first) {
    t->waits--;
    turn_append(c, t);
    t = turn_take(c);
  }
  operation *op = agenda_plan(c, t->op.run, t->op.execution);
  if (!op) return c->error.code;
  op->node = t->op.node;
  op->flow = t->op.flow;
  op->flags = t->op.flags;
  op->value = t->op.value;
  t->next = c->spare_turns;
  c->spare_turns = t;
  return 0;
}

bool turn_concerns(const context *c, orr_id instance) {
  for (const turn_queue *queue = &c->turns; queue; queue = queue->outer)
    for (const struct turn *t = queue->first; t; t = t->next)
      if (orr_id_group(t->op.execution) == orr_id_group(instance)) return true;
  return false;
}
