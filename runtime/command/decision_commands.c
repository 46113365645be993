/* Finding a decision and its code, and recording what was decided. Lua decides:
 * lua/orrery/decision/. */
#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/null.h"
#include "engine/time_zone.h"
#include "base/options.h"
#include "command/operations.h"
#include "command/decisions.h"
#include "command/operands.h"
#include "engine/metrics.h"
#include "state/execution.h"
#include "state/history.h"
#include "state/numbers.h"
#include "query/results.h"
#include "uow/find.h"
#include "uow/source.h"

/* ---- Which decision -------------------------------------------------------------------------- */

typedef struct search {
  const orr_decision_options *options;
  orr_records **out;
} search;

static bool decision_fits(const orr_decision_options *o, const rec_decision *r) {
  if (o->deployment && r->deployment_id != o->deployment) return false;
  if (o->version && r->version != o->version) return false;
  return !o->version_tag || rec_text_is(r->version_tag, o->version_tag);
}

static bool of_tenant(const rec_decision *r, const char *tenant) {
  return *tenant ? rec_text_is(r->tenant, tenant) : r->tenant.size == 0;
}

/* Rows have the newest version first. Without a tenant: the decision of no tenant, else that of the
 * only tenant with the key. */
static int choose_decision(context *c, const orr_decision_options *o, const unit_found *found, rec_decision **out) {
  const rec_decision *first = NULL;
  bool several = false;
  for (size_t i = 0; i < found->count && !*out; i++) {
    rec_decision *r = (rec_decision *)found->items[i];
    if (!decision_fits(o, r)) continue;
    if (of_tenant(r, o->tenant ? o->tenant : "")) *out = r;
    several = several || (first && !rec_text_equal(first->tenant, r->tenant));
    if (!first) first = r;
  }
  if (*out || (o->tenant && !o->deployment)) return 0;
  if (several)
    return context_error(c, ORR_E_ARGUMENT, "several tenants have a decision \"%s\": say which one is meant", o->key);
  *out = (rec_decision *)(uintptr_t)first;
  return 0;
}

static int find_by(context *c, const orr_decision_options *o, enum rec_index index, rec_decision **out) {
  rec_key by = {.text = unit_textz(c->u, o->key)};
  unit_found found;
  int rc = unit_find_index(c->u, index, &by, 1, 0, &found, &c->error);
  return rc ? rc : choose_decision(c, o, &found, out);
}

static int no_decision(context *c, const orr_decision_options *o) {
  const char *version = o->version ? arena_printf(c->arena, ", version %" PRId64, o->version) : "";
  const char *tag = o->version_tag ? arena_printf(c->arena, ", version tag \"%s\"", o->version_tag) : "";
  const char *tenant = o->tenant ? arena_printf(c->arena, ", of tenant \"%s\"", o->tenant) : "";
  if (!version || !tag || !tenant) return context_memory(c);
  return context_error(c, ORR_E_NOT_FOUND, "there is no decision \"%s\"%s%s%s%s", o->key, version, tag, tenant,
                       o->deployment ? " in this deployment" : "");
}

/* By its key; when no decision has that, by its name. */
static int decision_body(context *c, void *ud) {
  const search *s = ud;
  rec_decision *r = NULL;
  int rc = operand_text(c, s->options->key, "a decision's key");
  if (!rc) rc = find_by(c, s->options, REC_INDEX_DECISION_KEY, &r);
  if (!rc && !r) rc = find_by(c, s->options, REC_INDEX_DECISION_NAME, &r);
  if (!rc && !r) rc = no_decision(c, s->options);
  if (rc) return rc;
  rec_head *items[] = {&r->head};
  return records_from(c, &rec_decision_type, items, 1, s->out, &c->error);
}

int orr_engine_decision_find(orr_engine *engine, const orr_decision_options *given, orr_records **out, orr_error *err) {
  REQUIRE_AS(given, "options");
  OUT_RECORDS(out);
  *out = NULL;
  orr_decision_options own;
  const orr_decision_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  search s = {options, out};
  return command_read(engine, decision_body, &s, err);
}

/* ---- Deleting --------------------------------------------------------------------------------- */

typedef struct deletion {
  orr_id id;
  bool cascade;
} deletion;

static int delete_decision_body(context *c, void *ud) {
  const deletion *what = ud;
  rec_decision *r = unit_decision(c->u, what->id, &c->error);
  if (!r) return c->error.code ? c->error.code : context_error(c, ORR_E_NOT_FOUND, "there is no decision %" PRIu64, what->id);
  user_operation done = operation_on_decision(r->deployment_id, "Delete");
  int rc = decision_delete(c, r, what->cascade);
  return rc ? rc : user_operation_texts(c, &done, "cascade", NULL, what->cascade ? "true" : "false");
}

int orr_engine_decision_delete(orr_engine *engine, orr_id decision, orr_cascade cascade, orr_error *err) {
  deletion what = {decision, cascade};
  return command_run(engine, delete_decision_body, &what, err);
}

/* ---- Its code -------------------------------------------------------------------------------- */

typedef struct code_request {
  orr_id deployment;
  const char *resource;
  orr_builder *out;
} code_request;

/* The DMN resources of a deployment as a map: a model may import any of them. */
static int put_models(context *c, orr_id deployment, orr_builder *b) {
  rec_key by = {.id = deployment};
  unit_found found;
  int rc = unit_find_keys(c->u, &rec_resource_type, &by, 1, &found, &c->error);
  orr_builder_map(b);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_resource *r = (const rec_resource *)found.items[i];
    if (!dmn_is_model(r->name.data, r->name.size)) continue;
    orr_value bytes = orr_bytes(r->bytes.data, r->bytes.size);
    orr_builder_key(b, r->name.data, r->name.size);
    orr_builder_add(b, &bytes);
  }
  orr_builder_end(b);
  return rc;
}

static int compile_stored(context *c, const code_request *q, const orr_value *resources) {
  problems found = {.arena = c->arena};
  dmn_options options = {.allocator = &c->engine->env.allocator, .dialect = (int)c->engine->config.dialect};
  dmn_compiled compiled;
  int rc = dmn_compile(resources, q->resource, &options, &found, &compiled, &c->error);
  if (rc) return rc;
  orr_value code = orr_bytes(compiled.code, compiled.size);
  orr_builder_add(q->out, &code);
  return 0;
}

static int code_body(context *c, void *ud) {
  const code_request *q = ud;
  orr_value resources;
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  int rc = put_models(c, q->deployment, b);
  if (!rc) rc = orr_builder_value(b, &resources, &c->error);
  if (!rc) rc = compile_stored(c, q, &resources);
  orr_builder_free(b);
  return rc;
}

int orr_engine_decision_code(orr_engine *engine, orr_id deployment, const char *resource, orr_builder *out, orr_error *err) {
  REQUIRE(resource);
  code_request q = {deployment, resource, out};
  return command_read(engine, code_body, &q, err);
}

int64_t orr_engine_changes(orr_engine *engine) {
  if (!engine) return -1;
  orr_error err = {0};
  const engine_thread *thread = engine_thread_get(engine, &err);
  orr_error_clear(&err);
  return thread && !thread->current ? (int64_t)unit_source_changes(engine->units) : -1;
}

/* ---- Without an engine ----------------------------------------------------------------------- */

static void put_answer(orr_builder *out, problems *found, const dmn_compiled *compiled) {
  orr_builder_map(out);
  orr_builder_key(out, "problems", strlen("problems"));
  problems_put(found, false, out);
  if (compiled->code) orr_builder_put(out, "code", orr_bytes(compiled->code, compiled->size));
  builder_put_given(out, "name", orr_string(compiled->name));
  orr_builder_end(out);
}

int orr_decision_compile(const orr_value *resources, const char *resource, bool lenient, orr_builder *out, orr_error *err) {
  REQUIRE(resources);
  REQUIRE(resource);
  orr_allocator allocator = {0};
  orr_arena *arena = arena_new(&allocator);
  if (!arena) return error_memory(err);
  problems found = {.arena = arena};
  dmn_options options = {.allocator = &allocator, .lenient = lenient};
  dmn_compiled compiled;
  orr_error failure = {0};
  int rc = dmn_compile(resources, resource, &options, &found, &compiled, &failure);
  if (!rc || rc == ORR_E_DEPLOYMENT) put_answer(out, &found, &compiled);
  if (rc && rc != ORR_E_DEPLOYMENT) error_move(err, &failure);
  orr_error_clear(&failure);
  arena_free(arena);
  return rc == ORR_E_DEPLOYMENT ? 0 : rc;
}

/* ---- Settings -------------------------------------------------------------------------------- */

static int zone_body(context *c, void *ud) {
  const orr_zone **zone = ud;
  *zone = time_zone(c);
  return c->error.code;
}

int orr_engine_decision_settings(orr_engine *engine, orr_builder *out, orr_error *err) {
  const orr_zone *zone = NULL;
  int rc = command_read(engine, zone_body, &zone, err);
  if (rc) return rc;
  orr_builder_map(out);
  orr_builder_put(out, "recorded", orr_bool(engine->config.history == ORR_HISTORY_FULL));
  builder_put_given(out, "time_zone", orr_string(zone_name(zone)));
  orr_builder_end(out);
  return 0;
}

void orr_engine_decisions_count(orr_engine *engine, int64_t decisions, int64_t elements) {
  if (!engine) return;
  if (decisions > 0) metrics_count(engine, METRIC_DECISIONS, (uint64_t)decisions);
  if (elements > 0) metrics_count(engine, METRIC_DECISION_ELEMENTS, (uint64_t)elements);
}

/* ---- History --------------------------------------------------------------------------------- */

typedef struct outcome {
  /* an array of maps: decision_id, decision_key, name, version, tenant, inputs, rules, outputs, result */
  const orr_value *rows;
  orr_id execution;
} outcome;

static rec_text text_at(context *c, const orr_value *row, const char *name) {
  orr_value text = orr_map_get(row, name);
  return text.type == ORR_STRING ? unit_text(c->u, text.as.bytes, text.size) : (rec_text){0};
}

static int64_t number_at(const orr_value *row, const char *name) {
  orr_value number = orr_map_get(row, name);
  return number.type == ORR_INT ? number.as.integer : 0;
}

static int value_at(context *c, const orr_value *row, const char *name, orr_value *out) {
  orr_value value = orr_map_get(row, name);
  return value_copy(c->arena, &value, out) ? context_memory(c) : 0;
}

/* Where it was asked for: an execution of an instance, or nowhere. */
static int fill_place(context *c, orr_id execution, rec_history_decision *r) {
  if (!execution) return 0;
  const rec_instance *instance = unit_instance(c->u, orr_id_instance(execution), &c->error);
  if (!instance) return c->error.code;
  r->execution_id = execution;
  r->definition_id = instance->definition_id;
  r->definition_key = instance->definition_key;
  rec_execution *e = orr_id_local(execution) == 1 ? NULL : unit_execution(c->u, execution, &c->error);
  const node *n = e && e->node ? execution_node(c, e) : NULL;
  r->activity_id = unit_textz(c->u, n ? n->id : NULL);
  return c->error.code;
}

/* A row of an instance is deleted with that. */
static int fill_removal(context *c, rec_history_decision *r) {
  const rec_decision *d = r->instance_id ? NULL : unit_decision(c->u, r->decision_id, &c->error);
  return d ? history_removal_time(c, d->history_time_to_live.data, &r->remove_at) : c->error.code;
}

static int write_row(context *c, const outcome *o, const orr_value *row, int64_t *root) {
  orr_id group = unit_new_group(c->u, &c->error);
  if (!group) return c->error.code;
  rec_history_decision key = {.instance_id = o->execution ? orr_id_instance(o->execution) : 0,
                              .number = (int64_t)orr_id_group(group)};
  rec_history_decision *r = unit_new_history_decision(c->u, &key);
  if (!r) return context_memory(c);
  bool older = store_level(c->engine->store) < STORE_LEVEL_SEQUENCE;
  if (key.instance_id) r->sequence = numbers_place(c, key.instance_id);
  else r->sequence = older ? 0 : key.number;
  if (r->sequence < 0) return c->error.code;
  if (!*root) *root = key.number;
  r->root_number = *root;
  r->decision_id = (orr_id)number_at(row, "decision_id");
  r->decision_key = text_at(c, row, "decision_key");
  r->name = text_at(c, row, "name");
  r->version = number_at(row, "version");
  r->tenant = text_at(c, row, "tenant");
  r->time = context_stamp(c);
  r->user = unit_textz(c->u, c->user);
  int rc = value_at(c, row, "inputs", &r->inputs);
  if (!rc) rc = value_at(c, row, "rules", &r->rules);
  if (!rc) rc = value_at(c, row, "outputs", &r->outputs);
  if (!rc) rc = value_at(c, row, "result", &r->result);
  if (!rc) rc = fill_removal(c, r);
  return rc ? rc : fill_place(c, o->execution, r);
}

static int record_body(context *c, void *ud) {
  const outcome *o = ud;
  int64_t root = 0;
  int rc = 0;
  orr_iterator at = orr_iterate(o->rows);
  orr_value row;
  user_operation what = operation_on_decision(0, "Evaluate");
  what.execution = o->execution;
  what.instance = o->execution ? orr_id_instance(o->execution) : 0;
  while (!rc && orr_next(&at, NULL, &row)) {
    bool asked_for = !root;
    rc = write_row(c, o, &row, &root);
    orr_value key = orr_map_get(&row, "decision_key");
    if (!rc && asked_for) rc = user_operation_log(c, &what, "decisionDefinitionKey", NULL, &key);
  }
  return rc;
}

int orr_engine_decisions_record(orr_engine *engine, const orr_value *rows, orr_id execution, orr_error *err) {
  REQUIRE(rows);
  outcome o = {rows, execution};
  return command_run(engine, record_body, &o, err);
}
