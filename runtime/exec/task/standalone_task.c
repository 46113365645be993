/* Tasks that belong to no token. Each has an id group of its own, like an instance. */
#include "exec/task/standalone_task.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/builder.h"
#include "base/limits.h"
#include "base/value.h"
#include "engine/engine.h"
#include "state/history.h"
#include "uow/find.h"

enum { PRIORITY_OF_TASKS = 50, TASK_OWN_ID_MAX = 255 };

static bool field_given(const orr_value *v) { return v->type != ORR_NIL && v->type != ORR_NULL; }

/* How many levels of subtasks begin with this one; stops counting beyond the deepest that is
 * allowed. */
static int levels_below(context *c, const rec_task *t, int above, int *out) {
  unit_found found = {0};
  rec_key by = {.id = t->id};
  *out = 1;
  if (!t->has_parts || above >= ORR_TASK_DEPTH_MAX) return 0;
  int rc = unit_find_index(c->u, REC_INDEX_TASK_PARENT, &by, 1, 0, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    int deeper;
    rc = levels_below(c, (const rec_task *)found.items[i], above + 1, &deeper);
    if (!rc && deeper + 1 > *out) *out = deeper + 1;
  }
  return rc;
}

/* Removing a task recurses into its subtasks, so their depth is bounded, and none may be within
 * itself. `part` NULL: a new task. */
static int check_depth(context *c, const rec_task *parent, const rec_task *part) {
  int depth = 0, below = 1;
  for (const rec_task *at = parent; at; at = at->parent_id ? unit_task(c->u, at->parent_id, &c->error) : NULL) {
    if (at == part) return context_error(c, ORR_E_STATE, "task %" PRIu64 " cannot be a part of itself", at->id);
    depth++;
  }
  int rc = c->error.code;
  if (!rc && part) rc = levels_below(c, part, depth, &below);
  if (rc || depth + below <= ORR_TASK_DEPTH_MAX) return rc;
  return part ? context_error(c, ORR_E_LIMIT, "subtasks would be more than %d deep", ORR_TASK_DEPTH_MAX)
              : context_error(c, ORR_E_LIMIT, "task %" PRIu64 " is a subtask %d deep; it can have none of its own", parent->id,
                              depth);
}

static int take_parent(context *c, const orr_value *v, const rec_task *part, rec_task **out) {
  *out = NULL;
  if (!field_given(v)) return 0;
  orr_id id = value_id(v);
  if (!id) return context_error(c, ORR_E_ARGUMENT, "parent_id must be the id of a task");
  *out = unit_task(c->u, id, &c->error);
  if (c->error.code) return c->error.code;
  if (!*out) return context_error(c, ORR_E_NOT_FOUND, "there is no task %" PRIu64, id);
  return check_depth(c, *out, part);
}

static int adopt(context *c, rec_task *t, rec_task *parent) {
  if (!parent) return 0;
  if (context_touch(c, parent)) return c->error.code;
  parent->has_parts = true;
  t->parent_id = parent->id;
  if (!t->tenant.size) t->tenant = parent->tenant;
  return 0;
}

int standalone_task_move(context *c, rec_task *t, const orr_value *parent_id) {
  rec_task *parent;
  if (t->instance_id && !field_given(parent_id)) return 0; /* it has no parent */
  if (t->instance_id)
    return context_error(c, ORR_E_STATE, "task %" PRIu64 " ends with its activity, so it can be a part of no other", t->id);
  int rc = take_parent(c, parent_id, t, &parent);
  if (rc) return rc;
  t->parent_id = 0;
  return adopt(c, t, parent);
}

/* A number could become the id of another task, because ids are numbers. */
static bool could_be_an_id(const char *text) {
  size_t digits = strspn(text, "0123456789");
  return text[digits] == '\0' && digits < 20 && strtoull(text, NULL, 10) > UINT64_C(1) << 23;
}

static int take_own_id(context *c, rec_task *t, const orr_value *v) {
  const char *text = field_given(v) ? context_text(c, v, "own_id") : NULL;
  if (!text) return c->error.code;
  if (!*text || v->size > TASK_OWN_ID_MAX)
    return context_error(c, ORR_E_ARGUMENT, "own_id must have 1 to %d bytes", TASK_OWN_ID_MAX);
  if (could_be_an_id(text))
    return context_error(c, ORR_E_ARGUMENT,
                         "own_id \"%s\" is a number that another task may get: choose one of "
                         "other characters",
                         text);
  if (store_level(c->engine->store) < STORE_LEVEL_OWN_IDS)
    return context_error(c, ORR_E_STATE,
                         "the store knows no own_id yet: `orrery schema` brings it to the level "
                         "of this version");
  t->own_id = unit_text(c->u, text, v->size);
  return 0;
}

/* All fields but those that standalone_task_create takes itself. */
static int take_fields(context *c, rec_task *t, const orr_value *fields) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  orr_iterator it = orr_iterate(fields);
  orr_value key, value, rest;
  if (!b) return context_memory(c);
  orr_builder_map(b);
  while (orr_next(&it, &key, &value)) {
    if (value_is_text(&key, "parent_id") || value_is_text(&key, "tenant") ||
        value_is_text(&key, "own_id"))
      continue;
    orr_builder_key(b, key.as.bytes, key.size);
    orr_builder_add(b, &value);
  }
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, &rest, &c->error);
  orr_builder_free(b);
  return rc ? rc : task_update(c, t, &rest);
}

rec_task *standalone_task_create(context *c, const orr_value *fields) {
  orr_value tenant = orr_map_get(fields, "tenant"), parent_id = orr_map_get(fields, "parent_id");
  orr_value own_id = orr_map_get(fields, "own_id");
  rec_task *parent;
  if (field_given(&tenant) && !context_text(c, &tenant, "tenant")) return NULL;
  if (take_parent(c, &parent_id, NULL, &parent)) return NULL;
  orr_id group = unit_new_group(c->u, &c->error);
  rec_task *t = group ? unit_new_task(c->u, group + 1) : NULL;
  if (!t) {
    if (group) context_memory(c);
    return NULL;
  }
  t->phase = PHASE_CREATING;
  t->created = context_stamp(c);
  t->priority = PRIORITY_OF_TASKS;
  if (field_given(&tenant)) t->tenant = unit_text(c->u, tenant.as.bytes, tenant.size);
  int rc = take_own_id(c, t, &own_id);
  if (!rc) rc = adopt(c, t, parent);
  if (!rc) rc = take_fields(c, t, fields);
  t->phase = PHASE_IDLE;
  return rc ? NULL : t;
}

int task_remove_subtasks(context *c, const rec_task *t, const char *reason) {
  if (!t->has_parts) return 0;
  rec_key by = {.id = t->id};
  unit_found found;
  int rc = unit_find_every(c->u, REC_INDEX_TASK_PARENT, &by, 1, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) rc = task_remove(c, (rec_task *)found.items[i], reason);
  return rc;
}

int task_mark_updated(context *c, rec_task *t) {
  if (context_touch(c, t)) return c->error.code;
  t->last_updated = context_stamp(c);
  return history_task(c, t, false, NULL);
}
