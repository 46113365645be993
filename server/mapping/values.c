/* Variables: { "name": { "value": …, "type": "Integer", "valueInfo": {…} } }, in and out. */
#include "server/mapping/values.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "rest_table.h"
#include "server/mapping/download.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/transport/json_in.h"
#include "server/transport/scalars.h"

enum { NAME_BYTES_MAX = 4096 };

/* ---- In --------------------------------------------------------------------------------------- */

static bool type_holds_bytes(const char *type) { return type && (strcasecmp(type, "File") == 0 || strcasecmp(type,
    "Bytes") == 0); }

static int values_fail(request *q, const char *name, orr_error *err) {
  int status = request_refuse(q, "Cannot convert the value of variable \"%s\": %s", name,
                              err->message ? err->message : orr_strerror(err->code));
  orr_error_clear(err);
  return status;
}

static bool values_bytes(request *q, const char *name, const json_t *value, orr_builder *into) {
  const char *text = json_string_value(value);
  size_t length = strlen(text), size = length / 4 * 3 + 3;
  char *bytes = malloc(size);
  bool sound = bytes && base64_read(text, length, BASE64_STRICT, bytes, &size);
  orr_value decoded = orr_bytes(bytes, size);
  if (sound) orr_builder_add(into, &decoded);
  free(bytes);
  if (!sound) request_refuse(q, "The value of variable \"%s\" is no base64", name);
  return sound;
}

/* The types whose values Camunda's reader of JSON makes of other scalars. */
static const struct value_type {
  const char *name, *java;
  scalar_kind kind;
} value_types[] = {
    {"Boolean", "java.lang.Boolean", SCALAR_BOOL}, {"Short", "java.lang.Short", SCALAR_INT},
    {"Integer", "java.lang.Integer", SCALAR_INT},  {"Long", "java.lang.Long", SCALAR_INT},
    {"Double", "java.lang.Double", SCALAR_REAL},   {"String", "java.lang.String", SCALAR_TEXT},
    {"Date", "java.util.Date", SCALAR_TIME},
};

static const struct value_type *value_type_named(const char *type) {
  for (size_t i = 0; type && i < sizeof value_types / sizeof value_types[0]; i++)
    if (strcasecmp(type, value_types[i].name) == 0) return &value_types[i];
  return NULL;
}

/* It is read out of its text, so 1.5 is no Integer, 1 no Boolean, and a number no Date. */
static json_t *value_converted(const json_t *value, scalar_kind kind) {
  json_t *text = scalar_as(value, SCALAR_TEXT), *is = text ? scalar_as(text, kind) : NULL;
  json_decref(text);
  return is;
}

static int value_refuse(request *q, const char *name, const json_t *value,
                        const struct value_type *type) {
  json_t *text = scalar_as(value, SCALAR_TEXT);
  int status = request_refuse(
      q, "Cannot set variable %s: Cannot convert value '%s' of type '%s' to java type %s", name,
      text ? json_string_value(text) : "", type->name, type->java);
  json_decref(text);
  return status;
}

/* Without a type it would lose digits, or become a value that the client did not mean. */
static bool value_is_wide(request *q, const char *name, const json_t *value) {
  if (scalar_wide(value))
    request_refuse(q, "Variable \"%s\": %s is beyond 64 bits; its type may be String or Double",
                   name, scalar_wide(value));
  return scalar_wide(value);
}

/* A JSON value as the engine's; of files and bytes what base64 says. False: the request has failed. */
static bool values_plain(request *q, const char *name, const char *type, const json_t *value, orr_builder *into,
                         orr_value *out) {
  const struct value_type *is = value_type_named(type);
  json_t *converted = NULL;
  *out = orr_null();
  if (!value || json_is_null(value)) return true;
  if (is && !json_is_object(value) && !json_is_array(value)) {
    converted = value_converted(value, is->kind);
    if (!converted) value_refuse(q, name, value, is);
  }
  const json_t *plain = converted ? converted : value;
  bool sound = !q->status && !value_is_wide(q, name, plain);
  if (sound && !json_is_null(plain)) {
    bool bytes = type_holds_bytes(type) && json_is_string(plain);
    sound = bytes ? values_bytes(q, name, plain, into) : body_to_value(plain, into);
    if (sound) sound = rest_value(q, into, out);
  }
  json_decref(converted);
  return sound;
}

bool values_read_one(request *q, const char *name, const json_t *given, orr_builder *b) {
  const json_t *value = json_object_get(given, "value"), *info = json_object_get(given, "valueInfo");
  const json_t *type = json_object_get(given, "type");
  bool sound = json_is_object(given) && (!type || json_is_null(type) || json_is_string(type)) &&
               (!info || json_is_null(info) || json_is_object(info)) && strlen(name) <= NAME_BYTES_MAX;
  if (!sound) {
    request_refuse(q, "Variable \"%.100s\": { value, type, valueInfo } expected", name);
    return false;
  }
  orr_builder *one = orr_builder_new(), *about = orr_builder_new();
  orr_value plain, facts = {0};
  orr_error err = {0};
  bool read = one && about && values_plain(q, name, json_string_value(type), value, one, &plain);
  if (read && json_is_object(info)) read = body_to_value(info, about) && rest_value(q, about, &facts);
  if (read && json_is_string(type) && strcasecmp(json_string_value(type), "Null") != 0) {
    orr_builder_key(b, name, strlen(name));
    if (orr_builder_typed(b, json_string_value(type), &plain, &facts, &err)) values_fail(q, name, &err);
  } else if (read) {
    orr_builder_key(b, name, strlen(name));
    orr_builder_add(b, &plain);
  } else if (!q->status) {
    request_fail_memory(q);
  }
  orr_builder_free(one);
  orr_builder_free(about);
  return !q->status;
}

bool values_read(request *q, const json_t *object, orr_value *out) {
  orr_builder *b = request_builder(q);
  *out = (orr_value){0};
  if (!b || !object) return b;
  orr_builder_map(b);
  for (void *at = json_object_iter((json_t *)object); at; at = json_object_iter_next((json_t *)object, at))
    if (!values_read_one(q, json_object_iter_key(at), json_object_iter_value(at), b)) return false;
  orr_builder_end(b);
  return rest_value(q, b, out);
}

bool rest_variables(request *q, const char *member, orr_value *out) { return values_read(q, body_member(q, member), out); }

/* ---- Out -------------------------------------------------------------------------------------- */

bool values_describe(request *q, const orr_value *value, orr_value *out) {
  orr_error err = {0};
  *out = (orr_value){0};
  if (!q->described) q->described = request_builder(q);
  if (!q->described) return false;
  orr_builder_reset(q->described);
  if (!orr_builder_describe(q->described, value, &err)) return rest_value(q, q->described, out);
  request_fail_engine(q, &err);
  return false;
}

static bool described_as(const orr_value *described, const char *type) {
  orr_value is = orr_map_get(described, "type");
  return is.type == ORR_STRING && is.size == strlen(type) && memcmp(is.as.bytes, type, is.size) == 0;
}

void values_write_value(json_out *out, const orr_value *described, const orr_value *value) {
  if (value->type == ORR_NIL || value->type == ORR_NULL || described_as(described, "File")) out_null(out);
  else if (described_as(described, "Date")) out_time(out, time_of_value(value));
  else if (described_as(described, "Bytes") && value->type == ORR_STRING) out_base64(out, value->as.bytes, value->size);
  else out_value(out, value);
}

void values_write_info(json_out *out, const orr_value *described) {
  orr_value info = orr_map_get(described, "info");
  if (info.type == ORR_MAP) {
    out_value(out, &info);
    return;
  }
  out_open(out, '{');
  out_close(out, '}');
}

void values_write_fields(json_out *out, const orr_value *described) {
  orr_value type = orr_map_get(described, "type"), value = orr_map_get(described, "value");
  out_key(out, "type");
  out_value(out, &type);
  out_key(out, "value");
  values_write_value(out, described, &value);
  out_key(out, "valueInfo");
  values_write_info(out, described);
}

void values_write(json_out *out, const orr_value *described) {
  out_open(out, '{');
  values_write_fields(out, described);
  out_close(out, '}');
}

int values_data(request *q, const orr_value *described) {
  orr_value value = orr_map_get(described, "value"), info = orr_map_get(described, "info");
  if (value.type != ORR_STRING) {
    orr_value type = orr_map_get(described, "type");
    return request_refuse(q, "Value of variable is no file and no bytes but %.*s", (int)type.size,
                          type.type == ORR_STRING ? type.as.bytes : "");
  }
  download is = {.name = orr_map_get(&info, "filename"),
                 .type = orr_map_get(&info, "mimetype"),
                 .encoding = orr_map_get(&info, "encoding")};
  bool text = described_as(described, "String") || described_as(described, "Json");
  if (text) is.type = orr_string("text/plain");
  return download_answer(q, &is, false, &value);
}

void values_write_all(json_out *out, const orr_value *all) {
  orr_iterator i = orr_iterate(all);
  orr_value name, described;
  out_open(out, '{');
  while (orr_next(&i, &name, &described)) {
    out_key_bytes(out, name.as.bytes, name.size);
    values_write(out, &described);
  }
  out_close(out, '}');
}

int values_data_of(request *q, orr_records *found) {
  if (!found) return q->status ? q->status : rest_missing(q);
  orr_value value = orr_records_get(found, 0, "value"), described;
  if (values_describe(q, &value, &described)) values_data(q, &described);
  orr_records_free(found);
  return q->status;
}

void values_write_plain(request *q, const orr_value *all) {
  orr_iterator i = orr_iterate(all);
  orr_value name, value, described;
  out_open(&q->out, '{');
  while (orr_next(&i, &name, &value) && values_describe(q, &value, &described)) {
    out_key_bytes(&q->out, name.as.bytes, name.size);
    values_write(&q->out, &described);
  }
  out_close(&q->out, '}');
}

bool values_text_is(const orr_value *value, const char *text) {
  size_t size = strlen(text);
  return value->type == ORR_STRING && value->size == size && memcmp(value->as.bytes, text, size) == 0;
}
