/* Stored variables are one record each, keyed by scope and name; a scope that never had one (ORR_SCOPE_VARIABLES unset) costs no look-up.
 * Tokens that are no scope hold nothing: reading passes through them, local writing goes to the enclosing scope. */
#include "exec/data/variable.h"

#include <inttypes.h>
#include <string.h>

#include "base/value.h"
#include "engine/engine.h"
#include "exec/data/transient.h"
#include "exec/event/subscription.h"
#include "exec/history.h"
#include "exec/node/multi_overview.h"
#include "exec/task/task.h"

/* ---- Levels ------------------------------------------------------------------------------------------------------------------ */

static int no_scope(context *c, orr_id id) {
  return context_error(c, ORR_E_NOT_FOUND, "there is no instance, execution or task %" PRIu64, id);
}

static void root_level(rec_instance *i, scope *out) {
  *out = (scope){.record = &i->head, .instance = i, .id = i->id};
}

/* The level of an instance or token; *out stays empty when there is none. */
static int level_find(context *c, orr_id id, scope *out) {
  *out = (scope){0};
  if (orr_id_local(id) == 1) {
    rec_instance *i = unit_instance(c->u, id, &c->error);
    if (i) root_level(i, out);
  } else {
    rec_execution *e = unit_execution(c->u, id, &c->error);
    if (e) *out = (scope){.record = &e->head, .execution = e, .id = id};
  }
  return c->error.code;
}

/* Where reading and writing begin: `*task` tells that `id` named a task, whose token holds its variables. */
static int level_start(context *c, orr_id id, scope *out, bool *task) {
  *task = false;
  int rc = level_find(c, id, out);
  if (rc || out->record) return rc;
  const rec_task *t = unit_task(c->u, id, &c->error);
  if (!t) return c->error.code ? c->error.code : no_scope(c, id);
  *task = true;
  rc = level_find(c, t->execution_id, out);
  return rc || out->record ? rc : no_scope(c, id);
}

/* The next level outwards; false at the root or with *rc set. */
static bool level_up(context *c, scope *s, int *rc) {
  if (!s->execution) return false;
  orr_id parent = s->execution->parent;
  *rc = level_find(c, parent, s);
  if (!*rc && !s->record) *rc = no_scope(c, parent);
  return !*rc;
}

static int64_t level_flags(const scope *s) {
  return s->instance ? s->instance->flags : s->execution->flags;
}

static bool level_is_scope(const scope *s) {
  return s->instance || s->execution->scope;
}

/* A local variable of a task is about to change: a change of the task, for its listeners. */
static int tell_task(context *c, orr_id id) {
  rec_task *t = unit_task(c->u, id, &c->error);
  return t ? task_changed(c, t) : c->error.code;
}

/* What comes with an event is the event's: who waits for one has a place for variables, without the cost of one that stays empty. */
static bool waits_for_event(context *c, const rec_execution *e) {
  const node *n = execution_node(c, e);
  if (!n || e->state == EXECUTION_ARRIVING) return false;
  return n->type == NODE_CATCH_EVENT || n->type == NODE_EVENT_GATEWAY ||
         (n->type == NODE_RECEIVE_TASK && n->event.type == EVENT_MESSAGE);
}

/* The scope that local writes of `id` go to. The token of a task, or of an event that is waited for, becomes a scope for it. */
static int level_local(context *c, orr_id id, bool write, scope *out, bool *of_task) {
  bool task;
  int rc = level_start(c, id, out, &task);
  if (of_task) *of_task = task;
  if (!rc && task && write) rc = tell_task(c, id);
  if (rc || level_is_scope(out)) return rc;
  bool own = task || waits_for_event(c, out->execution);
  if (c->error.code) return c->error.code;
  if (own && write) {
    if (unit_touch(c->u, out->execution) != 0) return context_memory(c);
    out->execution->scope = true;
    return 0;
  }
  /* A token that could be a scope and is none yet has no variables; reading it must not show the enclosing scope's. */
  if (own) return 0;
  while (!level_is_scope(out) && level_up(c, out, &rc)) continue;
  return rc;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------------------- */

static rec_variable *stored_find(context *c, const scope *s, const char *name, size_t size) {
  if (!(level_flags(s) & ORR_SCOPE_VARIABLES)) return NULL;
  rec_variable key = {.scope = s->id, .name = {name, size}};
  return unit_variable_key(c->u, &key, &c->error);
}

static int level_get(context *c, const scope *s, const char *name, size_t size, orr_value *out) {
  *out = (orr_value){0};
  if (transient_get(c, s->id, name, size, out)) return 0;
  const rec_variable *v = stored_find(c, s, name, size);
  if (v) *out = v->value;
  return c->error.code;
}

int variable_get(context *c, orr_id scope_id, const char *name, orr_value *out) {
  scope s;
  bool task;
  size_t size = strlen(name);
  *out = (orr_value){0};
  int rc = level_start(c, scope_id, &s, &task);
  if (rc) return rc;
  do {
    rc = level_get(c, &s, name, size, out);
  } while (!rc && out->type == ORR_NIL && level_up(c, &s, &rc));
  return rc;
}

int variable_is_transient(context *c, orr_id scope_id, const char *name, size_t size, bool *out) {
  scope s;
  bool task;
  orr_value value = {0};
  *out = false;
  if (!c->transients) return 0;
  int rc = level_start(c, scope_id, &s, &task);
  while (!rc && value.type == ORR_NIL) {
    *out = transient_get(c, s.id, name, size, &value);
    if (!*out) rc = level_get(c, &s, name, size, &value);
    if (rc || value.type != ORR_NIL || !level_up(c, &s, &rc)) break;
  }
  return rc;
}

int variable_get_local(context *c, orr_id scope_id, const char *name, orr_value *out) {
  scope s;
  *out = (orr_value){0};
  int rc = level_local(c, scope_id, false, &s, NULL);
  return rc ? rc : level_get(c, &s, name, strlen(name), out);
}

/* All variables of a level. One that was made in this unit has no others than those made here: no look into the store. `every`: others
 * may not add to them until the commit. */
static int level_variables(context *c, const scope *s, bool every, unit_found *out) {
  if (s->record->state != REC_NEW) {
    rec_key key = {.id = s->id};
    return (every ? unit_find_every_key : unit_find_keys)(c->u, &rec_variable_type, &key, 1, out, &c->error);
  }
  const struct rec_own *own = s->instance ? &s->instance->own : &s->execution->own;
  out->count = 0;
  out->items = own->count ? ARENA_ARRAY(c->arena, rec_head *, own->count) : NULL;
  if (own->count && !out->items) return context_memory(c);
  for (uint32_t i = 0; i < own->count; i++) {
    bool exists = own->items[i]->state != REC_VOID && own->items[i]->state != REC_DELETED;
    if (exists) out->items[out->count++] = own->items[i];
  }
  return 0;
}

static int map_add(void *ud, const char *name, size_t size, const orr_value *value) {
  orr_builder_key(ud, name, size);
  orr_builder_add(ud, value);
  return 0;
}

/* Outer levels first, so that inner ones hide them: in a builder's map the last of equal keys stays. */
static int map_level(context *c, const scope *s, orr_builder *b) {
  if (level_flags(s) & ORR_SCOPE_VARIABLES) {
    unit_found found;
    int rc = level_variables(c, s, false, &found);
    if (rc) return rc;
    for (size_t i = 0; i < found.count; i++) {
      const rec_variable *v = (const rec_variable *)found.items[i];
      if (v->name.data[0] != VARIABLE_HIDDEN[0]) map_add(b, v->name.data, v->name.size, &v->value);
    }
  }
  return transient_each(c, s->id, map_add, b);
}

static int map_levels(context *c, orr_id scope_id, bool local, orr_builder *b) {
  scope s;
  bool task;
  if (local) {
    int rc = level_local(c, scope_id, false, &s, NULL);
    return rc ? rc : map_level(c, &s, b);
  }
  int rc = level_start(c, scope_id, &s, &task);
  scope *levels = NULL;
  size_t n = 0;
  while (!rc) {
    scope *grown = arena_grow(c->arena, levels, n * sizeof *levels, (n + 1) * sizeof *levels);
    if (!grown) return context_memory(c);
    levels = grown;
    levels[n++] = s;
    if (!level_up(c, &s, &rc)) break;
  }
  while (!rc && n > 0) rc = map_level(c, &levels[--n], b);
  return rc;
}

int variable_map(context *c, orr_id scope_id, bool local, orr_value *out) {
  *out = (orr_value){0};
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  int rc = map_levels(c, scope_id, local, b);
  orr_builder_end(b);
  if (!rc) rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------------------- */

static int check_name(context *c, const char *name, size_t size) {
  if (size == 0) return context_error(c, ORR_E_ARGUMENT, "a variable needs a name");
  if (name[0] == VARIABLE_HIDDEN[0]) return context_error(c, ORR_E_ARGUMENT, "a variable's name cannot begin with a control character");
  if (size <= ORR_NAME_BYTES_MAX) return 0;
  return context_error(c, ORR_E_ARGUMENT, "the variable name \"%.40s…\" has %zu bytes; at most %d are allowed", name, size,
                       ORR_NAME_BYTES_MAX);
}

static int refuse_both_kinds(context *c, const char *name, size_t size) {
  return context_error(c, ORR_E_STATE, "variable \"%.*s\" exists in this scope: one name cannot be both stored and transient", (int)size,
                       name);
}

static int level_mark(context *c, const scope *s, int64_t flag) {
  if (level_flags(s) & flag) return 0;
  if (unit_touch(c->u, s->record) != 0) return context_memory(c);
  if (s->instance) s->instance->flags |= flag;
  else s->execution->flags |= flag;
  return 0;
}

/* Conditional events see changes of their own scope and of those around it, so the root knows whether there may be any. It is written
 * too: of two that change what one condition is about, or of one that changes it and one that comes to wait for it, each by itself would
 * see no reason for the event. */
static int notify(context *c, const scope *s, const char *name, const char *event, bool of_task) {
  rec_instance *root = s->instance ? s->instance : unit_instance(c->u, orr_id_instance(s->id), &c->error);
  if (!root) return c->error.code;
  int rc = overview_suspect(c, root);
  if (rc || of_task) return rc; /* a task's own variables: its activity's events do not see them change */
  const definition *d = context_definition_of(c, s->id, &c->error);
  if (!d) return c->error.code;
  if (!d->waits_for_conditions) return 0;
  if (unit_touch(c->u, root) != 0) return context_memory(c);
  if (!((root->flags | level_flags(s)) & ORR_SCOPE_CONDITIONS)) return 0;
  return conditions_changed(c, s->id, name, event);
}

/* A variable that was removed and is made once more may be the same record again, which is listed already. */
static bool own_again(const context *c, const scope *s, const struct rec_own *own, const rec_variable *v) {
  if (!transient_was_removed(c, s->id, v->name.data, v->name.size)) return false;
  for (uint32_t i = 0; i < own->count; i++) {
    if (own->items[i] == &v->head) return true;
  }
  return false;
}

static int own_add(context *c, const scope *s, rec_variable *v) {
  struct rec_own *own = s->instance ? &s->instance->own : &s->execution->own;
  if (own_again(c, s, own, v)) return 0;
  if (own->count == own->capacity) {
    uint32_t capacity = own->capacity ? own->capacity * 2 : 4;
    rec_head **grown = arena_grow(c->arena, own->items, own->capacity * sizeof *grown, capacity * sizeof *grown);
    if (!grown) return context_memory(c);
    own->items = grown;
    own->capacity = capacity;
  }
  own->items[own->count++] = &v->head;
  return 0;
}

/* The scope must last until the commit, and whoever ends it counts its variables: none is left without it. A token's record may outlive the
 * scope that it is, so there its revision counts. */
static int scope_must_last(context *c, const scope *s) {
  return (s->instance ? unit_rely_exists : unit_rely)(c->u, s->record) ? context_memory(c) : 0;
}

static int level_create(context *c, const scope *s, const char *name, size_t size, rec_variable **out) {
  rec_variable key = {.scope = s->id, .name = {name, size}};
  *out = unit_new_variable(c->u, &key);
  if (!*out) return context_memory(c);
  (*out)->created = context_stamp(c);
  int rc = scope_must_last(c, s);
  if (!rc) rc = own_add(c, s, *out);
  return rc ? rc : level_mark(c, s, ORR_SCOPE_VARIABLES);
}

int variable_keep_hidden(context *c, orr_id scope_id, const char *name, const orr_value *value) {
  scope s;
  rec_variable *v;
  int rc = level_find(c, scope_id, &s);
  if (!rc && !s.record) rc = no_scope(c, scope_id);
  if (!rc) rc = level_create(c, &s, name, strlen(name), &v);
  if (!rc && value_copy(c->arena, value, &v->value) != 0) rc = context_memory(c);
  return rc;
}

static int level_write(context *c, const scope *s, const char *name, size_t size, const orr_value *value, bool of_task) {
  int rc = check_name(c, name, size);
  if (rc) return rc;
  orr_value hidden, copy;
  if (transient_get(c, s->id, name, size, &hidden)) return refuse_both_kinds(c, name, size);
  if (value_copy(c->arena, value, &copy) != 0) return context_memory(c);
  rec_variable *v = stored_find(c, s, name, size);
  if (c->error.code) return c->error.code;
  bool created = !v;
  if (created) {
    rc = level_create(c, s, name, size, &v);
  } else if (unit_touch(c->u, v) != 0) {
    rc = context_memory(c);
  }
  if (rc) return rc;
  v->value = copy;
  rc = history_variable(c, s->id, v->name.data, &copy);
  return rc ? rc : notify(c, s, v->name.data, created ? "create" : "update", of_task);
}

static int level_erase(context *c, const scope *s, const char *name, size_t size, bool of_task) {
  static const orr_value nothing = {0};
  if (transient_remove(c, s->id, name, size)) return 0;
  rec_variable *v = stored_find(c, s, name, size);
  if (!v) return c->error.code;
  if (unit_delete(c->u, v) != 0) return context_memory(c);
  int rc = transient_note_removed(c, s->id, name, size);
  if (!rc) rc = history_variable(c, s->id, name, &nothing);
  return rc ? rc : notify(c, s, name, "delete", of_task);
}

static int level_write_or_erase(context *c, const scope *s, const char *name, size_t size, const orr_value *value,
                                bool of_task) {
  return value->type == ORR_NIL ? level_erase(c, s, name, size, of_task) : level_write(c, s, name, size, value, of_task);
}

/* The nearest level that has the variable, else the one where a new variable belongs: the nearest that gathers variables for an
 * aggregation, else the root. */
static int level_having(context *c, orr_id scope_id, const char *name, size_t size, scope *out, bool *found) {
  bool task;
  orr_value value;
  scope gathers = {0};
  *found = false;
  int rc = level_start(c, scope_id, out, &task);
  while (!rc) {
    rc = level_get(c, out, name, size, &value);
    *found = !rc && value.type != ORR_NIL;
    if (!gathers.record && level_flags(out) & ORR_SCOPE_GATHERS) gathers = *out;
    if (rc || *found || !level_up(c, out, &rc)) break;
  }
  if (!rc && !*found && gathers.record) *out = gathers;
  return rc;
}

static int set_sized(context *c, orr_id scope_id, const char *name, size_t size, const orr_value *value, bool local) {
  scope s;
  bool found;
  bool task = false;
  int rc = local ? level_local(c, scope_id, true, &s, &task) : level_having(c, scope_id, name, size, &s, &found);
  return rc ? rc : level_write_or_erase(c, &s, name, size, value, task);
}

int variable_set(context *c, orr_id scope_id, const char *name, const orr_value *value) {
  return set_sized(c, scope_id, name, strlen(name), value, false);
}

int variable_set_named(context *c, const expr *name, orr_id scope_id, const node *at, const orr_value *value) {
  const char *text;
  int rc = expr_text(c, name, scope_id, at, &text);
  return rc || !text || !*text ? rc : variable_set(c, scope_id, text, value);
}

int variable_set_local(context *c, orr_id scope_id, const char *name, const orr_value *value) {
  return set_sized(c, scope_id, name, strlen(name), value, true);
}

/* Whether a stored variable stands in a transient one's way: also one that this unit removed, since its deletion is still to be written. */
static int refuse_beside_stored(context *c, const scope *s, const char *name, size_t size) {
  const definition *d = context_definition_of(c, s->id, &c->error);
  if (!d) return c->error.code;
  if (d->dialect->transient_beside_stored) return 0;
  if (stored_find(c, s, name, size)) return refuse_both_kinds(c, name, size);
  if (c->error.code) return c->error.code;
  return transient_was_removed(c, s->id, name, size) ? refuse_both_kinds(c, name, size) : 0;
}

static int set_transient_sized(context *c, orr_id scope_id, const char *name, size_t size, const orr_value *value, bool local) {
  scope s;
  bool found;
  int rc = check_name(c, name, size);
  if (!rc) rc = local ? level_local(c, scope_id, true, &s, NULL) : level_having(c, scope_id, name, size, &s, &found);
  if (!rc) rc = refuse_beside_stored(c, &s, name, size);
  if (rc) return rc;
  orr_value old;
  bool created = !transient_get(c, s.id, name, size, &old);
  rc = transient_set(c, s.id, name, size, value);
  if (!rc) rc = level_mark(c, &s, ORR_SCOPE_TRANSIENTS);
  return rc ? rc : notify(c, &s, name, value->type == ORR_NIL ? "delete" : created ? "create" : "update", false);
}

int variable_set_transient(context *c, orr_id scope_id, const char *name, const orr_value *value, bool local) {
  return set_transient_sized(c, scope_id, name, strlen(name), value, local);
}

int variable_remove(context *c, orr_id scope_id, const char *name, bool local) {
  static const orr_value nothing = {0};
  scope s;
  bool found;
  size_t size = strlen(name);
  if (local) return set_sized(c, scope_id, name, size, &nothing, true);
  int rc = level_having(c, scope_id, name, size, &s, &found);
  return rc || !found ? rc : level_erase(c, &s, name, size, false);
}

static int set_all(context *c, orr_id scope_id, const orr_value *map, bool local,
                   int (*set)(context *, orr_id, const char *, size_t, const orr_value *, bool)) {
  if (!map || map->type == ORR_NIL || map->type == ORR_NULL) return 0;
  if (map->type != ORR_MAP && !(map->type == ORR_ARRAY && orr_count(map) == 0))
    return context_error(c, ORR_E_ARGUMENT, "variables must be a map");
  orr_iterator it = orr_iterate(map);
  orr_value key, value;
  while (orr_next(&it, &key, &value)) {
    const char *name = arena_strndup(c->arena, key.as.bytes, key.size);
    if (!name) return context_memory(c);
    int rc = set(c, scope_id, name, key.size, &value, local);
    if (rc) return rc;
  }
  return 0;
}

int variable_set_all(context *c, orr_id scope_id, const orr_value *map, bool local) {
  return set_all(c, scope_id, map, local, set_sized);
}

int variable_set_all_transient(context *c, orr_id scope_id, const orr_value *map, bool local) {
  return set_all(c, scope_id, map, local, set_transient_sized);
}

/* ---- Whole scopes ------------------------------------------------------------------------------------------------------------ */

/* A scope that lost all its variables may be entered again, and then make the same ones, which must be listed once. */
static void own_forget(const scope *s) {
  struct rec_own *own = s->instance ? &s->instance->own : &s->execution->own;
  own->count = 0;
}

int variable_drop_scope(context *c, orr_id scope_id) {
  scope s;
  unit_found found = {0};
  transient_drop_scope(c, scope_id);
  int rc = level_find(c, scope_id, &s);
  if (rc || !s.record || !(level_flags(&s) & ORR_SCOPE_VARIABLES)) return rc;
  rc = level_variables(c, &s, true, &found);
  for (size_t i = 0; !rc && i < found.count; i++) {
    if (unit_delete(c->u, found.items[i]) != 0) rc = context_memory(c);
  }
  own_forget(&s);
  return rc;
}

int variable_move_scope(context *c, orr_id from, orr_id to) {
  scope source, target;
  unit_found found = {0};
  int rc = level_find(c, from, &source);
  if (!rc) rc = level_find(c, to, &target);
  if (!rc && !(source.record && target.record)) rc = no_scope(c, source.record ? to : from);
  if (!rc) rc = level_variables(c, &source, true, &found);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_variable *v = (rec_variable *)found.items[i], *moved;
    rc = level_create(c, &target, v->name.data, v->name.size, &moved);
    if (rc) break;
    moved->value = v->value;
    moved->created = v->created;
    if (unit_delete(c->u, v) != 0) rc = context_memory(c);
  }
  own_forget(&source);
  return rc;
}
