/* Noting calls, and naming what they run. */
#include "exec/node/call_place.h"

#include "exec/context.h"

static void note_place(call_place *p, const place_mark *mark) {
  uint_fast32_t number = mark->node * 2 + (mark->listens ? 1 : 0);
  atomic_store_explicit(&p->definition, mark->definition, memory_order_relaxed);
  atomic_store_explicit(&p->node, number, memory_order_relaxed);
}

place_mark call_place_read(const call_place *p) {
  uint_fast32_t number = atomic_load_explicit(&p->node, memory_order_relaxed);
  return (place_mark){.definition = atomic_load_explicit(&p->definition, memory_order_relaxed),
                      .node = (uint32_t)(number / 2), .listens = number % 2};
}

static bool has_node(const definition *d, const node *n) {
  return d && n->index < d->n_nodes && d->nodes[n->index] == n;
}

place_mark call_place_of(const context *c, const operation *op, const host_call *call) {
  const definition *d = c->last.definition;
  if (!c->place || !op->node || !has_node(d, op->node)) return (place_mark){0};
  bool own = call->kind == HOST_DELEGATE || call->kind == HOST_SCRIPT || call->kind == HOST_TRIGGER;
  return (place_mark){.definition = d->id, .node = op->node->index, .listens = !own};
}

place_mark call_place_enter(context *c, const place_mark *mark) {
  if (!c->place) return (place_mark){0};
  place_mark before = call_place_read(c->place);
  note_place(c->place, mark);
  return before;
}

void call_place_leave(context *c, const place_mark *before) {
  if (c->place) note_place(c->place, before);
}

static bool has_service(const node *n) {
  bool task = n->type >= NODE_SERVICE_TASK && n->type <= NODE_BUSINESS_RULE_TASK && n->type != NODE_RECEIVE_TASK;
  bool throws = n->type == NODE_THROW_EVENT || n->type == NODE_END_EVENT;
  return (task || throws) && n->service;
}

const char *call_place_delegate(const node *n) {
  if (!has_service(n)) return NULL;
  const implementation *run = &n->service->run;
  switch (run->kind) {
    case IMPLEMENTATION_CLASS:
    case IMPLEMENTATION_DELEGATE:
    case IMPLEMENTATION_EXPRESSION: return run->value.text;
    case IMPLEMENTATION_TYPE: return run->type_name;
    case IMPLEMENTATION_SCRIPT: return "script";
    case IMPLEMENTATION_NONE:
    case IMPLEMENTATION_EXTERNAL: break;
  }
  return NULL;
}
