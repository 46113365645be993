/* Stored variables are one record each, keyed by the id of their level (variable_level.h) and their
 * name. A level that never had one (ORR_SCOPE_VARIABLES, ORR_SCOPE_BRANCH unset) costs no
 * look-up. */
#include "state/variable.h"

#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "state/expression.h"
#include "state/history.h"
#include "state/variable_level.h"
#include "state/notices.h"
#include "state/transient.h"
#include "uow/find.h"

/* ---- Reading --------------------------------------------------------------------------------- */

static rec_variable *stored_find(context *c, const scope *s, const char *name, size_t size) {
  level_name own;
  if (!level_has(s) || !level_name_in(s, name, size, &own)) return NULL;
  rec_variable key = {.scope = s->id, .name = own.text};
  return unit_variable_key(c->u, &key, &c->error);
}

static bool transient_find(const context *c, const scope *s, const char *name, size_t size, orr_value *out) {
  level_name own;
  return c->lists.transients && level_name_in(s, name, size, &own) &&
         transient_get(c, s->id, own.text.data, own.text.size, out);
}

static int level_get(context *c, const scope *s, const char *name, size_t size, orr_value *out) {
  *out = (orr_value){0};
  if (transient_find(c, s, name, size, out)) return 0;
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
  if (!c->lists.transients) return 0;
  int rc = level_start(c, scope_id, &s, &task);
  while (!rc && value.type == ORR_NIL) {
    *out = transient_find(c, &s, name, size, &value);
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

/* All variables of a level. A level that this unit made has only variables made here, and needs no
 * look into the store. `every`: nobody may add to them until the commit. */
static int level_variables(context *c, const scope *s, bool every, unit_found *out) {
  rec_key key = {.id = s->id};
  const struct rec_own *own = s->task ? NULL : s->instance ? &s->instance->own : &s->execution->own;
  unit_found all = {.items = own ? own->items : NULL, .count = own ? own->count : 0};
  if (!own || s->record->state != REC_NEW) {
    int rc = (every ? unit_find_every_key : unit_find_keys)(c->u, &rec_variable_type, &key, 1, &all, &c->error);
    if (rc) return rc;
  }
  out->count = 0;
  out->items = all.count ? ARENA_ARRAY(c->arena, rec_head *, all.count) : NULL;
  if (all.count && !out->items) return context_memory(c);
  for (uint32_t i = 0; i < all.count; i++) {
    const rec_head *item = all.items[i];
    bool exists = item->state != REC_VOID && item->state != REC_DELETED;
    if (!exists || level_is_of_branch((const rec_variable *)(const void *)item) != s->branch) continue;
    out->items[out->count++] = all.items[i];
  }
  return 0;
}

/* What one level puts into a map. */
typedef struct level_map {
  orr_builder *out;
  bool branch;
} level_map;

static int add_to_snapshot(void *ud, const char *name, size_t size, const orr_value *value) {
  const level_map *map = ud;
  bool of_branch = name[0] == VARIABLE_BRANCH[0];
  if (name[0] == VARIABLE_HIDDEN[0] || of_branch != map->branch) return 0;
  orr_builder_key(map->out, name + of_branch, size - of_branch);
  orr_builder_add(map->out, value);
  return 0;
}

/* Outer levels come first, so that inner ones hide them: in a builder's map, the last of equal keys
 * stays. */
static int map_level(context *c, const scope *s, orr_builder *b) {
  level_map map = {b, s->branch};
  if (level_has(s)) {
    unit_found found;
    int rc = level_variables(c, s, false, &found);
    if (rc) return rc;
    for (size_t i = 0; i < found.count; i++) {
      const rec_variable *v = (const rec_variable *)found.items[i];
      add_to_snapshot(&map, v->name.data, v->name.size, &v->value);
    }
  }
  return transient_each(c, s->id, add_to_snapshot, &map);
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

/* ---- Writing --------------------------------------------------------------------------------- */

static int check_variable_name(context *c, const char *name, size_t size) {
  if (size == 0) return context_error(c, ORR_E_ARGUMENT, "a variable needs a name");
  if (name[0] == VARIABLE_HIDDEN[0] || name[0] == VARIABLE_BRANCH[0])
    return context_error(c, ORR_E_ARGUMENT, "a variable's name cannot begin with a control character");
  if (size <= ORR_NAME_BYTES_MAX) return 0;
  return context_error(c, ORR_E_ARGUMENT, "the variable name \"%.40s…\" has %zu bytes; at most %d are allowed", name, size,
                       ORR_NAME_BYTES_MAX);
}

static int refuse_both_kinds(context *c, const char *name, size_t size) {
  return context_error(c, ORR_E_STATE, "variable \"%.*s\" exists in this scope: one name cannot be both stored and transient",
                       (int)size, name);
}

/* The dialect's transient_beside_stored. */
static int beside_rule(context *c, const scope *s, beside_stored_rule *out) {
  const definition *d = s->task ? NULL : context_definition_of(c, s->id, &c->error);
  *out = d ? d->dialect->transient_beside_stored : BESIDE_STORED_NEVER;
  return c->error.code;
}

/* Fails where a transient variable of that name is in the scope, or, by dialect, has been. */
static int refuse_beside_transient(context *c, const scope *s, const char *name, size_t size) {
  orr_value hidden;
  level_name own;
  beside_stored_rule rule;
  if (!c->lists.transients) return 0;
  if (transient_find(c, s, name, size, &hidden)) return refuse_both_kinds(c, name, size);
  bool named = level_name_in(s, name, size, &own);
  if (!named || !transient_was_there(c, s->id, own.text.data, own.text.size)) return 0;
  int rc = beside_rule(c, s, &rule);
  return rc || rule != BESIDE_STORED_NEVER ? rc : refuse_both_kinds(c, name, size);
}

static int level_mark(context *c, const scope *s, int64_t flag) {
  if (s->task || level_flags(s) & flag) return 0;
  return scope_flag(c, s, flag);
}

/* Conditional events see changes in their own scope and in those around it, so a flag of the root
 * says whether there may be any. Sets it also in the root's record: otherwise, of two commands of
 * which each changes a part of one condition, or of which one changes it and one begins to wait for
 * it, neither would see that the event happens. */
static int notify(context *c, const scope *s, const char *name, const char *event, bool of_task) {
  if (s->task) return 0;
  rec_instance *root = s->instance ? s->instance : unit_instance(c->u, orr_id_instance(s->id), &c->error);
  if (!root) return c->error.code;
  int rc = notice_overview(c, root);
  if (rc || of_task) return rc; /* events of the activity do not see changes of a task's own variables */
  const definition *d = context_definition_of(c, s->id, &c->error);
  if (!d) return c->error.code;
  if (!d->waits_for_conditions) return 0;
  if (context_touch(c, root)) return c->error.code;
  if (!((root->flags | level_flags(s)) & ORR_SCOPE_CONDITIONS)) return 0;
  return notice_variable(c, s->id, name, event);
}

int variable_changed(context *c, orr_id scope_id, const char *name, const char *event) {
  scope s;
  int rc = scope_get(c, scope_id, &s);
  return rc ? rc : notify(c, &s, name, event, false);
}

/* A variable that is made again after its removal may be the same record, which is listed
 * already. */
static bool own_again(const context *c, const scope *s, const struct rec_own *own, const rec_variable *v) {
  if (!transient_was_removed(c, s->id, v->name.data, v->name.size)) return false;
  for (uint32_t i = 0; i < own->count; i++) {
    if (own->items[i] == &v->head) return true;
  }
  return false;
}

static int own_add(context *c, const scope *s, rec_variable *v) {
  if (s->task) return 0;
  struct rec_own *own = s->instance ? &s->instance->own : &s->execution->own;
  if (own_again(c, s, own, v)) return 0;
  if (!ARENA_ROOM(c->arena, own->items, own->count, own->capacity, 4)) return context_memory(c);
  own->items[own->count++] = &v->head;
  return 0;
}

/* The scope must exist until the commit, because whoever ends it removes only the variables that it
 * knows. The record of a token may outlive the scope that the token is, so there its revision
 * counts. */
static int scope_must_last(context *c, const scope *s) {
  return (s->instance ? unit_rely_exists : unit_rely)(c->u, s->record) ? context_memory(c) : 0;
}

/* `name` as it is in the record. */
static int level_create(context *c, const scope *s, const char *name, size_t size, rec_variable **out) {
  rec_variable key = {.scope = s->id, .name = {name, size}};
  *out = unit_new_variable(c->u, &key);
  if (!*out) return context_memory(c);
  (*out)->created = context_stamp(c);
  int rc = scope_must_last(c, s);
  if (!rc) rc = own_add(c, s, *out);
  return rc ? rc : level_mark(c, s, s->branch ? ORR_SCOPE_BRANCH : ORR_SCOPE_VARIABLES);
}

int variable_keep_hidden(context *c, orr_id scope_id, const char *name, const orr_value *value) {
  scope s;
  rec_variable *v;
  int rc = level_find(c, scope_id, &s);
  if (!rc && !s.record) rc = level_missing(c, scope_id);
  if (!rc) rc = level_create(c, &s, name, strlen(name), &v);
  if (!rc && value_copy(c->arena, value, &v->value)) rc = context_memory(c);
  return rc;
}

/* Does the token's other level have a variable of the name, too? */
static bool on_other_level(context *c, const scope *s, const char *name) {
  scope other = *s;
  other.branch = !s->branch;
  return s->execution && stored_find(c, &other, name, strlen(name));
}

/* The scope's variable is gone: the one of the branch that it hid is visible again. */
static int tell_emerging(context *c, const scope *s, const char *name) {
  bool hid = !s->branch && on_other_level(c, s, name);
  return hid ? history_variable_emerges(c, s->id, name) : c->error.code;
}

/* NIL: it was removed. */
static int tell_history(context *c, const scope *s, const char *name, bool created,
                        const orr_value *value) {
  if (s->task) return history_task_variable(c, s->task, name, value);
  bool hidden = s->branch && on_other_level(c, s, name);
  if (c->error.code) return c->error.code;
  if (hidden) return history_variable_beneath(c, s->id, name, created, value);
  int rc = history_variable(c, s->id, name, created, value);
  return rc || value->type != ORR_NIL ? rc : tell_emerging(c, s, name);
}

static int level_write(context *c, const scope *s, const char *name, size_t size, const orr_value *value, bool of_task) {
  int rc = check_variable_name(c, name, size);
  if (!rc) rc = refuse_beside_transient(c, s, name, size);
  if (rc) return rc;
  orr_value copy;
  level_name own;
  if (value_copy(c->arena, value, &copy)) return context_memory(c);
  copy = value_settled(copy);
  rec_variable *v = stored_find(c, s, name, size);
  if (c->error.code) return c->error.code;
  bool created = !v;
  if (created) {
    level_name_in(s, name, size, &own);
    rc = level_create(c, s, own.text.data, own.text.size, &v);
  } else if (unit_touch(c->u, v)) {
    rc = context_memory(c);
  }
  if (rc) return rc;
  v->value = copy;
  const char *plain = v->name.data + s->branch;
  rc = tell_history(c, s, plain, created, &copy);
  return rc ? rc : notify(c, s, plain, created ? "create" : "update", of_task);
}

static int level_erase(context *c, const scope *s, const char *name, size_t size, bool of_task) {
  static const orr_value nothing = {0};
  level_name own;
  if (!level_name_in(s, name, size, &own)) return 0;
  if (transient_remove(c, s->id, own.text.data, own.text.size)) return 0;
  rec_variable *v = stored_find(c, s, name, size);
  if (!v) return c->error.code;
  if (unit_delete(c->u, v)) return context_memory(c);
  int rc = transient_note_removed(c, s->id, own.text.data, own.text.size);
  if (!rc) rc = tell_history(c, s, name, false, &nothing);
  return rc ? rc : notify(c, s, name, "delete", of_task);
}

static int level_write_or_erase(context *c, const scope *s, const char *name, size_t size, const orr_value *value,
                                bool of_task) {
  return value->type == ORR_NIL ? level_erase(c, s, name, size, of_task) : level_write(c, s, name, size, value, of_task);
}

/* The nearest level that has the variable. Else the level for a new one: the nearest that gathers
 * variables for an aggregation, else the root. */
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

/* Fails where the dialect refuses a transient variable beside a stored one of its name. */
static int refuse_beside_stored(context *c, const scope *s, const char *name, size_t size) {
  level_name own;
  beside_stored_rule rule;
  if (beside_rule(c, s, &rule)) return c->error.code;
  if (rule == BESIDE_STORED_ALWAYS || !level_name_in(s, name, size, &own)) return 0;
  bool removed = rule == BESIDE_STORED_NEVER && transient_was_removed(c, s->id, own.text.data, own.text.size);
  return removed || stored_find(c, s, name, size) ? refuse_both_kinds(c, name, size) : c->error.code;
}

static int set_transient_sized(context *c, orr_id scope_id, const char *name, size_t size, const orr_value *value, bool local) {
  scope s;
  bool found;
  int rc = check_variable_name(c, name, size);
  if (!rc) rc = local ? level_local(c, scope_id, true, &s, NULL) : level_having(c, scope_id, name, size, &s, &found);
  if (!rc) rc = refuse_beside_stored(c, &s, name, size);
  if (rc) return rc;
  orr_value old;
  level_name own;
  bool created = !transient_find(c, &s, name, size, &old);
  level_name_in(&s, name, size, &own);
  rc = transient_set(c, s.id, own.text.data, own.text.size, value);
  if (!rc) rc = level_mark(c, &s, s.branch ? ORR_SCOPE_BRANCH : ORR_SCOPE_TRANSIENTS);
  return rc ? rc : notify(c, &s, name, value->type == ORR_NIL ? "delete" : created ? "create" : "update", false);
}

static int set_sized(context *c, orr_id scope_id, const char *name, size_t size, const orr_value *value, bool local) {
  scope s;
  bool found;
  bool task = false;
  if (value->transient) return set_transient_sized(c, scope_id, name, size, value, local);
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

static bool counts_alone(const rec_head *record) { return record->state == REC_CLEAN || record->counts_only; }

int variable_count(context *c, orr_id scope_id, const char *name, int64_t n) {
  rec_variable key = {.scope = scope_id, .name = {name, strlen(name)}};
  rec_history_variable row_key = {.instance_id = orr_id_instance(scope_id), .scope = scope_id, .name = key.name};
  rec_variable *v = unit_variable_key(c->u, &key, &c->error);
  bool audits = !c->error.code && history_records(c, ORR_HISTORY_AUDIT);
  rec_history_variable *row = audits ? unit_history_variable_key(c->u, &row_key, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  bool alone = v && counts_alone(&v->head), row_alone = v && row && counts_alone(&row->head);
  orr_value value = orr_int(n);
  int rc = variable_set_local(c, scope_id, name, &value);
  if (alone) unit_changed_counter(c->u, v);
  if (row_alone) unit_changed_counter(c->u, row);
  return rc;
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
    const char *name = context_text(c, &key, "the name of a variable");
    if (!name) return c->error.code;
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

/* ---- Whole scopes ---------------------------------------------------------------------------- */

/* A level that has lost all its variables may get the same ones again, which must be listed once.
 * The token's other level keeps its own. */
static void own_forget(const scope *s) {
  if (s->task) return;
  struct rec_own *own = s->instance ? &s->instance->own : &s->execution->own;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < own->count; i++)
    if (level_is_of_branch((const rec_variable *)(const void *)own->items[i]) != s->branch) own->items[kept++] = own->items[i];
  own->count = kept;
}

static int level_drop(context *c, const scope *s) {
  unit_found found = {0};
  int rc = level_has(s) ? level_variables(c, s, true, &found) : 0;
  for (size_t i = 0; !rc && i < found.count; i++) {
    rc = tell_emerging(c, s, ((const rec_variable *)found.items[i])->name.data);
    if (!rc && unit_delete(c->u, found.items[i])) rc = context_memory(c);
  }
  own_forget(s);
  return rc;
}

int variable_drop_scope(context *c, orr_id scope_id) {
  scope s;
  transient_drop_scope(c, scope_id, VARIABLE_BRANCH[0], true);
  int rc = level_find(c, scope_id, &s);
  return rc || !s.record ? rc : level_drop(c, &s);
}

int variable_drop_task(context *c, rec_task *t) {
  transient_drop_scope(c, t->id, VARIABLE_BRANCH[0], true);
  return level_drop(c, &(scope){.record = &t->head, .task = t, .id = t->id});
}

int variable_drop_branch(context *c, rec_execution *e) {
  if (!(e->flags & ORR_SCOPE_BRANCH)) return 0;
  scope s = {.record = &e->head, .execution = e, .id = e->id, .branch = true};
  transient_drop_scope(c, e->id, VARIABLE_BRANCH[0], false);
  int rc = level_drop(c, &s);
  if (!rc) rc = context_touch(c, e);
  e->flags &= ~(int64_t)ORR_SCOPE_BRANCH;
  return rc;
}

int variable_join_branch(context *c, rec_execution *e) {
  if (!(e->flags & ORR_SCOPE_BRANCH)) return 0;
  const definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  return d->dialect->join_keeps_branch ? 0 : variable_drop_branch(c, e);
}

int variable_move_scope(context *c, orr_id from, orr_id to) {
  scope source, target;
  unit_found found = {0};
  int rc = level_find(c, from, &source);
  if (!rc) rc = level_find(c, to, &target);
  if (!rc && !(source.record && target.record)) rc = level_missing(c, source.record ? to : from);
  if (!rc) rc = level_variables(c, &source, true, &found);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_variable *v = (rec_variable *)found.items[i], *moved;
    rc = level_create(c, &target, v->name.data, v->name.size, &moved);
    if (rc) break;
    moved->value = v->value;
    moved->created = v->created;
    rc = tell_emerging(c, &source, v->name.data);
    if (!rc && unit_delete(c->u, v)) rc = context_memory(c);
  }
  own_forget(&source);
  return rc;
}

/* ---- A callee's own -------------------------------------------------------------------------- */

int variable_home(context *c, orr_id id, orr_id *out) {
  scope s, parent;
  bool task, own = false;
  *out = id;
  int rc = level_start(c, id, &s, &task);
  if (!rc && !task) rc = level_is_own_scope(c, &s, &own);
  if (rc || own || task || s.execution->kind != EXECUTION_TOKEN || level_awaits_event(c, s.execution))
    return rc ? rc : c->error.code;
  const definition *d = context_definition_of(c, id, &c->error);
  if (!d) return c->error.code;
  if (!d->dialect->local_of_lone_token_in_scope) return 0;
  rc = scope_of(c, s.execution, &parent);
  if (!rc && scope_children(&parent) == 1) *out = parent.id;
  return rc;
}
