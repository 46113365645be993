/* Migration plans: made from two definitions, and read as the API hands them back. A plan is a plain map, so that callers
 * may store it, send it, and change it:
 *   { source_definition_id, target_definition_id, instructions = { { from, to, update_event_trigger } }, variables } */
#include <string.h>

#include "base/builder.h"
#include "base/options.h"
#include "base/value.h"
#include "command/lookup.h"
#include "command/migration/migration_internal.h"
#include "engine/engine.h"

/* ---- Equal activities ------------------------------------------------------------------------ */

static bool same_id(const node *a, const node *b) { return a->id && b->id && strcmp(a->id, b->id) == 0; }

static bool same_scopes(const node *a, const node *b) {
  while (a->scope && b->scope) {
    a = a->scope;
    b = b->scope;
    if (a->type != b->type) return false;
    if (a->scope && b->scope && (!same_id(a, b) || (!a->multi) != (!b->multi))) return false;
  }
  return !a->scope && !b->scope;
}

static bool same_attachment(const node *a, const node *b) {
  if (!a->attached_to || !b->attached_to) return a->attached_to == b->attached_to;
  return same_id(a->attached_to, b->attached_to) && a->attached_to->type == b->attached_to->type;
}

static bool same_loop(const node *a, const node *b) {
  if ((!a->loop) != (!b->loop) || (!a->multi) != (!b->multi)) return false;
  return !a->multi || a->multi->sequential == b->multi->sequential;
}

/* An activity as instructions name it keeps its meaning: same id, kind, event, loop and enclosing scopes. */
static const node *migration_equal(const definition *target, const node *n) {
  const node *to = n->id ? definition_node(target, n->id) : NULL;
  if (!to || to->type != n->type || to->event.type != n->event.type || to->interrupting != n->interrupting) return NULL;
  return same_loop(n, to) && same_attachment(n, to) && same_scopes(n, to) ? to : NULL;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static int read_plan_text(context *c, const orr_value *value, const char *what, uint32_t number, const char **out) {
  if (value->type != ORR_STRING)
    return context_error(c, ORR_E_ARGUMENT, "migration instruction %u: %s must be the id of an activity", number, what);
  *out = context_text(c, value, what);
  return *out ? 0 : c->error.code;
}

static int read_instruction(context *c, const orr_value *map, uint32_t number, migration_instruction *out) {
  if (map->type != ORR_MAP)
    return context_error(c, ORR_E_ARGUMENT, "migration instruction %u: a map of from and to is needed", number);
  orr_iterator at = orr_iterate(map);
  orr_value key, value;
  int rc = 0;
  while (!rc && orr_next(&at, &key, &value)) {
    if (value_is_text(&key, "from")) rc = read_plan_text(c, &value, "from", number, &out->from);
    else if (value_is_text(&key, "to")) rc = read_plan_text(c, &value, "to", number, &out->to);
    else if (value_is_text(&key, "update_event_trigger") && value.type == ORR_BOOL)
      out->update_event_trigger = value.as.boolean;
    else
      rc = context_error(
          c, ORR_E_ARGUMENT,
          "migration instruction %u: \"%.*s\" is unknown or of the wrong type; from, to and update_event_trigger are known",
          number, (int)key.size, key.as.bytes);
  }
  if (!rc && (!out->from || !out->to))
    rc = context_error(c, ORR_E_ARGUMENT, "migration instruction %u: both from and to are needed", number);
  return rc;
}

static int read_instructions(context *c, const orr_value *list, migration *m, uint32_t more) {
  size_t count = list ? orr_count(list) : 0;
  if (list && list->type != ORR_ARRAY && list->type != ORR_NIL && count > 0)
    return context_error(c, ORR_E_ARGUMENT, "the instructions of a migration must be an array of maps");
  m->items = ARENA_ARRAY(c->arena, migration_instruction, count + more + 1);
  if (!m->items) return context_memory(c);
  if (count == 0) return 0;
  orr_iterator at = orr_iterate(list);
  orr_value map;
  int rc = 0;
  while (!rc && orr_next(&at, NULL, &map)) {
    rc = read_instruction(c, &map, m->count + 1, &m->items[m->count]);
    m->count++;
  }
  return rc;
}

static int read_definitions(context *c, orr_id source, orr_id target, migration *m) {
  m->c = c;
  rec_definition *to = lookup_definition(c, source) ? lookup_definition(c, target) : NULL;
  if (!to) return c->error.code;
  if (unit_rely(c->u, to) != 0) return context_memory(c); /* nothing moves to what is being deleted */
  m->source = context_definition(c, source, &c->error);
  m->target = m->source ? context_definition(c, target, &c->error) : NULL;
  return m->target ? 0 : c->error.code;
}

static int read_variables(context *c, const orr_value *variables, migration *m) {
  if (!variables || variables->type == ORR_NIL || orr_count(variables) == 0) return 0;
  if (variables->type != ORR_MAP)
    return context_error(c, ORR_E_ARGUMENT, "the variables of a migration must be a map of names to values");
  return value_copy(c->arena, variables, &m->variables) == 0 ? 0 : context_memory(c);
}

static const char body_mark[] = "#multiInstanceBody";

/* A multi-instance activity as a whole and its instances are one node here: either name means both. */
static const node *plan_field(context *c, const definition *d, const char *id, struct gap about, const char *which, gaps *g) {
  const char *mark = strstr(id, body_mark);
  bool body = mark && strcmp(mark, body_mark) == 0;
  const char *name = body ? arena_strndup(c->arena, id, (size_t)(mark - id)) : id;
  const node *n = name ? definition_node(d, name) : NULL;
  if (n && n->type != NODE_PROCESS && (!body || n->multi)) return n;
  gaps_add(g, about, "\"%s\" is no activity of the %s definition", id, which);
  return NULL;
}

static void map_one(migration *m, const migration_instruction *in, gaps *g) {
  struct gap about = {.activity = in->from, .target = in->to};
  const node *from = plan_field(m->c, m->source, in->from, about, "source", g);
  const node *to = plan_field(m->c, m->target, in->to, about, "target", g);
  if (!from || !to) return;
  const node *earlier = m->to[from->index];
  if (earlier && !(earlier == to && from->multi)) {
    gaps_add(g, about, "\"%s\" has more than one instruction", in->from);
    return;
  }
  m->to[from->index] = to;
  m->update[from->index] = m->update[from->index] || in->update_event_trigger;
}

static int map_all(context *c, migration *m, gaps *g) {
  m->to = ARENA_ARRAY(c->arena, const node *, m->source->n_nodes);
  m->update = ARENA_ARRAY(c->arena, bool, m->source->n_nodes);
  m->image = ARENA_ARRAY(c->arena, bool, m->target->n_nodes);
  if (!m->to || !m->update || !m->image) return context_memory(c);
  m->to[0] = m->target->process;
  for (uint32_t i = 0; i < m->count; i++) map_one(m, &m->items[i], g);
  for (uint32_t i = 0; i < m->source->n_nodes; i++)
    if (m->to[i]) m->image[m->to[i]->index] = true;
  return 0;
}

static int check_plan_keys(context *c, const orr_value *plan) {
  static const char *const known[] = {"source_definition_id", "target_definition_id", "instructions", "variables",
                                      "arm_event_subprocesses"};
  orr_iterator at = orr_iterate(plan);
  orr_value key, value;
  while (orr_next(&at, &key, &value)) {
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) found = found || value_is_text(&key, known[i]);
    if (!found) return context_error(c, ORR_E_ARGUMENT, "a migration plan has no \"%.*s\"", (int)key.size, key.as.bytes);
  }
  return 0;
}

int migration_read(context *c, const orr_value *plan, migration *out, gaps *g) {
  *out = (migration){0};
  if (!plan || plan->type != ORR_MAP)
    return context_error(c, ORR_E_ARGUMENT, "a migration plan is a map, as made by migration_plan");
  orr_value source = orr_map_get(plan, "source_definition_id"), target = orr_map_get(plan, "target_definition_id");
  orr_value instructions = orr_map_get(plan, "instructions"), variables = orr_map_get(plan, "variables");
  int rc = check_plan_keys(c, plan);
  if (!rc && (value_id(&source) == 0 || value_id(&target) == 0))
    rc = context_error(c, ORR_E_ARGUMENT, "a migration plan needs source_definition_id and target_definition_id");
  if (!rc) rc = read_definitions(c, value_id(&source), value_id(&target), out);
  if (!rc) rc = read_instructions(c, &instructions, out, 0);
  if (!rc) rc = read_variables(c, &variables, out);
  orr_value arms = orr_map_get(plan, "arm_event_subprocesses");
  if (!rc && arms.type != ORR_BOOL && arms.type != ORR_NIL)
    rc = context_error(c, ORR_E_ARGUMENT, "arm_event_subprocesses of a migration plan must be a boolean");
  out->arms_new = arms.type == ORR_BOOL && arms.as.boolean;
  return rc ? rc : map_all(c, out, g);
}

/* ---- Making ---------------------------------------------------------------------------------- */

typedef struct plan_call {
  const orr_migration_options *options;
  orr_builder *out;
} plan_call;

/* Only what has its event in the store can have it made anew. */
static bool has_trigger(const node *n) {
  if (n->type == NODE_THROW_EVENT || n->type == NODE_END_EVENT || n->type == NODE_SEND_TASK) return false;
  event_type type = n->event.type;
  return type == EVENT_TIMER || type == EVENT_MESSAGE || type == EVENT_SIGNAL || type == EVENT_CONDITIONAL;
}

static bool names_activity(const char *from, const char *id) {
  size_t size = strlen(id);
  return strncmp(from, id, size) == 0 && (!from[size] || strcmp(from + size, body_mark) == 0);
}

static bool instructed(const migration *m, uint32_t count, const char *id) {
  for (uint32_t i = 0; i < count; i++)
    if (names_activity(m->items[i].from, id)) return true;
  return false;
}

/* Instructions that the caller wrote come first and win. */
static void add_equal(migration *m, bool update_event_triggers) {
  uint32_t written = m->count;
  for (uint32_t i = 1; i < m->source->n_nodes; i++) {
    const node *n = m->source->nodes[i];
    const node *to = migration_equal(m->target, n);
    if (!to || instructed(m, written, n->id)) continue;
    m->items[m->count++] = (migration_instruction){n->id, to->id, update_event_triggers && has_trigger(n)};
  }
}

static void put_plan(const migration *m, orr_builder *b) {
  orr_builder_map(b);
  orr_builder_put(b, "source_definition_id", orr_int((int64_t)m->source->id));
  orr_builder_put(b, "target_definition_id", orr_int((int64_t)m->target->id));
  if (m->variables.type == ORR_MAP) orr_builder_put(b, "variables", m->variables);
  if (m->arms_new) orr_builder_put(b, "arm_event_subprocesses", orr_bool(true));
  orr_builder_key(b, "instructions", strlen("instructions"));
  orr_builder_array(b);
  for (uint32_t i = 0; i < m->count; i++) {
    orr_builder_map(b);
    orr_builder_put(b, "from", orr_string(m->items[i].from));
    orr_builder_put(b, "to", orr_string(m->items[i].to));
    if (m->items[i].update_event_trigger) orr_builder_put(b, "update_event_trigger", orr_bool(true));
    orr_builder_end(b);
  }
  orr_builder_end(b);
  orr_builder_end(b);
}

static int plan_body(context *c, void *ud) {
  const plan_call *call = ud;
  const orr_migration_options *o = call->options;
  migration m = {0};
  int rc = read_definitions(c, o->source, o->target, &m);
  if (!rc) rc = read_instructions(c, o->instructions, &m, m.source->n_nodes);
  if (!rc) rc = read_variables(c, o->variables, &m);
  if (rc) return rc;
  m.arms_new = o->arm_event_subprocesses;
  if (o->map_equal != ORR_OFF) add_equal(&m, o->update_event_triggers);
  put_plan(&m, call->out);
  return 0;
}

int orr_engine_migration_plan(orr_engine *engine, const orr_migration_options *given, orr_builder *out, orr_error *err) {
  orr_migration_options own;
  const orr_migration_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  plan_call call = {options, out};
  return command_read(engine, plan_body, &call, err);
}
