/* Forms of user tasks and start events: <formData> with its fields, <formProperty>, and references
 * to Camunda Forms. */
#include "model/form.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "model/parse/parse_internal.h"
#include "time/date_pattern.h"

/* Says what is wrong with a field, in the words of the function that found it. */
static void report_error(parser *p, bool warning, const xml_element *e, const xml_attribute *a,
                         orr_error *err) {
  int line = a ? a->line : e->line, column = a ? a->column : e->column;
  parse_report(p, warning, e, line, column, "%s",
               err->message ? err->message : orr_strerror(err->code));
  orr_error_clear(err);
}

/* ---- Types ----------------------------------------------------------------------------------- */

/* False: it has no id, or that of another choice, which is reported. */
static bool parse_choice(parser *p, const xml_element *v, const form_field *f, form_choice *out) {
  const char *id = any_text(p, v, "id"), *name = any_text(p, v, "name");
  if (!id) parse_error(p, v, NULL, "a <value> of field \"%s\" has no id", f->id);
  for (uint32_t i = 0; id && i < f->n_choices; i++) {
    if (strcmp(f->choices[i].id, id) != 0) continue;
    parse_error(p, v, NULL, "field \"%s\" has the value \"%s\" twice", f->id, id);
    return false;
  }
  *out = (form_choice){id, name ? name : id};
  return id;
}

static void parse_choices(parser *p, const xml_element *e, form_field *f) {
  uint32_t count = 0;
  for (const xml_element *v = NULL; (v = child_next(e, v, "value"));) count++;
  if (count == 0)
    parse_warning(p, e, NULL, "field \"%s\" is an enum without a <value>: nothing can be chosen",
                  f->id);
  if (count > ORR_FORM_CHOICES_MAX) {
    parse_error(p, e, NULL, "field \"%s\" has %u values; at most %d are allowed", f->id, count,
                ORR_FORM_CHOICES_MAX);
    count = ORR_FORM_CHOICES_MAX;
  }
  form_choice *items = PARSE_ARRAY(p, form_choice, count);
  f->choices = items;
  for (const xml_element *v = NULL; f->n_choices < count && (v = child_next(e, v, "value"));)
    if (parse_choice(p, v, f, &items[f->n_choices])) f->n_choices++;
}

static void parse_date_pattern(parser *p, const xml_element *e, form_field *f) {
  const char *pattern = any_text(p, e, "datePattern");
  orr_error err = {0};
  f->date_pattern = FORM_DATE_PATTERN;
  if (!pattern) return;
  if (date_pattern_check(pattern, &err))
    report_error(p, false, e, any_attribute(e, "datePattern"), &err);
  else f->date_pattern = pattern;
}

static void parse_field_type(parser *p, const xml_element *e, form_field *f, bool needed) {
  const char *name = any_text(p, e, "type");
  f->type_name = name;
  f->type = FORM_ANY;
  if (!name && needed) parse_error(p, e, NULL, "field \"%s\" must have a type", f->id);
  if (name && !form_type_named(name, &f->type)) {
    f->type = FORM_ANY;
    parse_error(p, e, any_attribute(e, "type"),
                "field \"%s\" is of the unknown type \"%.60s\"; the types are string, long, "
                "double, boolean, date, enum",
                f->id, name);
  }
  if (f->type == FORM_ENUM) parse_choices(p, e, f);
  if (f->type == FORM_DATE) parse_date_pattern(p, e, f);
}

/* ---- Constraints ----------------------------------------------------------------------------- */

static void parse_bound(parser *p, const xml_element *e, const form_field *f,
                        const form_constraint *c, orr_value *out) {
  orr_error err = {0};
  orr_value text = orr_string(c->config ? c->config : "");
  if (f->type != FORM_LONG && f->type != FORM_DOUBLE) {
    parse_error(p, e, NULL, "%s of field \"%s\" is for numbers: types long and double", c->name,
                f->id);
  } else if (form_convert(f, &text, NULL, p->arena, out, &err) || out->type == ORR_NULL) {
    *out = (orr_value){0};
    orr_error_clear(&err);
    parse_error(p, e, NULL, "%s of field \"%s\" is \"%.60s\", which is no number of its type",
                c->name, f->id, text.as.bytes);
  }
}

static void parse_length(parser *p, const xml_element *e, const form_field *f,
                         const form_constraint *c, int64_t *out) {
  int64_t n = -1;
  if (f->type != FORM_STRING && f->type != FORM_ANY) {
    parse_error(p, e, NULL, "%s of field \"%s\" is for texts: type string", c->name, f->id);
  } else if (!c->config || !parse_integer(c->config, &n) || n < 0) {
    parse_error(p, e, NULL, "%s of field \"%s\" is \"%.60s\"; it must be a whole number from 0 on",
                c->name, f->id, c->config ? c->config : "");
  } else {
    *out = n;
  }
}

/* `required` and `readonly` hold whatever their config says, but for "false". */
static bool constraint_holds(const form_constraint *c) {
  return !c->config || strcmp(c->config, "false") != 0;
}

static void parse_constraint(parser *p, const xml_element *e, const form_constraint *c,
                             form_field *f) {
  if (strcmp(c->name, "required") == 0) f->required = constraint_holds(c);
  else if (strcmp(c->name, "readonly") == 0) f->readonly = constraint_holds(c);
  else if (strcmp(c->name, "min") == 0) parse_bound(p, e, f, c, &f->min);
  else if (strcmp(c->name, "max") == 0) parse_bound(p, e, f, c, &f->max);
  else if (strcmp(c->name, "minlength") == 0) parse_length(p, e, f, c, &f->min_length);
  else if (strcmp(c->name, "maxlength") == 0) parse_length(p, e, f, c, &f->max_length);
  else if (strcmp(c->name, "validator") == 0)
    parse_warning(p, e, NULL,
                  "the validator \"%.60s\" of field \"%s\" is not called: check its variable in a "
                  "task listener",
                  c->config ? c->config : "", f->id);
  else
    parse_error(p, e, NULL,
                "field \"%s\" has the unknown constraint \"%.60s\"; there are required, readonly, "
                "min, max, minlength, "
                "maxlength and validator",
                f->id, c->name);
}

/* Bounds between which no value lies are reported, and bound nothing. */
static void check_limits(parser *p, const xml_element *e, form_field *f) {
  orr_error err = {0};
  form_field upper = *f;
  upper.min = (orr_value){0};
  bool crossed =
      f->min.type != ORR_NIL && f->max.type != ORR_NIL && form_check(&upper, &f->min, &err);
  orr_error_clear(&err);
  if (crossed) {
    parse_error(p, e, NULL, "min of field \"%s\" is above its max: no value fits", f->id);
    f->min = f->max = (orr_value){0};
  }
  if (f->min_length >= 0 && f->max_length >= 0 && f->min_length > f->max_length) {
    parse_error(p, e, NULL, "minlength of field \"%s\" is above its maxlength: no value fits",
                f->id);
    f->min_length = f->max_length = -1;
  }
}

static void parse_constraints(parser *p, const xml_element *e, form_field *f) {
  const xml_element *box = child_next(e, NULL, "validation");
  uint32_t count = 0;
  for (const xml_element *c = NULL; box && (c = child_next(box, c, "constraint"));) count++;
  if (count == 0) return;
  form_constraint *items = PARSE_ARRAY(p, form_constraint, count);
  f->constraints = items;
  for (const xml_element *c = NULL; (c = child_next(box, c, "constraint"));) {
    form_constraint one = {any_text(p, c, "name"), any_text(p, c, "config")};
    if (!one.name) {
      parse_error(p, c, NULL, "a <constraint> of field \"%s\" has no name", f->id);
      continue;
    }
    items[f->n_constraints++] = one;
    parse_constraint(p, c, &one, f);
  }
  check_limits(p, e, f);
}

/* ---- Defaults -------------------------------------------------------------------------------- */

/* What an expression gives is looked at when the form is shown or submitted. */
static void parse_default(parser *p, const xml_element *e, const char *attribute, form_field *f) {
  const xml_attribute *a = any_attribute(e, attribute);
  orr_error err = {0};
  orr_value value;
  if (!a) return;
  parse_expr_attribute(p, e, a, &f->default_value);
  if (f->default_value.kind != EXPR_LITERAL) return;
  orr_value text = orr_bytes(f->default_value.text, f->default_value.size);
  int rc = form_convert(f, &text, NULL, p->arena, &value, &err);
  if (!rc) rc = form_check(f, &value, &err);
  if (rc == ORR_E_MEMORY) {
    orr_error_clear(&err);
    parse_memory(p);
  }
  if (!rc) return;
  error_wrap(&err, "the default cannot be taken");
  report_error(p, true, e, a, &err);
}

/* ---- Fields ---------------------------------------------------------------------------------- */

/* False: it has no id, which is reported. */
static bool begin_field(parser *p, const xml_element *e, const char *label, form_field *out) {
  const char *id = any_text(p, e, "id");
  *out = form_field_of(id, FORM_ANY);
  out->line = e->line;
  out->label = any_text(p, e, label);
  if (!id) parse_error(p, e, NULL, "a <%s> has no id", e->name);
  return id;
}

static bool parse_form_field(parser *p, const xml_element *e, form_field *f) {
  if (!begin_field(p, e, "label", f)) return false;
  parse_field_type(p, e, f, true);
  parse_constraints(p, e, f);
  parse_default(p, e, "defaultValue", f);
  parse_property_list(p, child_next(e, NULL, "properties"), &f->properties, &f->n_properties);
  return true;
}

/* What an expression that is more than a variable gives can be shown, but nothing can be written to
 * it. */
static void parse_variable(parser *p, const xml_element *e, form_field *f) {
  const char *variable = any_text(p, e, "variable");
  const xml_attribute *a = any_attribute(e, "expression");
  if (variable) f->variable = variable;
  if (variable || !a) return;
  parse_expr_attribute(p, e, a, &f->expression);
  if (f->expression.kind == EXPR_VARIABLE) {
    f->variable = f->expression.name;
    f->expression = (expr){0};
  } else if (!f->readonly) {
    parse_warning(p, e, a,
                  "field \"%s\" cannot be written to the expression \"%.60s\": it is only shown",
                  f->id, a->value);
    f->readonly = true;
  }
}

static bool parse_form_property(parser *p, const xml_element *e, form_field *f) {
  if (!begin_field(p, e, "name", f)) return false;
  parse_field_type(p, e, f, false);
  f->required = parse_bool(p, e, any_attribute(e, "required"), false);
  f->readonly = !parse_bool(p, e, any_attribute(e, "writable"), true);
  f->hidden = !parse_bool(p, e, any_attribute(e, "readable"), true);
  parse_variable(p, e, f);
  parse_default(p, e, "default", f);
  return true;
}

/* A read-only field sets its default, where its variable has no value. */
static bool sets_variable(const form_field *f) {
  return !f->readonly || expr_given(&f->default_value);
}

/* False: another field has its id or sets its variable, which is reported. */
static bool check_twins(parser *p, const xml_element *e, const struct form *form,
                        const form_field *f) {
  bool same_id = false, same_variable = false;
  for (uint32_t i = 0; i < form->n_fields && !same_id && !same_variable; i++) {
    const form_field *other = &form->fields[i];
    same_id = strcmp(other->id, f->id) == 0;
    same_variable =
        strcmp(other->variable, f->variable) == 0 && sets_variable(other) && sets_variable(f);
    if (same_id)
      parse_error(p, e, NULL, "the form has two fields \"%s\"; the other is in line %d", f->id,
                  other->line);
    else if (same_variable)
      parse_error(p, e, NULL, "fields \"%s\" and \"%s\" both set the variable \"%s\"", other->id,
                  f->id, f->variable);
  }
  return !same_id && !same_variable;
}

static uint32_t count_fields(const xml_element *e, const xml_element *data) {
  uint32_t count = 0;
  for (const xml_element *f = NULL; data && (f = child_next(data, f, "formField"));) count++;
  for (const xml_element *f = NULL; (f = extension_next(e, f, "formProperty"));) count++;
  return count;
}

static void parse_business_key(parser *p, const xml_element *data, struct form *form) {
  const char *id = any_text(p, data, "businessKey");
  form->business_key = id;
  if (id && !form_field_named(form->fields, form->n_fields, id, strlen(id)))
    parse_warning(p, data, any_attribute(data, "businessKey"),
                  "businessKey names \"%s\", which is no field of the form", id);
}

static void parse_form_fields(parser *p, const xml_element *e, struct form *form) {
  const xml_element *data = extension_next(e, NULL, "formData");
  uint32_t count = count_fields(e, data);
  if (count > ORR_FORM_FIELDS_MAX) {
    parse_error(p, e, NULL, "the form has %u fields; at most %d are allowed", count,
                ORR_FORM_FIELDS_MAX);
    count = ORR_FORM_FIELDS_MAX;
  }
  form_field *fields = PARSE_ARRAY(p, form_field, count);
  form->fields = fields;
  for (const xml_element *f = NULL;
       data && form->n_fields < count && (f = child_next(data, f, "formField"));) {
    form_field *at = &fields[form->n_fields];
    if (parse_form_field(p, f, at) && check_twins(p, f, form, at)) form->n_fields++;
  }
  for (const xml_element *f = NULL;
       form->n_fields < count && (f = extension_next(e, f, "formProperty"));) {
    form_field *at = &fields[form->n_fields];
    if (parse_form_property(p, f, at) && check_twins(p, f, form, at)) form->n_fields++;
  }
  if (data) parse_business_key(p, data, form);
}

/* ---- References ------------------------------------------------------------------------------ */

/* False: it is not given or no version, which is reported. */
static bool parse_version(parser *p, const xml_element *e, struct form *form) {
  const xml_attribute *a = vendor_attribute(e, "formRefVersion");
  int64_t n = 0;
  parse_expr_attribute(p, e, a, &form->version);
  bool given = expr_given(&form->version);
  bool wrong = form->version.kind == EXPR_LITERAL &&
               (!parse_integer(form->version.text, &n) || n < 1);
  if (!given)
    parse_error(p, e, a, "formRefBinding=\"version\" needs a formRefVersion");
  else if (wrong)
    parse_error(p, e, a, "formRefVersion must be a whole number from 1 on, not \"%.60s\"",
                form->version.text);
  return given && !wrong;
}

static void parse_form_binding(parser *p, const xml_element *e, struct form *form) {
  const xml_attribute *binding = vendor_attribute(e, "formRefBinding");
  if (!binding) return;
  for (form_binding b = FORM_LATEST; b <= FORM_VERSION; b++) {
    if (strcmp(binding->value, form_binding_name(b)) != 0) continue;
    if (b != FORM_VERSION || parse_version(p, e, form)) form->binding = b;
    return;
  }
  parse_error(p, e, binding, "formRefBinding must be deployment, latest or version, not \"%.60s\"",
              binding->value);
}

static void parse_reference(parser *p, const xml_element *e, struct form *form) {
  const xml_attribute *reference = vendor_attribute(e, "formRef");
  bool keyed = reference && vendor_attribute(e, "formKey");
  if (keyed)
    parse_error(p, e, reference,
                "\"%s\" has both a formKey and a formRef: only one of them is allowed",
                xml_value(e, "id"));
  if (!keyed) parse_expr_attribute(p, e, reference, &form->reference);
  parse_form_binding(p, e, form);
}

/* The form with whatever is right in it. */
static void parse_form_parts(parser *p, const xml_element *e, node *n) {
  struct form *form = PARSE_NEW(p, struct form);
  parse_reference(p, e, form);
  parse_form_fields(p, e, form);
  if (form->n_fields > 0 && expr_given(&form->reference)) {
    parse_error(p, e, vendor_attribute(e, "formRef"),
                "\"%s\" has both form fields and a formRef: only one of them is allowed", n->id);
    form->reference = (expr){0};
  }
  if (form->n_fields > 0 || expr_given(&form->reference)) n->form = form;
}

void parse_form(parser *p, const xml_element *e, node *n) {
  bool lenient = p->lenient;
  p->lenient = lenient || p->options->stored;
  parse_form_parts(p, e, n);
  p->lenient = lenient;
}
