/* Results that outlive their unit. */
#include "query/results.h"

#include <string.h>

#include "base/builder.h"
#include "base/error.h"
#include "base/json.h"
#include "base/null.h"
#include "base/value.h"
#include "engine/engine.h"

typedef struct record_field_value {
  const char *name;
  orr_value value;
} record_field_value;

typedef struct record_row {
  record_field_value *fields;
  uint32_t count, capacity;
} record_row;

struct orr_records {
  orr_arena *arena; /* holds this struct too */
  const char *kind;
  record_row *rows;
  size_t count, capacity;
};

orr_records *records_new(const orr_allocator *allocator, const char *kind) {
  orr_arena *arena = arena_new_small(allocator); /* most answers are a record or none */
  orr_records *r = arena ? ARENA_NEW(arena, orr_records) : NULL;
  if (!r) {
    if (arena) arena_free(arena);
    return NULL;
  }
  r->arena = arena;
  r->kind = arena_strdup(arena, kind);
  if (r->kind) return r;
  arena_free(arena);
  return NULL;
}

int records_begin(orr_records *r) {
  if (!ARENA_ROOM(r->arena, r->rows, r->count, r->capacity, 4)) return ORR_E_MEMORY;
  r->rows[r->count++] = (record_row){0};
  return 0;
}

int records_add(orr_records *r, const char *name, const orr_value *value) {
  if (value->type == ORR_NIL) return 0;
  record_row *row = &r->rows[r->count - 1];
  if (!ARENA_ROOM(r->arena, row->fields, row->count, row->capacity, 16)) return ORR_E_MEMORY;
  record_field_value *f = &row->fields[row->count];
  f->name = name;
  int rc = value_copy(r->arena, value, &f->value);
  if (!rc) row->count++;
  return rc;
}

int records_add_field(context *c, orr_records *r, const row_field *f, const rec_head *record) {
  orr_value value;
  int rc = row_value(c, f, record, &value);
  if (rc) return rc;
  if (f->kind == ROW_TIME && value.type == ORR_INT)
    value = orr_float((double)value.as.integer / 1000.0);
  return records_add(r, f->name, &value) ? context_memory(c) : 0;
}

int records_add_row(context *c, orr_records *r, const row_type *type, const rec_head *record) {
  int rc = records_begin(r) ? context_memory(c) : 0;
  for (uint32_t i = 0; i < type->n_shown && !rc; i++)
    rc = records_add_field(c, r, &type->fields[i], record);
  return rc;
}

int records_from(context *c, const rec_type *type, rec_head *const *items, size_t n, orr_records **out, orr_error *err) {
  const row_type *row = row_type_shown(type);
  orr_records *r = records_new(&c->engine->env.allocator, type->name);
  int rc = r ? 0 : context_memory(c);
  for (size_t i = 0; i < n && !rc; i++) rc = records_add_row(c, r, row, items[i]);
  if (!rc) {
    *out = r;
    return 0;
  }
  orr_records_free(r);
  error_move(err, &c->error);
  return rc;
}

/* ---- Public ---------------------------------------------------------------------------------- */

void orr_records_free(orr_records *records) {
  if (records) arena_free(records->arena);
}

size_t orr_records_count(const orr_records *records) {
  if (!records) return 0;
  return records->count;
}
const char *orr_records_kind(const orr_records *records) {
  if (!records) return NULL;
  return records->kind;
}

orr_value orr_records_get(const orr_records *records, size_t index, const char *name) {
  if (!records || !name) return (orr_value){0};
  if (index >= records->count) return (orr_value){0};
  const record_row *row = &records->rows[index];
  for (uint32_t i = 0; i < row->count; i++)
    if (strcmp(row->fields[i].name, name) == 0) return row->fields[i].value;
  return (orr_value){0};
}

bool orr_records_field(const orr_records *records, size_t index, size_t n, const char **name, orr_value *value) {
  if (!records) return false;
  if (index >= records->count || n >= records->rows[index].count) return false;
  const record_field_value *found = &records->rows[index].fields[n];
  if (name) *name = found->name;
  if (value) *value = found->value;
  return true;
}

int records_set(orr_records *records, size_t index, const char *name, const orr_value *value, orr_error *err) {
  record_row *row = &records->rows[index];
  for (uint32_t i = 0; i < row->count; i++)
    if (strcmp(row->fields[i].name, name) == 0)
      return value_copy(records->arena, value, &row->fields[i].value) ? error_memory(err) : 0;
  orr_records view = *records; /* records_add adds to the last row */
  view.count = index + 1;
  return records_add(&view, name, value) ? error_memory(err) : 0;
}

orr_id orr_records_id(const orr_records *records, size_t index) {
  if (!records) return 0;
  orr_value id = orr_records_get(records, index, "id");
  return id.type == ORR_INT ? (orr_id)id.as.integer : 0;
}

static void put_all_records(orr_builder *b, const orr_records *records) {
  const char *name;
  orr_value value;
  orr_builder_array(b);
  for (size_t i = 0; i < orr_records_count(records); i++) {
    orr_builder_map(b);
    for (size_t n = 0; orr_records_field(records, i, n, &name, &value); n++) orr_builder_put(b, name, value);
    orr_builder_end(b);
  }
  orr_builder_end(b);
}

int orr_records_json(const orr_records *records, orr_builder *out, orr_error *err) {
  REQUIRE(records);
  orr_value rows;
  orr_builder *b = orr_builder_new();
  if (!b) return error_memory(err);
  put_all_records(b, records);
  int rc = orr_builder_value(b, &rows, err);
  if (!rc) rc = json_write(&rows, NULL, out, err);
  orr_builder_free(b);
  return rc;
}
