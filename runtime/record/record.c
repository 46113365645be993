/* Records as stored values: header, checksum, and messages that name the record. */
#include "record/codec.h"
#include "record/key.h"
#include "records.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Lists, for the generated codecs ----------------------------------------------------------------------------------- */

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

/* ---- Whole values ------------------------------------------------------------------------------------------------------ */

size_t record_bound(const rec_type *type, const void *record) { return sizeof(store_header) + type->encode_bound(record); }

size_t record_encode(const rec_type *type, const void *record, uint32_t revision, uint8_t *out) {
  store_header header = {0, revision};
  uint8_t *end = type->encode(record, out + sizeof header);
  memcpy(out, &header, sizeof header);
  size_t covered = offsetof(store_header, revision);
  header.checksum = store_crc32c(out + covered, (size_t)(end - out) - covered);
  memcpy(out, &header.checksum, sizeof header.checksum);
  return (size_t)(end - out);
}

static int record_damaged(store_bytes key, const char *what, orr_error *err) {
  char name[128];
  record_describe(key, name, sizeof name);
  return error_set(err, ORR_E_STORE, "%s is damaged: %s", name, what);
}

int record_decode(const rec_type *type, void *record, orr_arena *arena, store_bytes key, store_bytes value, orr_error *err) {
  store_header header;
  if (value.size < sizeof header) return record_damaged(key, "too short", err);
  const uint8_t *bytes = value.data;
  memcpy(&header, bytes, sizeof header);
  size_t covered = offsetof(store_header, revision);
  if (store_crc32c(bytes + covered, value.size - covered) != header.checksum) return record_damaged(key, "wrong checksum", err);
  rec_head *head = record;
  head->revision = header.revision;
  int rc = type->decode_key(record, arena, key.data, key.size);
  if (!rc) rc = type->decode(record, arena, bytes + sizeof header, value.size - sizeof header);
  if (rc == ORR_E_STORE) return record_damaged(key, "its fields cannot be read", err);
  return rc ? error_memory(err) : 0;
}

/* Appends like printf, never beyond `end`; returns the new end of the text. */
static char *say(char *at, const char *end, const char *format, ...) __attribute__((format(printf, 3, 4)));
static char *say(char *at, const char *end, const char *format, ...) {
  if (at >= end) return at;
  va_list args;
  va_start(args, format);
  int n = vsnprintf(at, (size_t)(end - at), format, args);
  va_end(args);
  return n < 0 ? at : at + n < end ? at + n : (char *)end;
}

/* Works on the bytes, as they may be damaged and memory may be out. */
void record_describe(store_bytes key, char *out, size_t size) {
  const uint8_t *at = key.data, *stop = at + key.size;
  const rec_type *type = key.size > 0 ? rec_type_by_tag((char)*at) : NULL;
  char *end = out + size;
  if (!type) {
    out = say(out, end, "a row");
    for (; at < stop; at++) out = say(out, end, " %02x", *at);
    return;
  }
  at++;
  out = say(out, end, "%s%s", type->name, type->keyed ? " (" : " ");
  for (uint8_t i = 0; i < type->n_key; i++) {
    const char *comma = i == 0 ? "" : ", ";
    const uint8_t *text = at;
    uint64_t id = 0;
    int64_t n = 0;
    if (type->fields[i].type == REC_TEXT && key_skip_text(&at, stop) == 0) {
      out = say(out, end, "%s'%.*s'", comma, (int)(at - text - 2), (const char *)text);
    } else if (type->fields[i].type == REC_INT && key_get_int(&at, stop, &n) == 0) {
      out = say(out, end, "%s%" PRId64, comma, n);
    } else if (type->fields[i].type == REC_ID && key_get_id(&at, stop, &id) == 0) {
      out = say(out, end, "%s%" PRIu64, comma, id);
    } else {
      out = say(out, end, "%s?", comma);
      break;
    }
  }
  if (type->keyed) say(out, end, ")");
}

/* ---- Look-up of types -------------------------------------------------------------------------------------------------- */

const rec_type *rec_type_by_verb(const char *verb) {
  for (size_t i = 0; i < REC_TYPE_COUNT; i++)
    if (rec_types[i]->verb && strcmp(rec_types[i]->verb, verb) == 0) return rec_types[i];
  return NULL;
}

const rec_type *rec_type_by_tag(char tag) {
  for (size_t i = 0; i < REC_TYPE_COUNT; i++)
    if (rec_types[i]->tag == tag) return rec_types[i];
  return NULL;
}
