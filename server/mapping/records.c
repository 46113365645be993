/* Records by an id, or by a filter made here. */
#include "server/mapping/records.h"

#include <stdlib.h>

#include "rest_table.h"
#include "server/mapping/operation.h"

orr_records *records_list(request *q, const char *verb, const orr_value *filter) {
  orr_error err = {0};
  orr_records *found = NULL;
  if (orr_engine_list(rest_engine(q), verb, filter, &found, &err)) request_fail_engine(q, &err);
  return found;
}

/* A filter that is the builder's, which the caller frees. NULL: the request has failed. */
static orr_builder *filter_make(request *q, const key_value *keys, size_t n, orr_value *out) {
  orr_error err = {0};
  orr_builder *b = orr_builder_new();
  if (!b) {
    request_fail_memory(q);
    return NULL;
  }
  orr_builder_map(b);
  for (size_t i = 0; i < n; i++) orr_builder_put(b, keys[i].key, keys[i].value);
  orr_builder_end(b);
  if (!orr_builder_value(b, out, &err)) return b;
  request_fail_engine(q, &err);
  orr_builder_free(b);
  return NULL;
}

orr_records *records_by(request *q, const char *verb, const key_value *keys, size_t n) {
  orr_value filter;
  orr_builder *b = filter_make(q, keys, n, &filter);
  orr_records *found = b ? records_list(q, verb, &filter) : NULL;
  orr_builder_free(b);
  return found;
}

orr_records *records_first(request *q, const char *verb, const key_value *keys, size_t n) {
  orr_records *found = records_by(q, verb, keys, n);
  if (found && orr_records_count(found) > 0) return found;
  orr_records_free(found);
  return NULL;
}

int64_t records_total(request *q, const char *verb, const key_value *keys, size_t n) {
  orr_error err = {0};
  orr_value filter;
  int64_t total = -1;
  orr_builder *b = filter_make(q, keys, n, &filter);
  if (b && orr_engine_count(rest_engine(q), verb, &filter, &total, &err)) {
    request_fail_engine(q, &err);
    total = -1;
  }
  orr_builder_free(b);
  return total;
}

orr_records *records_one(request *q, const char *verb, orr_id id) {
  orr_error err = {0};
  orr_records *found = NULL;
  if (orr_engine_find(rest_engine(q), verb, id, &found, &err)) request_fail_engine(q, &err);
  if (found && orr_records_count(found) > 0) return found;
  orr_records_free(found);
  return NULL;
}

enum { DEFINITIONS_MAX = 8 };

/* Definitions that the rows of an answer asked for last. */
typedef struct known_definitions {
  orr_records *items[DEFINITIONS_MAX];
  size_t next;
} known_definitions;

static void known_drop(void *note) {
  known_definitions *known = note;
  for (size_t i = 0; i < DEFINITIONS_MAX; i++) orr_records_free(known->items[i]);
}

const orr_records *records_definition(request *q, orr_id id) {
  known_definitions *known = request_note(q, sizeof *known, known_drop);
  if (!known) return NULL;
  for (size_t i = 0; i < DEFINITIONS_MAX; i++)
    if (known->items[i] && orr_records_id(known->items[i], 0) == id) return known->items[i];
  orr_records **slot = &known->items[known->next++ % DEFINITIONS_MAX];
  orr_records_free(*slot);
  return *slot = records_one(q, "definitions", id);
}

enum { KEY_PARTS = 3 };

bool records_key_parts(const char *text, int64_t *out, size_t n) {
  for (size_t i = 0; i < n; i++) {
    char *end;
    if (*text < '0' || *text > '9') return false;
    out[i] = strtoll(text, &end, 10);
    if (*end != (i + 1 < n ? ':' : '\0')) return false;
    text = end + 1;
  }
  return true;
}

orr_records *records_with_key(request *q, const char *verb, const char *const *fields, size_t n) {
  int64_t parts[KEY_PARTS];
  key_value keys[KEY_PARTS];
  if (!records_key_parts(q->path[0], parts, n)) return NULL;
  for (size_t i = 0; i < n; i++) keys[i] = (key_value){fields[i], i > 0 || parts[i] ? orr_int(parts[i]) : orr_null()};
  return records_first(q, verb, keys, n);
}
