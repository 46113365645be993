/* The chunk: knowledge models and services as functions, inputs and decisions as functions of an evaluation's state. */
#include <inttypes.h>
#include <string.h>

#include "decision/dmn/dmn_internal.h"

/* ---- Names in scope -------------------------------------------------------------------------- */

typedef struct name_list {
  feel_name *items;
  uint32_t count, capacity;
} name_list;

static void chunk_add_name(dmn_build *b, name_list *list, const char *name, const feel_type *type, const char *lua) {
  if (list->count == list->capacity) {
    uint32_t capacity = list->capacity ? list->capacity * 2 : 16;
    feel_name *grown = DMN_ARRAY(b, feel_name, capacity);
    if (list->count) memcpy(grown, list->items, list->count * sizeof *grown);
    list->items = grown;
    list->capacity = capacity;
  }
  list->items[list->count++] = (feel_name){.name = name, .type = type, .lua = lua};
}

/* The prefix by which `model` names what is in `other`: the name of the import and a dot, or
 * nothing. NULL: it does not import it. */
static const char *prefix_of(const dmn_model *model, const dmn_model *other) {
  if (model == other) return "";
  for (uint32_t i = 0; i < model->n_imports; i++)
    if (model->imports[i].model == other) return model->imports[i].name;
  return NULL;
}

static const char *called(dmn_build *b, const dmn_model *model, const dmn_node *n) {
  const char *prefix = prefix_of(model, n->model);
  return prefix && *prefix ? dmn_printf(b, "%s.%s", prefix, n->name) : n->name;
}

/* The type of a knowledge model or service as a value; `result` is the type of its variable. */
static const feel_type *callable_type(dmn_build *b, const feel_type *result) {
  if (result && result->kind == FEEL_FUNCTION) return result;
  feel_type *type = DMN_NEW(b, feel_type);
  *type = (feel_type){.kind = FEEL_FUNCTION, .open = true, .item = result};
  return type;
}

static bool is_function(const dmn_node *n) { return n->kind == DMN_KNOWLEDGE || n->kind == DMN_SERVICE; }

static void add_required(dmn_build *b, const dmn_node *n, name_list *list) {
  for (uint32_t i = 0; i < n->n_required; i++) {
    const dmn_node *r = n->required[i];
    const feel_type *type = is_function(r) ? NULL : r->type;
    const char *own = dmn_attribute(b, r->element, "name");
    chunk_add_name(b, list, called(b, n->model, r), type, r->lua);
    if (own && strcmp(own, r->name) != 0 && r->model == n->model) chunk_add_name(b, list, own, type, r->lua);
  }
}

/* In Camunda and Flowable, a required decision is also known by the names of its outputs. */
static void add_output_names(dmn_build *b, const dmn_node *n, name_list *list) {
  for (uint32_t i = 0; n->model->vendor != DMN_STANDARD && i < n->n_required; i++) {
    const dmn_node *r = n->required[i];
    const xml_element *table = r->kind == DMN_DECISION ? dmn_child(r->element, "decisionTable") : NULL;
    for (const xml_element *e = NULL; table && (e = dmn_next(table, e, "output"));) {
      const char *name = dmn_attribute(b, e, "name");
      if (name) chunk_add_name(b, list, name, NULL, dmn_printf(b, "D.output(%s, %s)", r->lua, dmn_quoted(b, name)));
    }
  }
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* The path from the first model to `m`, by names of imports: values of its inputs may be in tables
 * of those names. */
static void chunk_add_path(dmn_build *b, const dmn_model *m, dmn_out *out) {
  if (m->importer) chunk_add_path(b, m->importer, out);
  if (*m->import_name) dmn_addf(b, out, "%s, ", dmn_quoted(b, m->import_name));
}

static void chunk_add_input(dmn_build *b, const dmn_node *n, dmn_out *out) {
  dmn_out path = {0};
  chunk_add_path(b, n->model, &path);
  dmn_addf(b, out, "I[%u] = {name = %s, path = {%s}, type = %s%s}\n", n->number, dmn_quoted(b, n->name), dmn_text_of(&path),
           dmn_type_any(n->type) ? "nil" : dmn_type_lua(b, n->type), n->model->vendor != DMN_STANDARD ? ", peer = true" : "");
  dmn_addf(b, out, "E[%u] = function(s) return D.input(s, %u, I[%u]) end\n", n->number, n->number, n->number);
}

/* Scalars that have the type already are taken as they are. */
static void add_input_local(dmn_build *b, const dmn_node *n, dmn_out *out) {
  const char *slow = dmn_printf(b, "D.input(s, %u, I[%u])", n->number, n->number);
  enum feel_kind kind = n->type && !n->type->lua && n->model->first ? n->type->kind : FEEL_ANY;
  const char *test = kind == FEEL_NUMBER ? "mtype(%s) ~= \"integer\"" : kind == FEEL_STRING ? "type(%s) ~= \"string\""
                     : kind == FEEL_BOOLEAN ? "type(%s) ~= \"boolean\"" : NULL;
  if (!test) {
    dmn_addf(b, out, "local %s = %s\n", n->lua, slow);
    return;
  }
  dmn_addf(b, out, "local %s = s.vars[%s] if ", n->lua, dmn_quoted(b, n->name));
  const char *rest = strstr(test, "%s") + 2;
  dmn_addf(b, out, "%.*s%s%s then %s = %s end\n", (int)(rest - 2 - test), test, n->lua, rest, n->lua, slow);
}

static void add_locals(dmn_build *b, const dmn_node *n, dmn_out *out) {
  for (uint32_t i = 0; i < n->n_required; i++) {
    const dmn_node *r = n->required[i];
    bool again = false;
    for (uint32_t j = 0; j < i; j++) again = again || n->required[j] == r;
    if (again || is_function(r)) continue;
    if (r->kind == DMN_INPUT) add_input_local(b, r, out);
    else
      dmn_addf(b, out, "local %s = s[%u] if %s == nil then %s = D.value(s, %u, E) end\n", r->lua, r->number, r->lua, r->lua,
               r->number);
  }
}

/* ---- Decisions ------------------------------------------------------------------------------- */

static const char *scope_local(const dmn_out *body) {
  return strstr(dmn_text_of(body), "scope") ? "local scope = D.scope(s)\n" : "";
}

static void add_decision(dmn_build *b, const dmn_node *n, dmn_out *out) {
  const xml_element *logic = dmn_expression_in(n->element);
  if (!logic) { /* its value is given, as an input's is */
    chunk_add_input(b, n, out);
    return;
  }
  name_list known = {0}, outputs = {0};
  dmn_out body = {0};
  add_output_names(b, n, &outputs);
  add_required(b, n, &known);
  feel_scope outer = {.names = outputs.items, .n_names = outputs.count, .open = true};
  feel_scope scope = {.outer = &outer, .names = known.items, .n_names = known.count};
  b->state = true;
  dmn_boxed_body(b, logic, &scope, n->type, &body);
  b->state = false;
  dmn_addf(b, out, "E[%u] = function(s)\n%s", n->number, scope_local(&body));
  add_locals(b, n, out);
  dmn_add(b, out, dmn_text_of(&body));
  dmn_add(b, out, "end\n");
}

/* ---- Knowledge models ------------------------------------------------------------------------ */

static const feel_type *callable_result(const feel_type *type) {
  return type && type->kind == FEEL_FUNCTION ? type->item : type;
}

static void add_knowledge(dmn_build *b, const dmn_node *n, dmn_out *out) {
  const xml_element *logic = dmn_child(n->element, "encapsulatedLogic");
  name_list known = {0};
  add_required(b, n, &known);
  chunk_add_name(b, &known, n->name, callable_type(b, n->type), n->lua);
  feel_scope scope = {.names = known.items, .n_names = known.count};
  dmn_piece function = logic ? dmn_function(b, logic, &scope, callable_result(n->type)) : (dmn_piece){.lua = "nil"};
  if (!logic) dmn_warning(b, n->element, "the knowledge model \"%s\" has no logic: it is null", n->name);
  dmn_addf(b, out, "%s = ", n->lua);
  dmn_add(b, out, function.lua);
  dmn_add(b, out, "\n");
}

/* ---- Services -------------------------------------------------------------------------------- */

static dmn_node *service_member(const dmn_model *m, const xml_element *e) {
  const char *href = xml_value(e, "href"), *hash = href ? strrchr(href, '#') : NULL;
  size_t size = hash ? (size_t)(hash - href) : 0;
  const dmn_model *where = m;
  for (uint32_t i = 0; size && i < m->n_imports; i++)
    if (m->imports[i].model && strlen(m->imports[i].ns) == size && memcmp(m->imports[i].ns, href, size) == 0)
      where = m->imports[i].model;
  return href ? names_get(&where->by_id, hash ? hash + 1 : href) : NULL;
}

typedef struct service {
  dmn_node **inputs, **given, **outputs; /* input data; decisions whose values are given; what it answers */
  uint32_t n_inputs, n_given, n_outputs;
} service;

static void read_references(dmn_build *b, const dmn_node *n, const char *name, dmn_node ***items, uint32_t *count) {
  for (const xml_element *e = NULL; (e = dmn_next(n->element, e, name));) {
    dmn_node *target = service_member(n->model, e);
    if (target) dmn_push(b, items, count, target);
    else
      dmn_error(b, e, "<%s> refers to \"%.200s\", which does not exist", name,
                xml_value(e, "href") ? xml_value(e, "href") : "");
  }
}

static service read_service(dmn_build *b, const dmn_node *n) {
  service s = {0};
  dmn_node **encapsulated = NULL;
  uint32_t count = 0;
  read_references(b, n, "inputData", &s.inputs, &s.n_inputs);
  read_references(b, n, "inputDecision", &s.given, &s.n_given);
  read_references(b, n, "outputDecision", &s.outputs, &s.n_outputs);
  read_references(b, n, "encapsulatedDecision", &encapsulated, &count); /* found by what is required; only looked up */
  if (!s.n_outputs) dmn_error(b, n->element, "the decision service \"%s\" has no output decision", n->name);
  return s;
}

/* E[n] takes the given decisions from the variables, then answers. */
static void add_service_body(dmn_build *b, const dmn_node *n, const service *s, dmn_out *out) {
  const feel_type *type = callable_result(n->type);
  for (uint32_t i = 0; i < s->n_given; i++) {
    const dmn_node *g = s->given[i];
    dmn_addf(b, out, "I[%u] = I[%u] or {name = %s, path = {}, type = %s}\n", g->number, g->number, dmn_quoted(b, g->name),
             dmn_type_any(g->type) ? "nil" : dmn_type_lua(b, g->type));
  }
  dmn_addf(b, out, "E[%u] = function(s)\n", n->number);
  for (uint32_t i = 0; i < s->n_given; i++)
    dmn_addf(b, out, "D.give(s, %u, I[%u])\n", s->given[i]->number, s->given[i]->number);
  const char *before = dmn_type_any(type) ? "" : "f.coerce(";
  const char *behind = dmn_type_any(type) ? "" : dmn_printf(b, ", %s)", dmn_type_lua(b, type));
  if (s->n_outputs == 1) {
    dmn_addf(b, out, "return %sD.value(s, %u, E)%s\nend\n", before, s->outputs[0]->number, behind);
    return;
  }
  dmn_addf(b, out, "return %sf.ctx{", before);
  for (uint32_t i = 0; i < s->n_outputs; i++) dmn_addf(b, out, "%s, ", dmn_quoted(b, s->outputs[i]->name));
  for (uint32_t i = 0; i < s->n_outputs; i++)
    dmn_addf(b, out, "[%s] = D.value(s, %u, E), ", dmn_quoted(b, s->outputs[i]->name), s->outputs[i]->number);
  dmn_addf(b, out, "}%s\nend\n", behind);
}

typedef struct parameters { /* of a service as a function, in pieces of Lua */
  dmn_out names, types, locals, vars;
  uint32_t count;
} parameters;

static void service_add_parameter(dmn_build *b, const dmn_node *p, parameters *all) {
  const char *type = dmn_type_any(p->type) ? "nil" : dmn_type_lua(b, p->type);
  all->count++;
  dmn_addf(b, &all->names, "%s, ", dmn_quoted(b, p->name));
  dmn_addf(b, &all->types, "[%u] = %s, ", all->count, type);
  dmn_addf(b, &all->locals, "%s%s", all->count > 1 ? ", " : "", p->lua);
  dmn_addf(b, &all->vars, "[%s] = %s, ", dmn_quoted(b, p->name), p->lua);
}

static void add_service(dmn_build *b, const dmn_node *n, dmn_out *out) {
  service s = read_service(b, n);
  parameters all = {0};
  for (uint32_t i = 0; i < s.n_inputs; i++) service_add_parameter(b, s.inputs[i], &all);
  for (uint32_t i = 0; i < s.n_given; i++) service_add_parameter(b, s.given[i], &all);
  dmn_check_parameters(b, n->element, all.count);
  add_service_body(b, n, &s, out);
  dmn_addf(b, out, "%s = f.lambda({%s}, {%s}, function(%s) return D.serve(E[%u], {%s}) end)\n", n->lua, dmn_text_of(&all.names),
           dmn_text_of(&all.types), dmn_text_of(&all.locals), n->number, dmn_text_of(&all.vars));
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void chunk_add_node(dmn_build *b, dmn_node *n) {
  dmn_out out = {0};
  b->model = n->model;
  switch (n->kind) {
    case DMN_INPUT: chunk_add_input(b, n, &out); break;
    case DMN_DECISION: add_decision(b, n, &out); break;
    case DMN_KNOWLEDGE: add_knowledge(b, n, &out); break;
    case DMN_SERVICE: add_service(b, n, &out); break;
  }
  dmn_add(b, &b->bodies, dmn_text_of(&out));
}

/* What the decision tasks of Camunda and Flowable make of a result depends on the names of the
 * outputs, and on how many results there may be. */
static void describe_table(dmn_build *b, const xml_element *table, dmn_out *out) {
  const char *policy = dmn_attribute(b, table, "hitPolicy");
  bool aggregated = xml_value(table, "aggregation");
  bool several = policy && strchr("CRO", policy[0]) && !aggregated;
  dmn_addf(b, out, "table = true, several = %s, outputs = {", several ? "true" : "false");
  for (const xml_element *e = NULL; (e = dmn_next(table, e, "output"));) {
    const char *name = dmn_attribute(b, e, "name");
    if (!name) name = dmn_attribute(b, e, "label");
    dmn_addf(b, out, "%s, ", name ? dmn_quoted(b, name) : "false");
  }
  dmn_add(b, out, "}, ");
}

static void describe_service(dmn_build *b, const dmn_node *n, dmn_out *out) {
  dmn_node **answers = NULL;
  uint32_t count = 0;
  read_references(b, n, "outputDecision", &answers, &count);
  dmn_add(b, out, "answers = {");
  for (uint32_t i = 0; i < count; i++) dmn_addf(b, out, "%u, ", answers[i]->number);
  dmn_add(b, out, "}, ");
}

/* What an evaluation of a node evaluates, as Camunda counts it: decisions; and the cells of tables,
 * or one for any other decision. */
typedef struct dmn_weight {
  uint32_t decisions;
  uint64_t elements;
} dmn_weight;

static uint64_t cells_of(const dmn_node *n) {
  const xml_element *logic = dmn_expression_in(n->element);
  if (!logic || !dmn_is(logic, "decisionTable")) return 1;
  uint64_t columns = 0, rules = 0;
  for (const xml_element *e = logic->first; e; e = e->next) {
    columns += dmn_is(e, "input") || dmn_is(e, "output");
    rules += dmn_is(e, "rule");
  }
  return columns * rules;
}

/* `seen` has a flag for each node, because what several nodes require is evaluated once. */
static void weigh(const dmn_node *n, bool *seen, dmn_weight *out) {
  if (seen[n->number - 1]) return;
  seen[n->number - 1] = true;
  if (n->kind == DMN_DECISION) {
    out->decisions++;
    out->elements += cells_of(n);
  }
  for (uint32_t i = 0; i < n->n_required; i++) weigh(n->required[i], seen, out);
}

static void add_weight(dmn_build *b, const dmn_node *n, dmn_out *out) {
  dmn_weight all = {0};
  bool *seen = DMN_ARRAY(b, bool, b->n_nodes);
  dmn_node **answers = NULL;
  uint32_t count = 0;
  if (n->kind == DMN_SERVICE) read_references(b, n, "outputDecision", &answers, &count);
  for (uint32_t i = 0; i < count; i++) weigh(answers[i], seen, &all);
  weigh(n, seen, &all);
  dmn_addf(b, out, "decisions = %u, elements = %" PRIu64 ", ", all.decisions, all.elements);
}

static void add_description(dmn_build *b, const dmn_node *n, dmn_out *out) {
  static const char *const KINDS[] = {"input", "decision", "knowledge", "service"};
  const char *own = dmn_attribute(b, n->element, "name");
  const xml_element *logic = dmn_expression_in(n->element);
  dmn_addf(b, out, "{number = %u, kind = \"%s\", id = %s, name = %s, variable = %s, first = %s, ", n->number, KINDS[n->kind],
           dmn_quoted(b, n->id), dmn_quoted(b, own ? own : n->name), dmn_quoted(b, n->name),
           n->model->first ? "true" : "false");
  if (n->model->importer) {
    dmn_add(b, out, "path = {");
    chunk_add_path(b, n->model, out);
    dmn_add(b, out, "}, ");
  }
  if (logic && dmn_is(logic, "decisionTable")) describe_table(b, logic, out);
  if (n->kind == DMN_SERVICE && n->model->first) describe_service(b, n, out);
  if (n->model->first && (n->kind == DMN_DECISION || n->kind == DMN_SERVICE)) add_weight(b, n, out);
  dmn_add(b, out, "},\n");
}

/* The dialect of the file; nil: that of the caller. */
static const char *dialect_named(const dmn_model *m) {
  if (m->vendor == DMN_STANDARD) return m->ours ? "\"orrery\"" : "nil";
  return m->vendor == DMN_CAMUNDA ? "\"camunda\"" : "\"flowable\"";
}

void dmn_write_chunk(dmn_build *b, dmn_model *m, dmn_out *out) {
  for (uint32_t i = 0; i < b->n_nodes; i++) chunk_add_node(b, b->nodes[i]);
  b->model = m;
  const char *constants = feel_unit_constants(b->unit);
  if (!constants) dmn_memory(b);
  dmn_add(b, out,
          "local f, D = ...\nlocal mtype, type = D.mtype, D.type\nlocal T, B, J, H, E, I, K = {}, {}, {}, {}, {}, {}, nil\n");
  dmn_add(b, out, dmn_text_of(&b->types));
  dmn_add(b, out, "K = ");
  dmn_add(b, out, constants);
  dmn_add(b, out, "\n");
  dmn_add(b, out, dmn_text_of(&b->parts));
  dmn_add(b, out, dmn_text_of(&b->bodies));
  dmn_addf(b, out, "return {dialect = %s, evaluators = E, functions = B, nodes = {\n", dialect_named(m));
  for (uint32_t i = 0; i < b->n_nodes; i++) add_description(b, b->nodes[i], out);
  dmn_add(b, out, "}}\n");
}
