/* Values inside the runtime: the same 16 bytes as the public orr_value. Scalars stand in the value itself; a string, array or
 * map points at bytes, which are also what the store keeps, so that reading a variable copies nothing.
 *
 * Encoded form, used for storage and for the inside of arrays and maps:
 *   tag byte: orr_type in its lowest 3 bits, orr_declared in the next 4 (what has no declaration is as it was before there
 *   were any), the highest for a transient on its way to its scope; then
 *   BOOL 1 byte | INT zigzag varint | FLOAT 8 bytes little-endian | STRING varint size, bytes
 *   ARRAY varint byte size, then items | MAP varint byte size, then (varint key size, key, item)*, keys ascending */
#ifndef ORR_VALUE_H
#define ORR_VALUE_H

#include "base/arena.h"
#include "orrery.h"

/* Reads one encoded item at `*at`, moves `*at` behind it. Strings, arrays, maps point into the bytes. ORR_E_STORE when the
 * bytes are damaged; then `*at` stays and `*out` is ORR_NIL. Only this item's bounds are checked: nested bytes are checked
 * when they are walked, so reading a record costs nothing for what nobody looks at. */
int value_decode(const uint8_t **at, const uint8_t *end, orr_value *out);
/* Walks a whole tree that stands inside `depth` arrays and maps: bounds, depth, key order. ORR_E_STORE when damaged,
 * ORR_E_LIMIT when too deep or too large. */
int value_validate(const orr_value *value, int depth);

/* The bytes that value_encode writes for a value that passed value_measure. */
size_t value_encoded_size(const orr_value *value);
/* Writes value_encoded_size bytes, returns the end. */
uint8_t *value_encode(uint8_t *out, const orr_value *value);

/* A deep copy into the arena; NULL-typed when memory is out (returns ORR_E_MEMORY). */
int value_copy(orr_arena *arena, const orr_value *value, orr_value *out);

bool value_equal(const orr_value *a, const orr_value *b);        /* 1 == 1.0; arrays and maps by content */
/* <0, 0, >0; values of different kinds order by kind; *comparable (may be NULL) says whether < and > make sense. */
int value_compare(const orr_value *a, const orr_value *b, bool *comparable);

/* What a value that is to be kept is: no longer on its way, so without the mark of a transient. */
static inline orr_value value_settled(orr_value value) {
  value.transient = false;
  return value;
}

/* Is it a string, and this one? */
bool value_is_text(const orr_value *value, const char *text);

/* An id as callers write it: an integer, or a text of its digits. 0: neither. */
orr_id value_id(const orr_value *value);
/* An id as models see it in a variable: a text. NULL bytes when memory is out. */
orr_value value_of_id(orr_arena *arena, orr_id id);

/* Varints, shared with the record codecs. The bytes that one takes: */
size_t varint_size(uint64_t n);
/* Returns the end. */
uint8_t *varint_put(uint8_t *out, uint64_t n);
/* Moves *at behind it; ORR_E_STORE: it is cut, or has more than 64 bits. */
int varint_get(const uint8_t **at, const uint8_t *end, uint64_t *out);
static inline uint64_t zigzag(int64_t n) { return ((uint64_t)n << 1) ^ (uint64_t)(n >> 63); }
static inline int64_t unzigzag(uint64_t n) { return (int64_t)(n >> 1) ^ -(int64_t)(n & 1); }

/* Order of two keys, as in maps: bytes first, then the shorter one. */
int key_compare(const void *a, size_t a_size, const void *b, size_t b_size);

#endif
