/* Fetching what is asked about the rows of a list. */
#include "uow/rows.h"

#include <string.h>

#include "uow/find.h"
#include "uow/uow_internal.h"

void unit_rows_begin(unit_rows *rows, unit *u, const store_bytes *keys, size_t count) {
  *rows = (unit_rows){.keys = keys, .count = count};
  store_snapshot *snapshot = count > 1 ? unit_snapshot(u, NULL) : NULL;
  if (!snapshot || !store_is_far(snapshot)) return;
  rows->u = u;
  rows->outer = u->rows;
  u->rows = rows;
}

void unit_rows_of(unit_rows *rows, unit *u, const unit_found *found) {
  store_snapshot *snapshot = found->count > 1 ? unit_snapshot(u, NULL) : NULL;
  bool far = snapshot && store_is_far(snapshot);
  store_bytes *keys = far ? ARENA_ARRAY(u->arena, store_bytes, found->count) : NULL;
  for (size_t i = 0; keys && i < found->count; i++) keys[i] = (store_bytes){found->items[i]->key, found->items[i]->key_size};
  unit_rows_begin(rows, u, keys, keys ? found->count : 0);
}

void unit_rows_end(unit_rows *rows) {
  if (rows->u) rows->u->rows = rows->outer;
}

/* The bytes before the id: a tag; for index rows, the index too. */
static uint8_t size_before_id(store_bytes key) { return key.size && *(const char *)key.data == KEY_INDEX_TAG ? 2 : 1; }

/* 0: the key is not of a group. */
static uint64_t group_of_key(store_bytes key) {
  uint8_t head = size_before_id(key);
  return key.size >= head + sizeof(uint64_t) ? orr_id_group(key_read_id((const uint8_t *)key.data + head)) : 0;
}

static bool was_asked(const unit_rows *rows, store_bytes key) {
  uint8_t size = size_before_id(key);
  for (uint8_t i = 0; i < rows->n_asked; i++)
    if (rows->asked[i].size == size && memcmp(rows->asked[i].bytes, key.data, size) == 0) return true;
  return false;
}

/* An index by something else than an id has other bytes there, which are hardly ever the group of
 * the row. */
void unit_rows_note(unit *u, store_bytes key) {
  unit_rows *rows = u->rows;
  uint64_t group = group_of_key(key);
  if (!group || group != group_of_key(rows->keys[rows->at])) return;
  if (rows->n_asked == UNIT_ROWS_KINDS || was_asked(rows, key)) return;
  rows->asked[rows->n_asked].size = size_before_id(key);
  memcpy(rows->asked[rows->n_asked].bytes, key.data, size_before_id(key));
  rows->n_asked++;
}

#define ROW_KEY_SIZE (2 + sizeof(uint64_t))
typedef struct row_spans {
  store_span spans[UNIT_ROWS_PREFETCHED * UNIT_ROWS_KINDS];
  uint8_t bytes[UNIT_ROWS_PREFETCHED * UNIT_ROWS_KINDS][2][ROW_KEY_SIZE];
  size_t count;
} row_spans;

static store_bytes put_row_bound(uint8_t *out, const unit_rows *rows, uint8_t kind, uint64_t group) {
  uint8_t size = rows->asked[kind].size;
  memcpy(out, rows->asked[kind].bytes, size);
  key_put_id(out + size, out + ROW_KEY_SIZE, orr_id_make(group, 0));
  return (store_bytes){out, size + sizeof(uint64_t)};
}

static void add_row_span(row_spans *to, const unit_rows *rows, uint8_t kind, uint64_t group) {
  uint8_t(*bytes)[ROW_KEY_SIZE] = to->bytes[to->count];
  store_bytes low = put_row_bound(bytes[0], rows, kind, group);
  to->spans[to->count++] = (store_span){low, put_row_bound(bytes[1], rows, kind, group + 1)};
}

/* Rows of one group mostly lie together. */
static void read_for_rows(unit_rows *rows, size_t until, uint8_t from_kind) {
  row_spans spans;
  uint64_t last = 0;
  spans.count = 0;
  for (size_t i = rows->at; i < until; i++) {
    uint64_t group = group_of_key(rows->keys[i]);
    if (!group || group == last || group == ORR_GROUP_MAX) continue;
    last = group;
    for (uint8_t kind = from_kind; kind < rows->n_asked; kind++) add_row_span(&spans, rows, kind, group);
  }
  store_snapshot *snapshot = spans.count ? unit_snapshot(rows->u, NULL) : NULL;
  if (snapshot) store_read_ahead(snapshot, spans.spans, spans.count);
}

void unit_rows_at(unit_rows *rows, size_t i) {
  rows->at = i;
  if (!rows->u || !rows->n_asked) return;
  bool beyond = i >= rows->until;
  if (!beyond && rows->n_prefetched == rows->n_asked) return;
  if (beyond) {
    rows->until = rows->count - i < UNIT_ROWS_PREFETCHED ? rows->count : i + UNIT_ROWS_PREFETCHED;
    rows->n_prefetched = 0;
  }
  read_for_rows(rows, rows->until, rows->n_prefetched);
  rows->n_prefetched = rows->n_asked;
}
