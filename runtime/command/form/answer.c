/* A form's values. A field has the submitted value; else the value of its variable, which stays;
 * else its default, which is set. All three must meet its constraints, except the variable of a
 * read-only field, which nobody who fills in the form could correct. */
#include "command/form/answer.h"

#include <string.h>

#include "base/value.h"
#include "command/form/field_index.h"
#include "command/lookup.h"
#include "engine/time_zone.h"
#include "state/expression.h"
#include "state/variable.h"

typedef enum value_origin {
  FROM_NOWHERE,
  FROM_VARIABLE,
  FROM_EXPRESSION,
  FROM_DEFAULT
} value_origin;

typedef struct form_reading {
  context *c;
  const form_source *form;
  const orr_zone *zone;
} form_reading;

static int reading_begin(context *c, const form_source *f, form_reading *out) {
  *out = (form_reading){c, f, time_zone(c)};
  return out->zone ? 0 : c->error.code;
}

/* An expression that completes the task, say, leaves nothing to submit. */
static int evaluate_for_form(const form_reading *r, const expr *e, orr_value *out) {
  const rec_task *t = r->form->task;
  if (!t) return expr_value_over(r->c, e, NULL, out);
  orr_id id = t->id;
  int rc = expr_value(r->c, e, t->execution_id, r->form->at, out);
  return !rc && !lookup_task(r->c, id) ? r->c->error.code : rc;
}

/* What a field has before anybody enters anything; NIL: nothing. */
static int unfilled_value(const form_reading *r, const form_field *f, orr_value *out,
                          value_origin *origin) {
  int rc = 0;
  *origin = FROM_NOWHERE;
  *out = (orr_value){0};
  if (expr_given(&f->expression)) {
    *origin = FROM_EXPRESSION;
    rc = evaluate_for_form(r, &f->expression, out);
  } else if (r->form->task) {
    *origin = FROM_VARIABLE;
    rc = variable_get(r->c, r->form->task->id, f->variable, out);
  }
  if (!rc && out->type == ORR_NIL && expr_given(&f->default_value)) {
    *origin = FROM_DEFAULT;
    rc = evaluate_for_form(r, &f->default_value, out);
  }
  if (!rc && out->type == ORR_NIL) *origin = FROM_NOWHERE;
  return rc;
}

/* The same, as the field's type keeps it. */
static int current_value(const form_reading *r, const form_field *f, orr_value *out,
                         value_origin *origin) {
  orr_value raw;
  int rc = unfilled_value(r, f, &raw, origin);
  return rc ? rc : form_convert(f, &raw, r->zone, r->c->arena, out, &r->c->error);
}

/* ---- Describing ------------------------------------------------------------------------------ */

static void describe_text(orr_builder *b, const char *key, const char *text) {
  if (text) orr_builder_put(b, key, orr_string(text));
}

static void describe_choices(orr_builder *b, const form_field *f) {
  if (f->type != FORM_ENUM) return;
  orr_builder_key(b, "values", strlen("values"));
  orr_builder_array(b);
  for (uint32_t i = 0; i < f->n_choices; i++) {
    orr_builder_map(b);
    describe_text(b, "id", f->choices[i].id);
    describe_text(b, "name", f->choices[i].name);
    orr_builder_end(b);
  }
  orr_builder_end(b);
}

static void describe_constraints(orr_builder *b, const form_field *f) {
  orr_builder_key(b, "constraints", strlen("constraints"));
  orr_builder_array(b);
  for (uint32_t i = 0; i < f->n_constraints; i++) {
    orr_builder_map(b);
    describe_text(b, "name", f->constraints[i].name);
    describe_text(b, "config", f->constraints[i].config);
    orr_builder_end(b);
  }
  orr_builder_end(b);
}

static void describe_properties(orr_builder *b, const form_field *f) {
  orr_builder_key(b, "properties", strlen("properties"));
  orr_builder_map(b);
  for (uint32_t i = 0; i < f->n_properties; i++)
    describe_text(b, f->properties[i].name, f->properties[i].value);
  orr_builder_end(b);
}

static int describe_shown(const form_reading *r, const form_field *f, orr_builder *b,
                          const char *key, const orr_value *value) {
  orr_value shown;
  if (value->type == ORR_NIL || value->type == ORR_NULL) return 0;
  int rc = form_show(f, value, r->zone, r->c->arena, &shown, &r->c->error);
  if (!rc) orr_builder_put(b, key, shown);
  return rc;
}

/* Only what makes every answer impossible fails the whole form. */
static bool is_own_failure(int rc) {
  return rc == ORR_E_ARGUMENT || rc == ORR_E_EXPRESSION || rc == ORR_E_SCRIPT ||
         rc == ORR_E_BPMN_ERROR || rc == ORR_E_STATE || rc == ORR_E_NOT_FOUND;
}

static int describe_field_value(const form_reading *r, const form_field *f, orr_builder *b) {
  context *c = r->c;
  orr_value value = {0};
  value_origin origin;
  int rc = current_value(r, f, &value, &origin);
  if (!rc) rc = describe_shown(r, f, b, "value", &value);
  if (!rc && origin == FROM_DEFAULT) rc = describe_shown(r, f, b, "default", &value);
  if (!rc && origin != FROM_NOWHERE && !(f->readonly && origin != FROM_DEFAULT))
    rc = form_check(f, &value, &c->error);
  if (!rc || !is_own_failure(rc)) return rc;
  describe_text(b, "error", c->error.message ? c->error.message : orr_strerror(rc));
  orr_error_clear(&c->error);
  c->failed_at = NULL;
  return 0;
}

static int describe_field(const form_reading *r, const form_field *f, orr_builder *b) {
  orr_builder_map(b);
  describe_text(b, "id", f->id);
  describe_text(b, "label", f->label);
  describe_text(b, "type", f->type_name);
  describe_text(b, "variable", f->variable);
  describe_text(b, "date_pattern", f->type == FORM_DATE ? f->date_pattern : NULL);
  orr_builder_put(b, "required", orr_bool(f->required));
  orr_builder_put(b, "readonly", orr_bool(f->readonly));
  describe_choices(b, f);
  describe_constraints(b, f);
  describe_properties(b, f);
  int rc = describe_field_value(r, f, b);
  orr_builder_end(b);
  return rc;
}

static void describe_reference(orr_builder *b, const form_source *f) {
  if (!f->reference) return;
  orr_builder_key(b, "reference", strlen("reference"));
  orr_builder_map(b);
  describe_text(b, "key", f->reference);
  describe_text(b, "binding", form_binding_name(f->binding));
  if (f->binding == FORM_VERSION) orr_builder_put(b, "version", orr_int(f->version));
  orr_builder_end(b);
}

int form_describe(context *c, const form_source *f, orr_builder *out) {
  form_reading r;
  int rc = reading_begin(c, f, &r);
  if (rc) return rc;
  orr_builder_map(out);
  describe_text(out, "key", f->key);
  describe_reference(out, f);
  describe_text(out, "business_key", f->business_key);
  if (f->deployment) orr_builder_put(out, "deployment_id", orr_int((int64_t)f->deployment));
  describe_text(out, "resource", f->resource);
  orr_builder_key(out, "fields", strlen("fields"));
  orr_builder_array(out);
  for (uint32_t i = 0; i < f->n_fields && !rc; i++)
    if (!f->fields[i].hidden) rc = describe_field(&r, &f->fields[i], out);
  orr_builder_end(out);
  orr_builder_end(out);
  return rc;
}

/* ---- Taking ---------------------------------------------------------------------------------- */

/* The business key is what was entered, as the form shows it. */
static int take_key(const form_reading *r, const form_field *f, const orr_value *given,
                    const orr_value *value, form_answer *out) {
  context *c = r->c;
  orr_value shown = *given, text;
  form_field as_text = form_field_of(f->id, FORM_STRING);
  if (!r->form->business_key || strcmp(r->form->business_key, f->id) != 0) return 0;
  if (value->type == ORR_NIL || value->type == ORR_NULL) return 0;
  int rc =
      given->type == ORR_STRING ? 0 : form_show(f, value, r->zone, c->arena, &shown, &c->error);
  if (!rc) rc = form_convert(&as_text, &shown, r->zone, c->arena, &text, &c->error);
  if (rc || text.size == 0) return rc;
  out->business_key = context_text(c, &text, "a business key");
  return out->business_key ? 0 : c->error.code;
}

static int take_missing(const form_reading *r, const form_field *f, orr_builder *b,
                        form_answer *out) {
  context *c = r->c;
  orr_value raw, value, none = {0};
  value_origin origin;
  int rc = unfilled_value(r, f, &raw, &origin);
  if (rc)
    return error_wrap(&c->error, "field \"%.*s\"", form_shown_size(f->id, strlen(f->id), 80),
                      f->id);
  if (f->readonly && origin != FROM_DEFAULT) return 0;
  rc = form_convert(f, &raw, r->zone, c->arena, &value, &c->error);
  if (!rc) rc = form_check(f, &value, &c->error);
  if (rc || origin != FROM_DEFAULT) return rc;
  builder_put_given(b, f->variable, value);
  return take_key(r, f, &none, &value, out);
}

static int take_given(const form_reading *r, const form_field *f, const orr_value *given,
                      orr_builder *b, form_answer *out) {
  context *c = r->c;
  orr_value value;
  if (f->readonly) return form_refuse(f, "readonly", &c->error, "it can be read, not changed");
  int rc = form_convert(f, given, r->zone, c->arena, &value, &c->error);
  if (!rc) rc = form_check(f, &value, &c->error);
  if (rc) return rc;
  value.transient = given->transient;
  orr_builder_put(b, f->variable, value);
  return take_key(r, f, given, &value, out);
}

/* A value without a field becomes a variable of its name, unless that is the variable of a
 * field. */
static int take_other(const form_reading *r, const field_index *index, const orr_value *name,
                      const orr_value *value, orr_builder *b) {
  const form_field *f = field_index_by_variable(index, name->as.bytes, name->size);
  if (f)
    return form_refuse(f, "variable", &r->c->error,
                       "\"%.*s\" is its variable; it is set by the field alone",
                       form_shown_size(f->variable, strlen(f->variable), 60), f->variable);
  orr_builder_key(b, name->as.bytes, name->size);
  orr_builder_add(b, value);
  return 0;
}

static int take_others(const form_reading *r, const field_index *index, const orr_value *submitted,
                       orr_builder *b) {
  orr_value name, value;
  int rc = 0;
  orr_iterator it = orr_iterate(submitted);
  while (!rc && orr_next(&it, &name, &value))
    if (!field_index_by_id(index, name.as.bytes, name.size))
      rc = take_other(r, index, &name, &value, b);
  return rc;
}

/* What was submitted for each field, in the form's order; NULL when memory is out. */
static const orr_value *values_of_fields(const form_reading *r, const field_index *index,
                                         const orr_value *submitted) {
  orr_value name, value;
  orr_value *out = ARENA_ARRAY(r->c->arena, orr_value, r->form->n_fields);
  if (!out || !submitted || submitted->type != ORR_MAP) return out;
  orr_iterator it = orr_iterate(submitted);
  while (orr_next(&it, &name, &value)) {
    const form_field *f = field_index_by_id(index, name.as.bytes, name.size);
    if (f) out[f - r->form->fields] = value;
  }
  return out;
}

static int take_values(const form_reading *r, const orr_value *submitted, orr_builder *b,
                       form_answer *out) {
  const form_source *form = r->form;
  field_index index;
  bool made = field_index_make(form->fields, form->n_fields, r->c->arena, &index);
  const orr_value *given = made ? values_of_fields(r, &index, submitted) : NULL;
  int rc = 0;
  if (!made || !given) return context_memory(r->c);
  for (uint32_t i = 0; i < form->n_fields && !rc; i++) {
    const form_field *f = &form->fields[i];
    rc = given[i].type == ORR_NIL ? take_missing(r, f, b, out)
                                  : take_given(r, f, &given[i], b, out);
  }
  if (rc || !submitted || submitted->type != ORR_MAP) return rc;
  return take_others(r, &index, submitted, b);
}

int form_take(context *c, const form_source *f, const orr_value *submitted, form_answer *out) {
  form_reading r;
  *out = (form_answer){0};
  int rc = reading_begin(c, f, &r);
  if (rc) return rc;
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  rc = take_values(&r, submitted, b, out);
  orr_builder_end(b);
  if (!rc) rc = builder_copy(b, c->arena, &out->variables, &c->error);
  orr_builder_free(b);
  return rc;
}
