/* Keys as bytes that sort as their fields do: numbers big-endian with the sign bit flipped, texts with an end mark that
 * sorts before every byte. A zero byte inside a text is written 00 FF, the end 00 01; the end of a text that was cut for
 * an index is 00 02, followed by a hash of the whole text (so cut texts are found exactly, but sort among each other by
 * hash).
 *
 * Every put function takes the place to write and the end of the room, returns the place behind what it wrote, and gives NULL
 * when there is no room or when it is given NULL; so a chain of puts is checked once. */
#ifndef ORR_RECORD_KEY_H
#define ORR_RECORD_KEY_H

#include <string.h>

#include "records.h"

#define KEY_INDEX_TAG 'i'
#define KEY_READY_TAG 'r'
#define KEY_ID_SIZE 9 /* tag and id */

static inline uint8_t *key_put_byte(uint8_t *out, const uint8_t *end, uint8_t byte) {
  if (!out || out == end) return NULL;
  *out = byte;
  return out + 1;
}

static inline uint8_t *key_put_id(uint8_t *out, const uint8_t *end, uint64_t id) {
  if (!out || end - out < 8) return NULL;
  uint64_t big = __builtin_bswap64(id);
  memcpy(out, &big, 8);
  return out + 8;
}

static inline uint8_t *key_put_int(uint8_t *out, const uint8_t *end, int64_t n) {
  return key_put_id(out, end, (uint64_t)n ^ UINT64_C(1) << 63);
}

static inline uint8_t *key_put_int_desc(uint8_t *out, const uint8_t *end, int64_t n) {
  return key_put_id(out, end, ~((uint64_t)n ^ UINT64_C(1) << 63));
}

/* A text that sorts as its bytes do, and ends so that a shorter one comes first. NULL when it
 * does not fit before `end`. */
uint8_t *key_put_text(uint8_t *out, const uint8_t *end, rec_text text);
/* For index rows: at most ORR_INDEX_TEXT_BYTES of the text, then its hash. */
uint8_t *key_put_cut_text(uint8_t *out, const uint8_t *end, rec_text text);

/* For index rows: a value, so that equal ones are equal here. Of arrays and maps only what they are; of numbers no more
 * than a float tells; of long texts what is kept of texts: who looks a value up compares it once more. */
uint8_t *key_put_value(uint8_t *out, const uint8_t *end, orr_value value);

/* The key of a record that has an id. */
static inline void key_of_id(char tag, orr_id id, uint8_t out[KEY_ID_SIZE]) {
  out[0] = (uint8_t)tag;
  key_put_id(out + 1, out + KEY_ID_SIZE, id);
}

static inline uint64_t key_read_id(const uint8_t *at) {
  uint64_t big;
  memcpy(&big, at, 8);
  return __builtin_bswap64(big);
}

/* Reading back, for decode_key; each moves *at, or returns ORR_E_STORE: */
int key_get_id(const uint8_t **at, const uint8_t *end, uint64_t *out);
int key_get_int(const uint8_t **at, const uint8_t *end, int64_t *out);
int key_get_text(const uint8_t **at, const uint8_t *end, orr_arena *arena, rec_text *out);

/* Steps over one text in a row, whole or cut. */
int key_skip_text(const uint8_t **at, const uint8_t *end);
/* Steps over one value of key_put_value. */
int key_skip_value(const uint8_t **at, const uint8_t *end);

/* For tables in memory; never stored. */
uint32_t key_hash(const uint8_t *key, size_t size);

/* FNV-1a; index rows keep it, so it never changes. Equal hashes do not make equal texts. */
uint64_t rec_text_hash(rec_text text);

#endif
