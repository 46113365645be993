/* Reading Camunda Forms. The checks of a component become those of a form field. What only form-js
 * can check, such as FEEL and JavaScript's patterns, is left to it. */
#include "command/form/schema.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/value.h"
#include "engine/engine.h"

bool schema_is_form(const char *name, size_t size) {
  return size > 5 && memcmp(name + size - 5, ".form", 5) == 0;
}

typedef struct schema {
  context *c;
  form_field *fields;
  uint32_t count, capacity;
} schema;

static const char *schema_text(schema *s, const orr_value *map, const char *name) {
  orr_value v = map->type == ORR_MAP ? orr_map_get(map, name) : (orr_value){0};
  bool text = v.type == ORR_STRING && v.size > 0 && !memchr(v.as.bytes, '\0', v.size);
  const char *copy = text ? arena_strndup(s->c->arena, v.as.bytes, v.size) : NULL;
  if (text && !copy) context_memory(s->c);
  return copy;
}

static bool schema_flag(const orr_value *map, const char *name) {
  orr_value v = map->type == ORR_MAP ? orr_map_get(map, name) : (orr_value){0};
  return v.type == ORR_BOOL && v.as.boolean;
}

/* Numbers, also as texts; what is neither, such as FEEL, is no limit here. */
static orr_value schema_number(const orr_value *map, const char *name, form_type type) {
  form_field number = form_field_of(name, type);
  orr_value v = map->type == ORR_MAP ? orr_map_get(map, name) : (orr_value){0}, out;
  orr_error ignored = {0};
  int rc = form_convert(&number, &v, NULL, NULL, &out, &ignored);
  orr_error_clear(&ignored);
  return rc || out.type == ORR_NULL ? (orr_value){0} : out;
}

/* ---- Components ------------------------------------------------------------------------------ */

static int read_choices(schema *s, const orr_value *component, form_field *f) {
  orr_value list = orr_map_get(component, "values"), item;
  if (list.type != ORR_ARRAY) return 0;
  size_t count = orr_count(&list);
  if (count > ORR_FORM_CHOICES_MAX)
    return context_error(s->c, ORR_E_ARGUMENT,
                         "field \"%.80s\" has %zu values; at most %d are allowed", f->id, count,
                         ORR_FORM_CHOICES_MAX);
  form_choice *items = ARENA_ARRAY(s->c->arena, form_choice, count + 1);
  if (!items) return context_memory(s->c);
  f->choices = items;
  orr_iterator it = orr_iterate(&list);
  while (orr_next(&it, NULL, &item)) {
    const char *id = schema_text(s, &item, "value"), *name = schema_text(s, &item, "label");
    if (id) items[f->n_choices++] = (form_choice){id, name ? name : id};
  }
  return s->c->error.code;
}

static int read_validation(schema *s, const orr_value *component, form_field *f) {
  orr_value rules = orr_map_get(component, "validate"),
            conditional = orr_map_get(component, "conditional");
  orr_value least = schema_number(&rules, "minLength", FORM_LONG),
            most = schema_number(&rules, "maxLength", FORM_LONG);
  f->required = schema_flag(&rules, "required") &&
                conditional.type != ORR_MAP; /* a hidden one cannot be filled in */
  f->readonly = schema_flag(component, "disabled") || schema_flag(component, "readonly");
  if (f->type == FORM_DOUBLE) f->min = schema_number(&rules, "min", FORM_DOUBLE);
  if (f->type == FORM_DOUBLE) f->max = schema_number(&rules, "max", FORM_DOUBLE);
  if (f->type == FORM_STRING && least.type == ORR_INT) f->min_length = least.as.integer;
  if (f->type == FORM_STRING && most.type == ORR_INT) f->max_length = most.as.integer;
  return s->c->error.code;
}

static int read_default(schema *s, const orr_value *component, form_field *f) {
  orr_value v = orr_map_get(component, "defaultValue"), text;
  form_field as_text = form_field_of(f->id, FORM_STRING);
  if (v.type == ORR_NIL || v.type == ORR_NULL || v.type == ORR_ARRAY || v.type == ORR_MAP) return 0;
  int rc = form_convert(&as_text, &v, NULL, s->c->arena, &text, &s->c->error);
  if (!rc)
    f->default_value = (expr){.kind = EXPR_LITERAL, .text = text.as.bytes, .size = text.size};
  return rc;
}

static const struct component_type {
  const char *name;
  form_type type;
  bool many;
} COMPONENT_TYPES[] = {
    {"textfield", FORM_STRING, false}, {"textarea", FORM_STRING, false},
    {"number", FORM_DOUBLE, false},    {"checkbox", FORM_BOOLEAN, false},
    {"radio", FORM_ENUM, false},       {"select", FORM_ENUM, false},
    {"checklist", FORM_ENUM, true},    {"taglist", FORM_ENUM, true},
    {"datetime", FORM_STRING, false},
};

static const struct component_type *component_type_named(const char *name) {
  for (size_t i = 0; name && i < sizeof COMPONENT_TYPES / sizeof *COMPONENT_TYPES; i++)
    if (strcmp(COMPONENT_TYPES[i].name, name) == 0) return &COMPONENT_TYPES[i];
  return NULL;
}

/* A key with dots stands for a value within another, and a second field of a key shows the same
 * value. */
static int read_component(schema *s, const orr_value *component) {
  const char *name = schema_text(s, component, "type"), *key = schema_text(s, component, "key");
  const struct component_type *type = component_type_named(name);
  if (s->c->error.code || !type || !key || strchr(key, '.')) return s->c->error.code;
  if (form_field_named(s->fields, s->count, key, strlen(key))) return 0;
  if (s->count == ORR_FORM_FIELDS_MAX)
    return context_error(s->c, ORR_E_ARGUMENT, "the form has more than %d fields",
                         ORR_FORM_FIELDS_MAX);
  if (!ARENA_ROOM(s->c->arena, s->fields, s->count, s->capacity, 16)) return context_memory(s->c);
  form_field *f = &s->fields[s->count];
  *f = form_field_of(key, type->type);
  f->type_name = name;
  f->many = type->many;
  f->label = schema_text(s, component, "label");
  int rc = f->type == FORM_ENUM ? read_choices(s, component, f) : 0;
  if (f->type == FORM_ENUM && f->n_choices == 0)
    f->type = FORM_ANY; /* choices that come from a variable or an expression */
  if (!rc) rc = read_validation(s, component, f);
  if (!rc) rc = read_default(s, component, f);
  s->count++;
  return rc;
}

/* Groups of fields nest no deeper than JSON does. What has a path of its own nests its values. */
static int read_components(schema *s, const orr_value *list) {
  orr_iterator it = orr_iterate(list);
  orr_value component;
  int rc = 0;
  while (!rc && list->type == ORR_ARRAY && orr_next(&it, NULL, &component)) {
    if (component.type != ORR_MAP) continue;
    orr_value inner = orr_map_get(&component, "components"), path = orr_map_get(&component, "path");
    bool nests = path.type == ORR_STRING && path.size > 0;
    if (inner.type == ORR_ARRAY) rc = nests ? 0 : read_components(s, &inner);
    else rc = read_component(s, &component);
  }
  return rc;
}

/* ---- The form -------------------------------------------------------------------------------- */

static int read_schema(context *c, const char *text, size_t size, orr_value *out) {
  int rc = json_value(c->arena, &c->engine->env.allocator, text, size, out, &c->error);
  if (rc) return rc;
  return out->type == ORR_MAP ? 0
                              : context_error(c, ORR_E_ARGUMENT, "a Camunda Form is a JSON object");
}

int schema_id(context *c, const char *text, size_t size, const char **out) {
  orr_value root;
  schema s = {.c = c};
  *out = NULL;
  int rc = read_schema(c, text, size, &root);
  if (!rc) *out = schema_text(&s, &root, "id");
  if (rc == ORR_E_MEMORY || c->error.code == ORR_E_MEMORY) return ORR_E_MEMORY;
  orr_error_clear(&c->error);
  return 0;
}

int schema_fields(context *c, const char *text, size_t size, const form_field **out, uint32_t *n) {
  orr_value root;
  schema s = {.c = c};
  int rc = read_schema(c, text, size, &root);
  if (rc) return rc;
  orr_value list = orr_map_get(&root, "components");
  rc = read_components(&s, &list);
  *out = s.fields;
  *n = s.count;
  return rc;
}
