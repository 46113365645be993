/* JSON, written as it comes. */
#include "server/transport/json_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base64.h"
#include "base/json_text.h"

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

static void out_piece(void *out, const char *text, size_t size) { out_raw(out, text, size); }

void out_bytes(json_out *out, const char *bytes, size_t size) {
  out_separate(out);
  json_put_string(&(json_sink){out_piece, out}, bytes, size, JSON_BYTES_REPLACED);
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

/* What JSON has no number for becomes null. */
static void out_number(json_out *out, double value) {
  char digits[JSON_NUMBER_SIZE];
  json_number_text(value, digits);
  out_separate(out);
  out_literal(out, digits);
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
  size_t length = base64_text_size(size);
  out_separate(out);
  out_raw(out, "\"", 1);
  if (out_room(out, length)) {
    base64_write(bytes, size, out->data + out->size);
    out->size += length;
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
