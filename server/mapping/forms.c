/* Forms in JSON and in HTML. The HTML is what Camunda's engine renders: a form with cam-variable-
 * name and cam-variable-type, which its clients read. */
#include "server/mapping/forms.h"

#include <inttypes.h>
#include <string.h>

#include "server/mapping/download.h"
#include "server/mapping/operation.h"
#include "server/mapping/values.h"

static bool form_read(request *q, int rc, orr_builder *b, orr_error *err, orr_value *out) {
  if (!rc) return rest_value(q, b, out);
  rest_end(q, rc, err);
  return false;
}

bool forms_of_task(request *q, orr_id task, orr_value *out) {
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  return b && form_read(q, orr_engine_task_form(rest_engine(q), task, b, &err), b, &err, out);
}

bool forms_of_start(request *q, orr_id definition, orr_value *out) {
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  return b &&
         form_read(q, orr_engine_start_form(rest_engine(q), definition, b, &err), b, &err, out);
}

/* ---- JSON -------------------------------------------------------------------------------------
 * */

static void write_reference(json_out *out, const orr_value *form) {
  orr_value reference = orr_map_get(form, "reference");
  out_key(out, "camundaFormRef");
  if (reference.type != ORR_MAP) {
    out_null(out);
    return;
  }
  orr_value key = orr_map_get(&reference, "key"), binding = orr_map_get(&reference, "binding");
  orr_value version = orr_map_get(&reference, "version");
  out_open(out, '{');
  out_key(out, "key");
  out_value(out, &key);
  out_key(out, "binding");
  out_value(out, &binding);
  out_key(out, "version");
  out_value(out, &version);
  out_close(out, '}');
}

int forms_write_key(request *q, const orr_value *form, const char *rendered) {
  orr_value key = orr_map_get(form, "key"), fields = orr_map_get(form, "fields"),
            reference = orr_map_get(form, "reference");
  char *own = request_printf(q, "embedded:engine://engine/:engine/%s/rendered-form", rendered);
  if (!own) return q->status;
  if (key.type != ORR_STRING && reference.type != ORR_MAP && orr_count(&fields) > 0)
    key = orr_string(own);
  out_open(&q->out, '{');
  out_key(&q->out, "key");
  out_value(&q->out, &key);
  write_reference(&q->out, form);
  out_put_null(&q->out, "contextPath");
  out_close(&q->out, '}');
  return request_done(q);
}

/* Does a text with commas name it? NULL names everything. */
static bool list_names(const char *list, const orr_value *name) {
  if (!list) return true;
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    size_t size = strcspn(at, ",");
    if (size == name->size && memcmp(at, name->as.bytes, size) == 0) return true;
  }
  return false;
}

static bool is_field(const orr_value *fields, const orr_value *name) {
  orr_iterator i = orr_iterate(fields);
  orr_value field;
  while (orr_next(&i, NULL, &field)) {
    orr_value id = orr_map_get(&field, "id");
    if (id.type == ORR_STRING && id.size == name->size &&
        memcmp(id.as.bytes, name->as.bytes, id.size) == 0)
      return true;
  }
  return false;
}

int forms_write_variables(request *q, const orr_value *form, const orr_value *others) {
  const char *names = request_argument(q, "variableNames");
  orr_value fields = orr_map_get(form, "fields"), field, name, described;
  orr_iterator i = orr_iterate(&fields);
  out_open(&q->out, '{');
  while (orr_next(&i, NULL, &field)) {
    orr_value id = orr_map_get(&field, "id"), value = orr_map_get(&field, "value"),
              null = orr_null();
    if (!list_names(names, &id)) continue;
    if (!values_describe(q, value.type == ORR_NIL ? &null : &value, &described)) return q->status;
    out_key_bytes(&q->out, id.as.bytes, id.size);
    values_write(&q->out, &described);
  }
  orr_value none = {0};
  i = orr_iterate(others ? others : &none);
  while (others && orr_next(&i, &name, &described)) {
    if (!list_names(names, &name) || is_field(&fields, &name)) continue;
    out_key_bytes(&q->out, name.as.bytes, name.size);
    values_write(&q->out, &described);
  }
  out_close(&q->out, '}');
  return request_done(q);
}

bool forms_resource(request *q, const orr_value *form, orr_id *deployment, orr_value *name) {
  orr_value of = orr_map_get(form, "deployment_id");
  *name = orr_map_get(form, "resource");
  *deployment = of.type == ORR_INT ? (orr_id)of.as.integer : 0;
  if (name->type == ORR_STRING && *deployment) return true;
  request_refuse(q, "There is no deployed form");
  return false;
}

/* ---- HTML -------------------------------------------------------------------------------------
 * */

static void html_bytes(json_out *out, const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    char c = bytes[i];
    const char *as = c == '&'    ? "&amp;"
                     : c == '<'  ? "&lt;"
                     : c == '>'  ? "&gt;"
                     : c == '"'  ? "&quot;"
                     : c == '\'' ? "&#39;"
                                 : NULL;
    if (as) out_raw(out, as, strlen(as));
    else if (c) out_raw(out, &c, 1);
  }
}

/* A text, number or boolean; the rest has no place in a form. */
static void html_value(json_out *out, const orr_value *value) {
  if (value->type == ORR_STRING) html_bytes(out, value->as.bytes, value->size);
  else if (value->type == ORR_BOOL) out_rawf(out, "%s", value->as.boolean ? "true" : "false");
  else if (value->type == ORR_INT) out_rawf(out, "%" PRId64, value->as.integer);
  else if (value->type == ORR_FLOAT) out_rawf(out, "%.14g", value->as.number);
}

static void html_attribute(json_out *out, const char *name, const orr_value *value) {
  if (value->type == ORR_NIL || value->type == ORR_NULL) return;
  out_rawf(out, " %s=\"", name);
  html_value(out, value);
  out_raw(out, "\"", 1);
}

static bool field_flag(const orr_value *field, const char *name) {
  orr_value v = orr_map_get(field, name);
  return v.type == ORR_BOOL && v.as.boolean;
}

/* The names that Camunda's clients know a field's type by. */
static const char *html_variable_type(const orr_value *type) {
  static const char *const types[][2] = {{"long", "Long"},
                                         {"double", "Double"},
                                         {"number", "Double"},
                                         {"boolean", "Boolean"},
                                         {"checkbox", "Boolean"}};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (values_text_is(type, types[i][0])) return types[i][1];
  return "String";
}

static void html_common(json_out *out, const orr_value *field, const orr_value *type) {
  static const char *const limits[] = {"min", "max", "minlength", "maxlength"};
  orr_value id = orr_map_get(field, "id"), constraints = orr_map_get(field, "constraints"), one;
  out_rawf(out, " class=\"form-control\"");
  html_attribute(out, "name", &id);
  html_attribute(out, "id", &id);
  html_attribute(out, "cam-variable-name", &id);
  out_rawf(out, " cam-variable-type=\"%s\"", html_variable_type(type));
  if (field_flag(field, "required")) out_rawf(out, " required=\"required\"");
  if (field_flag(field, "readonly")) out_rawf(out, " readonly=\"readonly\" disabled=\"disabled\"");
  orr_iterator i = orr_iterate(&constraints);
  while (orr_next(&i, NULL, &one)) {
    orr_value name = orr_map_get(&one, "name"), config = orr_map_get(&one, "config");
    for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++)
      if (values_text_is(&name, limits[k])) html_attribute(out, limits[k], &config);
  }
}

static bool html_same(const orr_value *a, const orr_value *b) {
  return a->type == ORR_STRING && b->type == ORR_STRING && a->size == b->size &&
         memcmp(a->as.bytes, b->as.bytes, a->size) == 0;
}

static void html_select(json_out *out, const orr_value *field, const orr_value *type) {
  orr_value values = orr_map_get(field, "values"), value = orr_map_get(field, "value"), choice;
  orr_iterator i = orr_iterate(&values);
  out_rawf(out, "<select cam-choices=\"\"");
  html_common(out, field, type);
  out_rawf(out, ">");
  while (orr_next(&i, NULL, &choice)) {
    orr_value id = orr_map_get(&choice, "id"), name = orr_map_get(&choice, "name");
    out_rawf(out, "<option");
    html_attribute(out, "value", &id);
    if (html_same(&id, &value)) out_rawf(out, " selected=\"selected\"");
    out_rawf(out, ">");
    html_value(out, &name);
    out_rawf(out, "</option>");
  }
  out_rawf(out, "</select>\n");
}

static void html_input(json_out *out, const orr_value *field, const orr_value *type) {
  orr_value value = orr_map_get(field, "value"), pattern = orr_map_get(field, "date_pattern");
  bool number = values_text_is(type, "long") || values_text_is(type, "double") ||
                values_text_is(type, "number");
  bool box = values_text_is(type, "boolean") || values_text_is(type, "checkbox");
  out_rawf(out, "<input type=\"%s\"", box ? "checkbox" : number ? "number" : "text");
  if (values_text_is(type, "double")) out_rawf(out, " step=\"any\"");
  html_common(out, field, type);
  html_attribute(out, "placeholder", &pattern);
  if (!box) html_attribute(out, "value", &value);
  else if (value.type == ORR_BOOL && value.as.boolean) out_rawf(out, " checked=\"checked\"");
  out_rawf(out, "/>\n");
}

static void html_field(json_out *out, const orr_value *field) {
  orr_value id = orr_map_get(field, "id"), label = orr_map_get(field, "label"),
            type = orr_map_get(field, "type");
  orr_value values = orr_map_get(field, "values");
  out_rawf(out, "  <div class=\"form-group\">\n    <label class=\"control-label\"");
  html_attribute(out, "for", &id);
  out_rawf(out, ">");
  html_value(out, label.type == ORR_STRING ? &label : &id);
  out_rawf(out, "</label>\n    ");
  if (values.type == ORR_ARRAY) html_select(out, field, &type);
  else html_input(out, field, &type);
  out_rawf(out, "  </div>\n");
}

int forms_render(request *q, const orr_value *form, const char *missing) {
  orr_value fields = orr_map_get(form, "fields"), field, empty = orr_string("");
  if (orr_count(&fields) == 0)
    return request_fail(q, 404, "InvalidRequestException", "%s", missing);
  orr_iterator i = orr_iterate(&fields);
  out_rawf(&q->out, "<form class=\"form-horizontal\">\n");
  while (orr_next(&i, NULL, &field)) html_field(&q->out, &field);
  out_rawf(&q->out, "</form>\n");
  download is = {.name = orr_string("form.html"), .type = orr_string("application/xhtml+xml")};
  return download_answer(q, &is, false, &empty);
}
