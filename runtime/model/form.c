/* Values of form fields: what people enter becomes a value of the field's type, which its
 * constraints judge. */
#include "model/form.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/value.h"
#include "time/date_pattern.h"
#include "time/iso8601.h"

static const char *const TYPE_NAMES[] = {"string", "long", "double", "boolean", "date", "enum"};

form_field form_field_of(const char *id, form_type type) {
  return (form_field){.id = id, .variable = id, .type = type, .min_length = -1, .max_length = -1};
}

bool form_type_named(const char *name, form_type *out) {
  for (size_t i = 0; i < sizeof TYPE_NAMES / sizeof *TYPE_NAMES; i++) {
    if (strcmp(TYPE_NAMES[i], name) != 0) continue;
    *out = (form_type)i;
    return true;
  }
  return false;
}

const char *form_binding_name(form_binding binding) {
  static const char *const NAMES[] = {"latest", "deployment", "version"};
  return NAMES[binding];
}

const form_field *form_field_named(const form_field *fields, uint32_t n, const char *id,
                                   size_t size) {
  for (uint32_t i = 0; i < n; i++)
    if (strlen(fields[i].id) == size && memcmp(fields[i].id, id, size) == 0) return &fields[i];
  return NULL;
}

/* ---- Refusing -------------------------------------------------------------------------------- */

int form_shown_size(const char *text, size_t size, size_t most) {
  if (size <= most) return (int)size;
  while (most > 0 && ((unsigned char)text[most] & 0xC0) == 0x80) most--;
  return (int)most;
}

int form_refuse(const form_field *f, const char *constraint, orr_error *err, const char *format,
                ...) {
  char why[400];
  va_list args;
  va_start(args, format);
  vsnprintf(why, sizeof why, format, args);
  va_end(args);
  error_set(err, ORR_E_ARGUMENT, "field \"%.*s\": %.*s (%s)",
            form_shown_size(f->id, strlen(f->id), 80), f->id,
            form_shown_size(why, strlen(why), 200), why, constraint);
  orr_value id = orr_string(f->id), name = orr_string(constraint);
  if (error_detail(err, "field", &id) || error_detail(err, "constraint", &name)) error_memory(err);
  return err ? err->code : ORR_E_ARGUMENT;
}

/* The beginning of a value as a message shows it. */
static const char *shown_value(const orr_value *v, char out[48]) {
  switch (v->type) {
    case ORR_STRING:
      snprintf(out, 48, "\"%.*s\"", form_shown_size(v->as.bytes, v->size, 40), v->as.bytes);
      break;
    case ORR_INT: snprintf(out, 48, "%" PRId64, v->as.integer); break;
    case ORR_FLOAT: snprintf(out, 48, "%.14g", v->as.number); break;
    case ORR_BOOL: snprintf(out, 48, "%s", v->as.boolean ? "true" : "false"); break;
    default: snprintf(out, 48, "%s", v->type == ORR_ARRAY ? "a list" : "a map"); break;
  }
  return out;
}

static int wrong_type(const form_field *f, const orr_value *v, const char *wanted, orr_error *err) {
  char shown[48];
  return form_refuse(f, "type", err, "%s is not %s", shown_value(v, shown), wanted);
}

/* ---- Converting ------------------------------------------------------------------------------ */

/* A text without the blanks around it, ended by a zero byte; NULL: it holds one itself, or is
 * longer than any number. */
static const char *number_text(const orr_value *v, char out[64]) {
  const char *at = v->as.bytes, *end = at + v->size;
  while (at < end && *at == ' ') at++;
  while (end > at && end[-1] == ' ') end--;
  if (end - at > 62 || memchr(at, '\0', (size_t)(end - at))) return NULL;
  memcpy(out, at, (size_t)(end - at));
  out[end - at] = '\0';
  return out;
}

static int convert_long(const form_field *f, const orr_value *in, orr_value *out, orr_error *err) {
  char room[64], *end = room;
  if (in->type == ORR_INT) {
    *out = orr_int(in->as.integer);
    return 0;
  }
  if (in->type == ORR_FLOAT && in->as.number == floor(in->as.number) &&
      fabs(in->as.number) < 0x1p63) {
    *out = orr_int((int64_t)in->as.number);
    return 0;
  }
  const char *text = in->type == ORR_STRING ? number_text(in, room) : NULL;
  errno = 0;
  long long n = text && strspn(text, "+-0123456789") == strlen(text) ? strtoll(text, &end, 10) : 0;
  if (!text || end == room || *end || errno)
    return wrong_type(f, in, "a whole number of 64 bits", err);
  *out = orr_int(n);
  return 0;
}

/* A whole number stays one where form-js makes no difference. */
static int convert_double(const form_field *f, const orr_value *in, orr_value *out,
                          orr_error *err) {
  if (in->type == ORR_INT && f->type_name && strcmp(f->type_name, "number") == 0) {
    *out = orr_int(in->as.integer);
    return 0;
  }
  char room[64], *end = room;
  const char *text = in->type == ORR_STRING ? number_text(in, room) : NULL;
  double n = in->type == ORR_INT     ? (double)in->as.integer
             : in->type == ORR_FLOAT ? in->as.number
                                     : NAN;
  bool digits = text && strspn(text, "+-.eE0123456789") == strlen(text);
  if (digits) n = strtod(text, &end);
  if ((in->type == ORR_STRING && (!digits || end == room || *end)) || !isfinite(n))
    return wrong_type(f, in, "a number", err);
  *out = orr_float(n);
  return 0;
}

static int convert_boolean(const form_field *f, const orr_value *in, orr_value *out,
                           orr_error *err) {
  *out = orr_bool(in->type == ORR_BOOL && in->as.boolean);
  if (in->type == ORR_BOOL) return 0;
  bool text = in->type == ORR_STRING;
  bool yes = text && in->size == 4 && strncasecmp(in->as.bytes, "true", 4) == 0;
  if (!yes && !(text && in->size == 5 && strncasecmp(in->as.bytes, "false", 5) == 0))
    return wrong_type(f, in, "true or false", err);
  *out = orr_bool(yes);
  return 0;
}

/* A text is read by the field's pattern, else as ISO 8601. */
static bool date_of_text(const form_field *f, const orr_value *in, const orr_zone *zone,
                         orr_time *out) {
  orr_error err = {0};
  int rc = f->date_pattern
               ? date_pattern_parse(f->date_pattern, in->as.bytes, in->size, zone, out, &err)
               : ORR_E_ARGUMENT;
  orr_error_clear(&err);
  if (rc) rc = iso_parse_time(in->as.bytes, in->size, zone, out, &err);
  orr_error_clear(&err);
  return !rc;
}

static int convert_date(const form_field *f, const orr_value *in, const orr_zone *zone,
                        orr_value *out, orr_error *err) {
  orr_time at = 0;
  double seconds = in->type == ORR_INT     ? (double)in->as.integer
                   : in->type == ORR_FLOAT ? in->as.number
                                           : NAN;
  bool fits = in->type == ORR_STRING ? date_of_text(f, in, zone, &at)
                                     : seconds >= (double)ISO_TIME_MIN / 1000 &&
                                           seconds <= (double)ISO_TIME_MAX / 1000;
  const char *pattern = f->date_pattern ? f->date_pattern : "ISO 8601";
  char shown[48];
  if (!fits)
    return form_refuse(f, "type", err, "%s is not a date (%s)", shown_value(in, shown), pattern);
  *out = orr_float(in->type == ORR_STRING ? (double)at / 1000 : seconds);
  out->declared = ORR_DECLARED_DATE;
  return 0;
}

/* Numbers and booleans are the texts that show them. */
static int convert_string(const form_field *f, const orr_value *in, orr_arena *arena,
                          orr_value *out, orr_error *err) {
  char shown[48];
  *out = orr_bytes(in->as.bytes, in->size);
  if (in->type == ORR_STRING) return 0;
  if (in->type == ORR_ARRAY || in->type == ORR_MAP) return wrong_type(f, in, "a text", err);
  const char *text = arena_strdup(arena, shown_value(in, shown));
  *out = orr_string(text);
  return text ? 0 : error_memory(err);
}

static int convert_item(const form_field *f, const orr_value *in, const orr_zone *zone,
                        orr_arena *arena, orr_value *out, orr_error *err) {
  switch (f->type) {
    case FORM_LONG:
      if (convert_long(f, in, out, err)) return err ? err->code : ORR_E_ARGUMENT;
      out->declared = ORR_DECLARED_LONG;
      return 0;
    case FORM_DOUBLE: return convert_double(f, in, out, err);
    case FORM_BOOLEAN: return convert_boolean(f, in, out, err);
    case FORM_DATE: return convert_date(f, in, zone, out, err);
    case FORM_ANY: *out = *in; return 0;
    default: return convert_string(f, in, arena, out, err);
  }
}

int form_convert(const form_field *f, const orr_value *in, const orr_zone *zone, orr_arena *arena,
                 orr_value *out, orr_error *err) {
  bool empty =
      in->type == ORR_STRING && in->size == 0 && f->type != FORM_STRING && f->type != FORM_ANY;
  if (in->type == ORR_NIL || in->type == ORR_NULL || empty) {
    *out = orr_null();
    return 0;
  }
  if (f->many) {
    if (in->type != ORR_ARRAY) return wrong_type(f, in, "a list", err);
    *out = *in;
    return 0;
  }
  return convert_item(f, in, zone, arena, out, err);
}

/* ---- Checking -------------------------------------------------------------------------------- */

static int64_t characters(const orr_value *text) {
  int64_t n = 0;
  for (uint32_t i = 0; i < text->size; i++) n += ((unsigned char)text->as.bytes[i] & 0xC0) != 0x80;
  return n;
}

static int check_choice(const form_field *f, const orr_value *v, orr_error *err) {
  char shown[48];
  for (uint32_t i = 0; i < f->n_choices; i++)
    if (value_is_text(v, f->choices[i].id)) return 0;
  return form_refuse(f, "enum", err, "%s is none of its %u values", shown_value(v, shown),
                     f->n_choices);
}

static int check_choices(const form_field *f, const orr_value *list, orr_error *err) {
  orr_iterator it = orr_iterate(list);
  orr_value item;
  int rc = 0;
  size_t count = orr_count(list);
  if (count > f->n_choices)
    return form_refuse(f, "enum", err, "a list of %zu is longer than its %u values", count,
                       f->n_choices);
  while (!rc && orr_next(&it, NULL, &item)) rc = check_choice(f, &item, err);
  return rc;
}

static int check_bounds(const form_field *f, const orr_value *v, orr_error *err) {
  char shown[48], bound[48];
  if (f->min.type != ORR_NIL && value_compare(v, &f->min, NULL) < 0)
    return form_refuse(f, "min", err, "%s is less than %s", shown_value(v, shown),
                       shown_value(&f->min, bound));
  if (f->max.type != ORR_NIL && value_compare(v, &f->max, NULL) > 0)
    return form_refuse(f, "max", err, "%s is more than %s", shown_value(v, shown),
                       shown_value(&f->max, bound));
  return 0;
}

static int check_length(const form_field *f, const orr_value *v, orr_error *err) {
  int64_t n = characters(v);
  if (f->min_length >= 0 && n < f->min_length)
    return form_refuse(f, "minlength", err, "%" PRId64 " characters are less than %" PRId64, n,
                       f->min_length);
  if (f->max_length >= 0 && n > f->max_length)
    return form_refuse(f, "maxlength", err, "%" PRId64 " characters are more than %" PRId64, n,
                       f->max_length);
  return 0;
}

static bool nothing_given(const orr_value *v) {
  if (v->type == ORR_NIL || v->type == ORR_NULL) return true;
  return (v->type == ORR_STRING && v->size == 0) || (v->type == ORR_ARRAY && orr_count(v) == 0);
}

int form_check(const form_field *f, const orr_value *value, orr_error *err) {
  if (f->required && nothing_given(value))
    return form_refuse(f, "required", err, "a value is required");
  if (value->type == ORR_NIL || value->type == ORR_NULL) return 0;
  if (f->type == FORM_ENUM)
    return f->many ? check_choices(f, value, err) : check_choice(f, value, err);
  if (value->type == ORR_INT || (value->type == ORR_FLOAT && value->declared != ORR_DECLARED_DATE))
    return check_bounds(f, value, err);
  return value->type == ORR_STRING ? check_length(f, value, err) : 0;
}

/* ---- Showing --------------------------------------------------------------------------------- */

int form_show(const form_field *f, const orr_value *value, const orr_zone *zone, orr_arena *arena,
              orr_value *out, orr_error *err) {
  *out = *value;
  if (f->type != FORM_DATE || !f->date_pattern || value->type != ORR_FLOAT) return 0;
  char text[DATE_PATTERN_TEXT];
  date_pattern_format(f->date_pattern, llround(value->as.number * 1000), zone, text);
  const char *copy = arena_strdup(arena, text);
  *out = orr_string(copy);
  return copy ? 0 : error_memory(err);
}
