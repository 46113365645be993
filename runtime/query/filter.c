/* Reading filters and asking them. */
#include "query/filter.h"

#include <string.h>

#include "base/builder.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/value.h"
#include "engine/engine.h"
#include "exec/data/variable.h"
#include "query/special.h"
#include "time/iso8601.h"

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Does the pattern at `p` take the byte? *next: where the pattern goes on. */
static bool takes(const char *pattern, size_t pattern_size, size_t p, char byte, size_t *next) {
  if (p == pattern_size) return false;
  bool escaped = pattern[p] == '\\' && p + 1 < pattern_size && strchr("%_\\", pattern[p + 1]);
  if (escaped) p++;
  *next = p + 1;
  return pattern[p] == byte || (pattern[p] == '_' && !escaped);
}

bool filter_like(const char *text, size_t size, const char *pattern, size_t pattern_size) {
  size_t t = 0, p = 0, star = SIZE_MAX, mark = 0, next;
  while (t < size) {
    if (p < pattern_size && pattern[p] == '%') {
      star = p++;
      mark = t;
    } else if (takes(pattern, pattern_size, p, text[t], &next)) {
      p = next;
      t++;
    } else if (star != SIZE_MAX) { /* let the last % take one more */
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern_size && pattern[p] == '%') p++;
  return p == pattern_size;
}

static bool is_null(const orr_value *v) { return v->type == ORR_NIL || v->type == ORR_NULL; }

static bool filter_compare(filter_op op, const orr_value *have, const orr_value *want);

static bool in_list(const orr_value *have, const orr_value *list) {
  orr_iterator i = orr_iterate(list);
  orr_value one;
  while (orr_next(&i, NULL, &one))
    if (filter_compare(FILTER_EQ, have, &one)) return true;
  return false;
}

/* One operator between a record's value and a filter's; ORR_NIL fits only null. */
static bool filter_compare(filter_op op, const orr_value *have, const orr_value *want) {
  if (op == FILTER_IN) return in_list(have, want);
  if (is_null(have) || is_null(want)) return op == FILTER_EQ && is_null(have) && is_null(want);
  if (op == FILTER_EQ) return value_equal(have, want);
  if (op == FILTER_LIKE)
    return have->type == ORR_STRING && want->type == ORR_STRING &&
           filter_like(have->as.bytes, have->size, want->as.bytes, want->size);
  bool comparable;
  int order = value_compare(have, want, &comparable);
  if (!comparable) return false;
  return op == FILTER_LT ? order < 0 : op == FILTER_LE ? order <= 0 : op == FILTER_GT ? order > 0 : order >= 0;
}

static const struct operator_name {
  const char *name;
  filter_op op;
} operator_names[] = {{"in", FILTER_IN}, {"like", FILTER_LIKE}, {"before", FILTER_LT}, {"after", FILTER_GT},
                      {"gt", FILTER_GT}, {"ge", FILTER_GE},     {"lt", FILTER_LT},     {"le", FILTER_LE}};

static bool operator_named(const char *name, size_t size, filter_op *out) {
  for (size_t i = 0; i < sizeof operator_names / sizeof operator_names[0]; i++) {
    if (strlen(operator_names[i].name) != size || memcmp(operator_names[i].name, name, size) != 0) continue;
    *out = operator_names[i].op;
    return true;
  }
  return false;
}

/* ---- Variables ------------------------------------------------------------------------------- */

/* A map all of whose keys are operators asks for these; any other value asks for equality. */
static bool is_conditions(const orr_value *want) {
  if (want->type != ORR_MAP || orr_count(want) == 0) return false;
  orr_iterator i = orr_iterate(want);
  orr_value key, value;
  filter_op op;
  while (orr_next(&i, &key, &value)) {
    bool negated = value_is_text(&key, "ne");
    if (!negated && !operator_named(key.as.bytes, key.size, &op)) return false;
  }
  return true;
}

static bool conditions_fit(const orr_value *have, const orr_value *conditions) {
  orr_iterator i = orr_iterate(conditions);
  orr_value key, want;
  while (orr_next(&i, &key, &want)) {
    filter_op op;
    bool fits =
        operator_named(key.as.bytes, key.size, &op) ? filter_compare(op, have, &want) : !filter_compare(FILTER_EQ, have, &want);
    if (!fits || have->type == ORR_NIL) return false;
  }
  return true;
}

static bool value_fits(const orr_value *have, const orr_value *want) {
  if (is_conditions(want)) return conditions_fit(have, want);
  return have->type != ORR_NIL && filter_compare(FILTER_EQ, have, want);
}

int filter_variables_fit(context *c, const orr_value *wanted, orr_id scope_id, bool local, bool *out) {
  orr_iterator i = orr_iterate(wanted);
  orr_value key, want, have;
  *out = true;
  while (*out && orr_next(&i, &key, &want)) {
    const char *name = context_text(c, &key, "the name of a variable");
    if (!name) return c->error.code;
    int rc = local ? variable_get_local(c, scope_id, name, &have) : variable_get(c, scope_id, name, &have);
    if (rc) return rc;
    *out = value_fits(&have, &want);
  }
  return 0;
}

int filter_history_variables_fit(context *c, const orr_value *wanted, orr_id scope_id, bool *out) {
  orr_iterator i = orr_iterate(wanted);
  orr_value key, want;
  *out = true;
  while (*out && orr_next(&i, &key, &want)) {
    rec_history_variable at = {.instance_id = orr_id_instance(scope_id), .scope = scope_id, .name = {key.as.bytes, key.size}};
    const rec_history_variable *row = unit_history_variable_key(c->u, &at, &c->error);
    if (!row && scope_id != at.instance_id && !c->error.code) {
      at.scope = at.instance_id;
      row = unit_history_variable_key(c->u, &at, &c->error);
    }
    if (c->error.code) return c->error.code;
    *out = value_fits(row ? &row->value : &(orr_value){0}, &want);
  }
  return 0;
}

/* ---- Reading --------------------------------------------------------------------------------- */

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

/* A time goes without its _at before _before and _after: started_before for started_at_before. */
static const row_field *time_by_short_name(const row_type *row, const char *name, size_t size) {
  for (uint32_t i = 0; i < row->n_fields; i++) {
    const char *full = row->fields[i].name;
    if (row->fields[i].kind == ROW_TIME && strncmp(full, name, size) == 0 && strcmp(full + size, "_at") == 0)
      return &row->fields[i];
  }
  return NULL;
}

static const row_field *field_with_operator(const row_type *row, const char *name, size_t size, filter_op *op) {
  for (size_t at = size; at-- > 1;) {
    if (name[at] != '_') continue;
    const char *word = name + at + 1;
    if (!operator_named(word, size - at - 1, op)) return NULL;
    bool of_time = *word == 'b' || *word == 'a'; /* _before, _after */
    const row_field *time = of_time ? time_by_short_name(row, name, at) : NULL;
    return time ? time : field_by_any_name(row, name, at);
  }
  return NULL;
}

static void offer_name(void *ud, const char *name) { nearest_offer(ud, name, strlen(name)); }

/* A list of names that grows; NULL once memory ran out. */
typedef struct name_list {
  context *c;
  const char *text;
} name_list;

static void append_name(void *ud, const char *name) {
  name_list *list = ud;
  if (list->text) list->text = arena_printf(list->c->arena, *list->text ? "%s, %s" : "%s%s", list->text, name);
}

/* All that a filter of these records may have, for who guessed quite another name. */
static const char *filter_keys(context *c, const filter *f) {
  name_list fields = {c, ""}, keys = {c, ""};
  for (uint32_t i = 0; i < f->row.n_fields; i++) append_name(&fields, f->row.fields[i].name);
  special_names(f->row.record, append_name, &keys);
  append_name(&keys, "order_by");
  append_name(&keys, "limit");
  append_name(&keys, "offset");
  if (!fields.text || !keys.text) return NULL;
  return arena_printf(c->arena, "; its fields are %s; it also takes %s", fields.text, keys.text);
}

static int unknown_key(context *c, const filter *f, const orr_value *key) {
  nearest best = nearest_to(key->as.bytes, key->size);
  for (uint32_t i = 0; i < f->row.n_fields; i++) offer_name(&best, f->row.fields[i].name);
  for (size_t i = 0; i < sizeof short_names / sizeof short_names[0]; i++)
    if (field_by_any_name(&f->row, short_names[i][0], strlen(short_names[i][0]))) offer_name(&best, short_names[i][0]);
  special_names(f->row.record, offer_name, &best);
  offer_name(&best, "order_by");
  offer_name(&best, "limit");
  offer_name(&best, "offset");
  const char *suggestion = best.name ? arena_printf(c->arena, "; did you mean \"%s\"?", best.name) : filter_keys(c, f);
  return context_error(c, ORR_E_ARGUMENT, "unknown key \"%.*s\" in a filter of %s%s", (int)key->size, key->as.bytes,
                       f->row.record->verb, suggestion ? suggestion : "");
}

static int filter_time_value(context *c, const char *key, orr_value *value) {
  if (value->type == ORR_INT) *value = orr_int(value->as.integer * 1000);
  else if (value->type == ORR_FLOAT) *value = orr_int((int64_t)(value->as.number * 1000 + (value->as.number < 0 ? -0.5 : 0.5)));
  else if (value->type == ORR_STRING) {
    orr_time time;
    int rc = iso_parse_time(value->as.bytes, value->size, c->engine->zone, &time, &c->error);
    if (rc) return error_wrap(&c->error, "%s", key);
    *value = orr_int(time);
  } else if (!is_null(value)) {
    return context_error(c, ORR_E_ARGUMENT, "%s must be a time: seconds or an ISO 8601 text", key);
  }
  return 0;
}

/* Ids may be texts; what is no id fits nothing. */
static orr_value id_or_none(const orr_value *value) {
  if (is_null(value)) return *value;
  orr_id id = value_id(value);
  return orr_int(id ? (int64_t)id : -1);
}

static int filter_id_value(context *c, filter_op op, orr_value *value) {
  if (op != FILTER_IN) {
    *value = id_or_none(value);
    return 0;
  }
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_iterator i = orr_iterate(value);
  orr_value item;
  orr_builder_array(b);
  while (orr_next(&i, NULL, &item)) {
    orr_value id = id_or_none(&item);
    orr_builder_add(b, &id);
  }
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, value, &c->error);
  orr_builder_free(b);
  return rc;
}

/* A value of another type than the field's fits no record, ever: a mistake of the caller's, not an empty list. */
static int check_operand_type(context *c, const row_field *column, const orr_value *value, const char *key) {
  if (is_null(value)) return 0;
  if (column->kind == ROW_TEXT && value->type != ORR_STRING) return context_error(c, ORR_E_ARGUMENT, "%s must be a text", key);
  if (column->kind == ROW_BOOL && value->type != ORR_BOOL)
    return context_error(c, ORR_E_ARGUMENT, "%s must be true or false", key);
  if (column->kind == ROW_INT && value->type != ORR_INT && value->type != ORR_FLOAT)
    return context_error(c, ORR_E_ARGUMENT, "%s must be a number", key);
  return 0;
}

static int add_term(context *c, filter *f, const row_field *column, filter_op op, const orr_value *value, const char *key) {
  if (f->n_terms == FILTER_TERMS_MAX)
    return context_error(c, ORR_E_LIMIT, "a filter has at most %d conditions", FILTER_TERMS_MAX);
  if (op == FILTER_IN && value->type != ORR_ARRAY && !(value->type == ORR_MAP && orr_count(value) == 0))
    return context_error(c, ORR_E_ARGUMENT, "%s must be an array", key);
  int rc = op == FILTER_IN ? 0 : check_operand_type(c, column, value, key);
  if (rc) return rc;
  filter_term *term = &f->terms[f->n_terms++];
  *term = (filter_term){.column = column, .op = op, .value = *value};
  if (column->kind == ROW_ID) return filter_id_value(c, op, &term->value);
  return column->kind == ROW_TIME && op != FILTER_IN ? filter_time_value(c, key, &term->value) : 0;
}

static int order_field(context *c, filter *f, const orr_value *name, bool descending) {
  const row_field *column = name->type == ORR_STRING ? field_by_any_name(&f->row, name->as.bytes, name->size) : NULL;
  if (!column && name->type == ORR_STRING) return unknown_key(c, f, name);
  if (!column) return context_error(c, ORR_E_ARGUMENT, "order_by takes a field's name, or an array of { \"field\", \"desc\" }");
  if (f->n_orders == FILTER_ORDERS_MAX)
    return context_error(c, ORR_E_LIMIT, "order_by has at most %d fields", FILTER_ORDERS_MAX);
  f->orders[f->n_orders++] = (filter_order){.column = column, .descending = descending};
  return 0;
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
    if (!descending && !is_null(&direction) && !value_is_text(&direction, "asc"))
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

/* No record holds a name or an id with a zero byte: a mistake of the caller's, too. Values of variables may. */
static int check_texts(context *c, const char *key, const orr_value *value) {
  if (value->type == ORR_STRING) return context_text(c, value, key) ? 0 : c->error.code;
  if (value->type != ORR_ARRAY) return 0;
  orr_iterator i = orr_iterate(value);
  orr_value item;
  int rc = 0;
  while (!rc && orr_next(&i, NULL, &item)) rc = item.type == ORR_STRING && !context_text(c, &item, key) ? c->error.code : 0;
  return rc;
}

static int read_key(context *c, filter *f, const orr_value *key, const orr_value *value) {
  const char *name = context_text(c, key, "the key of a filter");
  if (!name || check_texts(c, name, value)) return c->error.code;
  if (strcmp(name, "limit") == 0) return read_page_count(c, name, value, &f->limit);
  if (strcmp(name, "offset") == 0) return read_page_count(c, name, value, &f->offset);
  if (strcmp(name, "order_by") == 0) return read_sort_order(c, f, value);
  const special *s = special_named(f->row.record, key->as.bytes, key->size);
  if (s) {
    if (f->n_specials == FILTER_TERMS_MAX)
      return context_error(c, ORR_E_LIMIT, "a filter has at most %d conditions", FILTER_TERMS_MAX);
    f->specials[f->n_specials++] = (filter_special){.is = s, .value = *value};
    return 0;
  }
  filter_op op = FILTER_EQ;
  const row_field *column = field_by_any_name(&f->row, key->as.bytes, key->size);
  if (!column) column = field_with_operator(&f->row, key->as.bytes, key->size, &op);
  return column ? add_term(c, f, column, op, value, name) : unknown_key(c, f, key);
}

int filter_read(context *c, const rec_type *type, const orr_value *map, filter *out) {
  memset(out, 0, sizeof *out);
  row_type_of(type, &out->row);
  out->limit = -1;
  if (!map || is_null(map)) return 0;
  out->map = *map;
  bool empty_array = map->type == ORR_ARRAY && orr_count(map) == 0; /* what {} is in Lua */
  if (map->type != ORR_MAP && !empty_array) return context_error(c, ORR_E_ARGUMENT, "a filter is a table of fields");
  orr_iterator i = orr_iterate(map);
  orr_value key, value;
  while (orr_next(&i, &key, &value)) {
    int rc = read_key(c, out, &key, &value);
    if (rc) return rc;
  }
  return 0;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

const orr_value *filter_equals(const filter *f, const char *column) {
  for (uint32_t i = 0; i < f->n_terms; i++)
    if (f->terms[i].op == FILTER_EQ && strcmp(f->terms[i].column->name, column) == 0) return &f->terms[i].value;
  return NULL;
}

int filter_fits(context *c, const filter *f, const rec_head *record, bool *out) {
  *out = true;
  for (uint32_t i = 0; i < f->n_terms && *out; i++) {
    orr_value have;
    int rc = row_value(c, f->terms[i].column, record, &have);
    if (rc) return rc;
    *out = filter_compare(f->terms[i].op, &have, &f->terms[i].value);
  }
  for (uint32_t i = 0; i < f->n_specials && *out; i++) {
    int rc = f->specials[i].is->fits(c, f, &f->specials[i].value, record, out);
    if (rc) return rc;
  }
  return 0;
}
