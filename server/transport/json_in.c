/* Bodies in JSON. */
#include "server/transport/json_in.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/transport/json_out.h"
#include "server/transport/scalars.h"

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

/* The length of the text's integer at `at`, when it is beyond 64 bits; else 0. */
static size_t wide_integer(const char *at) {
  size_t sign = *at == '-', digits = strspn(at + sign, "0123456789");
  const char *end = at + sign + digits;
  if (digits < 19 || *end == '.' || *end == 'e' || *end == 'E') return 0;
  errno = 0;
  (void)strtoll(at, NULL, 10);
  return errno == ERANGE ? sign + digits : 0;
}

/* The end of the text or number at `at`, or one byte on. `text` ends with a zero byte. */
static const char *token_end(const char *at, const char *end) {
  if (*at == '"') {
    for (at++; at < end && *at != '"'; at++) at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
  }
  size_t number = strspn(at, "0123456789+-.eE");
  return number ? at + number : at + 1;
}

static bool has_wide_integer(const char *text, size_t size) {
  for (const char *at = text, *end = text + size; at < end; at = token_end(at, end))
    if (*at != '"' && wide_integer(at)) return true;
  return false;
}

/* The parser would refuse the whole text for one of them. */
static json_t *parse_wide(const char *text, size_t size, json_error_t *error) {
  json_out all = {0};
  json_t *json = NULL;
  for (const char *at = text, *end = text + size, *next; at < end; at = next) {
    size_t digits = *at == '"' ? 0 : wide_integer(at);
    next = digits ? at + digits : token_end(at, end);
    if (digits) out_rawf(&all, "\"\\u0000%.*s\"", (int)digits, at);
    else out_raw(&all, at, (size_t)(next - at));
  }
  if (all.failed) snprintf(error->text, sizeof error->text, "out of memory");
  else json = json_loadb(all.data, all.size, JSON_DECODE_ANY | JSON_ALLOW_NUL, error);
  out_free(&all);
  return json;
}

json_t *body_parse(const char *text, size_t size, char *problem, size_t problem_size) {
  json_error_t error = {0};
  if (body_too_deep(text, size)) {
    snprintf(problem, problem_size, "the JSON is nested deeper than %d levels", JSON_DEPTH_MAX);
    return NULL;
  }
  bool wide = has_wide_integer(text, size);
  json_t *json = wide ? parse_wide(text, size, &error)
                      : json_loadb(text, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
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
  else if (scalar_wide(json)) value = orr_float(strtod(scalar_wide(json), NULL));
  else if (json_is_string(json)) value = orr_bytes(json_string_value(json), json_string_length(json));
  orr_builder_add(out, &value);
  return true;
}
