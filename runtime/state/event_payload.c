/* What a thrown event carries. */
#include "state/event_payload.h"

#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "state/expression.h"
#include "state/variable.h"

/* ---- Sending --------------------------------------------------------------------------------- */

static int add_all_sent(context *c, orr_builder *b, orr_id scope_id, bool local) {
  orr_value map, key, value;
  int rc = variable_map(c, scope_id, local, &map);
  orr_iterator it = orr_iterate(&map);
  while (!rc && orr_next(&it, &key, &value)) {
    orr_builder_key(b, key.as.bytes, key.size);
    orr_builder_add(b, &value);
  }
  return rc;
}

static int add_mapping(context *c, orr_builder *b, const call_mapping *m, rec_execution *e, const node *n) {
  if (expr_given(&m->business_key)) return 0;
  if (m->all) return add_all_sent(c, b, e->id, m->local);
  const char *target = m->target;
  orr_value value = {0};
  int rc = expr_given(&m->target_expression) ? expr_text(c, &m->target_expression, e->id, n, &target) : 0;
  if (!rc) rc = expr_given(&m->source_expression) ? expr_value(c, &m->source_expression, e->id, n, &value)
                : !m->source ? 0
                : m->local   ? variable_get_local(c, e->id, m->source, &value)
                             : variable_get(c, e->id, m->source, &value);
  if (rc || !target) return rc;
  if (value.type == ORR_NIL) value = orr_null();
  orr_builder_put(b, target, value);
  return 0;
}

/* Camunda's signals send by <in>, Flowable's throw events by <out>. */
int payload_send(context *c, rec_execution *e, const node *n, orr_value *out) {
  const event_definition *event = &n->event;
  *out = (orr_value){0};
  if (!event->n_in && !event->n_out) return 0;
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  int rc = 0;
  orr_builder_map(b);
  for (uint32_t i = 0; !rc && i < event->n_in; i++) rc = add_mapping(c, b, &event->in[i], e, n);
  for (uint32_t i = 0; !rc && i < event->n_out; i++) rc = add_mapping(c, b, &event->out[i], e, n);
  orr_builder_end(b);
  if (!rc) rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

/* ---- Receiving ------------------------------------------------------------------------------- */

static int mapped_value(context *c, const call_mapping *m, const orr_value *variables, orr_value *out) {
  int rc = 0;
  if (expr_given(&m->source_expression)) rc = expr_value_over(c, &m->source_expression, variables, out);
  else *out = orr_map_get(variables, m->source ? m->source : m->target);
  if (!rc && out->type == ORR_NIL) *out = orr_null();
  return rc;
}

static int receive_mapping(context *c, orr_builder *b, const call_mapping *m, const orr_value *variables) {
  orr_value value;
  if (!m->target || m->transient) return 0;
  int rc = mapped_value(c, m, variables, &value);
  if (!rc) orr_builder_put(b, m->target, value);
  return rc;
}

int payload_receive_transient(context *c, const event_definition *event, const orr_value *variables, orr_id scope_id) {
  int rc = 0;
  for (uint32_t i = 0; !rc && i < event->n_in; i++) {
    const call_mapping *m = &event->in[i];
    orr_value value;
    if (!m->target || !m->transient) continue;
    rc = mapped_value(c, m, variables, &value);
    if (!rc) rc = variable_set_transient(c, scope_id, m->target, &value, false);
  }
  return rc;
}

int payload_receive(context *c, const event_definition *event, const orr_value *variables, orr_builder *b) {
  orr_value key, value;
  orr_iterator it = orr_iterate(variables);
  while (event->n_in == 0 && orr_next(&it, &key, &value)) {
    orr_builder_key(b, key.as.bytes, key.size);
    orr_builder_add(b, &value);
  }
  int rc = 0;
  for (uint32_t i = 0; !rc && i < event->n_in; i++) rc = receive_mapping(c, b, &event->in[i], variables);
  return rc;
}

int payload_received(context *c, const event_definition *event, const orr_value *variables, orr_value *out) {
  *out = *variables;
  if (event->n_in == 0) return 0;
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  int rc = payload_receive(c, event, variables, b);
  orr_builder_end(b);
  if (!rc) rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}
