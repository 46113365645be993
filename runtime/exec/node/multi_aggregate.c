/* Variable aggregation: each completed instance leaves a map, and the whole gives an array of them;
 * or a registered aggregator makes both. What instances leave waits in variables of the body whose
 * names no model can spell. These names sort by aggregation and index, so the array comes out in
 * order. An overview variable also has a map for each running instance (multi_overview.c says when
 * it is written), and is deleted with a canceled body. */
#include "exec/node/multi_aggregate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "exec/node/multi_collection.h"
#include "exec/node/multi_instance.h"
#include "state/expression.h"
#include "state/variable.h"
#include "uow/find.h"

static const char state_complete[] = "complete", state_overview[] = "overview"; /* as aggregators receive them */

/* A running instance may lack a variable: an overview leaves it out; elsewhere it is an error.
 * ORR_NIL: nothing. */
static int listed_value(context *c, const struct aggregation_variable *from, const rec_execution *inner, const node *n,
                        bool overview, orr_value *out) {
  *out = (orr_value){0};
  if (!expr_given(&from->source_expression)) return from->source ? variable_get(c, inner->id, from->source, out) : 0;
  int rc = expr_value(c, &from->source_expression, inner->id, n, out);
  if (!rc && out->type == ORR_NIL) *out = orr_null();
  if (!overview || rc != ORR_E_EXPRESSION) return rc;
  orr_error_clear(&c->error);
  c->failed_at = NULL;
  *out = (orr_value){0};
  return 0;
}

static int part_of_instance(context *c, const aggregation *a, const rec_execution *inner, const node *n, bool overview,
                            orr_builder *b) {
  orr_builder_map(b);
  for (uint32_t i = 0; i < a->n_variables; i++) {
    const struct aggregation_variable *from = &a->variables[i];
    const char *name = from->target ? from->target : from->source;
    orr_value v;
    int rc = listed_value(c, from, inner, n, overview, &v);
    if (rc) return rc;
    if (v.type == ORR_NIL || !name) continue;
    orr_builder_put(b, name, v);
  }
  orr_builder_end(b);
  return 0;
}

static int keep_part(context *c, const rec_execution *body, uint32_t number, int64_t index, const orr_value *part) {
  const char *name = arena_printf(c->arena, VARIABLE_HIDDEN "%03u.%08" PRId64, number, index);
  if (!name) return context_memory(c);
  return variable_keep_hidden(c, body->id, name, part);
}

/* ---- Aggregators ----------------------------------------------------------------------------- */

static void put_part(orr_builder *b, const char *key, const orr_value *value) {
  orr_builder_key(b, key, strlen(key));
  orr_builder_add(b, value);
}

/* What the aggregator receives: about = { target, state, variables = { { source, target }, ... } }. */
static void put_about(orr_builder *b, const aggregation *a, const char *target, const char *state) {
  orr_value name = orr_string(target), in = orr_string(state);
  orr_builder_map(b);
  put_part(b, "target", &name);
  put_part(b, "state", &in);
  orr_builder_key(b, "variables", strlen("variables"));
  orr_builder_array(b);
  for (uint32_t i = 0; i < a->n_variables; i++) {
    orr_value source = orr_string(a->variables[i].source), to = orr_string(a->variables[i].target);
    orr_builder_map(b);
    if (a->variables[i].source) put_part(b, "source", &source);
    if (a->variables[i].target) put_part(b, "target", &to);
    orr_builder_end(b);
  }
  orr_builder_end(b);
  orr_builder_end(b);
}

typedef struct aggregator_call {
  const aggregation *of;
  const char *method, *target, *state;
} aggregator_call;

static int ask_aggregator(context *c, const node *n, const aggregator_call *call, const orr_value *given, orr_value *out) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_value arguments;
  orr_builder_array(b);
  orr_builder_add(b, given);
  put_about(b, call->of, call->target, call->state);
  orr_builder_end(b);
  int rc = orr_builder_value(b, &arguments, &c->error);
  if (!rc)
    rc = multi_invoke(c, n, &call->of->run, "variable aggregator", call->method, &arguments,
                      c->arena, out);
  orr_builder_free(b);
  if (!rc && out->type == ORR_NIL) *out = orr_null();
  return rc;
}

/* ---- One instance ---------------------------------------------------------------------------- */

static int aggregation_target(context *c, const aggregation *a, const rec_execution *body, const node *n, const char **out) {
  *out = a->target;
  int rc = expr_given(&a->target_expression) ? expr_text(c, &a->target_expression, body->id, n, out) : 0;
  if (rc || *out) return rc;
  return context_error(c, ORR_E_EXPRESSION, "%s \"%s\": a variable aggregation has no target", n->element, n->id);
}

static int listed_part(context *c, const aggregation *a, const rec_execution *inner, const node *n, bool overview,
                       orr_value *out) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_value built;
  int rc = part_of_instance(c, a, inner, n, overview, b);
  if (!rc) rc = orr_builder_value(b, &built, &c->error);
  if (!rc && value_copy(c->arena, &built, out)) rc = context_memory(c);
  orr_builder_free(b);
  return rc;
}

static int made_part(context *c, const aggregation *a, const rec_execution *body, const rec_execution *inner, const node *n,
                     const char *state, orr_value *out) {
  if (a->run.kind == IMPLEMENTATION_NONE) return listed_part(c, a, inner, n, state == state_overview, out);
  aggregator_call call = {.of = a, .method = "aggregate_single", .state = state};
  orr_value variables;
  int rc = aggregation_target(c, a, body, n, &call.target);
  if (!rc) rc = variable_map(c, inner->id, false, &variables);
  return rc ? rc : ask_aggregator(c, n, &call, &variables, out);
}

int multi_aggregate_one(context *c, rec_execution *body, const rec_execution *inner, const node *n) {
  const multi_instance *m = n->multi;
  for (uint32_t i = 0; i < m->n_aggregations; i++) {
    orr_value part;
    int rc = made_part(c, &m->aggregations[i], body, inner, n, state_complete, &part);
    if (!rc) rc = keep_part(c, body, i, inner->loop_counter, &part);
    if (rc) return rc;
  }
  return multi_aggregate_overview(c, body, n);
}

/* ---- The whole ------------------------------------------------------------------------------- */

typedef struct parts {
  struct part { int64_t index; orr_value value; } *items; /* by index */
  size_t count;
} parts;

static int parts_kept(context *c, const rec_execution *body, uint32_t number, size_t more, parts *out) {
  unit_found found;
  rec_key key = {.id = body->id};
  int rc = unit_find_keys(c->u, &rec_variable_type, &key, 1, &found, &c->error);
  if (rc) return rc;
  const char *wanted = arena_printf(c->arena, VARIABLE_HIDDEN "%03u.", number);
  *out = (parts){.items = ARENA_ARRAY(c->arena, struct part, found.count + more + 1)};
  if (!wanted || !out->items) return context_memory(c);
  for (size_t i = 0; i < found.count; i++) {
    const rec_variable *v = (const rec_variable *)found.items[i];
    if (v->name.size <= strlen(wanted) || memcmp(v->name.data, wanted, strlen(wanted)) != 0) continue;
    out->items[out->count++] = (struct part){strtoll(v->name.data + strlen(wanted), NULL, 10), v->value};
  }
  return 0;
}

static int by_index(const void *a, const void *b) {
  int64_t left = ((const struct part *)a)->index, right = ((const struct part *)b)->index;
  return (left > right) - (left < right);
}

static bool part_is_kept(const parts *kept, size_t count, int64_t index) {
  struct part key = {.index = index};
  return bsearch(&key, kept->items, count, sizeof key, by_index);
}

/* An instance that is leaving has left its part already. */
static int parts_running(context *c, const rec_execution *body, const node *n, uint32_t number, rec_execution *const *instances,
                         uint32_t count, parts *out) {
  size_t kept = out->count;
  for (uint32_t i = 0; i < count; i++) {
    const rec_execution *inner = instances[i];
    if (inner->kind != EXECUTION_MULTI_INSTANCE || part_is_kept(out, kept, inner->loop_counter)) continue;
    struct part *part = &out->items[out->count];
    part->index = inner->loop_counter;
    int rc = made_part(c, &n->multi->aggregations[number], body, inner, n, state_overview, &part->value);
    if (rc) return rc;
    out->count++;
  }
  qsort(out->items, out->count, sizeof *out->items, by_index);
  return 0;
}

static int collect_parts(context *c, rec_execution *body, const node *n, uint32_t number, const char *state, orr_value *out) {
  scope s = {.record = &body->head, .execution = body, .id = body->id, .node = n};
  rec_execution **instances = NULL;
  uint32_t count = 0;
  parts all;
  int rc = state == state_overview ? scope_child_list(c, &s, &instances, &count) : 0;
  if (!rc) rc = parts_kept(c, body, number, count, &all);
  if (!rc && count > 0) rc = parts_running(c, body, n, number, instances, count, &all);
  if (rc) return rc;
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_array(b);
  for (size_t i = 0; i < all.count; i++) orr_builder_add(b, &all.items[i].value);
  orr_builder_end(b);
  rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

/* An overview that has not changed is not written again. */
static int write_target(context *c, const rec_execution *body, const aggregation *a, const char *target, const orr_value *all) {
  if (a->transient) return variable_set_transient(c, body->parent, target, all, false);
  orr_value old;
  int rc = a->create_overview ? variable_get(c, body->parent, target, &old) : 0;
  if (rc || (a->create_overview && value_equal(&old, all))) return rc;
  return variable_set(c, body->parent, target, all);
}

static int aggregate(context *c, rec_execution *body, const node *n, uint32_t number, const char *state) {
  const aggregation *a = &n->multi->aggregations[number];
  aggregator_call call = {.of = a, .method = "aggregate_multi", .state = state};
  orr_value all;
  int rc = aggregation_target(c, a, body, n, &call.target);
  if (!rc) rc = collect_parts(c, body, n, number, state, &all);
  if (!rc && a->run.kind != IMPLEMENTATION_NONE) rc = ask_aggregator(c, n, &call, &all, &all);
  return rc ? rc : write_target(c, body, a, call.target, &all);
}

int multi_aggregate_overview(context *c, rec_execution *body, const node *n) {
  int rc = 0;
  for (uint32_t i = 0; !rc && i < n->multi->n_aggregations; i++)
    if (n->multi->aggregations[i].create_overview) rc = aggregate(c, body, n, i, state_overview);
  return rc;
}

int multi_aggregate_all(context *c, rec_execution *body, const node *n) {
  int rc = 0;
  for (uint32_t i = 0; !rc && i < n->multi->n_aggregations; i++) rc = aggregate(c, body, n, i, state_complete);
  return rc;
}

int multi_aggregate_forget(context *c, const rec_execution *body, const node *n) {
  int rc = 0;
  for (uint32_t i = 0; !rc && i < n->multi->n_aggregations; i++) {
    const aggregation *a = &n->multi->aggregations[i];
    const char *target;
    if (!a->create_overview) continue;
    rc = aggregation_target(c, a, body, n, &target);
    if (!rc) rc = variable_remove(c, body->parent, target, false);
  }
  return rc;
}
