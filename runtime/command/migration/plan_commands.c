/* Migration plans: made from two definitions, and read as the API hands them back. A plan is a plain map, so that callers
 * may store it, send it, and change it:
 *   { source_definition_id, target_definition_id, instructions = { { from, to, update_event_trigger } }, variables } */
#include <string.h>

#include "base/builder.h"
#include "base/null.h"
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

static int refuse_id(context *c, const char *what, uint32_t number) {
  return context_error(c, ORR_E_ARGUMENT, "migration instruction %u: %s must be the id of an activity, or an array of them",
                       number, what);
}

/* A text, or an array of texts. */
static int read_plan_ids(context *c, const orr_value *value, const char *what, uint32_t number, const char ***out,
                         uint32_t *count) {
  size_t n = value->type == ORR_ARRAY ? orr_count(value) : 1;
  *out = ARENA_ARRAY(c->arena, const char *, n + 1);
  if (!*out) return context_memory(c);
  orr_iterator at = orr_iterate(value);
  orr_value item = *value;
  for (*count = 0; *count < n; ++*count) {
    if (value->type == ORR_ARRAY) orr_next(&at, NULL, &item);
    if (item.type != ORR_STRING) return refuse_id(c, what, number);
    (*out)[*count] = context_text(c, &item, what);
    if (!(*out)[*count]) return c->error.code;
  }
  return n > 0 ? 0 : refuse_id(c, what, number);
}

static int read_instruction_field(context *c, const orr_value *key, const orr_value *value, uint32_t number,
                                  migration_instruction *out) {
  if (value_is_text(key, "from")) return read_plan_ids(c, value, "from", number, &out->from, &out->n_from);
  if (value_is_text(key, "to")) return read_plan_ids(c, value, "to", number, &out->to, &out->n_to);
  if (value_is_text(key, "update_event_trigger") && value->type == ORR_BOOL) {
    out->update_event_trigger = value->as.boolean;
    return 0;
  }
  if (value_is_text(key, "assignee") && value->type == ORR_STRING) {
    out->assignee = context_text(c, value, "assignee");
    return out->assignee ? 0 : c->error.code;
  }
  if (value_is_text(key, "local_variables") && value->type == ORR_MAP)
    return value_copy(c->arena, value, &out->local_variables) ? context_memory(c) : 0;
  return context_error(c, ORR_E_ARGUMENT,
                       "migration instruction %u: \"%.*s\" is unknown or of the wrong type; from, to, update_event_trigger, "
                       "assignee and local_variables are known",
                       number, (int)key->size, key->as.bytes);
}

static int read_instruction(context *c, const orr_value *map, uint32_t number, migration_instruction *out) {
  if (map->type != ORR_MAP)
    return context_error(c, ORR_E_ARGUMENT, "migration instruction %u: a map of from and to is needed", number);
  orr_iterator at = orr_iterate(map);
  orr_value key, value;
  int rc = 0;
  while (!rc && orr_next(&at, &key, &value)) rc = read_instruction_field(c, &key, &value, number, out);
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
  if (unit_rely(c->u, to)) return context_memory(c); /* nothing moves to what is being deleted */
  m->source = context_definition(c, source, &c->error);
  m->target = m->source ? context_definition(c, target, &c->error) : NULL;
  return m->target ? 0 : c->error.code;
}

static int read_variables(context *c, const orr_value *variables, migration *m) {
  if (!variables || variables->type == ORR_NIL || orr_count(variables) == 0) return 0;
  if (variables->type != ORR_MAP)
    return context_error(c, ORR_E_ARGUMENT, "the variables of a migration must be a map of names to values");
  return value_copy(c->arena, variables, &m->variables) ? context_memory(c) : 0;
}

static const char body_mark[] = "#multiInstanceBody";

/* A multi-instance activity as a whole and its instances are one node here: either name means
 * both. */
static const node *plan_field(context *c, const definition *d, const char *id,
                              struct obstacle_at about, const char *which, obstacles *g) {
  const char *mark = strstr(id, body_mark);
  bool body = mark && strcmp(mark, body_mark) == 0;
  const char *name = body ? arena_strndup(c->arena, id, (size_t)(mark - id)) : id;
  const node *n = name ? definition_node(d, name) : NULL;
  if (n && n->type != NODE_PROCESS && (!body || n->multi)) return n;
  obstacle_add(g, about, "\"%s\" is no activity of the %s definition", id, which);
  return NULL;
}

static void map_pair(migration *m, const migration_instruction *in, const node *from,
                     const node *to, struct obstacle_at about, obstacles *g) {
  const node *earlier = m->to[from->index];
  if (m->replaced[from->index] || (earlier && !(earlier == to && from->multi))) {
    obstacle_add(g, about, "\"%s\" has more than one instruction", about.activity);
    return;
  }
  m->to[from->index] = to;
  m->update[from->index] = m->update[from->index] || in->update_event_trigger;
}

/* It waits by itself, and nothing else ends with it. */
static bool ends_alone(const node *n) {
  switch (n->type) {
    case NODE_USER_TASK: case NODE_RECEIVE_TASK: case NODE_SERVICE_TASK: case NODE_SEND_TASK: case NODE_SCRIPT_TASK:
    case NODE_BUSINESS_RULE_TASK: case NODE_TASK: case NODE_MANUAL_TASK: case NODE_CALL_ACTIVITY: case NODE_CATCH_EVENT:
      return true;
    default: return false;
  }
}

static bool begins_alone(const node *n) {
  return n->type != NODE_START_EVENT && n->type != NODE_BOUNDARY_EVENT && n->type != NODE_EVENT_SUB_PROCESS;
}

/* What ends at all of `from` begins once, at each of `to`. */
static int map_replacement(migration *m, const migration_instruction *in, const node **from,
                           const node **to, obstacles *g) {
  replacement *r = ARENA_NEW(m->c->arena, replacement);
  if (!r) return context_memory(m->c);
  *r = (replacement){in, to, m->n_replacements++};
  for (uint32_t i = 0; i < in->n_to; i++)
    if (!begins_alone(to[i]))
      obstacle_add(g, (struct obstacle_at){.activity = in->from[0], .target = to[i]->id},
                   "\"%s\" is a %s: nothing can begin there", to[i]->id, to[i]->element);
  for (uint32_t i = 0; i < in->n_from; i++) {
    struct obstacle_at about = {.activity = from[i]->id, .target = in->to[0]};
    if (!ends_alone(from[i]))
      obstacle_add(g, about, "\"%s\" is a %s, which goes to one of its kind only", from[i]->id,
                   from[i]->element);
    else if (m->to[from[i]->index] || m->replaced[from[i]->index])
      obstacle_add(g, about, "\"%s\" has more than one instruction", from[i]->id);
    else m->replaced[from[i]->index] = r;
  }
  return 0;
}

static const node **plan_nodes(migration *m, const definition *d, const char *const *ids,
                               uint32_t count, struct obstacle_at about, const char *which,
                               obstacles *g) {
  const node **out = ARENA_ARRAY(m->c->arena, const node *, count);
  if (!out) return NULL;
  for (uint32_t i = 0; i < count; i++) out[i] = plan_field(m->c, d, ids[i], about, which, g);
  return out;
}

static bool all_found(const node *const *list, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (!list[i]) return false;
  return true;
}

static int map_one(migration *m, const migration_instruction *in, obstacles *g) {
  struct obstacle_at about = {.activity = in->from[0], .target = in->to[0]};
  const node **from = plan_nodes(m, m->source, in->from, in->n_from, about, "source", g);
  const node **to = from ? plan_nodes(m, m->target, in->to, in->n_to, about, "target", g) : NULL;
  if (!to) return context_memory(m->c);
  if (!all_found(from, in->n_from) || !all_found(to, in->n_to)) return 0;
  bool single = in->n_from == 1 && in->n_to == 1;
  bool changes = m->target->dialect->migration_changes_state;
  if (changes && (!single || (ends_alone(from[0]) && begins_alone(to[0]) && !migration_same_kind(from[0], to[0]))))
    return map_replacement(m, in, from, to, g);
  if (single) map_pair(m, in, from[0], to[0], about, g);
  else
    obstacle_add(
        g, about,
        "only in Flowable models may one activity become several, or several one: \"%s\" to \"%s\"",
        in->from[0], in->to[0]);
  return 0;
}

/* What is attached to an activity ends with it. */
static void drop_attached(migration *m) {
  for (uint32_t i = 0; i < m->source->n_nodes; i++) {
    const node *at = m->source->nodes[i]->attached_to;
    if (at && m->replaced[at->index]) m->to[i] = NULL;
  }
}

static int map_all(context *c, migration *m, obstacles *g) {
  m->to = ARENA_ARRAY(c->arena, const node *, m->source->n_nodes);
  m->update = ARENA_ARRAY(c->arena, bool, m->source->n_nodes);
  m->image = ARENA_ARRAY(c->arena, bool, m->target->n_nodes);
  m->holds = ARENA_ARRAY(c->arena, bool, m->target->n_nodes);
  m->replaced = ARENA_ARRAY(c->arena, const replacement *, m->source->n_nodes);
  if (!m->to || !m->update || !m->image || !m->holds || !m->replaced) return context_memory(c);
  m->to[0] = m->target->process;
  int rc = 0;
  for (uint32_t i = 0; !rc && i < m->count; i++) rc = map_one(m, &m->items[i], g);
  drop_attached(m);
  for (uint32_t i = 0; i < m->source->n_nodes; i++) {
    if (m->to[i]) m->image[m->to[i]->index] = true;
    for (const node *n = m->to[i]; n && !m->holds[n->index]; n = n->scope) m->holds[n->index] = true;
  }
  return rc;
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

int migration_read(context *c, const orr_value *plan, migration *out, obstacles *g) {
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

/* The instruction must say what happens anyway. */
static bool renews_condition(const migration *m, const node *n) {
  return n->event.type == EVENT_CONDITIONAL && m->target->dialect->migration_conditions_asked;
}

static bool names_activity(const char *from, const char *id) {
  size_t size = strlen(id);
  return strncmp(from, id, size) == 0 && (!from[size] || strcmp(from + size, body_mark) == 0);
}

static bool instructed(const migration *m, uint32_t count, const char *id) {
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < m->items[i].n_from; k++)
      if (names_activity(m->items[i].from[k], id)) return true;
  return false;
}

/* Instructions that the caller wrote come first and win. */
static int add_equal(migration *m, bool update_event_triggers) {
  uint32_t written = m->count;
  for (uint32_t i = 1; i < m->source->n_nodes; i++) {
    const node *n = m->source->nodes[i];
    const node *to = migration_equal(m->target, n);
    if (!to || instructed(m, written, n->id)) continue;
    const char **ids = ARENA_ARRAY(m->c->arena, const char *, 2);
    if (!ids) return context_memory(m->c);
    ids[0] = n->id;
    ids[1] = to->id;
    m->items[m->count++] = (migration_instruction){
      .from = &ids[0], .to = &ids[1], .n_from = 1, .n_to = 1,
      .update_event_trigger = has_trigger(n) && (update_event_triggers || renews_condition(m, n)),
    };
  }
  return 0;
}

static void put_ids(orr_builder *b, const char *name, const char *const *ids, uint32_t count) {
  if (count == 1) {
    orr_builder_put(b, name, orr_string(ids[0]));
    return;
  }
  orr_builder_key(b, name, strlen(name));
  orr_builder_array(b);
  for (uint32_t i = 0; i < count; i++) {
    orr_value id = orr_string(ids[i]);
    orr_builder_add(b, &id);
  }
  orr_builder_end(b);
}

static void put_instruction(const migration_instruction *in, orr_builder *b) {
  orr_builder_map(b);
  put_ids(b, "from", in->from, in->n_from);
  put_ids(b, "to", in->to, in->n_to);
  if (in->update_event_trigger) orr_builder_put(b, "update_event_trigger", orr_bool(true));
  if (in->assignee) orr_builder_put(b, "assignee", orr_string(in->assignee));
  if (in->local_variables.type == ORR_MAP) orr_builder_put(b, "local_variables", in->local_variables);
  orr_builder_end(b);
}

static void put_plan(const migration *m, orr_builder *b) {
  orr_builder_map(b);
  orr_builder_put(b, "source_definition_id", orr_int((int64_t)m->source->id));
  orr_builder_put(b, "target_definition_id", orr_int((int64_t)m->target->id));
  if (m->variables.type == ORR_MAP) orr_builder_put(b, "variables", m->variables);
  if (m->arms_new) orr_builder_put(b, "arm_event_subprocesses", orr_bool(true));
  orr_builder_key(b, "instructions", strlen("instructions"));
  orr_builder_array(b);
  for (uint32_t i = 0; i < m->count; i++) put_instruction(&m->items[i], b);
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
  if (o->map_equal != ORR_OFF) rc = add_equal(&m, o->update_event_triggers);
  if (!rc) put_plan(&m, call->out);
  return rc;
}

int orr_engine_migration_plan(orr_engine *engine, const orr_migration_options *given, orr_builder *out, orr_error *err) {
  REQUIRE_AS(given, "options");
  orr_migration_options own;
  const orr_migration_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  plan_call call = {options, out};
  return command_read(engine, plan_body, &call, err);
}
