/* Candidates: by id, by a key of the verb's own that has an index, within an instance, by key, by index, or all there are. */
#include "query/candidates.h"

#include <stdlib.h>

#include "query/special.h"

static rec_key key_of(const rec_field *column, const orr_value *value) {
  rec_key key = {0};
  if (column->type == REC_TEXT) key.text = (rec_text){value->as.bytes, value->size};
  else if (column->type == REC_ID) key.id = (uint64_t)value->as.integer;
  else key.integer = value->as.integer;
  return key;
}

static bool usable(const rec_field *column, const orr_value *value) {
  if (column->type == REC_TEXT) return value->type == ORR_STRING && value->size > 0;
  return (column->type == REC_ID || column->type == REC_INT || column->type == REC_TIME) && value->type == ORR_INT &&
      value->as.integer != 0;
}

/* The first fields of an index, or of a key, that the filter fixes. */
static size_t fixed_fields(const filter *f, const rec_type *type, const uint8_t *numbers, size_t n, rec_key *keys) {
  size_t fixed = 0;
  for (; fixed < n; fixed++) {
    const rec_field *column = &type->fields[numbers ? numbers[fixed] : fixed];
    const orr_value *value = column->api_name ? filter_equals(f, column->api_name) : NULL;
    if (!value || !usable(column, value)) break;
    keys[fixed] = key_of(column, value);
  }
  return fixed;
}

/* An index without a condition of its own (or whose condition the fixed fields imply) holds every record that fits. */
static int find_by_index(context *c, const filter *f, const rec_type *type, unit_found *out, bool *found) {
  rec_key keys[REC_INDEX_FIELDS_MAX];
  for (uint8_t i = 0; i < type->n_indexes; i++) {
    const rec_index_type *index = &type->indexes[i];
    size_t n = fixed_fields(f, type, index->fields, index->n_fields, keys);
    if (!n || !index->lists_all) continue;
    *found = true;
    return unit_find_index(c->u, (enum rec_index)index->number, keys, n, 0, out, &c->error);
  }
  return 0;
}

static int find_special(context *c, const filter *f, unit_found *out, bool *found) {
  for (uint32_t i = 0; i < f->where.n_specials; i++) {
    const filter_special *s = &f->where.specials[i];
    bool asks_for_none = s->value.type == ORR_BOOL && !s->value.as.boolean;
    if (!s->is->find || asks_for_none) continue;
    *found = true;
    return s->is->find(c, s, out);
  }
  return 0;
}

/* Everything an instance owns lies together. */
static int find_in_instance(context *c, const filter *f, const rec_type *type, unit_found *out, bool *found) {
  const orr_value *instance = filter_equals(f, "instance_id");
  if (!instance || instance->type != ORR_INT || instance->as.integer <= 0 || type->keyed || type == &rec_instance_type)
    return 0;
  *found = true;
  return unit_find_group(c->u, type, orr_id_group((orr_id)instance->as.integer), out, &c->error);
}

int candidates_one(context *c, const rec_type *type, orr_id id, unit_found *out) {
  void *record = unit_get(c->u, type, id, &c->error);
  if (c->error.code) return c->error.code;
  out->count = record ? 1 : 0;
  out->items = ARENA_ARRAY(c->arena, rec_head *, 1);
  if (!out->items) return context_memory(c);
  out->items[0] = record;
  return 0;
}

/* Those of an array of ids; `*found` false: none is asked for. */
static int find_ids(context *c, const filter *f, const rec_type *type, unit_found *out, bool *found) {
  const orr_value *ids = type->keyed ? NULL : filter_one_of(f, "id");
  if (!ids) return 0;
  *found = true;
  out->items = ARENA_ARRAY(c->arena, rec_head *, orr_count(ids) + 1);
  out->count = 0;
  if (!out->items) return context_memory(c);
  orr_iterator i = orr_iterate(ids);
  orr_value id;
  while (orr_next(&i, NULL, &id)) {
    void *record = id.type == ORR_INT && id.as.integer > 0 ? unit_get(c->u, type, (orr_id)id.as.integer, &c->error) : NULL;
    if (c->error.code) return c->error.code;
    if (record) out->items[out->count++] = record;
  }
  return 0;
}

static int find_by_key(context *c, const filter *f, const rec_type *type, unit_found *out, bool *found) {
  rec_key keys[8];
  size_t n = type->keyed ? fixed_fields(f, type, NULL, type->n_key, keys) : 0;
  if (!n) return 0;
  *found = true;
  return unit_find_keys(c->u, type, keys, n, out, &c->error);
}

static int find_some(context *c, const filter *f, unit_found *out) {
  const rec_type *type = f->row.record;
  const orr_value *id = type->keyed ? NULL : filter_equals(f, "id");
  if (id) {
    if (id->type == ORR_INT && id->as.integer > 0) return candidates_one(c, type, (orr_id)id->as.integer, out);
    *out = (unit_found){0};
    return 0;
  }
  bool found = false;
  int rc = find_ids(c, f, type, out, &found);
  if (!rc && !found) rc = find_special(c, f, out, &found);
  if (!rc && !found) rc = find_in_instance(c, f, type, out, &found);
  if (!rc && !found) rc = find_by_key(c, f, type, out, &found);
  if (!rc && !found) rc = find_by_index(c, f, type, out, &found);
  if (!rc && !found) rc = unit_find_all(c->u, type, out, &c->error);
  return rc;
}

static int compare_record_ids(const void *a, const void *b) {
  orr_id x = ((const rec_execution *)*(rec_head *const *)a)->id, y = ((const rec_execution *)*(rec_head *const *)b)->id;
  return x < y ? -1 : x > y;
}

/* Candidates of an index come in the index's order; one that is reached twice (two subscriptions of one execution) is one
 * result. Records with keys of their own come by key. */
static void sort_by_id(unit_found *found) {
  if (found->count < 2) return;
  qsort(found->items, found->count, sizeof *found->items, compare_record_ids);
  size_t kept = 1;
  for (size_t i = 1; i < found->count; i++)
    if (compare_record_ids(&found->items[i], &found->items[kept - 1]) != 0) found->items[kept++] = found->items[i];
  found->count = kept;
}

int candidates_find(context *c, const filter *f, unit_found *out) {
  int rc = find_some(c, f, out);
  if (!rc && !f->row.record->keyed) sort_by_id(out);
  return rc;
}
