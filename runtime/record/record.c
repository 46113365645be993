/* Records as stored values: header, checksum, and messages that name the record. */
#include "record/record.h"

#include "record/codec.h"
#include "record/key.h"
#include "records.h"

#include <inttypes.h>
#include <stdio.h>

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
    if (type->fields[i].type == REC_TEXT && !key_skip_text(&at, stop)) {
      out = say(out, end, "%s'%.*s'", comma, (int)(at - text - 2), (const char *)text);
    } else if (type->fields[i].type == REC_INT && !key_get_int(&at, stop, &n)) {
      out = say(out, end, "%s%" PRId64, comma, n);
    } else if (type->fields[i].type == REC_ID && !key_get_id(&at, stop, &id)) {
      out = say(out, end, "%s%" PRIu64, comma, id);
    } else {
      out = say(out, end, "%s?", comma);
      break;
    }
  }
  if (type->keyed) say(out, end, ")");
}

/* ---- Look-up of types ------------------------------------------------------------------------ */

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
