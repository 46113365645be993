/* Parsing all models of a deployment before any of them is refused, so that the caller sees all problems at once. */
#include "command/deploy/models.h"

#include <stdio.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "command/form/schema.h"
#include "model/names.h"

static bool ends_with(const char *name, size_t size, const char *suffix) {
  size_t n = strlen(suffix);
  return size >= n && memcmp(name + size - n, suffix, n) == 0;
}

/* *.bpmn and *.bpmn20.xml are models; everything else, *.bpmn.xml too, is a plain resource. */
bool resource_is_model(const char *name, size_t size) {
  return ends_with(name, size, ".bpmn") || ends_with(name, size, ".bpmn20.xml");
}

bool resource_is_module(const char *name, size_t size) { return ends_with(name, size, ".lua"); }

/* ---- Parsing --------------------------------------------------------------------------------- */

static int check_script(void *ud, const char *code, size_t size, int *line, orr_error *err) {
  context *c = ud;
  host *h = c->engine->host;
  return h->methods->check_script(h, code, size, line, err);
}

static bool known_task_type(void *ud, const char *name) {
  context *c = ud;
  host *h = c->engine->host;
  return h && h->methods->known_task_type(h, name);
}

static bool known_calendar(void *ud, const char *name) {
  context *c = ud;
  return c->host && c->host->methods->known_name(c->host, name);
}

static int keep_model(context *c, parsed_models *out, definition *d) {
  if (!ARENA_ROOM(c->arena, out->items, out->count, out->capacity, 8)) {
    definition_release(d);
    return context_memory(c);
  }
  out->items[out->count++] = d;
  return 0;
}

static int parse_one(context *c, const char *name, const orr_value *bytes, const model_options *options, parsed_models *out) {
  model parsed = {0};
  int rc = model_parse(name, bytes->as.bytes, bytes->size, options, &out->problems, &parsed, &c->error);
  if (rc == ORR_E_DEPLOYMENT) {
    orr_error_clear(&c->error); /* told by the problems, together with those of the other resources */
    return 0;
  }
  for (uint32_t i = 0; i < parsed.count; i++) {
    int kept = keep_model(c, out, parsed.items[i]);
    if (kept != 0 && !rc) rc = kept;
  }
  return rc;
}

/* One process id can be deployed once at a time: its versions would have no order. */
static int check_process_ids(context *c, parsed_models *models) {
  names seen = {.arena = c->arena};
  for (uint32_t i = 0; i < models->count; i++) {
    definition *d = models->items[i];
    const definition *other = names_get(&seen, d->key);
    const problem_place at = {d->resource, d->process->line, 0, d->key};
    if (!other && !names_put(&seen, d->key, d)) return context_memory(c);
    if (other)
      problems_add(&models->problems, false, &at, "process id \"%s\" is used twice in this deployment: in \"%s\" and in \"%s\"",
                   d->key, other->resource, d->resource);
  }
  return 0;
}

/* ---- Decisions ------------------------------------------------------------------------------- */

static int compile_decisions(context *c, const orr_value *resources, const char *name, parsed_models *out) {
  parsed_decisions *one = arena_zalloc(c->arena, sizeof *one);
  if (!one) return context_memory(c);
  dmn_options options = {
      .allocator = &c->engine->env.allocator,
      .dialect = (int)c->engine->config.dialect,
      .check_script = c->engine->host ? check_script : NULL,
      .ud = c,
  };
  one->resource = name;
  int rc = dmn_compile(resources, name, &options, &out->problems, &one->compiled, &c->error);
  if (!rc) {
    if (out->last_decisions) out->last_decisions->next = one;
    else out->decisions = one;
    out->last_decisions = one;
  }
  if (rc == ORR_E_DEPLOYMENT) orr_error_clear(&c->error); /* told by the problems */
  return rc == ORR_E_DEPLOYMENT ? 0 : rc;
}

/* A key can be deployed once at a time: its versions would have no order. */
static int check_decision_keys(context *c, parsed_models *models) {
  names seen = {.arena = c->arena};
  for (parsed_decisions *d = models->decisions; d; d = d->next)
    for (uint32_t i = 0; i < d->compiled.n_declared; i++) {
      const dmn_declared *declared = &d->compiled.declared[i];
      const parsed_decisions *other = names_get(&seen, declared->key);
      const problem_place at = {d->resource, declared->line, 0, declared->key};
      if (!other && !names_put(&seen, declared->key, d)) return context_memory(c);
      if (other)
        problems_add(&models->problems, false, &at,
                     "decision id \"%s\" is used twice in this deployment: in \"%s\" and in \"%s\"", declared->key,
                     other->resource, d->resource);
      if (strlen(declared->key) > ORR_ID_BYTES_MAX)
        problems_add(&models->problems, false, &at, "the decision's id has %zu bytes; the limit is %d", strlen(declared->key),
                     ORR_ID_BYTES_MAX);
    }
  return 0;
}

/* What cannot be read is deployed all the same: no task may use it. */
static int check_form(context *c, const char *name, const orr_value *bytes, parsed_models *out) {
  const form_field *fields;
  uint32_t n;
  const problem_place at = {name, 1, 0, NULL};
  int rc = schema_fields(c, bytes->as.bytes, bytes->size, &fields, &n);
  if (!rc || rc == ORR_E_MEMORY) return rc;
  problems_add(&out->problems, true, &at, "it cannot be read as a Camunda Form: %s",
               c->error.message ? c->error.message : orr_strerror(rc));
  orr_error_clear(&c->error);
  return 0;
}

int models_parse(context *c, const orr_value *resources, parsed_models *out) {
  *out = (parsed_models){.problems = {.arena = c->arena}};
  model_options options = {
      .allocator = &c->engine->env.allocator,
      .dialect = (int)c->engine->config.dialect,
      .resources = resources,
      .check_script = c->engine->host ? check_script : NULL,
      .ud = c,
      .known_task_type = known_task_type,
      .known_calendar = known_calendar,
      .now = c->now,
  };
  orr_iterator at = orr_iterate(resources);
  orr_value key, bytes;
  while (orr_next(&at, &key, &bytes)) {
    bool process = resource_is_model(key.as.bytes, key.size);
    bool form = schema_is_form(key.as.bytes, key.size);
    if (!process && !form && !dmn_is_model(key.as.bytes, key.size)) continue;
    const char *name = context_text(c, &key, "the name of a resource");
    int rc = name ? 0 : c->error.code;
    if (!rc && form) rc = check_form(c, name, &bytes, out);
    else if (!rc) rc = process ? parse_one(c, name, &bytes, &options, out) : compile_decisions(c, resources, name, out);
    if (rc) return rc;
  }
  int rc = check_process_ids(c, out);
  return rc ? rc : check_decision_keys(c, out);
}

void models_release(parsed_models *models) {
  for (uint32_t i = 0; i < models->count; i++) definition_release(models->items[i]);
  models->count = 0;
}

/* ---- Problems -------------------------------------------------------------------------------- */

static void put_problem(orr_builder *b, const problem *p) {
  orr_builder_map(b);
  builder_put_given(b, "resource", orr_string(p->resource));
  if (p->line != 0) orr_builder_put(b, "line", orr_int(p->line));
  if (p->column != 0) orr_builder_put(b, "column", orr_int(p->column));
  builder_put_given(b, "element", orr_string(p->element));
  builder_put_given(b, "message", orr_string(p->message));
  if (p->more) orr_builder_put(b, "more", orr_int(p->more));
  orr_builder_put(b, "severity", orr_string(p->warning ? "warning" : "error"));
  if (p->warning) orr_builder_put(b, "warning", orr_bool(true));
  orr_builder_end(b);
}

/* The last error counts those for which the list had no room. */
static void count_left_out(problems *all) {
  uint32_t told = 0;
  problem *last = NULL;
  for (uint32_t i = 0; i < all->count; i++) {
    if (all->items[i].warning) continue;
    last = &all->items[i];
    told += 1 + last->more;
  }
  if (last && told < all->errors) last->more += all->errors - told;
}

void problems_put(problems *all, bool warnings_only, orr_builder *out) {
  problems_count_kinds(all);
  count_left_out(all);
  orr_builder_array(out);
  for (uint32_t i = 0; i < all->count; i++)
    if (!warnings_only || all->items[i].warning) put_problem(out, &all->items[i]);
  orr_builder_end(out);
}

static const problem *first_error(const problems *all) {
  for (uint32_t i = 0; i < all->count; i++)
    if (!all->items[i].warning) return &all->items[i];
  return NULL;
}

static int say_first(context *c, const problems *all) {
  const problem *first = first_error(all);
  if (!first) return context_error(c, ORR_E_DEPLOYMENT, "the resources cannot be deployed");
  char more[64] = "";
  if (all->errors > 1) snprintf(more, sizeof more, " (and %u more)", all->errors - 1);
  const char *element = first->element ? first->element : "";
  return context_error(c, ORR_E_DEPLOYMENT, "%s:%d: %s%s%s%s", first->resource, first->line, element, *element ? ": " : "",
                       first->message, more);
}

int models_refuse(context *c, parsed_models *models) {
  int rc = say_first(c, &models->problems);
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_value list;
  problems_put(&models->problems, false, b);
  if (orr_builder_value(b, &list, NULL) || error_detail(&c->error, "problems", &list)) rc = context_memory(c);
  orr_builder_free(b);
  return rc;
}
