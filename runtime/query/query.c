/* Running a list verb: choose the narrowest way to candidates, filter, order, page, copy out. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/value.h"
#include "engine/engine.h"
#include "exec/execution.h"
#include "query/filter.h"
#include "query/query.h"
#include "query/results.h"

/* ---- Candidates ------------------------------------------------------------------------------ */

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
  for (uint32_t i = 0; i < f->n_specials; i++) {
    if (!f->specials[i].is->find) continue;
    *found = true;
    return f->specials[i].is->find(c, f, &f->specials[i].value, out);
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

static int find_one(context *c, const rec_type *type, orr_id id, unit_found *out) {
  void *record = unit_get(c->u, type, id, &c->error);
  if (c->error.code) return c->error.code;
  out->count = record ? 1 : 0;
  out->items = ARENA_ARRAY(c->arena, rec_head *, 1);
  if (!out->items) return context_memory(c);
  out->items[0] = record;
  return 0;
}

static int find_by_key(context *c, const filter *f, const rec_type *type, unit_found *out, bool *found) {
  rec_key keys[8];
  size_t n = type->keyed ? fixed_fields(f, type, NULL, type->n_key, keys) : 0;
  if (!n) return 0;
  *found = true;
  return unit_find_keys(c->u, type, keys, n, out, &c->error);
}

static int find_candidates(context *c, const filter *f, unit_found *out) {
  const rec_type *type = f->row.record;
  const orr_value *id = type->keyed ? NULL : filter_equals(f, "id");
  if (id) {
    if (id->type == ORR_INT && id->as.integer > 0) return find_one(c, type, (orr_id)id->as.integer, out);
    *out = (unit_found){0};
    return 0;
  }
  bool found = false;
  int rc = find_special(c, f, out, &found);
  if (!rc && !found) rc = find_in_instance(c, f, type, out, &found);
  if (!rc && !found) rc = find_by_key(c, f, type, out, &found);
  if (!rc && !found) rc = find_by_index(c, f, type, out, &found);
  if (!rc && !found) rc = unit_find_all(c->u, type, out, &c->error);
  return rc;
}

/* ---- Order ----------------------------------------------------------------------------------- */

typedef struct sorted {
  rec_head *record;
  orr_value keys[FILTER_ORDERS_MAX];
  size_t position;
} sorted;

typedef struct sorter {
  const filter *filter;
} sorter;

/* Null before everything, then by value; equals keep the order they were found in. */
static int compare_sorted(const void *a, const void *b, void *ud) {
  const sorted *x = a, *y = b;
  const filter *f = ((sorter *)ud)->filter;
  for (uint32_t i = 0; i < f->n_orders; i++) {
    int order = value_compare(&x->keys[i], &y->keys[i], NULL);
    if (order) return f->orders[i].descending ? -order : order;
  }
  return x->position < y->position ? -1 : 1;
}

static int sort_found(context *c, const filter *f, unit_found *found) {
  if (!f->n_orders || found->count < 2) return 0;
  sorted *rows = ARENA_ARRAY(c->arena, sorted, found->count);
  if (!rows) return context_memory(c);
  for (size_t i = 0; i < found->count; i++) {
    rows[i] = (sorted){.record = found->items[i], .position = i};
    for (uint32_t k = 0; k < f->n_orders; k++) {
      int rc = row_value(c, f->orders[k].column, found->items[i], &rows[i].keys[k]);
      if (rc) return rc;
    }
  }
  qsort_r(rows, found->count, sizeof *rows, compare_sorted, &(sorter){f});
  for (size_t i = 0; i < found->count; i++) found->items[i] = rows[i].record;
  return 0;
}

/* Candidates of an index come in the index's order; without order_by a list is in the order of creation. */
static int compare_record_ids(const void *a, const void *b) {
  orr_id x = ((const rec_execution *)*(rec_head *const *)a)->id, y = ((const rec_execution *)*(rec_head *const *)b)->id;
  return x < y ? -1 : x > y;
}

static bool asks_for_activity(const filter *f) {
  for (uint32_t i = 0; i < f->n_terms; i++)
    if (strcmp(f->terms[i].column->name, "activity_id") == 0) return true;
  return false;
}

/* A completed scope that waits for compensation is no execution to anyone outside; where an activity is asked for, a
 * multi-instance body lists as its instances. */
static bool is_listed(const filter *f, const rec_head *record) {
  if (record->type != &rec_execution_type) return true;
  const rec_execution *e = (const rec_execution *)record;
  if (e->kind == EXECUTION_MULTI_BODY && e->children > 0) return !asks_for_activity(f);
  return e->kind != EXECUTION_EVENT_SCOPE;
}

static int select_fitting(context *c, const filter *f, const unit_found *from, unit_found *out) {
  out->items = ARENA_ARRAY(c->arena, rec_head *, from->count + 1);
  out->count = 0;
  if (!out->items) return context_memory(c);
  bool unordered = f->n_orders == 0 && f->row.record->keyed;
  for (size_t i = 0; i < from->count; i++) {
    bool fits;
    if (!is_listed(f, from->items[i])) continue;
    int rc = filter_fits(c, f, from->items[i], &fits);
    if (rc) return rc;
    if (fits) out->items[out->count++] = from->items[i];
    if (unordered && f->limit >= 0 && out->count >= (size_t)(f->limit + f->offset)) break;
  }
  if (!f->row.record->keyed) qsort(out->items, out->count, sizeof *out->items, compare_record_ids);
  return sort_found(c, f, out);
}

/* A record reached twice (two subscriptions of one execution) is one result. */
static void drop_repeats(unit_found *found, bool keyed) {
  if (keyed || found->count < 2) return;
  qsort(found->items, found->count, sizeof *found->items, compare_record_ids);
  size_t kept = 1;
  for (size_t i = 1; i < found->count; i++)
    if (compare_record_ids(&found->items[i], &found->items[kept - 1]) != 0) found->items[kept++] = found->items[i];
  found->count = kept;
}

static void page(const filter *f, unit_found *found) {
  size_t offset = (size_t)f->offset < found->count ? (size_t)f->offset : found->count;
  found->items += offset;
  found->count -= offset;
  if (f->limit >= 0 && found->count > (size_t)f->limit) found->count = (size_t)f->limit;
}

/* ---- Verbs ----------------------------------------------------------------------------------- */

static int known_verb(context *c, const char *verb, const rec_type **out) {
  *out = rec_type_by_verb(verb);
  return *out ? 0 : context_error(c, ORR_E_ARGUMENT, "there is no list \"%s\"", verb);
}

static int select_records(context *c, const char *verb, const orr_value *map, unit_found *out, const rec_type **type) {
  filter *f = ARENA_NEW(c->arena, filter);
  if (!f) return context_memory(c);
  int rc = known_verb(c, verb, type);
  if (!rc) rc = filter_read(c, *type, map, f);
  unit_found candidates = {0};
  if (!rc) rc = find_candidates(c, f, &candidates);
  if (rc) return rc;
  drop_repeats(&candidates, (*type)->keyed);
  rc = select_fitting(c, f, &candidates, out);
  if (!rc) page(f, out);
  return rc;
}

/* The distinct topics of the external tasks that a filter finds. */
static int topics(context *c, const orr_value *map, orr_records **out, int64_t *count, orr_error *err) {
  unit_found found;
  const rec_type *type;
  int rc = select_records(c, "external_tasks", map, &found, &type);
  if (rc) return error_move(err, &c->error), rc;
  orr_records *r = records_new(&c->engine->env.allocator, "external_topic");
  if (!r) return error_memory(err);
  for (size_t i = 0; i < found.count && !rc; i++) {
    rec_text topic = ((const rec_external_task *)found.items[i])->topic;
    bool seen = false;
    for (size_t k = 0; k < orr_records_count(r) && !seen; k++) {
      orr_value have = orr_records_get(r, k, "name");
      seen = have.size == topic.size && memcmp(have.as.bytes, topic.data, topic.size) == 0;
    }
    orr_value name = orr_bytes(topic.data, topic.size);
    if (!seen) rc = records_begin(r);
    if (!seen && !rc) rc = records_add(r, "name", &name);
  }
  if (count) *count = (int64_t)orr_records_count(r);
  if (!rc && out) *out = r;
  else orr_records_free(r);
  return rc ? error_memory(err) : 0;
}

int query_run(context *c, const char *verb, const orr_value *map, orr_records **out, int64_t *count, orr_error *err) {
  if (strcmp(verb, "external_topics") == 0) return topics(c, map, out, count, err);
  unit_found found;
  const rec_type *type;
  int rc = select_records(c, verb, map, &found, &type);
  if (rc) {
    error_move(err, &c->error);
    return rc;
  }
  if (count) *count = (int64_t)found.count;
  return out ? records_from(c, type, found.items, found.count, out, err) : 0;
}

int query_one(context *c, const char *verb, orr_id id, orr_records **out, orr_error *err) {
  const rec_type *type;
  unit_found found = {0};
  int rc = known_verb(c, verb, &type);
  if (!rc && !type->keyed && id) rc = find_one(c, type, id, &found);
  if (rc) {
    error_move(err, &c->error);
    return rc;
  }
  return records_from(c, type, found.items, found.count, out, err);
}
