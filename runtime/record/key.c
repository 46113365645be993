/* Keys as bytes: texts and hashing. */
#include "record/key.h"

#include "base/error.h"
#include "base/hash.h"

enum { TEXT_ESCAPE = 0xFF, TEXT_END = 0x01, TEXT_CUT = 0x02 };
#define CUT_HASH_SIZE 8

static uint8_t *put_escaped(uint8_t *out, const uint8_t *end, const char *data, size_t size) {
  if (!out) return NULL;
  size_t room = (size_t)(end - out);
  if (size > 0 && !memchr(data, 0, size)) {
    if (size > room) return NULL;
    memcpy(out, data, size);
    return out + size;
  }
  for (size_t i = 0; i < size; i++) {
    out = key_put_byte(out, end, (uint8_t)data[i]);
    if (data[i] == 0) out = key_put_byte(out, end, TEXT_ESCAPE);
  }
  return out;
}

uint8_t *key_put_text(uint8_t *out, const uint8_t *end, rec_text text) {
  out = put_escaped(out, end, text.data, text.size);
  out = key_put_byte(out, end, 0);
  return key_put_byte(out, end, TEXT_END);
}

uint64_t rec_text_hash(rec_text text) { return hash_bytes_wide(text.data, text.size); }

uint8_t *key_put_cut_text(uint8_t *out, const uint8_t *end, rec_text text) {
  if (text.size <= ORR_INDEX_TEXT_BYTES) return key_put_text(out, end, text);
  out = put_escaped(out, end, text.data, ORR_INDEX_TEXT_BYTES);
  out = key_put_byte(out, end, 0);
  out = key_put_byte(out, end, TEXT_CUT);
  return key_put_id(out, end, rec_text_hash(text));
}

int key_get_id(const uint8_t **at, const uint8_t *end, uint64_t *out) {
  if (end - *at < 8) return ORR_E_STORE;
  *out = key_read_id(*at);
  *at += 8;
  return 0;
}

int key_get_int(const uint8_t **at, const uint8_t *end, int64_t *out) {
  uint64_t bits = 0;
  if (key_get_id(at, end, &bits)) return ORR_E_STORE;
  *out = (int64_t)(bits ^ UINT64_C(1) << 63);
  return 0;
}

/* Finds the end mark of the text at `at`; NULL when there is none. */
static const uint8_t *text_end(const uint8_t *at, const uint8_t *end) {
  while (at < end) {
    at = memchr(at, 0, (size_t)(end - at));
    if (!at || end - at < 2) return NULL;
    if (at[1] == TEXT_END || at[1] == TEXT_CUT) return at;
    if (at[1] != TEXT_ESCAPE) return NULL;
    at += 2;
  }
  return NULL;
}

int key_get_text(const uint8_t **at, const uint8_t *end, orr_arena *arena, rec_text *out) {
  const uint8_t *stop = text_end(*at, end);
  if (!stop || stop[1] != TEXT_END) return ORR_E_STORE;
  char *data = arena_alloc(arena, (size_t)(stop - *at) + 1);
  if (!data) return ORR_E_MEMORY;
  size_t size = 0;
  for (const uint8_t *in = *at; in < stop; in++) {
    data[size++] = (char)*in;
    if (*in == 0) in++; /* its escape */
  }
  data[size] = 0;
  *out = (rec_text){data, size};
  *at = stop + 2;
  return 0;
}

int key_skip_text(const uint8_t **at, const uint8_t *end) {
  const uint8_t *stop = text_end(*at, end);
  if (!stop) return ORR_E_STORE;
  const uint8_t *next = stop + 2;
  if (stop[1] == TEXT_CUT) {
    if (end - next < CUT_HASH_SIZE) return ORR_E_STORE;
    next += CUT_HASH_SIZE;
  }
  *at = next;
  return 0;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* Stored in index rows: what kind of value it is, in value_compare's order. */
enum { VALUE_NULL = 1, VALUE_BOOL, VALUE_NUMBER, VALUE_TEXT, VALUE_TREE };

/* Bits that sort as the numbers do. */
static uint64_t number_bits(orr_value value) {
  double number = value.type == ORR_INT ? (double)value.as.integer : value.as.number;
  if (number == 0) number = 0; /* not -0 */
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

uint8_t *key_put_value(uint8_t *out, const uint8_t *end, orr_value value) {
  switch (value.type) {
    case ORR_NIL: case ORR_NULL: return key_put_byte(out, end, VALUE_NULL);
    case ORR_BOOL: return key_put_byte(key_put_byte(out, end, VALUE_BOOL), end, value.as.boolean);
    case ORR_INT: case ORR_FLOAT: return key_put_id(key_put_byte(out, end, VALUE_NUMBER), end, number_bits(value));
    case ORR_STRING:
      return key_put_cut_text(key_put_byte(out, end, VALUE_TEXT), end, (rec_text){value.as.bytes, value.size});
    default: return key_put_byte(out, end, VALUE_TREE);
  }
}

int key_skip_value(const uint8_t **at, const uint8_t *end) {
  uint64_t skipped;
  if (*at == end) return ORR_E_STORE;
  switch (*(*at)++) {
    case VALUE_NULL: case VALUE_TREE: return 0;
    case VALUE_BOOL: return *at == end ? ORR_E_STORE : ((*at)++, 0);
    case VALUE_NUMBER: return key_get_id(at, end, &skipped);
    case VALUE_TEXT: return key_skip_text(at, end);
    default: return ORR_E_STORE;
  }
}

/* For the identity map only; never stored. Ids of one instance differ in few low bits, which the multiplication spreads. */
uint32_t key_hash(const uint8_t *key, size_t size) {
  uint64_t hash = key[0];
  size_t i = 1;
  for (; i + 8 <= size; i += 8) hash = (hash ^ key_read_id(key + i)) * UINT64_C(0x9E3779B97F4A7C15), hash ^= hash >> 29;
  for (; i < size; i++) hash = (hash ^ key[i]) * UINT64_C(0x100000001b3);
  return (uint32_t)(hash >> 32) ^ (uint32_t)hash;
}
