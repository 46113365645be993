/* Groups of instances: by ids, by a business key, by the value of a variable, by their root, by their definitions. */
#include "query/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "query/special.h"
#include "query/variables.h"
#include "state/variable.h"
#include "uow/find.h"

typedef struct group_search {
  context *c;
  const filter *f;
  group_list *out;
  bool local_one; /* of instances' own scopes alone */
} group_search;

static int add_group(group_search *s, uint64_t group) {
  if (!ARENA_ROOM(s->c->arena, s->out->items, s->out->count, s->out->capacity, 16)) return context_memory(s->c);
  s->out->items[s->out->count++] = group;
  return 0;
}

static int visit_instance(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  return add_group(ud, orr_id_group(((const rec_execution *)record)->id));
}

static int visit_variable(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  group_search *s = ud;
  orr_id id = ((const rec_variable *)record)->scope;
  return s->local_one && orr_id_local(id) != 1 ? 0 : add_group(s, orr_id_group(id));
}

static int walk_index(group_search *s, enum rec_index index, const rec_key *keys, uint8_t n, unit_visit visit) {
  access_path way = {.type = rec_indexes[index]->type, .index = (uint8_t)index, .fields = keys, .n_fields = n};
  return unit_walk(s->c->u, &way, visit, s, NULL, &s->c->error);
}

static bool is_past(const rec_type *type) { return strncmp(type->name, "history_", 8) == 0; }

/* ---- Conditions that tell -------------------------------------------------------------------- */

static int by_ids(group_search *s, bool *found) {
  const orr_value *one = filter_equals(s->f, "instance_id");
  const orr_value *many = one ? NULL : filter_one_of(s->f, "instance_id");
  if (one && one->type == ORR_INT) {
    *found = true;
    return one->as.integer > 0 ? add_group(s, orr_id_group((orr_id)one->as.integer)) : 0;
  }
  if (!many) return 0;
  *found = true;
  orr_iterator i = orr_iterate(many);
  orr_value id;
  int rc = 0;
  while (!rc && orr_next(&i, NULL, &id)) {
    if (id.type != ORR_INT) *found = false; /* records of no instance are wanted, too */
    else if (id.as.integer > 0) rc = add_group(s, orr_id_group((orr_id)id.as.integer));
  }
  return rc;
}

static int by_business_key(group_search *s, bool *found) {
  const orr_value *key = filter_equals(s->f, "business_key");
  if (!key || key->type != ORR_STRING || !key->size) return 0;
  *found = true;
  rec_key fields = {.text = special_text(key)};
  bool past = is_past(s->f->row.record);
  return walk_index(s, past ? REC_INDEX_HISTORY_BUSINESS_KEY : REC_INDEX_INSTANCE_BUSINESS_KEY, &fields, 1, visit_instance);
}

/* The variables of branches have other names in their records. */
static int by_variable(group_search *s, const orr_value *name, const orr_value *value) {
  rec_key fields[2] = {{.text = special_text(name)}, {.value = *value}};
  int rc = walk_index(s, REC_INDEX_VARIABLE_NAME, fields, 2, visit_variable);
  if (rc || s->local_one || !name->size) return rc;
  const char *branch = arena_printf(s->c->arena, "%s%.*s", VARIABLE_BRANCH, (int)name->size, name->as.bytes);
  if (!branch) return context_memory(s->c);
  fields[0].text = (rec_text){branch, strlen(branch)};
  return walk_index(s, REC_INDEX_VARIABLE_NAME, fields, 2, visit_variable);
}

static bool asks_for_variables(const filter_special *s) {
  return s->is->takes == TAKES_VARIABLES && !filter_switched_on(s->group, VARIABLE_NAMES_IGNORE_CASE) &&
      !filter_switched_on(s->group, VARIABLE_VALUES_IGNORE_CASE);
}

/* By the first variable that must have one certain value. */
static int by_variables(group_search *s, bool *found) {
  for (uint32_t i = 0; i < s->f->where.n_specials; i++) {
    const filter_special *wanted = &s->f->where.specials[i];
    if (!asks_for_variables(wanted)) continue;
    orr_iterator each = orr_iterate(&wanted->prepared);
    orr_value name, want, value;
    while (orr_next(&each, &name, &want)) {
      if (!variables_wants_one(&want, &value) || name.size > ORR_NAME_BYTES_MAX) continue;
      *found = true;
      s->local_one = s->f->row.record == &rec_instance_type || strcmp(wanted->is->name, "process_variables") == 0;
      return by_variable(s, &name, &value);
    }
  }
  return 0;
}

/* Called instances name their root; the root itself has no row. */
static int by_root(group_search *s, bool *found) {
  const orr_value *root = filter_equals(s->f, "root_id");
  if (!root || root->type != ORR_INT || root->as.integer <= 0) return 0;
  *found = true;
  rec_key key = {.id = (orr_id)root->as.integer};
  int rc = add_group(s, orr_id_group(key.id));
  return rc ? rc : walk_index(s, REC_INDEX_INSTANCE_ROOT, &key, 1, visit_instance);
}

static int visit_definition(void *ud, rec_head *record, bool *stop) {
  (void)stop;
  group_search *s = ud;
  rec_key key = {.id = ((const rec_definition *)record)->id};
  bool past = is_past(s->f->row.record);
  return walk_index(s, past ? REC_INDEX_HISTORY_DEFINITION : REC_INDEX_INSTANCE_DEFINITION, &key, 1, visit_instance);
}

static int by_definition_keys(group_search *s, const orr_value *keys) {
  orr_iterator i = orr_iterate(keys);
  orr_value key;
  int rc = 0;
  while (!rc && orr_next(&i, NULL, &key)) {
    rec_key fields = {.text = special_text(&key)};
    if (fields.text.size) rc = walk_index(s, REC_INDEX_DEFINITION_KEY, &fields, 1, visit_definition);
  }
  return rc;
}

static bool has_null(const orr_value *list) {
  orr_iterator i = orr_iterate(list);
  orr_value one;
  while (orr_next(&i, NULL, &one))
    if (operand_is_null(&one)) return true;
  return false;
}

static int by_its_definition(group_search *s, bool *found) {
  const orr_value *id = filter_equals(s->f, "definition_id"), *key = filter_equals(s->f, "definition_key");
  const orr_value *keys = filter_one_of(s->f, "definition_key"), *deployment = filter_equals(s->f, "deployment_id");
  bool past = is_past(s->f->row.record);
  rec_key wanted = {0};
  if (id && id->type == ORR_INT && id->as.integer > 0) {
    *found = true;
    wanted.id = (orr_id)id->as.integer;
    return walk_index(s, past ? REC_INDEX_HISTORY_DEFINITION : REC_INDEX_INSTANCE_DEFINITION, &wanted, 1, visit_instance);
  }
  *found = true;
  if (deployment && deployment->type == ORR_INT && deployment->as.integer > 0) {
    wanted.id = (orr_id)deployment->as.integer;
    return walk_index(s, REC_INDEX_DEFINITION_DEPLOYMENT, &wanted, 1, visit_definition);
  }
  if (!past && key && key->type == ORR_STRING && key->size) {
    wanted.text = special_text(key);
    return walk_index(s, REC_INDEX_DEFINITION_KEY, &wanted, 1, visit_definition);
  }
  if (!past && keys && !has_null(keys)) return by_definition_keys(s, keys);
  *found = false;
  return 0;
}

/* ---- Which records --------------------------------------------------------------------------- */

/* Does the record have its definition from its instance, as that is now? A record of history keeps
 * the definition that it ran by, even if its instance has been migrated, and may outlive that
 * definition. Only the row of the instance itself is found by its index, by no more than the id of
 * the definition. */
static bool follows_definition(const rec_type *type) {
  return type == &rec_instance_type || type == &rec_execution_type || type == &rec_task_type ||
      type == &rec_external_task_type || type == &rec_variable_type || type == &rec_history_instance_type ||
      type == &rec_history_variable_type;
}

static bool is_of_an_instance(const rec_type *type) {
  return type == &rec_subscription_type || type == &rec_job_type || type == &rec_incident_type ||
      type == &rec_history_activity_type || type == &rec_history_task_type || type == &rec_history_variable_type ||
      type == &rec_history_incident_type || type == &rec_history_job_type || type == &rec_history_external_type ||
      follows_definition(type);
}

static int compare_groups(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void sort_groups(group_list *list) {
  if (list->count < 2) return;
  qsort(list->items, list->count, sizeof *list->items, compare_groups);
  size_t kept = 1;
  for (size_t i = 1; i < list->count; i++)
    if (list->items[i] != list->items[kept - 1]) list->items[kept++] = list->items[i];
  list->count = kept;
}

int groups_find(context *c, const filter *f, group_list *out, bool *found) {
  const rec_type *type = f->row.record;
  group_search s = {.c = c, .f = f, .out = out};
  *found = false;
  *out = (group_list){0};
  if (!is_of_an_instance(type)) return 0;
  int rc = by_ids(&s, found);
  if (!rc && !*found) {
    out->count = 0;
    if (row_field_named(&f->row, "business_key", 12)) rc = by_business_key(&s, found);
  }
  if (!rc && !*found && variables_known(type) && !is_past(type)) rc = by_variables(&s, found);
  if (!rc && !*found && !is_past(type)) rc = by_root(&s, found);
  if (!rc && !*found && follows_definition(type)) rc = by_its_definition(&s, found);
  if (!rc && *found) sort_groups(out);
  return rc;
}
