/* Child lists of loaded scopes: the tokens, subscriptions and jobs of an instance or execution.
 * Loaded once, then maintained in memory, so a unit that works through many children reads them
 * once. */
#include "uow/relation.h"

#include "uow/find.h"
#include "uow/uow_internal.h"

/* Most executions of an instance are children of the root scope. They have no index row, and are
 * found by their group. */
static int find_root_children(unit *u, orr_id root, unit_found *out, orr_error *err) {
  int rc = unit_find_group(u, &rec_execution_type, orr_id_group(root), out, err);
  if (rc) return rc;
  size_t kept = 0;
  for (size_t i = 0; i < out->count; i++)
    if (((rec_execution *)out->items[i])->parent == root) out->items[kept++] = out->items[i];
  out->count = kept;
  return 0;
}

static int find_related(unit *u, orr_id scope, unit_relation relation, unit_found *out, orr_error *err) {
  const rec_key key = {.id = scope};
  switch (relation) {
    case UNIT_CHILDREN:
      if (orr_id_local(scope) == 1) return find_root_children(u, scope, out, err);
      return unit_find_index(u, REC_INDEX_EXECUTION_CHILD, &key, 1, 0, out, err);
    case UNIT_SUBSCRIPTIONS: return unit_find_index(u, REC_INDEX_SUBSCRIPTION_EXECUTION, &key, 1, 0, out, err);
    case UNIT_JOBS: return unit_find_index(u, REC_INDEX_JOB_EXECUTION, &key, 1, 0, out, err);
    default: return error_set(err, ORR_E_ARGUMENT, "no such relation");
  }
}

struct rec_relation *unit_relation_of(unit *u, void *scope, unit_relation relation, orr_error *err) {
  rec_head *head = scope;
  bool root = head->type == &rec_instance_type;
  struct rec_relation *list = root ? &((rec_instance *)scope)->rel[relation] : &((rec_execution *)scope)->rel[relation];
  if (list->loaded) return list;
  orr_id id = root ? ((rec_instance *)scope)->id : ((rec_execution *)scope)->id;
  unit_found found;
  int rc = find_related(u, id, relation, &found, err);
  if (rc) return !err ? unit_fail(u, rc) : NULL;
  list->items = found.items;
  list->count = list->capacity = (uint32_t)found.count;
  list->loaded = true;
  return list;
}

/* The loaded list that a record belongs to; NULL when there is none. */
static struct rec_relation *relation_of(const unit *u, const rec_head *head) {
  orr_id scope = 0;
  unit_relation relation = UNIT_CHILDREN;
  if (head->type == &rec_execution_type) {
    scope = ((const rec_execution *)head)->parent;
  } else if (head->type == &rec_subscription_type) {
    scope = ((const rec_subscription *)head)->execution_id;
    relation = UNIT_SUBSCRIPTIONS;
  } else if (head->type == &rec_job_type && rec_indexes[REC_INDEX_JOB_EXECUTION]->holds(head)) {
    scope = ((const rec_job *)head)->execution_id;
    relation = UNIT_JOBS;
  }
  if (scope == 0) return NULL;
  bool root = orr_id_local(scope) == 1;
  uint8_t key[KEY_ID_SIZE];
  key_of_id(root ? rec_instance_type.tag : rec_execution_type.tag, scope, key);
  rec_head *owner = unit_known(u, key, sizeof key, key_hash(key, sizeof key));
  if (!owner) return NULL;
  struct rec_relation *list = root ? &((rec_instance *)owner)->rel[relation] : &((rec_execution *)owner)->rel[relation];
  return list->loaded ? list : NULL;
}

int unit_attach(unit *u, void *record) {
  struct rec_relation *list = relation_of(u, record);
  if (!list) return 0;
  if (!ARENA_ROOM(u->arena, list->items, list->count, list->capacity, 4)) {
    unit_fail(u, ORR_E_MEMORY);
    return ORR_E_MEMORY;
  }
  list->items[list->count++] = record;
  return 0;
}

/* Keeps the order. Children usually end at one end of the list, so the shorter side moves; at the
 * front, only the start of the list. */
void unit_detach(unit *u, void *record) {
  struct rec_relation *list = relation_of(u, record);
  if (!list) return;
  uint32_t i = 0;
  while (i < list->count && list->items[i] != (rec_head *)record) i++;
  if (i == list->count) return;
  if (i < list->count / 2) {
    memmove(list->items + 1, list->items, i * sizeof *list->items);
    list->items++;
    list->capacity--;
  } else {
    memmove(list->items + i, list->items + i + 1, (list->count - i - 1) * sizeof *list->items);
  }
  list->count--;
}
