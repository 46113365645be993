/* Finding: the store's rows, merged with what this unit has changed.
 *
 * Both sides are streams in key order. The store's side leaves out every record that this unit has
 * changed. Those come from the unit's own side, if they still match, at their place in the order.
 * So order and limit hold exactly. */
#include "uow/find.h"

#include "base/error.h"
#include "base/value.h"
#include "uow/rows.h"
#include "uow/uow_internal.h"

#include <stdlib.h>
#include <string.h>

/* A record of this unit's own changes with the key it would be found under. */
typedef struct own_row {
  store_bytes key;
  rec_head *head;
} own_row;

typedef struct finder {
  unit *u;
  const rec_type *type;
  const rec_index_type *index; /* NULL: by primary key */
  const rec_key *fields;       /* of the index or the key, that must be equal */
  size_t n_fields;
  uint64_t group; /* 0: any */
  uint8_t prefix[STORE_KEY_MAX];
  size_t prefix_size;
  uint8_t from[KEY_ID_SIZE], stop[KEY_ID_SIZE];
  size_t from_size; /* of `stop`, too */
  size_t limit; /* 0: none */
  uint32_t rows; /* seen in the store */

  own_row *own;
  size_t own_count, own_at;
  unit_found *out; /* NULL: what is found is shown to `visit` */
  size_t capacity;
  unit_visit visit;
  void *ud;
  bool stopped;
  rec_head *lent; /* room for one record */
  orr_error *err;
} finder;

static int compare_heads(store_bytes a, store_bytes b) {
  int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
  return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int own_compare(const void *a, const void *b) {
  return compare_heads(((const own_row *)a)->key, ((const own_row *)b)->key);
}

/* ---- What matches ---------------------------------------------------------------------------- */

static uint8_t *put_field(uint8_t *at, const uint8_t *end, const rec_field *field, const rec_key *key, bool desc, bool cut) {
  switch (field->type) {
    case REC_ID: return key_put_id(at, end, key->id);
    case REC_TEXT: return cut ? key_put_cut_text(at, end, key->text) : key_put_text(at, end, key->text);
    case REC_VALUE: return key_put_value(at, end, key->value);
    default: return desc ? key_put_int_desc(at, end, key->integer) : key_put_int(at, end, key->integer);
  }
}

static int64_t field_integer(const void *at, uint8_t type) {
  switch (type) {
    case REC_U8: return *(const uint8_t *)at;
    default: return *(const int64_t *)at; /* int, time */
  }
}

static bool field_equal(const void *record, const rec_field *field, const rec_key *key) {
  const void *at = record_field(record, field);
  switch (field->type) {
    case REC_ID: return *(const orr_id *)at == key->id;
    case REC_TEXT: {
      const rec_text *text = at;
      return text->size == key->text.size && (text->size == 0 || memcmp(text->data, key->text.data, text->size) == 0);
    }
    case REC_VALUE: return value_equal(at, &key->value);
    default: return field_integer(at, field->type) == key->integer;
  }
}

/* Compares the fields themselves. A row with a cut text only says that a record may match, and a
 * record that was read before the unit waited may be older than its row. */
static bool head_matches(const finder *f, const rec_head *head) {
  if (f->group != 0) return key_read_id(head->key + 1) >> ORR_LOCAL_BITS == f->group;
  if (!f->index) return head->key_size >= f->prefix_size && memcmp(head->key, f->prefix, f->prefix_size) == 0;
  if (!f->index->holds(head)) return false;
  for (size_t i = 0; i < f->n_fields; i++)
    if (!field_equal(head, &f->type->fields[f->index->fields[i]], &f->fields[i])) return false;
  return true;
}

/* ---- The unit's own side --------------------------------------------------------------------- */

static int own_key(finder *f, rec_head *head, store_bytes *out) {
  *out = (store_bytes){head->key, head->key_size};
  if (!f->index) return 0;
  uint8_t row[STORE_KEY_MAX];
  size_t size = index_row(f->index, head, head, row);
  if (size == KEY_TOO_LONG)
    return error_set(f->err, ORR_E_LIMIT, "a %s is too long for its index %s", f->type->name, f->index->name);
  uint8_t *copy = arena_alloc(f->u->arena, size);
  if (!copy) return error_memory(f->err);
  *out = (store_bytes){memcpy(copy, row, size), size};
  return 0;
}

/* The id in the key of what may be found that tells its group (live.c). 0: there is none. */
static orr_id own_id(const finder *f) {
  if (f->index) return f->index->own_group && f->n_fields > 0 ? f->fields[0].id : 0;
  for (size_t i = 0; i < f->n_fields && i < 2 && f->type->fields[i].type == REC_ID; i++)
    if (f->fields[i].id != 0) return f->fields[i].id;
  return 0;
}

/* The group of everything that may be found. False: any group. */
static bool own_group(const finder *f, uint64_t *out) {
  orr_id id = f->group ? 0 : own_id(f);
  *out = f->group ? f->group : orr_id_group(id);
  return f->group || id;
}

static live_walk own_walk(const finder *f) {
  uint64_t group;
  return own_group(f, &group) ? live_of_group(f->u, f->type, group) : live_all(f->u, f->type);
}

static int own_collect(finder *f) {
  size_t count = 0;
  rec_head *head;
  live_walk walk = own_walk(f), again = walk;
  while ((head = live_next(&walk))) count += head_matches(f, head);
  if (count == 0) return 0;
  f->own = ARENA_ARRAY(f->u->arena, own_row, count);
  if (!f->own) return error_memory(f->err);
  while ((head = live_next(&again))) {
    if (!head_matches(f, head)) continue;
    own_row *own = &f->own[f->own_count++];
    own->head = head;
    int rc = own_key(f, head, &own->key);
    if (rc) return rc;
  }
  qsort(f->own, f->own_count, sizeof *f->own, own_compare);
  return 0;
}

/* ---- The result ------------------------------------------------------------------------------ */

static bool full(const finder *f) { return f->stopped || (f->limit != 0 && f->out->count == f->limit); }

static int found_add(finder *f, rec_head *head) {
  if (!f->out) return f->visit(f->ud, head, &f->stopped);
  if (!ARENA_ROOM(f->u->arena, f->out->items, f->out->count, f->capacity, 8)) return error_memory(f->err);
  f->out->items[f->out->count++] = head;
  return 0;
}

/* Own records whose key is before `key`; with NULL, all that are left. */
static int own_emit(finder *f, const store_bytes *key) {
  while (f->own_at < f->own_count && !full(f)) {
    own_row *own = &f->own[f->own_at];
    if (key && compare_heads(own->key, *key) > 0) return 0;
    int rc = found_add(f, own->head);
    if (rc) return rc;
    f->own_at++;
  }
  return 0;
}

/* ---- The store's side ------------------------------------------------------------------------ */

int index_row_key(const rec_index_type *index, store_bytes row, store_bytes *out) {
  const uint8_t *at = (const uint8_t *)row.data + 2, *end = (const uint8_t *)row.data + row.size;
  if (row.size < 2) return ORR_E_STORE;
  for (uint8_t i = 0; i < index->n_fields; i++) {
    uint64_t skipped;
    uint8_t type = index->type->fields[index->fields[i]].type;
    int rc = type == REC_TEXT ? key_skip_text(&at, end)
        : type == REC_VALUE   ? key_skip_value(&at, end)
                              : key_get_id(&at, end, &skipped);
    if (rc) return rc;
  }
  *out = (store_bytes){at, (size_t)(end - at)};
  return out->size > 0 && (char)*at == index->type->tag ? 0 : ORR_E_STORE;
}

/* A lent record: it is in the finder's memory, and its texts in the store. */
static rec_head *lend(finder *f, store_bytes key, uint32_t hash, store_bytes value, orr_error *err) {
  if (!f->lent) f->lent = arena_alloc(f->u->arena, f->type->size + STORE_KEY_MAX);
  if (!f->lent) {
    error_memory(err);
    return NULL;
  }
  memset(f->lent, 0, f->type->size);
  uint8_t *at = (uint8_t *)f->lent + f->type->size;
  memcpy(at, key.data, key.size);
  *f->lent = (rec_head){.type = f->type, .key = at, .key_size = (uint16_t)key.size, .hash = hash};
  if (record_decode(f->type, f->lent, f->u->arena, (store_bytes){at, key.size}, value, err)) return NULL;
  f->u->lent = f->lent;
  f->u->lent_value = value;
  return f->lent;
}

/* The record of a row. NULL with 0: it comes from this unit's own side. */
static int row_record(finder *f, store_bytes row, store_bytes value, rec_head **out) {
  store_bytes key = row;
  *out = NULL;
  if (f->index && index_row_key(f->index, row, &key))
    return error_set(f->err, ORR_E_STORE, "a row of index %s is damaged", f->index->name);
  uint32_t hash = key_hash(key.data, key.size);
  rec_head *head = unit_known(f->u, key.data, key.size, hash);
  if (!head && f->index) {
    if (f->u->rows) unit_rows_note(f->u, key);
    int rc = store_get(unit_snapshot(f->u, f->err), key, &value, f->err);
    if (rc == ORR_E_NOT_FOUND) {
      char name[128];
      record_describe(key, name, sizeof name);
      return error_set(f->err, ORR_E_STORE, "index %s names %s, which is not there", f->index->name, name);
    }
    if (rc) return rc;
  }
  if (!head) {
    orr_error failure = {0};
    head = f->out ? unit_adopt(f->u, f->type, key, hash, value, &failure) : lend(f, key, hash, value, &failure);
    if (!head) {
      int code = failure.code;
      error_move(f->err, &failure);
      return code;
    }
  }
  if (head->state == REC_CLEAN && head_matches(f, head)) *out = head;
  return 0;
}

static bool beyond_group(const finder *f, store_bytes key) {
  return f->group != 0 && (key.size < KEY_ID_SIZE || key_read_id((const uint8_t *)key.data + 1) >> ORR_LOCAL_BITS != f->group);
}

static int take_row(finder *f, store_bytes key, store_bytes value) {
  rec_head *head = NULL;
  f->rows++;
  int rc = row_record(f, key, value, &head);
  if (!rc) rc = own_emit(f, &key);
  return !rc && head && !full(f) ? found_add(f, head) : rc;
}

static int stream(finder *f, store_cursor *cursor) {
  while (!full(f)) {
    store_bytes key, value;
    int rc = store_next(cursor, &key, &value, f->err);
    if (rc == ORR_E_NOT_FOUND || (!rc && beyond_group(f, key))) return own_emit(f, NULL);
    if (!rc) rc = take_row(f, key, value);
    if (rc) return rc;
  }
  return 0;
}

/* Rows that are read together where the store is far: then one query fetches the records of an
 * index's rows, and another one what is asked about them (rows.h). */
#define WINDOW_ROWS 64
#define WINDOW_ROWS_FIRST 16 /* a visitor may want no more */
#define WINDOW_BYTES ((size_t)128 << 10)
typedef struct row_window {
  store_bytes rows[WINDOW_ROWS], values[WINDOW_ROWS];
  store_bytes keys[WINDOW_ROWS]; /* of the records */
  size_t count, most;
  char *copies; /* of values, because looking at a row may invalidate what was read before; NULL: for an index */
  size_t copied;
  store_bytes left, left_value; /* a row that had no room: where the cursor stands; empty: none */
  uint8_t bytes[WINDOW_ROWS + 1][STORE_KEY_MAX];
} row_window;

static row_window *new_window(const finder *f) {
  row_window *w = arena_alloc(f->u->arena, sizeof *w);
  char *copies = w && !f->index ? arena_alloc(f->u->arena, WINDOW_BYTES) : NULL;
  if (!w || (!f->index && !copies)) return NULL;
  w->copies = copies;
  w->left = (store_bytes){0};
  w->most = f->visit ? WINDOW_ROWS_FIRST : WINDOW_ROWS;
  return w;
}

/* Of a damaged row of an index the key is empty. */
static void add_to_window(const finder *f, row_window *w, store_bytes row, store_bytes value) {
  store_bytes *key = &w->keys[w->count];
  w->rows[w->count] = (store_bytes){memcpy(w->bytes[w->count], row.data, row.size), row.size};
  w->values[w->count] = value;
  *key = w->rows[w->count];
  if (f->index && index_row_key(f->index, w->rows[w->count], key)) *key = (store_bytes){0};
  w->count++;
}

static int next_for_window(const finder *f, store_cursor *cursor, row_window *w, store_bytes *row, store_bytes *value) {
  if (!w->left.size) return store_next(cursor, row, value, f->err);
  *row = w->left;
  *value = w->left_value;
  w->left = (store_bytes){0};
  return 0;
}

static void leave_for_next(row_window *w, store_bytes row, store_bytes value) {
  w->left = (store_bytes){memmove(w->bytes[WINDOW_ROWS], row.data, row.size), row.size};
  w->left_value = value;
}

/* At most as many as are still wanted, if all of them match. A value that is too large to be copied
 * has a window of its own, and stays in the store while the cursor is there. */
static int fill_window(const finder *f, store_cursor *cursor, row_window *w) {
  size_t wanted = f->out && f->limit ? f->limit - f->out->count : w->most;
  w->count = w->copied = 0;
  while (w->count < w->most && w->count < wanted) {
    store_bytes row, value;
    int rc = next_for_window(f, cursor, w, &row, &value);
    if (rc || beyond_group(f, row)) return rc ? rc : ORR_E_NOT_FOUND;
    bool large = w->copies && value.size > WINDOW_BYTES - w->copied;
    if (large && w->count) leave_for_next(w, row, value);
    if (large && !w->count) add_to_window(f, w, row, value);
    if (large) return 0;
    if (w->copies && value.size) value.data = memcpy(w->copies + w->copied, value.data, value.size);
    w->copied += w->copies ? value.size : 0;
    add_to_window(f, w, row, value);
  }
  return 0;
}

static void prefetch_window(const finder *f, const row_window *w) {
  store_span spans[WINDOW_ROWS];
  size_t n = 0;
  for (size_t i = 0; i < w->count; i++) {
    store_bytes key = w->keys[i];
    if (key.size && !unit_known(f->u, key.data, key.size, key_hash(key.data, key.size))) spans[n++] = (store_span){.low = key};
  }
  if (n > 1) store_read_ahead(unit_snapshot(f->u, NULL), spans, n);
}

static int take_window(finder *f, const row_window *w) {
  unit_rows rows;
  int rc = 0;
  unit_rows_begin(&rows, f->u, w->keys, f->visit ? w->count : 0);
  for (size_t i = 0; !rc && i < w->count && !full(f); i++) {
    unit_rows_at(&rows, i);
    rc = take_row(f, w->rows[i], w->values[i]);
  }
  unit_rows_end(&rows);
  return rc;
}

static int stream_windows(finder *f, store_cursor *cursor) {
  row_window *w = new_window(f);
  if (!w) return error_memory(f->err);
  int end = 0;
  for (; !end && !full(f); w->most = WINDOW_ROWS) {
    end = fill_window(f, cursor, w);
    if (end && end != ORR_E_NOT_FOUND) return end;
    if (f->index) prefetch_window(f, w);
    int rc = take_window(f, w);
    if (rc) return rc;
  }
  return full(f) ? 0 : own_emit(f, NULL);
}

/* For a row of a list, a walk is short. */
static bool takes_windows(const finder *f) {
  bool gains = f->index ? f->limit != 1 : f->visit && !f->u->rows;
  return gains && store_is_far(unit_snapshot(f->u, f->err));
}

static int find_in_store(finder *f) {
  store_range range = {.prefix = {f->prefix, f->prefix_size}, .from = {f->from, f->from_size},
                       .stop = {f->stop, f->from_size}};
  store_cursor *cursor = NULL;
  int rc = unit_scan(f->u, &range, &cursor, f->err);
  if (rc) return rc;
  rc = takes_windows(f) ? stream_windows(f, cursor) : stream(f, cursor);
  store_cursor_close(cursor);
  return rc;
}

/* A walk within a visit of another lends records of its own. */
static int find_rows(finder *f) {
  if (f->out) *f->out = (unit_found){NULL, 0};
  int rc = own_collect(f);
  if (rc) return rc;
  const rec_head *outer = f->u->lent;
  store_bytes outer_value = f->u->lent_value;
  rc = find_in_store(f);
  f->u->lent = outer;
  f->u->lent_value = outer_value;
  return rc;
}

/* The commit relies on finding nothing else. */
static int find_every(finder *f) {
  int rc = find_rows(f);
  if (rc) return rc;
  counted_rows *rows = ARENA_NEW(f->u->arena, counted_rows);
  uint8_t *prefix = arena_alloc(f->u->arena, f->prefix_size);
  if (!rows || !prefix) return error_memory(f->err);
  *rows = (counted_rows){f->u->counted, {memcpy(prefix, f->prefix, f->prefix_size), f->prefix_size}, f->rows};
  f->u->counted = rows;
  f->u->counted_count++;
  return 0;
}

static const counted_rows *counted_before(const unit *u, store_bytes prefix) {
  for (const counted_rows *rows = u->counted; rows; rows = rows->next)
    if (rows->prefix.size == prefix.size && memcmp(rows->prefix.data, prefix.data, prefix.size) == 0) return rows;
  return NULL;
}

/* No key of a record begins another one, so a record exists if one key begins with its own. */
int unit_rely_key(unit *u, const rec_type *type, const void *key) {
  uint8_t bytes[STORE_KEY_MAX];
  const uint8_t *end = type->encode_key(key, bytes, bytes + sizeof bytes);
  store_bytes prefix = {bytes, end ? (size_t)(end - bytes) : 0};
  if (end && counted_before(u, prefix)) return 0;
  counted_rows *rows = end ? ARENA_NEW(u->arena, counted_rows) : NULL;
  uint8_t *copy = rows ? arena_alloc(u->arena, prefix.size) : NULL;
  if (!copy) {
    unit_fail(u, end ? ORR_E_MEMORY : ORR_E_LIMIT);
    return end ? ORR_E_MEMORY : ORR_E_LIMIT;
  }
  *rows = (counted_rows){u->counted, {memcpy(copy, bytes, prefix.size), prefix.size}, 1};
  u->counted = rows;
  u->counted_count++;
  return 0;
}

/* Nothing can be stored under a key that does not fit. */
static int find_none(finder *f) {
  *f->out = (unit_found){NULL, 0};
  return 0;
}

/* ---- The ways to ask ------------------------------------------------------------------------- */

static void group_prefix(finder *f, const rec_type *type, uint64_t group) {
  key_of_id(type->tag, orr_id_make(group, 0), f->from);
  key_of_id(type->tag, orr_id_make(group + 1, 0), f->stop);
  f->from_size = KEY_ID_SIZE;
  f->prefix_size = 1 + (64 - ORR_LOCAL_BITS) / 8; /* whole bytes that the group's ids share; the rest is compared */
  memcpy(f->prefix, f->from, f->prefix_size);
}

int unit_find_group(unit *u, const rec_type *type, uint64_t group, unit_found *out, orr_error *err) {
  finder f = {.u = u, .type = type, .group = group, .out = out, .err = err};
  group_prefix(&f, type, group);
  return find_rows(&f);
}

/* False: no row can begin so. */
static bool index_prefix(finder *f, const rec_index_type *index) {
  const uint8_t *end = f->prefix + sizeof f->prefix;
  uint8_t *at = key_put_byte(f->prefix, end, KEY_INDEX_TAG);
  at = key_put_byte(at, end, index->number);
  for (size_t i = 0; i < f->n_fields; i++)
    at = put_field(at, end, &index->type->fields[index->fields[i]], &f->fields[i], index->desc[i], true);
  if (at) f->prefix_size = (size_t)(at - f->prefix);
  return at;
}

int unit_find_index(unit *u, enum rec_index number, const rec_key *fields, size_t n, size_t limit, unit_found *out,
                    orr_error *err) {
  const rec_index_type *index = rec_indexes[number];
  finder f = {
      .u = u, .type = index->type, .index = index, .fields = fields, .n_fields = n, .limit = limit, .out = out, .err = err};
  return index_prefix(&f, index) ? find_rows(&f) : find_none(&f);
}

int unit_find_every(unit *u, enum rec_index number, const rec_key *fields, size_t n, unit_found *out, orr_error *err) {
  const rec_index_type *index = rec_indexes[number];
  finder f = {.u = u, .type = index->type, .index = index, .fields = fields, .n_fields = n, .out = out, .err = err};
  return index_prefix(&f, index) ? find_every(&f) : find_none(&f);
}

/* False: no key can begin so. */
static bool key_prefix(finder *f) {
  const uint8_t *end = f->prefix + sizeof f->prefix;
  uint8_t *at = key_put_byte(f->prefix, end, (uint8_t)f->type->tag);
  for (size_t i = 0; i < f->n_fields; i++) at = put_field(at, end, &f->type->fields[i], &f->fields[i], false, false);
  if (at) f->prefix_size = (size_t)(at - f->prefix);
  return at;
}

int unit_find_keys(unit *u, const rec_type *type, const rec_key *fields, size_t n, unit_found *out, orr_error *err) {
  finder f = {.u = u, .type = type, .fields = fields, .n_fields = n, .out = out, .err = err};
  return key_prefix(&f) ? find_rows(&f) : find_none(&f);
}

int unit_walk(unit *u, const access_path *way, unit_visit visit, void *ud, bool *stopped, orr_error *err) {
  const rec_index_type *index = way->index ? rec_indexes[way->index] : NULL;
  finder f = {.u = u, .type = way->type, .index = index, .fields = way->fields, .n_fields = way->n_fields,
              .group = way->group, .visit = visit, .ud = ud, .err = err};
  if (way->group) group_prefix(&f, way->type, way->group);
  else if (!(index ? index_prefix(&f, index) : key_prefix(&f))) return 0; /* nothing can be stored under such a key */
  int rc = find_rows(&f);
  if (stopped) *stopped = f.stopped;
  return rc;
}

/* The record was read a moment ago, and need not be read again. */
rec_head *unit_keep(unit *u, const rec_head *lent, orr_error *err) {
  if (lent == u->lent && !unit_known(u, lent->key, lent->key_size, lent->hash))
    return unit_adopt(u, lent->type, (store_bytes){lent->key, lent->key_size}, lent->hash, u->lent_value, err);
  rec_head *known = unit_load(u, lent->type, lent->key, lent->key_size, err);
  if (!known && !err->code) error_set(err, ORR_E_STORE, "a record that was read is not there");
  return known;
}

int unit_find_every_key(unit *u, const rec_type *type, const rec_key *fields, size_t n, unit_found *out, orr_error *err) {
  finder f = {.u = u, .type = type, .fields = fields, .n_fields = n, .out = out, .err = err};
  return key_prefix(&f) ? find_every(&f) : find_none(&f);
}

int unit_find_all(unit *u, const rec_type *type, unit_found *out, orr_error *err) {
  return unit_find_keys(u, type, NULL, 0, out, err);
}
