/* Reading and writing the fields of records; called by the generated codecs only.
 *
 * A stored value is store_header, a layout version, a bitmap of the fields that are set (not zero, not NULL), then those
 * fields in order. A bool is its bit. Numbers are varints (zigzag when signed); texts are size, bytes and a NUL, so that a
 * decoded text can point into the stored bytes; values are their encoding. Fields are only ever appended, so an old layout
 * is a shorter bitmap. */
#ifndef ORR_RECORD_CODEC_H
#define ORR_RECORD_CODEC_H

#include <string.h>

#include "base/value.h"
#include "records.h"

#define CODEC_VARINT_MAX 10 /* bytes of a 64-bit varint */

/* Failure is sticky: a bad reader gives zeros and is asked once, at the end. */
typedef struct codec_reader {
  const uint8_t *at, *end;
  orr_arena *arena;
  int status;
} codec_reader;

static inline void codec_fail(codec_reader *in, int code) {
  if (in->status == 0) in->status = code;
  in->at = in->end;
}

static inline uint64_t codec_get_uint(codec_reader *in) {
  if (in->at < in->end && *in->at < 0x80) return *in->at++;
  uint64_t n = 0;
  if (varint_get(&in->at, in->end, &n)) {
    codec_fail(in, ORR_E_STORE);
    return 0;
  }
  return n;
}

static inline int64_t codec_get_int(codec_reader *in) { return unzigzag(codec_get_uint(in)); }

/* A number of a type with fewer bits. */
static inline uint64_t codec_get_small(codec_reader *in, uint64_t max) {
  uint64_t n = codec_get_uint(in);
  if (n <= max) return n;
  codec_fail(in, ORR_E_STORE);
  return 0;
}

static inline rec_text codec_get_text(codec_reader *in) {
  uint64_t size = codec_get_uint(in);
  rec_text text = {NULL, 0};
  if (in->status != 0) return text;
  size_t left = (size_t)(in->end - in->at);
  if (left == 0 || size > left - 1 || in->at[size] != 0) {
    codec_fail(in, ORR_E_STORE);
    return text;
  }
  text = (rec_text){(const char *)in->at, (size_t)size};
  in->at += size + 1;
  return text;
}

static inline orr_value codec_get_value(codec_reader *in) {
  orr_value value = {0};
  if (in->status == 0 && value_decode(&in->at, in->end, &value)) {
    codec_fail(in, ORR_E_STORE);
    return (orr_value){0};
  }
  return value;
}

/* An array in the arena; a failure is in the reader. */
rec_ids codec_get_ids(codec_reader *in);
/* The same of texts, which point into what is read. */
rec_texts codec_get_texts(codec_reader *in);

/* The bitmap: `bytes` long, of which the lowest `fields` bits may be set. */
static inline uint64_t codec_get_bits(codec_reader *in, size_t bytes, size_t fields) {
  uint64_t bits = 0;
  if ((size_t)(in->end - in->at) < bytes) {
    codec_fail(in, ORR_E_STORE);
    return 0;
  }
  for (size_t i = 0; i < bytes; i++) bits |= (uint64_t)in->at[i] << (8 * i);
  in->at += bytes;
  if (fields < 64 && bits >> fields != 0) {
    codec_fail(in, ORR_E_STORE);
    return 0;
  }
  return bits;
}

/* Nothing may be left over. */
static inline int codec_end(const codec_reader *in) {
  return in->status != 0 ? in->status : in->at == in->end ? 0 : ORR_E_STORE;
}

static inline uint8_t *codec_put_uint(uint8_t *out, uint64_t n) {
  if (n >= 0x80) return varint_put(out, n);
  *out = (uint8_t)n;
  return out + 1;
}

static inline uint8_t *codec_put_int(uint8_t *out, int64_t n) { return codec_put_uint(out, zigzag(n)); }

static inline uint8_t *codec_put_text(uint8_t *out, rec_text text) {
  out = codec_put_uint(out, text.size);
  if (text.size > 0) memcpy(out, text.data, text.size);
  out[text.size] = 0;
  return out + text.size + 1;
}

static inline uint8_t *codec_put_bits(uint8_t *out, uint64_t bits, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) *out++ = (uint8_t)(bits >> (8 * i));
  return out;
}

/* Returns the end; `out` has room for what the bound says. */
uint8_t *codec_put_ids(uint8_t *out, rec_ids ids);
/* The same. */
uint8_t *codec_put_texts(uint8_t *out, rec_texts texts);

static inline size_t codec_bound_text(rec_text text) { return CODEC_VARINT_MAX + text.size + 1; }
static inline size_t codec_bound_ids(rec_ids ids) { return CODEC_VARINT_MAX * (ids.count + 1); }
/* The bytes that these texts take at most. */
size_t codec_bound_texts(rec_texts texts);

#endif
