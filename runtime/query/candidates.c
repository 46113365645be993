/* Candidates: by id, by an indexed key of the verb itself, by key, within instances, by index; else
 * all records. */
#include "query/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "query/groups.h"
#include "query/row_variable.h"
#include "query/special.h"
#include "state/variable.h"
#include "uow/find.h"
#include "uow/rows.h"

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

/* In a key, an id that is not set is 0. So "not set" fixes it, too: decisions outside of
 * instances. */
static bool fixes_none(const rec_field *column, const orr_value *value) {
  return column->type == REC_ID && value->type == ORR_NULL;
}

/* The first fields of an index (`numbers`), or of a key (NULL), that the filter fixes. */
static size_t fixed_fields(const filter *f, const rec_type *type, const uint8_t *numbers, size_t n, rec_key *keys) {
  size_t fixed = 0;
  for (; fixed < n; fixed++) {
    const rec_field *column = &type->fields[numbers ? numbers[fixed] : fixed];
    const orr_value *value = column->api_name ? filter_equals(f, column->api_name) : NULL;
    bool none = value && !numbers && fixes_none(column, value);
    if (!value || (!none && !usable(column, value))) break;
    keys[fixed] = none ? (rec_key){0} : key_of(column, value);
  }
  return fixed;
}

static int add_way(context *c, candidates *all, access_path way) {
  if (!ARENA_ROOM(c->arena, all->ways, all->n_ways, all->ways_capacity, 1)) return context_memory(c);
  all->ways[all->n_ways++] = way;
  return 0;
}

static rec_key *copy_keys(context *c, const rec_key *keys, size_t n) {
  rec_key *copy = ARENA_ARRAY(c->arena, rec_key, n);
  if (!copy) context_memory(c);
  else memcpy(copy, keys, n * sizeof *keys);
  return copy;
}

/* ---- Listed ---------------------------------------------------------------------------------- */

typedef struct collector {
  context *c;
  unit_found *out;
  size_t capacity;
} collector;

static int collect_candidate(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  collector *to = ud;
  rec_head *kept = unit_keep(to->c->u, record, &to->c->error);
  if (!kept) return to->c->error.code;
  if (!ARENA_ROOM(to->c->arena, to->out->items, to->out->count, to->capacity, 16)) return context_memory(to->c);
  to->out->items[to->out->count++] = kept;
  return 0;
}

static int compare_keys_of_records(const void *a, const void *b) {
  const rec_head *x = *(rec_head *const *)a, *y = *(rec_head *const *)b;
  orr_id left = ((const rec_execution *)x)->id, right = ((const rec_execution *)y)->id;
  if (!x->type->keyed) return left < right ? -1 : left > right; /* what only stands for a record may have no key */
  int order = memcmp(x->key, y->key, x->key_size < y->key_size ? x->key_size : y->key_size);
  return order ? order : (x->key_size > y->key_size) - (x->key_size < y->key_size);
}

/* A record that is reached twice (two subscriptions of one execution) is one result. */
static void sort_listed(unit_found *found) {
  if (found->count < 2) return;
  qsort(found->items, found->count, sizeof *found->items, compare_keys_of_records);
  size_t kept = 1;
  for (size_t i = 1; i < found->count; i++)
    if (compare_keys_of_records(&found->items[i], &found->items[kept - 1]) != 0) found->items[kept++] = found->items[i];
  found->count = kept;
}

/* The paths give records in another order than by id. */
static int list_ways(context *c, candidates *all) {
  collector to = {c, &all->listed, 0};
  int rc = 0;
  for (size_t i = 0; !rc && i < all->n_ways; i++) rc = unit_walk(c->u, &all->ways[i], collect_candidate, &to, NULL, &c->error);
  all->is_listed = true;
  sort_listed(&all->listed);
  return rc;
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

/* ---- By id ----------------------------------------------------------------------------------- */

static int list_ids(context *c, const rec_type *type, const orr_value *ids, unit_found *out) {
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
  sort_listed(out);
  return 0;
}

/* The key of a variable is its id. */
static int by_variable_id(context *c, const filter *f, candidates *out, bool *found) {
  const orr_value *id = f->row.record == &rec_variable_type ? filter_equals(f, "id") : NULL;
  rec_variable key;
  if (!id) return 0;
  *found = out->is_listed = true;
  if (!row_variable_key(c, id, &key)) return 0;
  rec_head *record = unit_get_key(c->u, &rec_variable_type, &key, &c->error);
  if (!record) return c->error.code;
  out->listed.items = ARENA_ARRAY(c->arena, rec_head *, 1);
  if (!out->listed.items) return context_memory(c);
  out->listed.items[out->listed.count++] = record;
  return 0;
}

static int by_id(context *c, const filter *f, candidates *out, bool *found) {
  const rec_type *type = f->row.record;
  const orr_value *id = type->keyed ? NULL : filter_equals(f, "id"), *ids = type->keyed ? NULL : filter_one_of(f, "id");
  *found = out->is_listed = id || ids;
  if (id && id->type == ORR_INT && id->as.integer > 0) return candidates_one(c, type, (orr_id)id->as.integer, &out->listed);
  return ids && !id ? list_ids(c, type, ids, &out->listed) : 0;
}

/* ---- By what the verb's own keys find -------------------------------------------------------- */

static int by_special(context *c, const filter *f, candidates *out, bool *found) {
  for (uint32_t i = 0; i < f->where.n_specials; i++) {
    const filter_special *s = &f->where.specials[i];
    bool asks_for_none = s->value.type == ORR_BOOL && !s->value.as.boolean;
    if (!s->is->find || asks_for_none) continue;
    *found = out->is_listed = true;
    int rc = s->is->find(c, s, &out->listed);
    if (!rc) sort_listed(&out->listed);
    return rc;
  }
  return 0;
}

/* ---- By keys --------------------------------------------------------------------------------- */

static int by_key(context *c, const filter *f, candidates *out, bool *found) {
  const rec_type *type = f->row.record;
  rec_key keys[8];
  size_t n = type->keyed ? fixed_fields(f, type, NULL, type->n_key, keys) : 0;
  if (!n) return 0;
  *found = true;
  const rec_key *fields = copy_keys(c, keys, n);
  return fields ? add_way(c, out, (access_path){.type = type, .fields = fields, .n_fields = (uint8_t)n}) : c->error.code;
}

static int name_way(context *c, candidates *out, rec_text name, const orr_value *value) {
  rec_key keys[2] = {{.text = name}, {.value = value ? *value : (orr_value){0}}};
  const rec_key *fields = copy_keys(c, keys, 2);
  access_path way = {.type = &rec_variable_type, .index = REC_INDEX_VARIABLE_NAME, .fields = fields, .n_fields = value ? 2 : 1};
  return fields ? add_way(c, out, way) : c->error.code;
}

/* Variables by name and, if given, value. Those of branches have other names in their records. */
static int by_variable_name(context *c, const filter *f, candidates *out, bool *found) {
  const orr_value *name = filter_equals(f, "name"), *value = filter_equals(f, "value");
  if (f->row.record != &rec_variable_type || !name || name->type != ORR_STRING || !name->size) return 0;
  *found = true;
  if (value && operand_is_null(value)) value = NULL;
  const char *branch = arena_printf(c->arena, "%s%.*s", VARIABLE_BRANCH, (int)name->size, name->as.bytes);
  if (!branch) return context_memory(c);
  int rc = name_way(c, out, special_text(name), value);
  if (!rc) rc = name_way(c, out, (rec_text){branch, strlen(branch)}, value);
  return rc ? rc : list_ways(c, out);
}

/* ---- By index -------------------------------------------------------------------------------- */

/* An index without a condition of its own, or with one that the fixed fields imply, holds every
 * record that fits. With all its fields fixed, its rows are in the order of ids. */
static int by_row_index(context *c, const filter *f, candidates *out, bool *found) {
  const rec_type *type = f->row.record;
  rec_key keys[REC_INDEX_FIELDS_MAX];
  for (uint8_t i = 0; i < type->n_indexes; i++) {
    const rec_index_type *index = &type->indexes[i];
    size_t n = fixed_fields(f, type, index->fields, index->n_fields, keys);
    if (!n || !index->lists_all) continue;
    *found = true;
    const rec_key *fields = copy_keys(c, keys, n);
    if (!fields) return c->error.code;
    int rc = add_way(c, out, (access_path){.type = type, .index = index->number, .fields = fields, .n_fields = (uint8_t)n});
    return rc || n == index->n_fields ? rc : list_ways(c, out);
  }
  return 0;
}

/* ---- Within instances ------------------------------------------------------------------------ */

static bool keyed_by_instance(const rec_type *type) {
  return type->keyed && type->fields[0].api_name && strcmp(type->fields[0].api_name, "instance_id") == 0;
}

static int group_way(context *c, const rec_type *type, uint64_t group, candidates *out) {
  if (!keyed_by_instance(type)) return add_way(c, out, (access_path){.type = type, .group = group});
  rec_key key = {.id = orr_id_make(group, 1)};
  const rec_key *fields = copy_keys(c, &key, 1);
  return fields ? add_way(c, out, (access_path){.type = type, .fields = fields, .n_fields = 1}) : c->error.code;
}

static int by_instances(context *c, const filter *f, candidates *out, bool *found) {
  group_list groups;
  int rc = groups_find(c, f, &groups, found);
  for (size_t i = 0; !rc && *found && i < groups.count; i++) rc = group_way(c, f->row.record, groups.items[i], out);
  return rc;
}

/* ---- All together ---------------------------------------------------------------------------- */

typedef int (*candidate_source)(context *c, const filter *f, candidates *out, bool *found);

int candidates_find(context *c, const filter *f, candidates *out) {
  static const candidate_source sources[] = {by_id,  by_variable_id, by_special,  by_variable_name,
                                             by_key, by_row_index,   by_instances};
  bool found = false;
  int rc = 0;
  *out = (candidates){0};
  for (size_t i = 0; !rc && !found && i < sizeof sources / sizeof sources[0]; i++) rc = sources[i](c, f, out, &found);
  return rc || found ? rc : add_way(c, out, (access_path){.type = f->row.record});
}

static int walk_listed(context *c, const unit_found *listed, unit_visit visit, void *ud) {
  bool stop = false;
  unit_rows rows;
  int rc = 0;
  unit_rows_of(&rows, c->u, listed);
  for (size_t i = 0; !rc && !stop && i < listed->count; i++) {
    unit_rows_at(&rows, i);
    rc = visit(ud, listed->items[i], &stop);
  }
  unit_rows_end(&rows);
  return rc;
}

int candidates_walk(context *c, const candidates *all, unit_visit visit, void *ud) {
  bool stop = false;
  int rc = all->is_listed ? walk_listed(c, &all->listed, visit, ud) : 0;
  for (size_t i = 0; !all->is_listed && !rc && !stop && i < all->n_ways; i++)
    rc = unit_walk(c->u, &all->ways[i], visit, ud, &stop, &c->error);
  return rc;
}
