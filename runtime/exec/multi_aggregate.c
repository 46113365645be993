/* Variable aggregation: each completed instance leaves a map, and the whole gives an array of them. The maps wait as variables of the
 * body whose names no model can spell; their names sort by aggregation and index, so that the array comes out in order. */
#include <string.h>

#include "../engine.h"
#include "../value.h"
#include "multi.h"
#include "variables.h"

static int part_of(context *c, const aggregation *a, const rec_execution *inner, const node *n, orr_builder *b) {
  orr_builder_map(b);
  for (uint32_t i = 0; i < a->n_variables; i++) {
    const struct aggregation_variable *from = &a->variables[i];
    const char *name = from->target ? from->target : from->source;
    orr_value v = {0};
    int rc = expr_given(&from->source_expression) ? expr_value(c, &from->source_expression, inner->id, n, &v)
             : from->source                       ? variable_get(c, inner->id, from->source, &v)
                                                  : 0;
    if (rc) return rc;
    if (v.type == ORR_NIL || !name) continue;
    orr_builder_key(b, name, strlen(name));
    orr_builder_add(b, &v);
  }
  orr_builder_end(b);
  return 0;
}

static int keep_part(context *c, const rec_execution *body, uint32_t number, int64_t index, const orr_value *part) {
  const char *name = arena_printf(c->arena, VARIABLE_HIDDEN "%03u.%08lld", number, (long long)index);
  if (!name) return context_memory(c);
  return variable_keep_hidden(c, body->id, name, part);
}

static int unsupported_class(context *c, const node *n) {
  return context_error(c, ORR_E_UNSUPPORTED, "%s '%s': a variable aggregation by a class is not supported; list its variables", n->element,
                       n->id);
}

int multi_aggregate_one(context *c, const rec_execution *body, const rec_execution *inner, const node *n) {
  const multi_instance *m = n->multi;
  for (uint32_t i = 0; i < m->n_aggregations; i++) {
    if (m->aggregations[i].run.kind != IMPLEMENTATION_NONE) return unsupported_class(c, n);
    orr_builder *b = builder_new(&c->engine->env.allocator);
    if (!b) return context_memory(c);
    orr_value part;
    int rc = part_of(c, &m->aggregations[i], inner, n, b);
    if (!rc) rc = orr_builder_value(b, &part, &c->error);
    if (!rc) rc = keep_part(c, body, i, inner->loop_counter, &part);
    orr_builder_free(b);
    if (rc) return rc;
  }
  return 0;
}

static int collect(context *c, const rec_execution *body, uint32_t number, orr_value *out) {
  unit_found found;
  rec_key key = {.id = body->id};
  int rc = unit_find_keys(c->u, &rec_variable_type, &key, 1, &found, &c->error);
  if (rc) return rc;
  const char *wanted = arena_printf(c->arena, VARIABLE_HIDDEN "%03u.", number);
  orr_builder *b = wanted ? builder_new(&c->engine->env.allocator) : NULL;
  if (!b) return context_memory(c);
  orr_builder_array(b);
  for (size_t i = 0; i < found.count; i++) {
    const rec_variable *v = (const rec_variable *)found.items[i];
    if (v->name.size > strlen(wanted) && memcmp(v->name.data, wanted, strlen(wanted)) == 0) orr_builder_add(b, &v->value);
  }
  orr_builder_end(b);
  orr_value built;
  rc = orr_builder_value(b, &built, &c->error);
  if (!rc && value_copy(c->arena, &built, out) != 0) rc = context_memory(c);
  orr_builder_free(b);
  return rc;
}

int multi_aggregate_all(context *c, const rec_execution *body, const node *n) {
  const multi_instance *m = n->multi;
  for (uint32_t i = 0; i < m->n_aggregations; i++) {
    const aggregation *a = &m->aggregations[i];
    const char *name = a->target;
    orr_value all;
    int rc = expr_given(&a->target_expression) ? expr_text(c, &a->target_expression, body->id, n, &name) : 0;
    if (!rc && !name) rc = context_error(c, ORR_E_EXPRESSION, "%s '%s': a variable aggregation has no target", n->element, n->id);
    if (!rc) rc = collect(c, body, i, &all);
    if (!rc) rc = a->transient ? variable_set_transient(c, body->parent, name, &all, false) : variable_set(c, body->parent, name, &all);
    if (rc) return rc;
  }
  return 0;
}
