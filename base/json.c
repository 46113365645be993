/* Reading goes down the grammar of RFC 8259 and tells a visitor; writing goes through the tree into
 * one growing text. */
#include "base/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "base/null.h"

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct reader {
  const char *start, *at, *end;
  const json_visitor *visitor;
  void *to;
  char *scratch; /* what an escaped string says; as long as the text */
  int depth;
  json_problem *problem;
} reader;

static int json_refuse(const reader *r, const char *expected) {
  *r->problem = (json_problem){(size_t)(r->at - r->start), expected};
  return ORR_E_ARGUMENT;
}

static void json_blanks(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) r->at++;
}

static bool take_char(reader *r, char c) {
  if (r->at == r->end || *r->at != c) return false;
  r->at++;
  return true;
}

static bool take_word(reader *r, const char *word) {
  size_t size = strlen(word);
  if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0) return false;
  r->at += size;
  return true;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Four hexadecimal digits; -1: there are none. */
static int32_t take_unit(reader *r) {
  int32_t unit = 0;
  if (r->end - r->at < 4) return -1;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(r->at[i]);
    if (digit < 0) return -1;
    unit = unit << 4 | digit;
  }
  r->at += 4;
  return unit;
}

static char *json_put_utf8(char *out, uint32_t code) {
  if (code < 0x80) {
    *out++ = (char)code;
  } else if (code < 0x800) {
    *out++ = (char)(0xC0 | code >> 6);
    *out++ = (char)(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *out++ = (char)(0xE0 | code >> 12);
    *out++ = (char)(0x80 | (code >> 6 & 0x3F));
    *out++ = (char)(0x80 | (code & 0x3F));
  } else {
    *out++ = (char)(0xF0 | code >> 18);
    *out++ = (char)(0x80 | (code >> 12 & 0x3F));
    *out++ = (char)(0x80 | (code >> 6 & 0x3F));
    *out++ = (char)(0x80 | (code & 0x3F));
  }
  return out;
}

/* Behind "\u". Two units that make a pair are one character; half a pair is none. */
static int take_unicode(reader *r, char **out) {
  int32_t high = take_unit(r);
  if (high < 0) return json_refuse(r, "four hexadecimal digits");
  if (high < 0xD800 || high > 0xDFFF) {
    *out = json_put_utf8(*out, (uint32_t)high);
    return 0;
  }
  int32_t low = high < 0xDC00 && take_word(r, "\\u") ? take_unit(r) : -1;
  if (low < 0xDC00 || low > 0xDFFF) return json_refuse(r, "a whole pair of surrogates");
  *out = json_put_utf8(*out, 0x10000 + ((uint32_t)(high - 0xD800) << 10) + (uint32_t)(low - 0xDC00));
  return 0;
}

static int take_escape(reader *r, char **out) {
  static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  if (take_char(r, 'u')) return take_unicode(r, out);
  const char *name = r->at < r->end && *r->at ? strchr(names, *r->at) : NULL;
  if (!name) return json_refuse(r, "an escape");
  *(*out)++ = meanings[name - names];
  r->at++;
  return 0;
}

/* A character as it stands: no control character, and whole. */
static int take_plain(reader *r, char **out) {
  if ((unsigned char)*r->at < 0x20) return json_refuse(r, "an escaped control character");
  size_t size = json_utf8_size((const unsigned char *)r->at, (size_t)(r->end - r->at));
  if (size == 0) return json_refuse(r, "UTF-8");
  memcpy(*out, r->at, size);
  *out += size;
  r->at += size;
  return 0;
}

/* What the string at hand, whose quote was taken, says: in the text itself, or in the scratch once it has an escape. */
static int take_string(reader *r, const char **text, size_t *size) {
  const char *from = r->at;
  while (r->at < r->end && *r->at != '"' && *r->at != '\\' && *r->at >= 0x20) r->at++; /* ASCII, and most of all */
  *text = from;
  *size = (size_t)(r->at - from);
  if (take_char(r, '"')) return 0;
  char *out = r->scratch + *size;
  if (*size > 0) memcpy(r->scratch, from, *size);
  while (r->at < r->end && *r->at != '"') {
    int rc = take_char(r, '\\') ? take_escape(r, &out) : take_plain(r, &out);
    if (rc) return rc;
  }
  *text = r->scratch;
  *size = (size_t)(out - r->scratch);
  return take_char(r, '"') ? 0 : json_refuse(r, "a closing quote");
}

static bool take_digits(reader *r) {
  const char *from = r->at;
  while (r->at < r->end && *r->at >= '0' && *r->at <= '9') r->at++;
  return r->at > from;
}

/* The shape of a number; *whole tells that it has neither fraction nor exponent. */
static bool take_number(reader *r, bool *whole) {
  take_char(r, '-');
  if (!take_char(r, '0') && !take_digits(r)) return false;
  *whole = true;
  if (take_char(r, '.')) {
    *whole = false;
    if (!take_digits(r)) return false;
  }
  if (!take_char(r, 'e') && !take_char(r, 'E')) return true;
  *whole = false;
  if (!take_char(r, '+')) take_char(r, '-');
  return take_digits(r);
}

static int json_number(reader *r) {
  const char *from = r->at;
  bool whole;
  if (!take_number(r, &whole)) return json_refuse(r, r->at == from ? "a value" : "a digit");
  size_t size = (size_t)(r->at - from);
  memcpy(r->scratch, from, size);
  r->scratch[size] = '\0';
  errno = 0;
  orr_value value = orr_int(whole ? strtoll(r->scratch, NULL, 10) : 0);
  if (errno == ERANGE && r->visitor->wide) {
    r->visitor->wide(r->to, r->scratch, size);
    return 0;
  }
  if (!whole || errno == ERANGE) value = orr_float(strtod(r->scratch, NULL));
  if (value.type == ORR_FLOAT && isinf(value.as.number)) {
    r->at = from;
    return json_refuse(r, "a number that a double holds");
  }
  r->visitor->scalar(r->to, &value);
  return 0;
}

static int json_item(reader *r);

static int read_items(reader *r) {
  r->visitor->open(r->to, false);
  json_blanks(r);
  bool more = !take_char(r, ']');
  while (more) {
    int rc = json_item(r);
    if (rc) return rc;
    more = take_char(r, ',');
    if (!more && !take_char(r, ']')) return json_refuse(r, "',' or ']'");
  }
  r->visitor->close(r->to, false);
  return 0;
}

static int read_member(reader *r) {
  const char *key;
  size_t size;
  json_blanks(r);
  if (!take_char(r, '"')) return json_refuse(r, "a key");
  int rc = take_string(r, &key, &size);
  if (!rc && memchr(key, '\0', size)) rc = json_refuse(r, "a key without a zero byte");
  if (rc) return rc;
  r->visitor->key(r->to, key, size);
  json_blanks(r);
  return take_char(r, ':') ? json_item(r) : json_refuse(r, "':'");
}

static int read_members(reader *r) {
  r->visitor->open(r->to, true);
  json_blanks(r);
  bool more = !take_char(r, '}');
  while (more) {
    int rc = read_member(r);
    if (rc) return rc;
    more = take_char(r, ',');
    if (!more && !take_char(r, '}')) return json_refuse(r, "',' or '}'");
  }
  r->visitor->close(r->to, true);
  return 0;
}

static int read_string_value(reader *r) {
  const char *text;
  size_t size;
  int rc = take_string(r, &text, &size);
  orr_value value = orr_bytes(text, size);
  if (!rc) r->visitor->scalar(r->to, &value);
  return rc;
}

static int read_nested(reader *r, int (*read)(reader *)) {
  if (r->depth == ORR_VALUE_DEPTH_MAX) return json_refuse(r, NULL);
  r->depth++;
  int rc = read(r);
  r->depth--;
  return rc;
}

/* A value with the blanks around it. */
static int json_item(reader *r) {
  orr_value word = {0};
  int rc = 0;
  json_blanks(r);
  if (take_char(r, '{')) rc = read_nested(r, read_members);
  else if (take_char(r, '[')) rc = read_nested(r, read_items);
  else if (take_char(r, '"')) rc = read_string_value(r);
  else if (take_word(r, "true")) word = orr_bool(true);
  else if (take_word(r, "false")) word = orr_bool(false);
  else if (take_word(r, "null")) word = orr_null();
  else rc = json_number(r);
  if (word.type != ORR_NIL) r->visitor->scalar(r->to, &word);
  json_blanks(r);
  return rc;
}

int json_visit(const char *text, size_t size, char *scratch, const json_visitor *visitor, void *to,
               json_problem *problem) {
  reader r = {.start = text, .at = text, .end = text + size, .visitor = visitor, .to = to,
              .scratch = scratch, .problem = problem};
  int rc = json_item(&r);
  return !rc && r.at < r.end ? json_refuse(&r, "the end") : rc;
}

static void build_open(void *builder, bool map) {
  if (map) orr_builder_map(builder);
  else orr_builder_array(builder);
}

static void build_close(void *builder, bool map) {
  (void)map;
  orr_builder_end(builder);
}

static void build_key(void *builder, const char *text, size_t size) {
  orr_builder_key(builder, text, size);
}

static void build_scalar(void *builder, const orr_value *value) { orr_builder_add(builder, value); }

static int json_fail(orr_error *err, const json_problem *problem) {
  if (!problem->expected)
    return error_set(err, ORR_E_ARGUMENT, "the JSON text nests more than %d deep",
                     ORR_VALUE_DEPTH_MAX);
  return error_set(err, ORR_E_ARGUMENT, "not JSON: %s expected at byte %zu", problem->expected,
                   problem->at + 1);
}

int json_read(const char *text, size_t size, orr_builder *builder, orr_error *err) {
  static const json_visitor build = {.open = build_open, .close = build_close, .key = build_key, .scalar = build_scalar};
  json_problem problem;
  char *scratch = env_alloc(NULL, size + 1);
  if (!scratch) return error_memory(err);
  int rc = json_visit(text, size, scratch, &build, builder, &problem);
  env_free(NULL, scratch, size + 1);
  return rc ? json_fail(err, &problem) : 0;
}

int json_value(orr_arena *arena, const orr_allocator *allocator, const char *text, size_t size, orr_value *out,
               orr_error *err) {
  orr_builder *b = builder_new(allocator);
  *out = (orr_value){0};
  if (!b) return error_memory(err);
  int rc = json_read(text, size, b, err);
  if (!rc) rc = builder_copy(b, arena, out, err);
  orr_builder_free(b);
  return rc;
}

int orr_builder_json(orr_builder *builder, const char *json, orr_error *err) {
  REQUIRE(json);
  orr_value value;
  orr_builder *own = orr_builder_new(); /* so that half a text adds nothing */
  if (!own) return error_memory(err);
  int rc = json_read(json, strlen(json), own, err);
  if (!rc) rc = orr_builder_value(own, &value, err);
  if (!rc) orr_builder_add(builder, &value);
  orr_builder_free(own);
  return rc;
}

/* ---- Writing --------------------------------------------------------------------------------- */

typedef struct writer {
  const orr_allocator *allocator;
  char *text;
  size_t size, capacity;
  bool failed; /* memory is out */
} writer;

static bool writer_room(writer *w, size_t size) {
  if (w->failed || size <= w->capacity - w->size) return !w->failed;
  size_t capacity = w->capacity ? w->capacity : 128;
  while (capacity - w->size < size) capacity *= 2;
  char *grown = env_realloc(w->allocator, w->text, w->capacity, capacity);
  w->failed = !grown;
  if (!grown) return false;
  w->text = grown;
  w->capacity = capacity;
  return true;
}

static void write_bytes(writer *w, const char *bytes, size_t size) {
  if (!writer_room(w, size)) return;
  if (size > 0) memcpy(w->text + w->size, bytes, size);
  w->size += size;
}

static void write_word(writer *w, const char *word) { write_bytes(w, word, strlen(word)); }

static void write_piece(void *w, const char *text, size_t size) { write_bytes(w, text, size); }

static void write_text(writer *w, const orr_value *text) {
  json_put_string(&(json_sink){write_piece, w}, text->as.bytes, text->size, JSON_BYTES_REPLACED);
}

static void write_real(writer *w, double n) {
  char text[JSON_NUMBER_SIZE];
  json_number_text(n, text);
  write_word(w, text);
}

static void write_json(writer *w, const orr_value *value);

static void write_tree(writer *w, const orr_value *tree) {
  bool map = tree->type == ORR_MAP, first = true;
  orr_value key, item;
  orr_iterator it = orr_iterate(tree);
  write_word(w, map ? "{" : "[");
  while (orr_next(&it, &key, &item)) {
    if (!first) write_word(w, ",");
    first = false;
    if (map) {
      write_text(w, &key);
      write_word(w, ":");
    }
    write_json(w, &item);
  }
  write_word(w, map ? "}" : "]");
}

static void write_json(writer *w, const orr_value *value) {
  char number[32];
  if (json_is_text(value)) {
    write_bytes(w, value->as.bytes, value->size);
    return;
  }
  switch (value->type) {
    case ORR_BOOL: write_word(w, value->as.boolean ? "true" : "false"); break;
    case ORR_INT:
      snprintf(number, sizeof number, "%" PRId64, value->as.integer);
      write_word(w, number);
      break;
    case ORR_FLOAT: write_real(w, value->as.number); break;
    case ORR_STRING: write_text(w, value); break;
    case ORR_ARRAY:
    case ORR_MAP: write_tree(w, value); break;
    default: write_word(w, "null"); break;
  }
}

int json_write(const orr_value *value, const orr_allocator *allocator, orr_builder *builder, orr_error *err) {
  writer w = {.allocator = allocator};
  write_json(&w, value);
  orr_value text = orr_bytes(w.text, w.size);
  if (!w.failed) orr_builder_add(builder, &text);
  env_free(allocator, w.text, w.capacity);
  return w.failed ? error_memory(err) : 0;
}
