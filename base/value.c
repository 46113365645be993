/* Values: making, walking, encoding and comparing them. Every reader checks bounds, so damaged bytes end a walk and never
 * leave it. */
#include "base/value.h"

#include <endian.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"

/* ---- Making ---------------------------------------------------------------------------------- */

orr_value orr_null(void) { return (orr_value){.type = ORR_NULL}; }
orr_value orr_bool(bool b) { return (orr_value){.type = ORR_BOOL, .as.boolean = b}; }
orr_value orr_int(int64_t i) { return (orr_value){.type = ORR_INT, .as.integer = i}; }
orr_value orr_float(double f) { return (orr_value){.type = ORR_FLOAT, .as.number = f}; }

orr_value orr_seconds(int64_t milliseconds) {
  bool whole = milliseconds % 1000 == 0;
  return whole ? orr_int(milliseconds / 1000) : orr_float((double)milliseconds / 1000);
}

int64_t orr_milliseconds(const orr_value *seconds) {
  static const double most = (double)(INT64_MAX / 1000);
  int64_t n;
  if (!seconds) return ORR_TIME_NONE;
  if (seconds->type == ORR_INT && !__builtin_mul_overflow(seconds->as.integer, 1000, &n)) return n;
  bool fits = seconds->type == ORR_FLOAT && fabs(seconds->as.number) < most;
  return fits ? llround(seconds->as.number * 1000) : ORR_TIME_NONE;
}

orr_value orr_string(const char *text) {
  if (!text) return (orr_value){.type = ORR_NIL};
  return orr_bytes(text, strlen(text));
}

orr_value orr_bytes(const void *bytes, size_t size) {
  if (size > UINT32_MAX) return (orr_value){.type = ORR_NIL}; /* no value is that large; see ORR_VALUE_BYTES_MAX */
  if (!bytes && size > 0) return (orr_value){.type = ORR_NIL};
  return (orr_value){.type = ORR_STRING, .size = (uint32_t)size, .as.bytes = bytes};
}

/* May a value of this type be declared so? A null may be of every type. */
static bool declared_fits(const orr_value *value) {
  switch (value->declared) {
    case ORR_UNDECLARED: return true;
    case ORR_DECLARED_BOOLEAN: case ORR_DECLARED_DOUBLE: case ORR_DECLARED_STRING: return value->type == ORR_NULL;
    case ORR_DECLARED_SHORT: case ORR_DECLARED_INTEGER: case ORR_DECLARED_LONG:
      return value->type == ORR_INT || value->type == ORR_NULL;
    case ORR_DECLARED_DATE: return value->type == ORR_INT || value->type == ORR_FLOAT || value->type == ORR_NULL;
    case ORR_DECLARED_BYTES: case ORR_DECLARED_XML: case ORR_DECLARED_JSON:
      return value->type == ORR_STRING || value->type == ORR_NULL;
    case ORR_DECLARED_FILE: case ORR_DECLARED_OBJECT: return value->type == ORR_MAP || value->type == ORR_NULL;
    default: return false;
  }
}

static bool has_bytes(const orr_value *value) { return value->type >= ORR_STRING && value->type <= ORR_MAP; }
static bool value_is_number(const orr_value *value) { return value->type == ORR_INT || value->type == ORR_FLOAT; }

/* ---- Varints --------------------------------------------------------------------------------- */

size_t varint_size(uint64_t n) {
  size_t size = 1;
  for (; n >= 0x80; n >>= 7) size++;
  return size;
}

uint8_t *varint_put(uint8_t *out, uint64_t n) {
  for (; n >= 0x80; n >>= 7) *out++ = (uint8_t)(n | 0x80);
  *out++ = (uint8_t)n;
  return out;
}

/* Up to eight bytes at once: where eight can be read and one of them is the last. The seven low bits of
 * each move together. */
static bool varint_get_short(const uint8_t **at, uint64_t *out) {
  uint64_t n;
  memcpy(&n, *at, sizeof n);
  n = le64toh(n);
  uint64_t ends = ~n & UINT64_C(0x8080808080808080);
  if (!ends) return false;
  n &= (ends ^ (ends - 1)) & UINT64_C(0x7F7F7F7F7F7F7F7F);
  n = (n & UINT64_C(0x007F007F007F007F)) | (n & UINT64_C(0x7F007F007F007F00)) >> 1;
  n = (n & UINT64_C(0x00003FFF00003FFF)) | (n & UINT64_C(0x3FFF00003FFF0000)) >> 2;
  *out = (n & UINT64_C(0x0FFFFFFF)) | (n & UINT64_C(0x0FFFFFFF00000000)) >> 4;
  *at += (__builtin_ctzll(ends) + 1) / 8;
  return true;
}

int varint_get(const uint8_t **at, const uint8_t *end, uint64_t *out) {
  if (end - *at >= 8 && varint_get_short(at, out)) return 0;
  const uint8_t *p = *at;
  uint64_t n = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (p == end) return ORR_E_STORE;
    uint8_t byte = *p++;
    if (shift == 63 && byte > 1) return ORR_E_STORE; /* more than 64 bits */
    n |= (uint64_t)(byte & 0x7F) << shift;
    if (byte < 0x80) {
      *at = p;
      *out = n;
      return 0;
    }
  }
  return ORR_E_STORE;
}

/* A size that must fit between `*at` and `end`. */
static int size_get(const uint8_t **at, const uint8_t *end, uint32_t *out) {
  const uint8_t *p = *at;
  uint64_t size;
  if (varint_get(&p, end, &size) || size > (uint64_t)(end - p) || size > ORR_VALUE_BYTES_MAX) return ORR_E_STORE;
  *at = p;
  *out = (uint32_t)size;
  return 0;
}

/* The parts of a tag byte: the type in the lowest bits, the bits where the others begin. */
enum { TAG_TYPE = 7, TAG_DECLARED = 3, TAG_DECLARED_MASK = 15, TAG_TRANSIENT = 7 };

/* ---- Decoding -------------------------------------------------------------------------------- */

static double load_float(const uint8_t *at) {
  uint64_t bits = 0;
  for (int i = 7; i >= 0; i--) bits = bits << 8 | at[i];
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

static uint8_t *store_float(uint8_t *out, double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  for (int i = 0; i < 8; i++) *out++ = (uint8_t)(bits >> (8 * i));
  return out;
}

static int decode_payload(const uint8_t **at, const uint8_t *end, orr_value *value) {
  uint64_t n;
  switch (value->type) {
    case ORR_NIL:
    case ORR_NULL: return 0;
    case ORR_BOOL:
      if (*at == end || **at > 1) return ORR_E_STORE;
      value->as.boolean = *(*at)++ != 0;
      return 0;
    case ORR_INT:
      if (varint_get(at, end, &n)) return ORR_E_STORE;
      value->as.integer = unzigzag(n);
      return 0;
    case ORR_FLOAT:
      if (end - *at < 8) return ORR_E_STORE;
      value->as.number = load_float(*at);
      *at += 8;
      return 0;
    case ORR_STRING:
    case ORR_ARRAY:
    case ORR_MAP:
      if (size_get(at, end, &value->size)) return ORR_E_STORE;
      value->as.bytes = (const char *)*at;
      *at += value->size;
      return 0;
    default: return ORR_E_STORE;
  }
}

int value_decode(const uint8_t **at, const uint8_t *end, orr_value *out) {
  *out = (orr_value){0};
  if (*at == end) return ORR_E_STORE;
  const uint8_t *p = *at;
  uint8_t tag = *p++;
  orr_value value = {
      .type = tag & TAG_TYPE, .declared = (tag >> TAG_DECLARED) & TAG_DECLARED_MASK, .transient = tag >> TAG_TRANSIENT};
  if (tag > TAG_TYPE && !declared_fits(&value)) return ORR_E_STORE;
  if (decode_payload(&p, end, &value)) return ORR_E_STORE;
  *at = p;
  *out = value;
  return 0;
}

/* ---- Walking --------------------------------------------------------------------------------- */

orr_iterator orr_iterate(const orr_value *value) {
  if (!value || (value->type != ORR_ARRAY && value->type != ORR_MAP) || value->size == 0) return (orr_iterator){0};
  const uint8_t *at = (const uint8_t *)value->as.bytes;
  return (orr_iterator){.at = at, .end = at + value->size, .map = value->type == ORR_MAP};
}

static int next_element(orr_iterator *iterator, orr_value *key, orr_value *value) {
  *key = (orr_value){0};
  const uint8_t *at = iterator->at;
  if (iterator->map) {
    uint32_t size;
    if (size_get(&at, iterator->end, &size)) return ORR_E_STORE;
    *key = orr_bytes(at, size);
    at += size;
  }
  if (value_decode(&at, iterator->end, value) || value->type == ORR_NIL) return ORR_E_STORE;
  iterator->at = at;
  return 0;
}

bool orr_next(orr_iterator *iterator, orr_value *key, orr_value *value) {
  orr_value unwanted_key, unwanted_value;
  if (!key) key = &unwanted_key;
  if (!value) value = &unwanted_value;
  if (!iterator || iterator->at == iterator->end) return false;
  if (!next_element(iterator, key, value)) return true;
  iterator->at = iterator->end; /* damaged bytes: the walk ends here */
  *key = *value = (orr_value){0};
  return false;
}

orr_value orr_map_get(const orr_value *map, const char *key) {
  if (!key) return (orr_value){0};
  size_t size = strlen(key);
  orr_value name, value;
  if (!map || map->type != ORR_MAP) return (orr_value){0};
  orr_iterator iterator = orr_iterate(map);
  while (orr_next(&iterator, &name, &value)) {
    int order = key_compare(name.as.bytes, name.size, key, size);
    if (order == 0) return value;
    if (order > 0) break;
  }
  return (orr_value){0};
}

size_t orr_count(const orr_value *value) {
  size_t count = 0;
  orr_value element;
  orr_iterator iterator = orr_iterate(value);
  while (orr_next(&iterator, NULL, &element)) count++;
  return count;
}

int key_compare(const void *a, size_t a_size, const void *b, size_t b_size) {
  size_t common = a_size < b_size ? a_size : b_size;
  int order = common > 0 ? memcmp(a, b, common) : 0;
  return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

/* ---- Validating ------------------------------------------------------------------------------ */

int value_validate(const orr_value *value, int depth) {
  if (value->type > ORR_MAP || !declared_fits(value)) return ORR_E_STORE;
  if (!has_bytes(value)) return 0;
  if (value->size > ORR_VALUE_BYTES_MAX) return ORR_E_LIMIT;
  if (value->type == ORR_STRING) return 0;
  if (depth >= ORR_VALUE_DEPTH_MAX) return ORR_E_LIMIT;
  orr_iterator iterator = orr_iterate(value);
  orr_value key, element, last = {0};
  while (iterator.at != iterator.end) {
    if (next_element(&iterator, &key, &element)) return ORR_E_STORE;
    if (last.type == ORR_STRING && key_compare(last.as.bytes, last.size, key.as.bytes, key.size) >= 0) return ORR_E_STORE;
    int rc = value_validate(&element, depth + 1);
    if (rc) return rc;
    last = key;
  }
  return 0;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

size_t value_encoded_size(const orr_value *value) {
  switch (value->type) {
    case ORR_BOOL: return 2;
    case ORR_INT: return 1 + varint_size(zigzag(value->as.integer));
    case ORR_FLOAT: return 9;
    case ORR_STRING:
    case ORR_ARRAY:
    case ORR_MAP: return 1 + varint_size(value->size) + value->size;
    default: return 1;
  }
}

uint8_t *value_encode(uint8_t *out, const orr_value *value) {
  *out++ = (uint8_t)(value->type | value->declared << TAG_DECLARED | value->transient << TAG_TRANSIENT);
  switch (value->type) {
    case ORR_BOOL: *out++ = value->as.boolean; return out;
    case ORR_INT: return varint_put(out, zigzag(value->as.integer));
    case ORR_FLOAT: return store_float(out, value->as.number);
    case ORR_STRING:
    case ORR_ARRAY:
    case ORR_MAP:
      out = varint_put(out, value->size);
      if (value->size > 0) memcpy(out, value->as.bytes, value->size);
      return out + value->size;
    default: return out;
  }
}

int value_copy(orr_arena *arena, const orr_value *value, orr_value *out) {
  *out = *value;
  if (!has_bytes(value)) return 0;
  /* Arrays and maps are flat bytes: one copy takes the whole tree. */
  char *bytes = arena_strndup(arena, value->as.bytes, value->size);
  if (!bytes) {
    *out = orr_null();
    return ORR_E_MEMORY;
  }
  out->as.bytes = bytes;
  return 0;
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Exact: an integer beyond 2^53 is not rounded to meet a float. `f` is not NaN. */
static int compare_int_float(int64_t i, double f) {
  if (f >= 0x1p63) return -1;
  if (f < -0x1p63) return 1;
  int64_t whole = (int64_t)f;
  if (i != whole) return i < whole ? -1 : 1;
  double rest = f - (double)whole;
  return rest > 0 ? -1 : rest < 0;
}

/* NaN sorts before every number, so that sorting has an order; *comparable tells that < does not hold for it. */
static int compare_numbers(const orr_value *a, const orr_value *b, bool *comparable) {
  bool a_nan = a->type == ORR_FLOAT && a->as.number != a->as.number;
  bool b_nan = b->type == ORR_FLOAT && b->as.number != b->as.number;
  *comparable = !a_nan && !b_nan;
  if (a_nan || b_nan) return (int)b_nan - (int)a_nan;
  if (a->type == ORR_INT && b->type == ORR_INT) return (a->as.integer > b->as.integer) - (a->as.integer < b->as.integer);
  if (a->type == ORR_INT) return compare_int_float(a->as.integer, b->as.number);
  if (b->type == ORR_INT) return -compare_int_float(b->as.integer, a->as.number);
  return (a->as.number > b->as.number) - (a->as.number < b->as.number);
}

/* The order of kinds: as in orr_type, with both kinds of numbers as one. */
static int kind_rank(const orr_value *value) { return value->type == ORR_FLOAT ? ORR_INT : (int)value->type; }

static int compare_inside(const orr_value *a, const orr_value *b, bool *comparable, int depth);

static int compare_trees(const orr_value *a, const orr_value *b, int depth) {
  if (depth >= ORR_VALUE_DEPTH_MAX) return key_compare(a->as.bytes, a->size, b->as.bytes, b->size); /* only in damaged bytes */
  orr_iterator left = orr_iterate(a), right = orr_iterate(b);
  orr_value left_key, left_value, right_key, right_value;
  for (;;) {
    bool more_left = orr_next(&left, &left_key, &left_value), more_right = orr_next(&right, &right_key, &right_value);
    if (!more_left || !more_right) return (int)more_left - (int)more_right;
    int order = key_compare(left_key.as.bytes, left_key.size, right_key.as.bytes, right_key.size);
    bool unused;
    if (order == 0) order = compare_inside(&left_value, &right_value, &unused, depth + 1);
    if (order != 0) return order;
  }
}

static int compare_inside(const orr_value *a, const orr_value *b, bool *comparable, int depth) {
  *comparable = false;
  int a_rank = kind_rank(a), b_rank = kind_rank(b);
  if (a_rank != b_rank) return a_rank < b_rank ? -1 : 1;
  if (value_is_number(a)) return compare_numbers(a, b, comparable);
  switch (a->type) {
    case ORR_BOOL: return (int)a->as.boolean - (int)b->as.boolean;
    case ORR_STRING:
      *comparable = true;
      return key_compare(a->as.bytes, a->size, b->as.bytes, b->size);
    case ORR_ARRAY:
    case ORR_MAP: return compare_trees(a, b, depth);
    default: return 0;
  }
}

int value_compare(const orr_value *a, const orr_value *b, bool *comparable) {
  bool unused;
  return compare_inside(a, b, comparable ? comparable : &unused, 0);
}

static bool equal_inside(const orr_value *a, const orr_value *b, int depth);

static bool equal_trees(const orr_value *a, const orr_value *b, int depth) {
  if (depth >= ORR_VALUE_DEPTH_MAX) return false; /* only in damaged bytes */
  orr_iterator left = orr_iterate(a), right = orr_iterate(b);
  orr_value left_key, left_value, right_key, right_value;
  for (;;) {
    bool more_left = orr_next(&left, &left_key, &left_value), more_right = orr_next(&right, &right_key, &right_value);
    if (!more_left || !more_right) return more_left == more_right;
    if (key_compare(left_key.as.bytes, left_key.size, right_key.as.bytes, right_key.size) != 0) return false;
    if (!equal_inside(&left_value, &right_value, depth + 1)) return false;
  }
}

static bool equal_inside(const orr_value *a, const orr_value *b, int depth) {
  if (a->type == ORR_ARRAY || a->type == ORR_MAP) return a->type == b->type && equal_trees(a, b, depth);
  bool comparable;
  int order = compare_inside(a, b, &comparable, depth);
  return order == 0 && (comparable || !value_is_number(a)); /* NaN is equal to nothing */
}

bool value_equal(const orr_value *a, const orr_value *b) { return equal_inside(a, b, 0); }

/* ---- Ids ------------------------------------------------------------------------------------- */

orr_id value_id(const orr_value *value) {
  if (value->type == ORR_INT) return value->as.integer > 0 ? (orr_id)value->as.integer : 0;
  if (value->type != ORR_STRING || value->size == 0 || value->size > 19) return 0;
  orr_id id = 0;
  for (uint32_t i = 0; i < value->size; i++) {
    char digit = value->as.bytes[i];
    if (digit < '0' || digit > '9') return 0;
    id = id * 10 + (orr_id)(digit - '0');
  }
  return id;
}

bool value_is_text(const orr_value *value, const char *text) {
  return value->type == ORR_STRING && value->size == strlen(text) && memcmp(value->as.bytes, text, value->size) == 0;
}

orr_value value_of_id(orr_arena *arena, orr_id id) { return orr_string(arena_printf(arena, "%" PRIu64, id)); }
