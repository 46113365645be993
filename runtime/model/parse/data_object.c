/* Data objects: the variables that a scope begins with, whose values are of the types they name. */
#include <stdlib.h>
#include <string.h>

#include "model/parse/parse_internal.h"
#include "time/iso8601.h"

static bool data_is_int(const char *text) {
  int64_t n;
  return parse_integer(text, &n) && n >= INT32_MIN && n <= INT32_MAX;
}

static bool data_is_long(const char *text) {
  int64_t n;
  return parse_integer(text, &n);
}

static bool data_is_double(const char *text) {
  char *end;
  strtod(text, &end);
  return end != text && *end == '\0';
}

static bool data_is_boolean(const char *text) { return strcmp(text, "true") == 0 || strcmp(text, "false") == 0; }

static bool data_is_datetime(const char *text) {
  orr_error err = {0};
  orr_time at;
  int rc = iso_parse_time(text, strlen(text), NULL, &at, &err);
  orr_error_clear(&err);
  return !rc;
}

static bool data_is_any(const char *text) {
  (void)text;
  return true;
}

static const struct data_type {
  const char *name;
  bool (*fits)(const char *text);
  const char *right; /* what its values are */
} DATA_TYPES[] = {
    {"string", data_is_any, ""},
    {"boolean", data_is_boolean, "true or false"},
    {"datetime", data_is_datetime, "a date such as 2026-12-31T09:00:00"},
    {"dateTime", data_is_datetime, "a date such as 2026-12-31T09:00:00"},
    {"double", data_is_double, "a number"},
    {"float", data_is_double, "a number"},
    {"int", data_is_int, "an integer from -2147483648 to 2147483647"},
    {"integer", data_is_long, "an integer of 64 bits"},
    {"long", data_is_long, "an integer of 64 bits"},
};

static const struct data_type *type_named(const char *name) {
  for (size_t i = 0; i < sizeof DATA_TYPES / sizeof *DATA_TYPES; i++)
    if (strcmp(DATA_TYPES[i].name, name) == 0) return &DATA_TYPES[i];
  return NULL;
}

/* An expression's value is looked at when there is one. */
static void check_data_value(parser *p, const xml_element *value, const data_object *d, const struct data_type *type) {
  const char *text = d->value.kind == EXPR_LITERAL ? d->value.text : NULL;
  if (!text || type->fits(text)) return;
  parse_error(p, value, NULL, "the data object \"%s\" is of type %s, but its value is \"%.60s\"; it must be %s",
              d->name ? d->name : d->id ? d->id : "", type->name, text, type->right);
}

void parse_data_object(parser *p, const xml_element *e, data_object *out) {
  const char *named = parse_trimmed(p, xml_value(e, "itemSubjectRef")), *colon = named ? strrchr(named, ':') : NULL;
  const xml_element *value = extension_next(e, NULL, "value");
  out->id = parse_trimmed(p, xml_value(e, "id"));
  out->name = parse_trimmed(p, xml_value(e, "name"));
  const char *name = colon ? colon + 1 : named ? named : "string";
  const struct data_type *type = type_named(name);
  if (!type) {
    parse_warning(p, e, xml_attribute_of(e, "itemSubjectRef"),
                  "the data object's type \"%s\" is not known; it is taken as a string", name);
    type = type_named("string");
  }
  out->type = type->name;
  if (value) parse_expr_text(p, value, &out->value);
  if (value) check_data_value(p, value, out, type);
  if (!out->name && value)
    parse_warning(p, e, NULL, "the data object \"%s\" has no name, so its value is not set", out->id ? out->id : "");
}
