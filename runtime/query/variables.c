/* Variables of listed records. */
#include "query/variables.h"

#include <string.h>

#include "base/builder.h"
#include "base/fold.h"
#include "base/value.h"
#include "engine/engine.h"
#include "query/special.h"
#include "state/variable.h"
#include "uow/find.h"

/* ---- Where they are -------------------------------------------------------------------------- */

typedef struct variables_place {
  orr_id scope;    /* an instance, execution or task; 0: there is none */
  orr_id instance; /* 0: a task without a process */
  bool history;
} variables_place;

bool variables_known(const rec_type *type) {
  return type == &rec_instance_type || type == &rec_execution_type || type == &rec_task_type ||
      type == &rec_external_task_type || type == &rec_history_instance_type || type == &rec_history_task_type;
}

static variables_place variables_place_of(const rec_head *r) {
  orr_id id = ((const rec_execution *)r)->id;
  if (r->type == &rec_external_task_type) id = ((const rec_external_task *)r)->execution_id;
  bool history = r->type == &rec_history_instance_type || r->type == &rec_history_task_type;
  bool alone = r->type == &rec_task_type && !((const rec_task *)r)->instance_id;
  if (r->type == &rec_history_task_type) {
    const rec_history_task *t = (const rec_history_task *)r;
    alone = !t->instance_id;
    id = alone ? t->id : t->execution_id;
  }
  return (variables_place){
      .scope = id, .instance = alone ? 0 : orr_id_instance(id), .history = history};
}

static int history_value(context *c, orr_id instance, orr_id of, const char *name, orr_value *out) {
  rec_history_variable key = {.instance_id = instance, .scope = of, .name = {name, strlen(name)}};
  const rec_history_variable *row = unit_history_variable_key(c->u, &key, &c->error);
  *out = row ? row->value : (orr_value){0};
  return c->error.code;
}

static int history_visible_value(context *c, const variables_place *at, const char *name, orr_value *out) {
  int rc = history_value(c, at->instance, at->scope, name, out);
  if (rc || out->type != ORR_NIL || !at->instance || at->scope == at->instance) return rc;
  return history_value(c, at->instance, at->instance, name, out);
}

int variables_value(context *c, const rec_head *record, variables_scope which, const char *name, orr_value *out) {
  variables_place at = variables_place_of(record);
  orr_id from = which == VARIABLES_PROCESS ? at.instance : at.scope;
  *out = (orr_value){0};
  if (!from) return 0;
  if (at.history && which == VARIABLES_VISIBLE) return history_visible_value(c, &at, name, out);
  if (at.history) return history_value(c, at.instance, from, name, out);
  return which == VARIABLES_LOCAL ? variable_get_local(c, from, name, out) : variable_get(c, from, name, out);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static int put_history_scope(context *c, orr_id instance, orr_id of, orr_builder *b) {
  unit_found found;
  rec_key key[2] = {{.id = instance}, {.id = of}};
  int rc = unit_find_keys(c->u, &rec_history_variable_type, key, 2, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_history_variable *v = (const rec_history_variable *)found.items[i];
    orr_builder_key(b, v->name.data, v->name.size);
    orr_builder_add(b, &v->value);
  }
  return rc;
}

/* The instance's variables come first, so that inner ones hide them: in a builder's map, the last
 * of equal keys stays. */
static int history_map(context *c, const variables_place *at, variables_scope which, orr_value *out) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  bool inner = at->scope != at->instance;
  bool outer = at->instance && !(which == VARIABLES_LOCAL && inner);
  int rc = outer ? put_history_scope(c, at->instance, at->instance, b) : 0;
  if (!rc && inner && which != VARIABLES_PROCESS) rc = put_history_scope(c, at->instance, at->scope, b);
  orr_builder_end(b);
  if (!rc) rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

static int all_variables(context *c, const rec_head *record, variables_scope which, orr_value *out) {
  variables_place at = variables_place_of(record);
  if (at.history) return history_map(c, &at, which, out);
  orr_id from = which == VARIABLES_PROCESS ? at.instance : at.scope;
  if (!from) return *out = (orr_value){0}, 0;
  return variable_map(c, from, which == VARIABLES_LOCAL, out);
}

static int put_named(context *c, const rec_head *record, variables_scope which, const orr_value *names, orr_builder *b) {
  orr_iterator i = orr_iterate(names);
  orr_value name, value;
  int rc = 0;
  while (!rc && orr_next(&i, NULL, &name)) {
    const char *text = context_text(c, &name, "the name of a variable");
    rc = text ? variables_value(c, record, which, text, &value) : c->error.code;
    if (!rc) builder_put_given(b, text, value);
  }
  return rc;
}

int variables_shown(context *c, const rec_head *record, variables_scope which, const orr_value *names, orr_value *out) {
  if (names->type != ORR_ARRAY) return all_variables(c, record, which, out);
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  int rc = put_named(c, record, which, names, b);
  orr_builder_end(b);
  if (!rc) rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

/* ---- Conditions ------------------------------------------------------------------------------ */

/* A map of which all keys are operators is a condition; any other value must be equal. */
static bool is_conditions(const orr_value *want) {
  if (want->type != ORR_MAP || orr_count(want) == 0) return false;
  orr_iterator i = orr_iterate(want);
  orr_value key, value;
  value_operator op;
  while (orr_next(&i, &key, &value))
    if (!operator_named(key.as.bytes, key.size, &op)) return false;
  return true;
}

static int conditions_fit(context *c, const orr_value *have, const orr_value *conditions, bool fold, bool *out) {
  orr_iterator i = orr_iterate(conditions);
  orr_value key, want;
  int rc = 0;
  while (*out && !rc && orr_next(&i, &key, &want)) {
    value_operator op = {0};
    (void)operator_named(key.as.bytes, key.size, &op);
    op.folded |= fold;
    rc = operator_fits(c, op, have, &want, out);
  }
  return rc;
}

/* A condition on a variable that does not exist never holds, not even `ne`. */
static int value_fits(context *c, const orr_value *have, const orr_value *want, bool fold, bool *out) {
  *out = have->type != ORR_NIL;
  if (!*out) return 0;
  if (is_conditions(want)) return conditions_fit(c, have, want, fold, out);
  return operator_fits(c, (value_operator){.kind = OPERATOR_EQ, .folded = fold}, have, want, out);
}

static bool same_name(const orr_value *a, const char *folded, size_t size) {
  char small[FOLD_BOUND(ORR_NAME_BYTES_MAX)];
  if (a->size > ORR_NAME_BYTES_MAX) return false;
  return fold_text(a->as.bytes, a->size, small) == size && memcmp(small, folded, size) == 0;
}

/* Of all variables whose names are the same but for case, one has to fit. */
static int any_case_fits(context *c, const orr_value *all, const orr_value *name, const orr_value *want, bool fold, bool *out) {
  char small[FOLD_BOUND(ORR_NAME_BYTES_MAX)];
  *out = false;
  if (name->size > ORR_NAME_BYTES_MAX) return 0;
  size_t size = fold_text(name->as.bytes, name->size, small);
  orr_iterator i = orr_iterate(all);
  orr_value key, have;
  int rc = 0;
  while (!rc && !*out && orr_next(&i, &key, &have))
    if (same_name(&key, small, size)) rc = value_fits(c, &have, want, fold, out);
  return rc;
}

int variables_fit(context *c, const filter_special *s, const rec_head *record, variables_scope which, bool *out) {
  bool names = filter_switched_on(s->group, VARIABLE_NAMES_IGNORE_CASE);
  bool fold = filter_switched_on(s->group, VARIABLE_VALUES_IGNORE_CASE);
  orr_value all = {0}, key, want, have;
  int rc = names ? all_variables(c, record, which, &all) : 0;
  orr_iterator i = orr_iterate(&s->prepared);
  *out = true;
  while (!rc && *out && orr_next(&i, &key, &want)) {
    const char *name = context_text(c, &key, "the name of a variable");
    if (!name) return c->error.code;
    if (names) {
      rc = any_case_fits(c, &all, &key, &want, fold, out);
    } else {
      rc = variables_value(c, record, which, name, &have);
      if (!rc) rc = value_fits(c, &have, &want, fold, out);
    }
  }
  return rc;
}

/* ---- What is wanted -------------------------------------------------------------------------- */

static int check_condition(context *c, const orr_value *variable, const orr_value *word, value_operator op,
                           const orr_value *want) {
  bool list = want->type == ORR_ARRAY || (want->type == ORR_MAP && orr_count(want) == 0); /* {} in Lua */
  const char *right = NULL;
  if (op.kind == OPERATOR_IN && !list) right = "an array";
  if (op.kind == OPERATOR_LIKE && want->type != ORR_STRING) right = "a text";
  if (!right) return 0;
  return context_error(c, ORR_E_ARGUMENT, "variables: %.*s of \"%.*s\" must be %s", (int)word->size, word->as.bytes,
                       (int)variable->size, variable->as.bytes, right);
}

/* Texts that are compared without regard to case, in small letters. */
static int put_conditions(context *c, const orr_value *variable, const orr_value *conditions, bool fold, orr_builder *b) {
  orr_iterator i = orr_iterate(conditions);
  orr_value key, want;
  int rc = 0;
  orr_builder_map(b);
  while (!rc && orr_next(&i, &key, &want)) {
    value_operator op = {0};
    (void)operator_named(key.as.bytes, key.size, &op);
    rc = check_condition(c, variable, &key, op, &want);
    if (!rc && (fold || op.folded)) rc = operator_fold(c, &want, &want);
    orr_builder_key(b, key.as.bytes, key.size);
    orr_builder_add(b, &want);
  }
  orr_builder_end(b);
  return rc;
}

/* Operators of other products: nobody who writes these means a map to compare with. */
static bool is_foreign(const orr_value *key) {
  static const char *const spellings[] = {"equals", "neq", "not_eq", "gte", "gteq", "lte", "lteq", "greater", "less",
                                          "notLike", "notIn", "nin", "=", "==", "!=", "~=", "<>", "<", "<=", ">", ">="};
  for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
    if (value_is_text(key, spellings[i])) return true;
  return false;
}

/* A map with only some operators, or only unknown ones that look like operators, is a mistake. { eq
 * = { … } } compares with a map. */
static int check_operators(context *c, const orr_value *variable, const orr_value *want) {
  if (want->type != ORR_MAP) return 0;
  orr_iterator i = orr_iterate(want);
  orr_value key, value, wrong = {0};
  size_t known = 0, foreign = 0, n = 0;
  value_operator op;
  for (; orr_next(&i, &key, &value); n++) {
    bool is_operator = operator_named(key.as.bytes, key.size, &op);
    known += is_operator;
    foreign += is_foreign(&key);
    if (!is_operator) wrong = key;
  }
  if (n == known || (known == 0 && foreign < n)) return 0;
  return context_error(c, ORR_E_ARGUMENT,
                       "variables: \"%.*s\" of \"%.*s\" is no operator; these are: eq, ne, in, not_in, like, not_like, ieq, "
                       "ine, ilike, not_ilike, before, after, gt, ge, lt, le. A table to compare with is { eq = { … } }",
                       (int)wrong.size, wrong.as.bytes, (int)variable->size, variable->as.bytes);
}

static int put_wanted(context *c, const orr_value *wanted, bool fold, orr_builder *b) {
  orr_iterator i = orr_iterate(wanted);
  orr_value key, want;
  int rc = 0;
  orr_builder_map(b);
  while (!rc && orr_next(&i, &key, &want)) {
    if (!context_text(c, &key, "the name of a variable")) return c->error.code;
    rc = check_operators(c, &key, &want);
    if (rc) return rc;
    orr_builder_key(b, key.as.bytes, key.size);
    if (is_conditions(&want)) {
      rc = put_conditions(c, &key, &want, fold, b);
      continue;
    }
    if (fold && want.type == ORR_STRING) rc = operator_fold(c, &want, &want);
    if (!rc) orr_builder_add(b, &want);
  }
  orr_builder_end(b);
  return rc;
}

int variables_prepare(context *c, filter_special *s) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  int rc = put_wanted(c, &s->value, filter_switched_on(s->group, VARIABLE_VALUES_IGNORE_CASE), b);
  if (!rc) rc = builder_copy(b, c->arena, &s->prepared, &c->error);
  orr_builder_free(b);
  return rc;
}

bool variables_wants_one(const orr_value *want, orr_value *out) {
  *out = is_conditions(want) ? orr_map_get(want, "eq") : *want;
  return out->type != ORR_NIL;
}

bool variables_named(const char *text, variables_scope *which, const char **name) {
  static const struct { const char *prefix; variables_scope which; } kinds[] = {
      {"variables.", VARIABLES_VISIBLE}, {"process_variables.", VARIABLES_PROCESS}, {"local_variables.", VARIABLES_LOCAL}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    size_t size = strlen(kinds[i].prefix);
    if (strncmp(text, kinds[i].prefix, size) != 0 || !text[size]) continue;
    *which = kinds[i].which;
    *name = text + size;
    return true;
  }
  return false;
}
