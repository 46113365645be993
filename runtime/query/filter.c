/* Reading filters, and applying them. */
#include "query/filter.h"

#include <string.h>

#include "base/limits.h"
#include "base/nearest.h"
#include "base/value.h"
#include "query/filter_value.h"
#include "query/special.h"
#include "query/variables.h"

/* ---- Names of fields ------------------------------------------------------------------------- */

/* Short names: instance for instance_id, and `key` where the record is not the definition itself. */
static const char *const short_names[][2] = {
    {"instance", "instance_id"}, {"activity", "activity_id"}, {"execution", "execution_id"}, {"definition", "definition_id"},
    {"deployment", "deployment_id"}, {"job", "job_id"}, {"job_definition", "job_definition_id"}, {"key", "definition_key"},
    {"super", "parent_id"}, {"root", "root_id"}, {"task", "task_id"}, {"parent", "parent_id"},
        {"called_instance", "called_instance_id"}};

static const row_field *field_by_any_name(const row_type *row, const char *name, size_t size) {
  const row_field *column = row_field_named(row, name, size);
  for (size_t i = 0; !column && i < sizeof short_names / sizeof short_names[0]; i++)
    if (strlen(short_names[i][0]) == size && memcmp(short_names[i][0], name, size) == 0)
      column = row_field_named(row, short_names[i][1], strlen(short_names[i][1]));
  return column;
}

/* A time loses its _at before _before and _after: started_before for started_at_before. */
static const row_field *time_by_short_name(const row_type *row, const char *name, size_t size) {
  for (uint32_t i = 0; i < row->n_fields; i++) {
    const char *full = row->fields[i].name;
    if (row->fields[i].kind == ROW_TIME && strncmp(full, name, size) == 0 && strcmp(full + size, "_at") == 0)
      return &row->fields[i];
  }
  return NULL;
}

/* The last words may be an operator, of one word or two: name_like, name_not_like. */
static const row_field *field_with_operator(const row_type *row, const char *name, size_t size, value_operator *op) {
  for (size_t at = size; at-- > 1;) {
    if (name[at] != '_') continue;
    const char *word = name + at + 1;
    if (!operator_named(word, size - at - 1, op)) continue;
    bool of_time = *word == 'b' || *word == 'a'; /* _before, _after */
    const row_field *column = of_time ? time_by_short_name(row, name, at) : NULL;
    if (!column) column = field_by_any_name(row, name, at);
    if (column) return column;
  }
  return NULL;
}

static void offer_name(void *ud, const char *name) { nearest_offer(ud, name, strlen(name)); }

static const char *const common_keys[] = {"order_by", "limit", "offset", "any", "all", "none",
                                          "with_fields"};
static const char *const variables_keys[] = {"with_variables", "with_local_variables"};

/* Calls `fn` for every key that is no field. */
static void key_names(const filter *f, void (*fn)(void *ud, const char *name), void *ud) {
  special_names(f->row.record, fn, ud);
  for (size_t i = 0; i < sizeof common_keys / sizeof common_keys[0]; i++) fn(ud, common_keys[i]);
  for (size_t i = 0; variables_known(f->row.record) && i < sizeof variables_keys / sizeof variables_keys[0]; i++)
    fn(ud, variables_keys[i]);
}

/* A list of names that grows; NULL once memory ran out. */
typedef struct name_list {
  context *c;
  const char *text;
} name_list;

static void append_name(void *ud, const char *name) {
  name_list *list = ud;
  if (list->text) list->text = arena_printf(list->c->arena, *list->text ? "%s, %s" : "%s%s", list->text, name);
}

/* All keys of such a filter, for callers who guessed none of them. */
static const char *filter_keys(context *c, const filter *f) {
  name_list fields = {c, ""}, keys = {c, ""};
  for (uint32_t i = 0; i < f->row.n_fields; i++)
    append_name(i < f->row.n_shown ? &fields : &keys, f->row.fields[i].name);
  key_names(f, append_name, &keys);
  if (!fields.text || !keys.text) return NULL;
  return arena_printf(c->arena, "; its fields are %s; it also takes %s", fields.text, keys.text);
}

static int unknown_key(context *c, const filter *f, const orr_value *key) {
  nearest best = nearest_to(key->as.bytes, key->size);
  for (uint32_t i = 0; i < f->row.n_fields; i++) offer_name(&best, f->row.fields[i].name);
  for (size_t i = 0; i < sizeof short_names / sizeof short_names[0]; i++)
    if (field_by_any_name(&f->row, short_names[i][0], strlen(short_names[i][0]))) offer_name(&best, short_names[i][0]);
  key_names(f, offer_name, &best);
  const char *suggestion = best.name ? arena_printf(c->arena, "; did you mean \"%s\"?", best.name) : filter_keys(c, f);
  return context_error(c, ORR_E_ARGUMENT, "unknown key \"%.*s\" in a filter of %s%s", (int)key->size, key->as.bytes,
                       f->row.record->verb, suggestion ? suggestion : "");
}

/* ---- Conditions ------------------------------------------------------------------------------ */

static int count_condition(context *c, filter *f) {
  if (f->n_conditions++ < ORR_FILTER_CONDITIONS_MAX) return 0;
  return context_error(c, ORR_E_LIMIT, "a filter has at most %d conditions", ORR_FILTER_CONDITIONS_MAX);
}

static int add_term(context *c, filter *f, filter_group *group, filter_term term, const orr_value *value, const char *key) {
  int rc = count_condition(c, f);
  if (!rc) rc = filter_value_of_term(c, &term, value, key);
  if (rc) return rc;
  if (!ARENA_ROOM(c->arena, group->terms, group->n_terms, group->terms_capacity, 8)) return context_memory(c);
  group->terms[group->n_terms++] = term;
  return 0;
}

static int add_special(context *c, filter *f, filter_group *group, const special *is, const orr_value *value) {
  filter_special s = {.is = is, .group = group};
  int rc = count_condition(c, f);
  if (!rc) rc = filter_value_of_special(c, &s, value);
  if (rc) return rc;
  if (!ARENA_ROOM(c->arena, group->specials, group->n_specials, group->specials_capacity, 4)) return context_memory(c);
  group->specials[group->n_specials++] = s;
  return 0;
}

static int read_group(context *c, filter *f, filter_group *group, const orr_value *map, int depth);

static int read_branch(context *c, filter *f, filter_group *group, filter_choice choice, const orr_value *list, const char *key,
                       int depth) {
  bool none = list->type == ORR_MAP && orr_count(list) == 0; /* {} in Lua */
  if (list->type != ORR_ARRAY && !none) return context_error(c, ORR_E_ARGUMENT, "%s must be an array of filters", key);
  if (depth == ORR_FILTER_DEPTH_MAX)
    return context_error(c, ORR_E_LIMIT, "filters in a filter nest at most %d deep", ORR_FILTER_DEPTH_MAX);
  filter_branch *branch = ARENA_NEW(c->arena, filter_branch);
  if (!branch) return context_memory(c);
  *branch = (filter_branch){.choice = choice, .next = group->branches};
  branch->groups = ARENA_ARRAY(c->arena, filter_group, orr_count(list) + 1);
  if (!branch->groups) return context_memory(c);
  group->branches = branch;
  orr_iterator i = orr_iterate(list);
  orr_value item;
  int rc = 0;
  while (!rc && orr_next(&i, NULL, &item)) {
    filter_group *inner = &branch->groups[branch->n_groups++];
    *inner = (filter_group){.outer = group};
    rc = count_condition(c, f);
    if (!rc) rc = read_group(c, f, inner, &item, depth + 1);
  }
  return rc;
}

static bool choice_named(const char *name, filter_choice *out) {
  static const char *const names[] = {[FILTER_ANY] = "any", [FILTER_ALL] = "all", [FILTER_NONE] = "none"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(name, names[i]) != 0) continue;
    *out = (filter_choice)i;
    return true;
  }
  return false;
}

static int read_condition(context *c, filter *f, filter_group *group, const orr_value *key, const orr_value *value, int depth) {
  const char *name = key->as.bytes;
  filter_choice choice;
  if (choice_named(name, &choice)) return read_branch(c, f, group, choice, value, name, depth);
  const special *s = special_named(f->row.record, key->as.bytes, key->size);
  if (s) return add_special(c, f, group, s, value);
  filter_term term = {.column = field_by_any_name(&f->row, key->as.bytes, key->size)};
  if (!term.column) term.column = field_with_operator(&f->row, key->as.bytes, key->size, &term.op);
  return term.column ? add_term(c, f, group, term, value, name) : unknown_key(c, f, key);
}

/* ---- How it is shown ------------------------------------------------------------------------- */

static int add_order(context *c, filter *f, filter_order order) {
  if (f->n_orders == FILTER_ORDERS_MAX)
    return context_error(c, ORR_E_LIMIT, "order_by has at most %d fields", FILTER_ORDERS_MAX);
  f->orders[f->n_orders++] = order;
  return 0;
}

static int order_field(context *c, filter *f, const orr_value *name, bool descending) {
  if (name->type != ORR_STRING)
    return context_error(c, ORR_E_ARGUMENT, "order_by takes a field's name, or an array of { \"field\", \"desc\" }");
  filter_order order = {.column = field_by_any_name(&f->row, name->as.bytes, name->size), .descending = descending};
  if (order.column) return add_order(c, f, order);
  const char *text = context_text(c, name, "order_by");
  variables_scope scope;
  if (!text) return c->error.code;
  if (!variables_known(f->row.record) || !variables_named(text, &scope, &order.variable)) return unknown_key(c, f, name);
  order.scope = (uint8_t)scope;
  return add_order(c, f, order);
}

static int read_sort_order(context *c, filter *f, const orr_value *value) {
  if (value->type != ORR_ARRAY) return order_field(c, f, value, false);
  orr_iterator i = orr_iterate(value);
  orr_value item;
  while (orr_next(&i, NULL, &item)) {
    orr_value name = item, direction = {0};
    if (item.type == ORR_ARRAY) {
      orr_iterator pair = orr_iterate(&item);
      if (!orr_next(&pair, NULL, &name)) name = (orr_value){0};
      (void)orr_next(&pair, NULL, &direction);
    }
    bool descending = value_is_text(&direction, "desc");
    if (!descending && !operand_is_null(&direction) && !value_is_text(&direction, "asc"))
      return context_error(c, ORR_E_ARGUMENT, "order_by: a direction is \"asc\" or \"desc\"");
    int rc = order_field(c, f, &name, descending);
    if (rc) return rc;
  }
  return 0;
}

static int read_page_count(context *c, const char *key, const orr_value *value, int64_t *out) {
  if (value->type != ORR_INT || value->as.integer < 0)
    return context_error(c, ORR_E_ARGUMENT, "%s must be an integer of 0 or more", key);
  *out = value->as.integer;
  return 0;
}

static int read_with_variables(context *c, const char *key, const orr_value *value, orr_value *out) {
  bool empty = value->type == ORR_MAP && orr_count(value) == 0;
  if (value->type != ORR_BOOL && value->type != ORR_ARRAY && !empty)
    return context_error(c, ORR_E_ARGUMENT, "%s must be true, or an array of names", key);
  bool none = value->type == ORR_BOOL && !value->as.boolean;
  if (!none) *out = *value;
  return 0;
}

static const row_field *field_named(const filter *f, const orr_value *name) {
  for (uint32_t i = 0; name->type == ORR_STRING && i < f->row.n_fields; i++)
    if (value_is_text(name, f->row.fields[i].name)) return &f->row.fields[i];
  return NULL;
}

/* Derived fields, which lists show only on request. */
static int read_with_fields(context *c, filter *f, const char *key, const orr_value *value) {
  orr_iterator i = orr_iterate(value);
  orr_value name;
  if (value->type != ORR_ARRAY || orr_count(value) > FILTER_WITH_MAX)
    return context_error(c, ORR_E_ARGUMENT, "%s must be an array of at most %d names of fields",
                         key, FILTER_WITH_MAX);
  while (orr_next(&i, NULL, &name)) {
    const row_field *is = field_named(f, &name);
    if (!is)
      return context_error(c, ORR_E_ARGUMENT, "%s: %s have no field \"%.*s\"", key,
                           f->row.record->verb, name.type == ORR_STRING ? (int)name.size : 1,
                           name.type == ORR_STRING ? name.as.bytes : "?");
    bool shown = is < f->row.fields + f->row.n_shown;
    for (uint32_t k = 0; k < f->n_with; k++) shown = shown || f->with[k] == is;
    if (!shown) f->with[f->n_with++] = is;
  }
  return 0;
}

/* *known: the key says how results are shown, and has been read. */
static int read_showing(context *c, filter *f, const char *name, const orr_value *value, bool *known) {
  *known = true;
  if (strcmp(name, "limit") == 0) return read_page_count(c, name, value, &f->limit);
  if (strcmp(name, "offset") == 0) return read_page_count(c, name, value, &f->offset);
  if (strcmp(name, "order_by") == 0) return read_sort_order(c, f, value);
  if (strcmp(name, "with_fields") == 0) return read_with_fields(c, f, name, value);
  bool variables = variables_known(f->row.record);
  if (variables && strcmp(name, "with_variables") == 0) return read_with_variables(c, name, value, &f->with_variables);
  if (variables && strcmp(name, "with_local_variables") == 0)
    return read_with_variables(c, name, value, &f->with_local_variables);
  *known = false;
  return 0;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static int read_key(context *c, filter *f, filter_group *group, const orr_value *key, const orr_value *value, int depth) {
  const char *name = context_text(c, key, "the key of a filter");
  if (!name || filter_value_texts(c, name, value)) return c->error.code;
  bool showing;
  int rc = read_showing(c, f, name, value, &showing);
  if (!rc && showing && depth > 0)
    rc = context_error(c, ORR_E_ARGUMENT, "%s is of the whole list: it cannot stand inside any, all or none", name);
  if (rc || showing) return rc;
  orr_value text = orr_bytes(name, key->size);
  return read_condition(c, f, group, &text, value, depth);
}

static int prepare_specials(context *c, filter_group *group) {
  int rc = 0;
  for (uint32_t i = 0; !rc && i < group->n_specials; i++) {
    filter_special *s = &group->specials[i];
    if (s->is->prepare) rc = s->is->prepare(c, s);
  }
  return rc;
}

static int read_group(context *c, filter *f, filter_group *group, const orr_value *map, int depth) {
  bool empty_array = map->type == ORR_ARRAY && orr_count(map) == 0; /* what {} is in Lua */
  if (map->type != ORR_MAP && !empty_array) return context_error(c, ORR_E_ARGUMENT, "a filter is a table of fields");
  group->map = *map;
  orr_iterator i = orr_iterate(map);
  orr_value key, value;
  int rc = 0;
  while (!rc && orr_next(&i, &key, &value)) rc = read_key(c, f, group, &key, &value, depth);
  return rc ? rc : prepare_specials(c, group);
}

int filter_read(context *c, const rec_type *type, const orr_value *map, filter *out) {
  memset(out, 0, sizeof *out);
  row_type_of(type, &out->row);
  out->limit = -1;
  return map && !operand_is_null(map) ? read_group(c, out, &out->where, map, 0) : 0;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static const orr_value *wanted_value(const filter_group *group, operator_kind kind, const char *column) {
  for (uint32_t i = 0; i < group->n_terms; i++) {
    const filter_term *term = &group->terms[i];
    bool plain = term->op.kind == kind && !term->op.negated && !term->op.folded;
    if (plain && strcmp(term->column->name, column) == 0) return &term->value;
  }
  return NULL;
}

const orr_value *filter_equals(const filter *f, const char *column) { return wanted_value(&f->where, OPERATOR_EQ, column); }
const orr_value *filter_one_of(const filter *f, const char *column) { return wanted_value(&f->where, OPERATOR_IN, column); }

bool filter_switched_on(const filter_group *group, const char *key) {
  for (; group; group = group->outer) {
    orr_value v = orr_map_get(&group->map, key);
    if (v.type == ORR_BOOL) return v.as.boolean;
  }
  return false;
}

static int group_fits(context *c, const filter_group *group, const rec_head *record, bool *out);

static int branch_fits(context *c, const filter_branch *branch, const rec_head *record, bool *out) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < branch->n_groups; i++) {
    bool fits;
    int rc = group_fits(c, &branch->groups[i], record, &fits);
    if (rc) return rc;
    n += fits;
    bool decided = branch->choice == FILTER_ALL ? !fits : fits;
    if (decided) break;
  }
  *out = branch->choice == FILTER_ANY ? n > 0 : branch->choice == FILTER_ALL ? n == branch->n_groups : n == 0;
  return 0;
}

/* Checks the cheapest conditions first. */
static int group_fits(context *c, const filter_group *group, const rec_head *record, bool *out) {
  int rc = 0;
  *out = true;
  for (uint32_t i = 0; !rc && *out && i < group->n_terms; i++) {
    orr_value have;
    rc = row_value(c, group->terms[i].column, record, &have);
    if (!rc) rc = operator_fits(c, group->terms[i].op, &have, &group->terms[i].value, out);
  }
  for (uint32_t i = 0; !rc && *out && i < group->n_specials; i++) {
    const filter_special *s = &group->specials[i];
    rc = s->is->fits(c, s, record, out);
  }
  for (const filter_branch *b = group->branches; !rc && *out && b; b = b->next) rc = branch_fits(c, b, record, out);
  return rc;
}

int filter_fits(context *c, const filter *f, const rec_head *record, bool *out) {
  return group_fits(c, &f->where, record, out);
}
