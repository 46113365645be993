/* Bodies in JSON. */
#include "server/transport/json_in.h"

#include <stdio.h>
#include <string.h>

/* The parser would go 2,048 deep, and what reads its trees goes as deep as they are. */
static bool body_too_deep(const char *text, size_t size) {
  size_t depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < size; i++) {
    char c = text[i];
    if (quoted) {
      if (c == '\\') i++;
      else if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > JSON_DEPTH_MAX) return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      depth--;
    }
  }
  return false;
}

json_t *body_parse(const char *text, size_t size, char *problem, size_t problem_size) {
  json_error_t error;
  if (body_too_deep(text, size)) {
    snprintf(problem, problem_size, "the JSON is nested deeper than %d levels", JSON_DEPTH_MAX);
    return NULL;
  }
  json_t *json = json_loadb(text, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
  if (!json)
    snprintf(problem, problem_size, "the body is no JSON: %s at line %d, column %d", error.text, error.line, error.column);
  return json;
}

static bool body_object_to_value(const json_t *json, orr_builder *out) {
  orr_builder_map(out);
  void *at = json_object_iter((json_t *)json);
  for (; at; at = json_object_iter_next((json_t *)json, at)) {
    const char *key = json_object_iter_key(at);
    orr_builder_key(out, key, strlen(key));
    if (!body_to_value(json_object_iter_value(at), out)) return false;
  }
  orr_builder_end(out);
  return true;
}

static bool body_array_to_value(const json_t *json, orr_builder *out) {
  orr_builder_array(out);
  for (size_t i = 0; i < json_array_size(json); i++)
    if (!body_to_value(json_array_get(json, i), out)) return false;
  orr_builder_end(out);
  return true;
}

bool body_to_value(const json_t *json, orr_builder *out) {
  orr_value value = orr_null();
  if (json_is_object(json)) return body_object_to_value(json, out);
  if (json_is_array(json)) return body_array_to_value(json, out);
  if (json_is_boolean(json)) value = orr_bool(json_is_true(json));
  else if (json_is_integer(json)) value = orr_int(json_integer_value(json));
  else if (json_is_real(json)) value = orr_float(json_real_value(json));
  else if (json_is_string(json)) value = orr_bytes(json_string_value(json), json_string_length(json));
  orr_builder_add(out, &value);
  return true;
}
