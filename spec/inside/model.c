/* Models for the specs: model.parse(text, options) gives { definitions = {…}, problems = {…}, code = n }. What a
 * definition holds is dumped as plain tables; what is not given is absent. options: resource, dialect ("auto" by default),
 * resources (a map of names to texts), types (a map of known task types to true), check (true: scripts are checked with
 * Lua's own compiler), fail_after (n: the n-th allocation fails), xml_fail_after and xml_forever (the n-th of libxml2, and
 * all behind it). */
#include "allocator.h"
#include "inside.h"
#include "xml_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/value.h"
#include "model/definition.h"
#include "model/parse/parse.h"

static lua_State *state_of(void *ud) { return ud; }

/* The options table is at index 2 of the state that model_parse runs under. */
static bool known_type(void *ud, const char *name) {
  lua_State *L = state_of(ud);
  bool known = false;
  if (lua_getfield(L, 2, "types") == LUA_TTABLE) {
    lua_getfield(L, -1, name);
    known = lua_toboolean(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return known;
}

static int check_script(void *ud, const char *code, size_t size, int *line, orr_error *err) {
  lua_State *L = state_of(ud);
  if (luaL_loadbufferx(L, code, size, "=script", "t") == LUA_OK) {
    lua_pop(L, 1);
    return 0;
  }
  const char *message = lua_tostring(L, -1);
  const char *colon = message ? strchr(message, ':') : NULL;
  *line = colon ? (int)strtol(colon + 1, NULL, 10) : 0;
  int rc = error_set(err, ORR_E_SCRIPT, "%s", message ? message : "syntax error");
  lua_pop(L, 1);
  return rc;
}

/* ---- Dumping --------------------------------------------------------------------------------- */

static void put_text(lua_State *L, const char *name, const char *value) {
  if (!value) return;
  lua_pushstring(L, value);
  lua_setfield(L, -2, name);
}

static void put_number(lua_State *L, const char *name, int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

static void put_flag(lua_State *L, const char *name, bool value) {
  if (!value) return;
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, name);
}

static void put_expr(lua_State *L, const char *name, const expr *e) {
  static const char *const KINDS[] = {"none", "literal", "variable", "code", "script", "script-text", "script-resource"};
  if (!expr_given(e)) return;
  lua_newtable(L);
  put_text(L, "kind", KINDS[e->kind]);
  put_text(L, "text", e->text);
  put_text(L, "name", e->name);
  put_number(L, "index", e->index);
  put_number(L, "line", e->line);
  lua_createtable(L, (int)e->n_names, 0);
  for (uint32_t i = 0; i < e->n_names; i++) {
    lua_pushstring(L, e->names[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "names");
  lua_setfield(L, -2, name);
}

#define PUT_ARRAY(L, name, count, body)          \
  do {                                           \
    if ((count) == 0) break;                     \
    lua_newtable(L);                             \
    for (uint32_t i = 0; i < (count); i++) {     \
      lua_newtable(L);                           \
      body;                                      \
      lua_rawseti(L, -2, (lua_Integer)i + 1);    \
    }                                            \
    lua_setfield(L, -2, name);                   \
  } while (0)

static void put_implementation(lua_State *L, const char *name, const implementation *run) {
  static const char *const KINDS[] = {"none", "class", "expression", "delegate", "script", "type", "external"};
  if (run->kind == IMPLEMENTATION_NONE && run->n_fields == 0) return;
  lua_newtable(L);
  put_text(L, "kind", KINDS[run->kind]);
  put_text(L, "type", run->type_name);
  put_expr(L, "value", &run->value);
  PUT_ARRAY(L, "fields", run->n_fields,
            (put_text(L, "name", run->fields[i].name), put_expr(L, "value", &run->fields[i].value)));
  lua_setfield(L, -2, name);
}

static void put_timer(lua_State *L, const char *name, const timer *t) {
  lua_newtable(L);
  put_expr(L, "date", &t->date);
  put_expr(L, "duration", &t->duration);
  put_expr(L, "cycle", &t->cycle);
  put_expr(L, "calendar", &t->calendar);
  put_expr(L, "end_date", &t->end_date);
  lua_setfield(L, -2, name);
}

static void dump_listener(lua_State *L, const listener *l) {
  static const char *const EVENTS[] = {"",       "start",    "end",    "take",   "create",  "assignment",
                                       "complete", "delete", "update", "timeout", "all"};
  put_text(L, "event", EVENTS[l->event]);
  put_text(L, "id", l->id);
  put_implementation(L, "run", &l->run);
  if (l->timer) put_timer(L, "timer", l->timer);
}

static void put_listeners(lua_State *L, const char *name, const listeners *list) {
  PUT_ARRAY(L, name, list->count, dump_listener(L, &list->items[i]));
}

static void dump_mapping(lua_State *L, const call_mapping *m) {
  put_text(L, "source", m->source);
  put_text(L, "target", m->target);
  put_expr(L, "source_expression", &m->source_expression);
  put_expr(L, "target_expression", &m->target_expression);
  put_expr(L, "business_key", &m->business_key);
  put_flag(L, "all", m->all);
  put_flag(L, "local", m->local);
  put_flag(L, "transient", m->transient);
}

static void put_mappings(lua_State *L, const char *name, const call_mapping *items, uint32_t n) {
  PUT_ARRAY(L, name, n, dump_mapping(L, &items[i]));
}

static void put_event(lua_State *L, const char *name, const event_definition *e) {
  if (e->type == EVENT_NONE) return;
  lua_newtable(L);
  put_text(L, "type", event_type_name(e->type));
  put_text(L, "ref", e->ref);
  put_expr(L, "name", &e->name);
  if (e->type == EVENT_TIMER) put_timer(L, "timer", &e->timer);
  put_expr(L, "condition", &e->condition);
  put_text(L, "condition_variable", e->condition_variable);
  PUT_ARRAY(L, "condition_events", e->n_condition_events, put_text(L, "name", e->condition_events[i]));
  put_flag(L, "instance_scope", e->signal_instance_scope);
  put_flag(L, "async", e->async);
  put_flag(L, "terminate_all", e->terminate_all);
  put_text(L, "code_variable", e->code_variable);
  put_text(L, "message_variable", e->message_variable);
  put_expr(L, "error_message", &e->error_message);
  put_text(L, "activity", e->activity ? e->activity->id : NULL);
  put_implementation(L, "run", &e->run);
  put_mappings(L, "in", e->in, e->n_in);
  put_mappings(L, "out", e->out, e->n_out);
  lua_setfield(L, -2, name);
}

static void dump_parameter_value(lua_State *L, const parameter_value *v) {
  static const char *const KINDS[] = {"expr", "list", "map"};
  put_text(L, "kind", KINDS[v->kind]);
  put_expr(L, "value", &v->value);
  for (uint32_t i = 0; i < v->count; i++) {
    lua_newtable(L);
    if (v->kind == PARAMETER_MAP) put_expr(L, "key", &v->keys[i]);
    dump_parameter_value(L, &v->items[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

static void put_parameters(lua_State *L, const char *name, const parameter *items, uint32_t n) {
  PUT_ARRAY(L, name, n, (put_text(L, "name", items[i].name), dump_parameter_value(L, &items[i].value)));
}

static void put_exprs(lua_State *L, const char *name, const expr *items, uint32_t n) {
  if (n == 0) return;
  lua_newtable(L);
  for (uint32_t i = 0; i < n; i++) {
    lua_pushstring(L, items[i].text);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, name);
}

static void put_links(lua_State *L, const identity_links *who) {
  put_exprs(L, "users", who->users, who->n_users);
  put_exprs(L, "groups", who->groups, who->n_groups);
}

static void dump_user_task(lua_State *L, const user_task *u) {
  const struct { const char *name; const expr *value; } EXPRS[] = {
    {"assignee", &u->assignee}, {"owner", &u->owner},       {"due", &u->due},           {"follow_up", &u->follow_up},
    {"priority", &u->priority}, {"category", &u->category}, {"form_key", &u->form_key},
  };
  for (size_t i = 0; i < sizeof EXPRS / sizeof *EXPRS; i++) put_expr(L, EXPRS[i].name, EXPRS[i].value);
  put_links(L, &u->candidates);
  PUT_ARRAY(L, "links", u->n_links, (put_text(L, "type", u->links[i].type), put_links(L, &u->links[i].who)));
  put_listeners(L, "task_listeners", &u->listeners);
  put_expr(L, "id_variable", &u->id_variable);
}

static void dump_exception(lua_State *L, const exception_mapping *m) {
  put_text(L, "code", m->error_code);
  put_text(L, "type", m->type);
  put_text(L, "root_cause", m->root_cause);
  put_flag(L, "include_children", m->include_children);
}

static void dump_service_task(lua_State *L, const service_task *s) {
  put_implementation(L, "run", &s->run);
  put_text(L, "result_variable", s->result_variable);
  put_expr(L, "result_expression", &s->result_variable_expression);
  put_flag(L, "result_local", s->result_local);
  put_flag(L, "result_transient", s->result_transient);
  put_flag(L, "auto_store_variables", s->auto_store_variables);
  put_flag(L, "triggerable", s->triggerable);
  put_expr(L, "topic", &s->topic);
  put_expr(L, "task_priority", &s->task_priority);
  put_mappings(L, "external_in", s->external_in, s->n_external_in);
  put_mappings(L, "external_out", s->external_out, s->n_external_out);
  PUT_ARRAY(L, "exceptions", s->exceptions.count, dump_exception(L, &s->exceptions.items[i]));
  PUT_ARRAY(L, "external_errors", s->n_external_errors,
            (put_event(L, "event", &s->external_errors[i].event), put_expr(L, "condition", &s->external_errors[i].condition)));
}

static void dump_call_activity(lua_State *L, const call_activity *c) {
  static const char *const BINDINGS[] = {"latest", "deployment", "version", "version_tag"};
  put_expr(L, "called", &c->called);
  put_text(L, "binding", BINDINGS[c->binding]);
  put_expr(L, "version", &c->version);
  put_expr(L, "version_tag", &c->version_tag);
  put_expr(L, "tenant", &c->tenant);
  put_expr(L, "business_key", &c->business_key);
  put_flag(L, "by_id", c->by_id);
  put_flag(L, "inherit_variables", c->inherit_variables);
  put_flag(L, "inherit_business_key", c->inherit_business_key);
  put_flag(L, "same_deployment", c->same_deployment);
  put_flag(L, "fallback_default_tenant", c->fallback_default_tenant);
  put_flag(L, "complete_async", c->complete_async);
  put_mappings(L, "in", c->in, c->n_in);
  put_mappings(L, "out", c->out, c->n_out);
  put_implementation(L, "mapper", &c->mapper);
}

static void put_multi_instance(lua_State *L, const multi_instance *m) {
  lua_newtable(L);
  put_flag(L, "sequential", m->sequential);
  put_expr(L, "cardinality", &m->cardinality);
  put_expr(L, "collection", &m->collection);
  put_text(L, "collection_string", m->collection_string);
  put_implementation(L, "handler", &m->handler);
  put_text(L, "element_variable", m->element_variable);
  put_text(L, "element_index_variable", m->element_index_variable);
  put_expr(L, "completion_condition", &m->completion_condition);
  put_flag(L, "async_before", m->async_before);
  put_flag(L, "async_after", m->async_after);
  put_expr(L, "retry_cycle", &m->retry_cycle);
  put_number(L, "aggregations", m->n_aggregations);
  lua_setfield(L, -2, "multi");
}

static void dump_data_object(lua_State *L, const data_object *o) {
  put_text(L, "name", o->name);
  put_text(L, "type", o->type);
  put_expr(L, "value", &o->value);
}

static void dump_by_type(lua_State *L, const node *n) {
  if (n->type == NODE_USER_TASK) dump_user_task(L, n->user);
  else if (n->type == NODE_CALL_ACTIVITY) dump_call_activity(L, n->call);
  else if (n->service) dump_service_task(L, n->service);
}

static void put_ids(lua_State *L, const char *name, node *const *items, uint32_t n) {
  PUT_ARRAY(L, name, n, put_text(L, "id", items[i]->id));
}

static void dump_node(lua_State *L, const node *n) {
  put_text(L, "id", n->id);
  put_text(L, "element", n->element);
  put_number(L, "type", n->type);
  put_number(L, "line", n->line);
  put_text(L, "name", n->name);
  put_text(L, "documentation", n->documentation);
  put_text(L, "scope", n->scope ? n->scope->id : NULL);
  put_text(L, "start", n->start ? n->start->id : NULL);
  put_text(L, "attached_to", n->attached_to ? n->attached_to->id : NULL);
  put_text(L, "compensation_handler", n->compensation_handler ? n->compensation_handler->id : NULL);
  put_text(L, "default_flow", n->default_flow ? n->default_flow->id : NULL);
  put_text(L, "link_target", n->link_target ? n->link_target->id : NULL);
  put_text(L, "initiator", n->initiator);
  put_ids(L, "boundary", n->boundary, n->n_boundary);
  put_ids(L, "event_subprocesses", n->event_subprocesses, n->n_event_subprocesses);
  put_number(L, "incoming", n->n_incoming);
  put_number(L, "outgoing", n->n_outgoing);
  put_flag(L, "for_compensation", n->for_compensation);
  put_flag(L, "interrupting", n->interrupting);
  put_flag(L, "triggered_by_event", n->triggered_by_event);
  put_flag(L, "async_before", n->async_before);
  put_flag(L, "async_after", n->async_after);
  put_flag(L, "exclusive", n->exclusive);
  put_flag(L, "exclusive_after", n->exclusive_after);
  put_flag(L, "needs_scope", n->needs_scope);
  put_expr(L, "job_priority", &n->job_priority);
  put_expr(L, "retry_cycle", &n->retry_cycle);
  put_expr(L, "skip", &n->skip);
  put_event(L, "event", &n->event);
  put_listeners(L, "listeners", &n->listeners);
  put_parameters(L, "inputs", n->inputs, n->n_inputs);
  put_parameters(L, "outputs", n->outputs, n->n_outputs);
  PUT_ARRAY(L, "data_objects", n->n_data_objects, dump_data_object(L, &n->data_objects[i]));
  PUT_ARRAY(L, "properties", n->n_properties,
            (put_text(L, "name", n->properties[i].name), put_text(L, "value", n->properties[i].value)));
  if (n->multi) put_multi_instance(L, n->multi);
  if (n->loop) {
    lua_newtable(L);
    put_flag(L, "test_before", n->loop->test_before);
    put_number(L, "maximum", n->loop->maximum);
    put_expr(L, "condition", &n->loop->condition);
    lua_setfield(L, -2, "loop");
  }
  dump_by_type(L, n);
}

static void dump_flow(lua_State *L, const flow *f) {
  put_text(L, "id", f->id);
  put_text(L, "source", f->source->id);
  put_text(L, "target", f->target->id);
  put_expr(L, "condition", &f->condition);
  put_expr(L, "skip", &f->skip);
  put_listeners(L, "listeners", &f->listeners);
}

static void dump_definition(lua_State *L, const definition *d) {
  put_text(L, "key", d->key);
  put_text(L, "name", d->name);
  put_text(L, "dialect", d->dialect->name);
  put_text(L, "documentation", d->documentation);
  put_text(L, "version_tag", d->version_tag);
  put_text(L, "category", d->category);
  put_text(L, "history_time_to_live", d->history_time_to_live);
  put_flag(L, "startable", d->startable);
  put_expr(L, "job_priority", &d->job_priority);
  put_links(L, &d->starters);
  put_number(L, "n_exprs", d->n_exprs);
  lua_newtable(L);
  for (uint32_t i = 0; i < d->n_nodes; i++) {
    lua_newtable(L);
    dump_node(L, d->nodes[i]);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, d->nodes[i]->id);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "nodes");
  PUT_ARRAY(L, "flows", d->n_flows, dump_flow(L, d->flows[i]));
}

static void dump_problem(lua_State *L, const problem *p) {
  put_text(L, "resource", p->resource);
  put_number(L, "line", p->line);
  put_number(L, "column", p->column);
  put_text(L, "element", p->element);
  put_text(L, "message", p->message);
  put_flag(L, "warning", p->warning);
}

/* ---- Entry ----------------------------------------------------------------------------------- */

static orr_builder *build_resources(lua_State *L, orr_value *out) {
  if (lua_getfield(L, 2, "resources") != LUA_TTABLE) {
    lua_pop(L, 1);
    return NULL;
  }
  orr_builder *b = orr_builder_new();
  if (!b) luaL_error(L, "out of memory");
  orr_builder_map(b);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    size_t key_size, size;
    const char *key = lua_tolstring(L, -2, &key_size), *text = lua_tolstring(L, -1, &size);
    orr_value value = orr_bytes(text, size);
    orr_builder_key(b, key, key_size);
    orr_builder_add(b, &value);
  }
  orr_builder_end(b);
  lua_pop(L, 1);
  orr_builder_value(b, out, NULL);
  return b;
}

static void push_result(lua_State *L, int rc, const model *m, problems *list) {
  problems_count_kinds(list);
  lua_newtable(L);
  put_number(L, "code", rc);
  put_number(L, "errors", list->errors);
  lua_newtable(L);
  for (uint32_t i = 0; i < m->count; i++) {
    lua_newtable(L);
    dump_definition(L, m->items[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "definitions");
  lua_newtable(L);
  for (uint32_t i = 0; i < list->count; i++) {
    lua_newtable(L);
    dump_problem(L, &list->items[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "problems");
}

static int l_parse(lua_State *L) {
  static const char *const DIALECTS[] = {"auto", "camunda", "flowable", "orrery", NULL};
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  lua_settop(L, 2);
  if (lua_isnil(L, 2)) {
    lua_newtable(L);
    lua_replace(L, 2);
  }
  lua_getfield(L, 2, "dialect");
  int wanted = luaL_checkoption(L, 3, "auto", DIALECTS);
  lua_getfield(L, 2, "resource");
  const char *resource = luaL_optstring(L, 4, "model.bpmn");
  lua_getfield(L, 2, "check");
  bool check = lua_toboolean(L, 5);
  lua_getfield(L, 2, "fail_after");
  orr_env env;
  env_system(&env);
  orr_value resources = {0};
  orr_builder *builder = build_resources(L, &resources);
  orr_arena *arena = arena_new(&env.allocator);
  if (!arena) return luaL_error(L, "out of memory");
  failing_allocator counting;
  failing_allocator_init(&counting);
  failing_allocator_arm(&counting, (size_t)luaL_optinteger(L, 6, 0), false);
  orr_allocator failing = failing_allocator_hook(&counting);
  problems list = {.arena = arena};
  model_options options = {
    &failing, wanted, builder ? &resources : NULL, check ? check_script : NULL, L, known_type, NULL, 0, false,
  };
  model m;
  orr_error err = {0};
  lua_getfield(L, 2, "xml_fail_after");
  lua_getfield(L, 2, "xml_forever");
  bool refused;
  xml_memory_arm((size_t)luaL_optinteger(L, -2, 0), lua_toboolean(L, -1));
  int rc = model_parse(resource, text, size, &options, &list, &m, &err);
  long xml_left = xml_memory_disarm(&refused);
  push_result(L, rc, &m, &list);
  put_number(L, "xml_leaked", xml_left);
  put_flag(L, "xml_refused", refused);
  put_text(L, "message", err.message);
  orr_error_clear(&err);
  for (uint32_t i = 0; i < m.count; i++) definition_release(m.items[i]);
  put_number(L, "leaked", (int64_t)counting.live);
  orr_builder_free(builder);
  arena_free(arena);
  return 1;
}

void inside_model(lua_State *L) {
  lua_pushcfunction(L, l_parse);
  lua_setfield(L, -2, "parse");
}
