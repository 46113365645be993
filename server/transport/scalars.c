/* Scalars of one kind that stand for those of another. */
#include "server/transport/scalars.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/transport/json_out.h"

enum { SCALAR_TEXT_MAX = 400 }; /* of a number; longer texts are none */

/* ---- Texts ----------------------------------------------------------------------------------- */

static const char blanks[] = " \t\r\n";

/* Without the blanks around it; false: too long for a scalar. */
static bool scalar_trim(const char *text, char out[static SCALAR_TEXT_MAX]) {
  text += strspn(text, blanks);
  size_t size = strlen(text);
  while (size && strchr(blanks, text[size - 1])) size--;
  if (size >= SCALAR_TEXT_MAX) return false;
  memcpy(out, text, size);
  out[size] = '\0';
  return true;
}

bool scalar_int_of_text(const char *text, int64_t *out) {
  char trimmed[SCALAR_TEXT_MAX], *end;
  if (!scalar_trim(text, trimmed)) return false;
  const char *digits = trimmed + (*trimmed == '-' || *trimmed == '+');
  if (!*digits || digits[strspn(digits, "0123456789")]) return false;
  errno = 0;
  *out = strtoll(trimmed, &end, 10);
  return !errno;
}

bool scalar_bool_of_text(const char *text, bool *out) {
  static const char *const words[] = {"false", "False", "FALSE", "true", "True", "TRUE"};
  char trimmed[SCALAR_TEXT_MAX];
  if (!scalar_trim(text, trimmed)) return false;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(words[i], trimmed) == 0) {
      *out = i >= 3;
      return true;
    }
  return false;
}

static bool scalar_real_of_text(const char *text, double *out) {
  char trimmed[SCALAR_TEXT_MAX], *end;
  if (!scalar_trim(text, trimmed)) return false;
  if (!*trimmed || trimmed[strspn(trimmed, "0123456789+-.eE")]) return false;
  *out = strtod(trimmed, &end);
  return !*end && isfinite(*out);
}

/* Nothing, or the word null, where no text is wanted. */
static bool scalar_says_nothing(const char *text) {
  char trimmed[SCALAR_TEXT_MAX];
  return scalar_trim(text, trimmed) && (!*trimmed || strcmp(trimmed, "null") == 0);
}

const char *scalar_wide(const json_t *given) {
  const char *text = json_string_value(given);
  size_t size = json_string_length(given);
  if (!text || size < 20 || *text || strlen(text + 1) != size - 1) return NULL;
  const char *digits = text + 1 + (text[1] == '-');
  return digits[strspn(digits, "0123456789")] ? NULL : text + 1;
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

static json_t *scalar_real_text(double number) {
  json_out out = {0};
  orr_value value = orr_float(number);
  out_value(&out, &value);
  json_t *text = out.failed ? NULL : json_stringn(out.data, out.size);
  out_free(&out);
  return text;
}

static json_t *scalar_as_text(const json_t *given) {
  char text[32];
  if (scalar_wide(given)) return json_string(scalar_wide(given));
  if (json_is_string(given)) return json_incref((json_t *)given);
  if (json_is_boolean(given)) return json_string(json_is_true(given) ? "true" : "false");
  if (json_is_real(given)) return scalar_real_text(json_real_value(given));
  if (!json_is_integer(given)) return NULL;
  snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(given));
  return json_string(text);
}

static json_t *scalar_as_int(const json_t *given) {
  int64_t n;
  double real = json_real_value(given);
  const char *text = json_string_value(given);
  if (json_is_integer(given)) return json_incref((json_t *)given);
  if (json_is_real(given) && fabs(real) < 0x1p63) return json_integer((json_int_t)real);
  if (!text) return NULL;
  if (!scalar_wide(given) && scalar_says_nothing(text)) return json_null();
  return scalar_int_of_text(text, &n) ? json_integer(n) : NULL;
}

static json_t *scalar_as_bool(const json_t *given) {
  bool on;
  const char *text = json_string_value(given);
  if (json_is_boolean(given)) return json_incref((json_t *)given);
  if (json_is_integer(given)) return json_boolean(json_integer_value(given) != 0);
  if (!text) return NULL;
  if (!scalar_wide(given) && scalar_says_nothing(text)) return json_null();
  return scalar_bool_of_text(text, &on) ? json_boolean(on) : NULL;
}

static json_t *scalar_as_real(const json_t *given) {
  double number;
  const char *text = scalar_wide(given) ? scalar_wide(given) : json_string_value(given);
  if (json_is_number(given)) return json_real(json_number_value(given));
  if (!text) return NULL;
  if (scalar_says_nothing(text)) return json_null();
  return scalar_real_of_text(text, &number) ? json_real(number) : NULL;
}

/* What is no date is found out where it is read. */
static json_t *scalar_as_time(const json_t *given) {
  const char *text = json_string_value(given);
  if (text) return scalar_says_nothing(text) ? json_null() : json_incref((json_t *)given);
  if (!json_is_integer(given)) return NULL;
  json_out out = {0};
  out_time(&out, json_integer_value(given));
  bool told = !out.failed && out.size > 2 && out.data[0] == '"';
  json_t *time = told ? json_stringn(out.data + 1, out.size - 2) : NULL;
  out_free(&out);
  return time;
}

json_t *scalar_as(const json_t *given, scalar_kind kind) {
  if (json_is_null(given)) return json_null();
  switch (kind) {
    case SCALAR_TEXT: return scalar_as_text(given);
    case SCALAR_INT: return scalar_as_int(given);
    case SCALAR_BOOL: return scalar_as_bool(given);
    case SCALAR_REAL: return scalar_as_real(given);
    case SCALAR_TIME: return scalar_as_time(given);
  }
  return NULL;
}

bool scalar_is_true(const json_t *given) {
  json_t *is = given ? scalar_as(given, SCALAR_BOOL) : NULL;
  bool on = json_is_true(is);
  json_decref(is);
  return on;
}
