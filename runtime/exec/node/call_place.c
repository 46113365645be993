/* Noting calls, and naming what they run. */
#include "exec/node/call_place.h"

#include "base/error.h"
#include "engine/engine.h"
#include "state/context.h"

static void note_place(call_place *p, const place_mark *mark) {
  uint_fast32_t number = mark->node * 2 + (mark->listens ? 1 : 0);
  atomic_store_explicit(&p->definition, mark->definition, memory_order_relaxed);
  atomic_store_explicit(&p->node, number, memory_order_relaxed);
  atomic_store_explicit(&p->deadline, mark->deadline, memory_order_relaxed);
}

place_mark call_place_read(const call_place *p) {
  uint_fast32_t number = atomic_load_explicit(&p->node, memory_order_relaxed);
  return (place_mark){.definition = atomic_load_explicit(&p->definition, memory_order_relaxed),
                      .node = (uint32_t)(number / 2), .listens = number % 2,
                      .deadline = atomic_load_explicit(&p->deadline, memory_order_relaxed)};
}

static bool has_node(const definition *d, const node *n) {
  return d && n->index < d->n_nodes && d->nodes[n->index] == n;
}

static bool has_service(const node *n) {
  bool task = n->type >= NODE_SERVICE_TASK && n->type <= NODE_BUSINESS_RULE_TASK && n->type != NODE_RECEIVE_TASK;
  bool throws = n->type == NODE_THROW_EVENT || n->type == NODE_END_EVENT;
  return (task || throws) && n->service;
}

/* ---- Time limits ----------------------------------------------------------------------------- */

int64_t call_clock(orr_engine *engine) {
  if (engine->config.manual_clock) return engine_now(engine);
  return engine->env.mono_ns(engine->env.ud) / 1000000;
}

static int64_t deadline_of(const context *c, int64_t limit) {
  if (!limit) limit = c->place->limit_ms;
  return limit ? call_clock(c->engine) + limit : 0;
}

static int64_t deadline_now(const context *c) {
  return c->place ? atomic_load_explicit(&c->place->deadline, memory_order_relaxed) : 0;
}

bool call_place_overdue(const context *c) {
  int64_t deadline = deadline_now(c);
  return deadline && call_clock(c->engine) >= deadline;
}

void call_place_fail_overdue(const context *c, const place_mark *mark, host_status *status, host_result *result) {
  if (!mark->deadline || *status != HOST_DONE || call_clock(c->engine) < mark->deadline) return;
  *status = HOST_FAILED;
  *result = (host_result){0};
  error_set(&result->error, ORR_E_SCRIPT, CALL_OVER);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

place_mark call_place_of(const context *c, const operation *op, const host_call *call) {
  const definition *d = c->last.definition;
  if (!c->place) return (place_mark){0};
  bool own = call->kind == HOST_DELEGATE || call->kind == HOST_SCRIPT || call->kind == HOST_TRIGGER;
  place_mark mark = {.listens = !own, .deadline = deadline_of(c, call->limit_ms)};
  if (!op->node || !has_node(d, op->node)) return mark;
  mark.definition = d->id;
  mark.node = op->node->index;
  return mark;
}

place_mark call_place_enter(context *c, const place_mark *mark) {
  if (!c->place) return (place_mark){0};
  place_mark before = call_place_read(c->place);
  note_place(c->place, mark);
  if (mark->deadline) c->place->watch(c->place->ud);
  return before;
}

void call_place_leave(context *c, const place_mark *before) {
  if (c->place) note_place(c->place, before);
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
