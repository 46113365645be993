/* The lists among the fields of records. */
#include "record/codec.h"

/* Each item takes a byte at least, so a count beyond the bytes left is damage, not a reason to allocate. */
static size_t get_count(codec_reader *in) {
  uint64_t count = codec_get_uint(in);
  if (count > (uint64_t)(in->end - in->at)) codec_fail(in, ORR_E_STORE);
  return in->status == 0 ? (size_t)count : 0;
}

rec_ids codec_get_ids(codec_reader *in) {
  size_t count = get_count(in);
  if (count == 0) return (rec_ids){NULL, 0};
  orr_id *items = ARENA_ARRAY(in->arena, orr_id, count);
  if (!items) {
    codec_fail(in, ORR_E_MEMORY);
    return (rec_ids){NULL, 0};
  }
  for (size_t i = 0; i < count; i++) items[i] = codec_get_uint(in);
  return (rec_ids){items, count};
}

rec_texts codec_get_texts(codec_reader *in) {
  size_t count = get_count(in);
  if (count == 0) return (rec_texts){NULL, 0};
  rec_text *items = ARENA_ARRAY(in->arena, rec_text, count);
  if (!items) {
    codec_fail(in, ORR_E_MEMORY);
    return (rec_texts){NULL, 0};
  }
  for (size_t i = 0; i < count; i++) items[i] = codec_get_text(in);
  return (rec_texts){items, count};
}

uint8_t *codec_put_ids(uint8_t *out, rec_ids ids) {
  out = codec_put_uint(out, ids.count);
  for (size_t i = 0; i < ids.count; i++) out = codec_put_uint(out, ids.items[i]);
  return out;
}

uint8_t *codec_put_texts(uint8_t *out, rec_texts texts) {
  out = codec_put_uint(out, texts.count);
  for (size_t i = 0; i < texts.count; i++) out = codec_put_text(out, texts.items[i]);
  return out;
}

size_t codec_bound_texts(rec_texts texts) {
  size_t size = CODEC_VARINT_MAX;
  for (size_t i = 0; i < texts.count; i++) size += codec_bound_text(texts.items[i]);
  return size;
}
