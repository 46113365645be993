/* JSON, written as it comes. */
#include "server/transport/json_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { JSON_OUT_FIRST = 512, MS = 1000 };

void out_free(json_out *out) {
  free(out->data);
  *out = (json_out){0};
}

void out_reset(json_out *out) {
  out->size = 0;
  out->failed = out->comma = out->sealed = false;
}

void out_seal(json_out *out) { out->sealed = true; }

static bool out_room(json_out *out, size_t more) {
  if (out->failed || out->sealed) return false;
  if (out->capacity - out->size >= more) return true;
  size_t capacity = out->capacity ? out->capacity * 2 : JSON_OUT_FIRST;
  while (capacity - out->size < more) capacity *= 2;
  char *data = realloc(out->data, capacity);
  if (!data) {
    out->failed = true;
    return false;
  }
  out->data = data;
  out->capacity = capacity;
  return true;
}

void out_raw(json_out *out, const char *text, size_t size) {
  if (!out_room(out, size) || size == 0) return;
  memcpy(out->data + out->size, text, size);
  out->size += size;
}

void out_rawf(json_out *out, const char *format, ...) {
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int size = vsnprintf(NULL, 0, format, list);
  if (size >= 0 && out_room(out, (size_t)size + 1)) {
    vsnprintf(out->data + out->size, (size_t)size + 1, format, again);
    out->size += (size_t)size;
  }
  va_end(again);
  va_end(list);
}

static void out_literal(json_out *out, const char *text) { out_raw(out, text, strlen(text)); }

static void out_separate(json_out *out) {
  if (out->comma) out_raw(out, ",", 1);
  out->comma = true;
}

void out_open(json_out *out, char bracket) {
  out_separate(out);
  out_raw(out, &bracket, 1);
  out->comma = false;
}

void out_close(json_out *out, char bracket) {
  out_raw(out, &bracket, 1);
  out->comma = true;
}

/* Bytes of the UTF-8 sequence that begins here; 0: it is none. */
static size_t out_sequence(const unsigned char *at, size_t left) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t size = at[0] < 0x80 ? 1 : at[0] >= 0xF0 && at[0] < 0xF8 ? 4 : at[0] >= 0xE0 ? 3 : at[0] >= 0xC2 ? 2 : 0;
  if (size <= 1) return size;
  if (size > left || at[0] >= 0xF8) return 0;
  uint32_t code = at[0] & (0x7FU >> size);
  for (size_t i = 1; i < size; i++) {
    if ((at[i] & 0xC0) != 0x80) return 0;
    code = code << 6 | (at[i] & 0x3FU);
  }
  bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least[size] || code > 0x10FFFF || surrogate ? 0 : size;
}

static void out_escape(json_out *out, unsigned char c) {
  static const char named[] = "\bb\tt\nn\ff\rr\"\"\\\\";
  for (const char *at = named; *at; at += 2)
    if (c == (unsigned char)*at) {
      out_rawf(out, "\\%c", at[1]);
      return;
    }
  out_rawf(out, "\\u%04x", c);
}

void out_bytes(json_out *out, const char *bytes, size_t size) {
  const unsigned char *at = (const unsigned char *)bytes, *end = at + size, *plain = at;
  out_separate(out);
  out_raw(out, "\"", 1);
  while (at < end) {
    bool special = *at < 0x20 || *at == '"' || *at == '\\' || *at == 0x7F;
    size_t step = special ? 0 : out_sequence(at, (size_t)(end - at));
    if (step > 0) {
      at += step;
      continue;
    }
    out_raw(out, (const char *)plain, (size_t)(at - plain));
    if (special) out_escape(out, *at);
    else out_literal(out, "\xEF\xBF\xBD");
    plain = ++at;
  }
  out_raw(out, (const char *)plain, (size_t)(at - plain));
  out_raw(out, "\"", 1);
}

void out_key_bytes(json_out *out, const char *name, size_t size) {
  out_bytes(out, name, size);
  out_raw(out, ":", 1);
  out->comma = false;
}

void out_key(json_out *out, const char *name) { out_key_bytes(out, name, strlen(name)); }

void out_null(json_out *out) {
  out_separate(out);
  out_literal(out, "null");
}

void out_bool(json_out *out, bool value) {
  out_separate(out);
  out_literal(out, value ? "true" : "false");
}

void out_int(json_out *out, int64_t value) {
  out_separate(out);
  out_rawf(out, "%" PRId64, value);
}

/* Shortest digits that read back as the same number; what JSON has no number for becomes null. */
static void out_number(json_out *out, double value) {
  char digits[40];
  if (!isfinite(value)) {
    out_null(out);
    return;
  }
  for (int precision = 15; precision <= 17; precision++) {
    snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (strtod(digits, NULL) == value) break;
  }
  out_separate(out);
  out_literal(out, digits);
  if (!strpbrk(digits, ".eE")) out_literal(out, ".0"); /* a client that tells apart reads a number with a point */
}

void out_text(json_out *out, const char *text) {
  if (text) out_bytes(out, text, strlen(text));
  else out_null(out);
}

void out_id(json_out *out, orr_id id) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, id);
  out_text(out, id ? digits : NULL);
}

void out_base64(json_out *out, const char *bytes, size_t size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *in = (const unsigned char *)bytes;
  out_separate(out);
  out_raw(out, "\"", 1);
  for (size_t i = 0; i < size; i += 3) {
    size_t n = size - i < 3 ? size - i : 3;
    uint32_t bits = (uint32_t)in[i] << 16 | (n > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (n > 2 ? in[i + 2] : 0U);
    char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], n > 1 ? digits[bits >> 6 & 63] : '=', n > 2
        ? digits[bits & 63] : '='};
    out_raw(out, four, sizeof four);
  }
  out_raw(out, "\"", 1);
}

void out_time(json_out *out, orr_time time) {
  int64_t ms = time % MS;
  time_t seconds = (time_t)(time / MS);
  if (ms < 0) ms += MS, seconds--;
  struct tm parts;
  if (!gmtime_r(&seconds, &parts)) {
    out_null(out);
    return;
  }
  out_separate(out);
  out_rawf(out, "\"%04d-%02d-%02dT%02d:%02d:%02d.%03d+0000\"", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
           parts.tm_hour, parts.tm_min, parts.tm_sec, (int)ms);
}

static void out_tree(json_out *out, const orr_value *value) {
  bool map = value->type == ORR_MAP;
  orr_iterator iterator = orr_iterate(value);
  orr_value key = {0}, element;
  out_open(out, map ? '{' : '[');
  while (orr_next(&iterator, &key, &element)) {
    if (map) out_key_bytes(out, key.as.bytes, key.size);
    out_value(out, &element); /* as deep as the store lets a value be */
  }
  out_close(out, map ? '}' : ']');
}

void out_value(json_out *out, const orr_value *value) {
  switch (value->type) {
    case ORR_BOOL: out_bool(out, value->as.boolean); break;
    case ORR_INT: out_int(out, value->as.integer); break;
    case ORR_FLOAT: out_number(out, value->as.number); break;
    case ORR_STRING: out_bytes(out, value->as.bytes, value->size); break;
    case ORR_ARRAY:
    case ORR_MAP: out_tree(out, value); break;
    default: out_null(out);
  }
}

void out_put_text(json_out *out, const char *key, const char *text) {
  out_key(out, key);
  out_text(out, text);
}

void out_put_int(json_out *out, const char *key, int64_t value) {
  out_key(out, key);
  out_int(out, value);
}

void out_put_bool(json_out *out, const char *key, bool value) {
  out_key(out, key);
  out_bool(out, value);
}

void out_put_null(json_out *out, const char *key) {
  out_key(out, key);
  out_null(out);
}
