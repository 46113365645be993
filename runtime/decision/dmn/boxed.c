/* Boxed expressions: each becomes a Lua expression, or the end of a function body. */
#include <string.h>

#include "decision/dmn/dmn_internal.h"
#include "decision/feel/type.h"

typedef dmn_piece (*boxed_fn)(dmn_build *b, const xml_element *e, const feel_scope *scope);

static const char *in_function(dmn_build *b, const dmn_out *body) {
  dmn_out out = {0};
  dmn_add(b, &out, "(function()\n");
  dmn_add(b, &out, dmn_text_of(body));
  dmn_add(b, &out, "end)()");
  return out.text;
}

/* ---- Literals -------------------------------------------------------------------------------- */

static dmn_piece literal(dmn_build *b, const xml_element *e, const feel_scope *scope) {
  dmn_text t = dmn_text_in(b, e, false);
  return dmn_compile_text(b, &t, scope);
}

/* ---- Contexts -------------------------------------------------------------------------------- */

/* The entries so far are names for the next ones. Lua has few locals, so each entry is a field of
 * one local table. */
typedef struct context_entries {
  feel_name *names;
  feel_member *members;
  size_t count;
  feel_scope scope;
  const char *table; /* the local that holds them */
} context_entries;

static dmn_piece entry_value(dmn_build *b, const xml_element *e, const xml_element *expression, context_entries *all,
                             const char *name) {
  bool function = expression && dmn_is(expression, "functionDefinition");
  if (function && name) { /* it may call itself */
    all->names[all->count] = (feel_name){.name = name, .lua = dmn_printf(b, "%s[%zu]", all->table, all->count + 1)};
    all->scope.n_names = all->count + 1;
  }
  dmn_piece piece = dmn_boxed(b, expression, &all->scope);
  const xml_element *variable = dmn_child(e, "variable");
  const feel_type *type = dmn_type_of(b, b->model, variable ? variable : e, "typeRef");
  return dmn_coerced(b, piece, type);
}

static void add_entry(dmn_build *b, const xml_element *e, context_entries *all, dmn_out *out) {
  const char *name = dmn_attribute(b, dmn_child(e, "variable"), "name");
  dmn_piece piece = entry_value(b, e, dmn_expression_in(e), all, name);
  size_t i = all->count;
  if (!name) { /* the result entry */
    dmn_add(b, out, "return ");
    dmn_add(b, out, piece.lua);
    dmn_add(b, out, "\n");
    return;
  }
  dmn_addf(b, out, "%s[%zu] = ", all->table, i + 1);
  dmn_add(b, out, piece.lua);
  dmn_add(b, out, "\n");
  all->names[i] = (feel_name){.name = name, .type = piece.type, .lua = dmn_printf(b, "%s[%zu]", all->table, i + 1)};
  all->members[i] = (feel_member){name, piece.type};
  all->scope.n_names = all->count = i + 1;
}

static void return_context(dmn_build *b, const context_entries *all, dmn_out *out) {
  dmn_add(b, out, "return f.ctx{");
  for (size_t i = 0; i < all->count; i++) {
    dmn_add_quoted(b, out, all->names[i].name);
    dmn_add(b, out, ", ");
  }
  for (size_t i = 0; i < all->count; i++) {
    dmn_add(b, out, "[");
    dmn_add_quoted(b, out, all->names[i].name);
    dmn_addf(b, out, "] = %s, ", all->names[i].lua);
  }
  dmn_add(b, out, "}\n");
}

/* Statements that end in `return`; *type: what is known of the value. */
static void context_body(dmn_build *b, const xml_element *e, const feel_scope *scope, dmn_out *out, const feel_type **type) {
  uint32_t count = dmn_count(e, "contextEntry");
  context_entries all = {.names = DMN_ARRAY(b, feel_name, count + 1), .members = DMN_ARRAY(b, feel_member, count + 1),
                         .table = dmn_local(b)};
  all.scope = (feel_scope){.outer = scope, .names = all.names};
  dmn_addf(b, out, "local %s = {}\n", all.table);
  *type = NULL;
  for (const xml_element *entry = NULL; (entry = dmn_next(e, entry, "contextEntry"));) {
    bool result = !dmn_attribute(b, dmn_child(entry, "variable"), "name");
    if (result && dmn_next(e, entry, "contextEntry")) {
      dmn_error(b, entry, "only the last entry of a context may have no name: it is the context's result");
      continue;
    }
    add_entry(b, entry, &all, out);
    if (result) return;
  }
  return_context(b, &all, out);
  feel_type *context = DMN_NEW(b, feel_type);
  *context = (feel_type){.kind = FEEL_CONTEXT, .members = all.members, .n_members = all.count};
  *type = context;
}

static dmn_piece context(dmn_build *b, const xml_element *e, const feel_scope *scope) {
  dmn_out body = {0};
  dmn_piece piece = {0};
  context_body(b, e, scope, &body, &piece.type);
  piece.lua = in_function(b, &body);
  return piece;
}

/* ---- Lists and relations --------------------------------------------------------------------- */

static bool is_boxed(const xml_element *e) {
  static const char *const OTHERS[] = {"column", "row", "description", "extensionElements"};
  for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
    if (strcmp(e->name, OTHERS[i]) == 0) return false;
  return dmn_version(e->ns);
}

static dmn_piece list(dmn_build *b, const xml_element *e, const feel_scope *scope) {
  dmn_out items = {0};
  uint32_t count = 0;
  for (const xml_element *item = e->first; item; item = item->next) {
    if (!is_boxed(item)) continue;
    dmn_add(b, &items, ", ");
    dmn_addf(b, &items, "[%u] = ", ++count);
    dmn_add(b, &items, dmn_boxed(b, item, scope).lua);
  }
  const feel_type *type = feel_type_list(b->arena, NULL);
  if (!type) dmn_memory(b);
  return (dmn_piece){.lua = dmn_printf(b, "f.list{n = %u%s}", count, dmn_text_of(&items)), .type = type};
}

static const char *row_context(dmn_build *b, const xml_element *e, const xml_element *row, const feel_scope *scope) {
  dmn_out keys = {0}, values = {0};
  const xml_element *column = NULL;
  for (const xml_element *cell = row->first; cell; cell = cell->next) {
    if (!is_boxed(cell)) continue;
    column = dmn_next(e, column, "column");
    const char *name = column ? dmn_attribute(b, column, "name") : NULL;
    if (!column) dmn_error(b, row, "the row has more cells than the relation has columns");
    if (!name) break;
    dmn_add_quoted(b, &keys, name);
    dmn_add(b, &keys, ", ");
    dmn_add(b, &values, "[");
    dmn_add_quoted(b, &values, name);
    dmn_add(b, &values, "] = ");
    dmn_add(b, &values, dmn_coerced(b, dmn_boxed(b, cell, scope), dmn_type_of(b, b->model, column, "typeRef")).lua);
    dmn_add(b, &values, ", ");
  }
  dmn_out out = {0};
  dmn_add(b, &out, "f.ctx{");
  dmn_add(b, &out, dmn_text_of(&keys));
  dmn_add(b, &out, dmn_text_of(&values));
  dmn_add(b, &out, "}");
  return out.text;
}

static const feel_type *relation_type(dmn_build *b, const xml_element *e) {
  feel_member *members = DMN_ARRAY(b, feel_member, dmn_count(e, "column") + 1);
  feel_type *item = DMN_NEW(b, feel_type);
  *item = (feel_type){.kind = FEEL_CONTEXT, .members = members};
  for (const xml_element *column = NULL; (column = dmn_next(e, column, "column"));) {
    const char *name = dmn_attribute(b, column, "name");
    if (!name) dmn_error(b, column, "<column> must have a name");
    else members[item->n_members++] = (feel_member){name, dmn_type_of(b, b->model, column, "typeRef")};
  }
  const feel_type *type = feel_type_list(b->arena, item);
  if (!type) dmn_memory(b);
  return type;
}

static dmn_piece relation(dmn_build *b, const xml_element *e, const feel_scope *scope) {
  dmn_out rows = {0};
  uint32_t count = 0;
  const feel_type *type = relation_type(b, e);
  for (const xml_element *row = NULL; (row = dmn_next(e, row, "row")); count++) {
    dmn_add(b, &rows, ", ");
    dmn_add(b, &rows, row_context(b, e, row, scope));
  }
  return (dmn_piece){.lua = dmn_printf(b, "f.list{n = %u%s}", count, dmn_text_of(&rows)), .type = type};
}

/* ---- Functions ------------------------------------------------------------------------------- */

static const char *result_type(dmn_build *b, const feel_type *type) {
  return dmn_type_any(type) ? "nil" : dmn_type_lua(b, type);
}

void dmn_check_parameters(dmn_build *b, const xml_element *e, uint32_t count) {
  if (count > ORR_DECISION_PARAMETERS_MAX)
    dmn_error(b, e, "a function has %u parameters; the limit is %d", count, ORR_DECISION_PARAMETERS_MAX);
}

dmn_piece dmn_function(dmn_build *b, const xml_element *e, const feel_scope *scope, const feel_type *result) {
  uint32_t count = dmn_count(e, "formalParameter");
  dmn_check_parameters(b, e, count);
  feel_name *parameters = DMN_ARRAY(b, feel_name, count + 1);
  dmn_out known = {0}, types = {0}, locals = {0}, body = {0}, out = {0};
  size_t n = 0;
  for (const xml_element *p = NULL; (p = dmn_next(e, p, "formalParameter")); n++) {
    const char *name = dmn_attribute(b, p, "name");
    if (!name) dmn_error(b, p, "<formalParameter> must have a name");
    parameters[n] = (feel_name){.name = name ? name : "", .type = dmn_type_of(b, b->model, p, "typeRef"), .lua = dmn_local(b)};
    dmn_add_quoted(b, &known, parameters[n].name);
    dmn_add(b, &known, ", ");
    dmn_addf(b, &types, "[%zu] = %s, ", n + 1, result_type(b, parameters[n].type));
    dmn_addf(b, &locals, "%s%s", n ? ", " : "", parameters[n].lua);
  }
  const char *kind = dmn_attribute(b, e, "kind");
  if (kind && strcmp(kind, "FEEL") != 0 && strcmp(kind, "F") != 0) {
    dmn_warning(b, e, "functions of kind \"%.40s\" are not supported here: their result is null", kind);
    return (dmn_piece){.lua = dmn_printf(b, "f.external{%s}", dmn_text_of(&known))};
  }
  feel_scope inner = {.outer = scope, .names = parameters, .n_names = n};
  dmn_boxed_body(b, dmn_expression_in(e), &inner, NULL, &body);
  dmn_addf(b, &out, "f.lambda({%s}, {%s}, function(%s)\n", dmn_text_of(&known), dmn_text_of(&types), dmn_text_of(&locals));
  dmn_add(b, &out, dmn_text_of(&body));
  dmn_addf(b, &out, "end, %s)", result_type(b, result));
  return (dmn_piece){.lua = out.text};
}

static dmn_piece function_definition(dmn_build *b, const xml_element *e, const feel_scope *scope) {
  return dmn_function(b, e, scope, NULL);
}

/* One argument: its name, and its value converted to the type of the binding. */
static void add_argument(dmn_build *b, const xml_element *binding, const feel_scope *scope, uint32_t place, dmn_out *keys,
                         dmn_out *values) {
  const xml_element *formal = dmn_child(binding, "parameter");
  const char *name = dmn_attribute(b, formal, "name");
  if (!name) {
    dmn_error(b, binding, "<binding> must have a <parameter> with a name");
    return;
  }
  dmn_piece value = dmn_boxed(b, dmn_expression_in(binding), scope);
  dmn_add_quoted(b, keys, name);
  dmn_add(b, keys, ", ");
  dmn_addf(b, values, ", [%u] = ", place);
  dmn_add(b, values, dmn_coerced(b, value, dmn_type_of(b, b->model, formal, "typeRef")).lua);
}

static dmn_piece invocation(dmn_build *b, const xml_element *e, const feel_scope *scope) {
  dmn_out keys = {0}, values = {0};
  uint32_t count = 0;
  const xml_element *called = dmn_expression_in(e);
  if (!called) dmn_error(b, e, "<invocation> must say what it invokes");
  dmn_piece function = dmn_boxed(b, called, scope);
  for (const xml_element *binding = NULL; (binding = dmn_next(e, binding, "binding"));)
    add_argument(b, binding, scope, ++count, &keys, &values);
  return (dmn_piece){.lua = dmn_printf(b, "f.call_named(%s, {%s}, {n = %u%s})", function.lua, dmn_text_of(&keys), count,
                                       dmn_text_of(&values))};
}

/* ---- Conditionals, filters, iterators: FEEL's own, around the compiled parts ----------------- */

static dmn_piece part(dmn_build *b, const xml_element *e, const char *name, const feel_scope *scope) {
  const xml_element *holder = dmn_child(e, name);
  if (!holder) dmn_error(b, e, "<%s> must have an <%s>", e->name, name);
  dmn_piece piece = dmn_boxed(b, dmn_expression_in(holder), scope);
  return holder ? dmn_coerced(b, piece, dmn_type_of(b, b->model, holder, "typeRef")) : piece;
}

/* Unlike in a text, a condition that is neither true nor false gives null. */
static dmn_piece conditional(dmn_build *b, const xml_element *e, const feel_scope *scope) {
  const char *condition = part(b, e, "if", scope).lua, *value = part(b, e, "then", scope).lua;
  const char *other = part(b, e, "else", scope).lua;
  return (dmn_piece){.lua = dmn_printf(b, "D.choose(%s, function() return %s end, function() return %s end)", condition, value,
                                       other)};
}

static dmn_piece filter(dmn_build *b, const xml_element *e, const feel_scope *scope) {
  dmn_piece in = part(b, e, "in", scope);
  const feel_type *item = in.type && in.type->kind == FEEL_LIST ? in.type->item : NULL;
  size_t n = item && item->kind == FEEL_CONTEXT ? item->n_members : 0;
  feel_name *known = DMN_ARRAY(b, feel_name, n + 1);
  const char *local = dmn_local(b);
  for (size_t i = 0; i < n; i++)
    known[i] = (feel_name){.name = item->members[i].name, .type = item->members[i].type,
                           .lua = dmn_printf(b, "D.member(%s, %s)", local, dmn_quoted(b, item->members[i].name))};
  known[n] = (feel_name){.name = "item", .type = item, .lua = local};
  feel_scope inner = {.outer = scope, .names = known, .n_names = n + 1};
  dmn_piece match = part(b, e, "match", &inner);
  const char *lua = dmn_printf(b, "D.filter(%s, function(%s) return %s end)", in.lua, local, match.lua);
  return (dmn_piece){.lua = lua, .type = in.type && in.type->kind == FEEL_LIST ? in.type : NULL};
}

/* for, some, every: `verb` is the support function. */
static dmn_piece iterator(dmn_build *b, const xml_element *e, const char *verb, const char *last, const feel_scope *scope) {
  const char *variable = dmn_attribute(b, e, "iteratorVariable");
  if (!variable) dmn_error(b, e, "<%s> must have an iteratorVariable", e->name);
  dmn_piece in = part(b, e, "in", scope);
  const feel_type *item = in.type && in.type->kind == FEEL_LIST ? in.type->item : NULL;
  feel_name known[] = {{.name = variable ? variable : "", .type = item, .lua = dmn_local(b)},
                       {.name = "partial", .lua = dmn_local(b)}};
  feel_scope inner = {.outer = scope, .names = known, .n_names = strcmp(verb, "loop") == 0 ? 2 : 1};
  dmn_piece result = part(b, e, last, &inner);
  const char *lua =
      dmn_printf(b, "D.%s(%s, function(%s, %s) return %s end)", verb, in.lua, known[0].lua, known[1].lua, result.lua);
  return (dmn_piece){.lua = lua};
}

static dmn_piece for_loop(dmn_build *b, const xml_element *e, const feel_scope *scope) {
  return iterator(b, e, "loop", "return", scope);
}
static dmn_piece some(dmn_build *b, const xml_element *e, const feel_scope *scope) {
  return iterator(b, e, "some", "satisfies", scope);
}
static dmn_piece every(dmn_build *b, const xml_element *e, const feel_scope *scope) {
  return iterator(b, e, "every", "satisfies", scope);
}

/* ---- Any of them ----------------------------------------------------------------------------- */

static dmn_piece table(dmn_build *b, const xml_element *e, const feel_scope *scope) {
  dmn_out body = {0};
  dmn_table_body(b, e, scope, NULL, &body);
  return (dmn_piece){.lua = in_function(b, &body)};
}

static const struct { const char *name; boxed_fn compile; } BOXED[] = {
  {"literalExpression", literal}, {"decisionTable", table}, {"context", context}, {"list", list}, {"relation", relation},
  {"invocation", invocation}, {"functionDefinition", function_definition}, {"conditional", conditional}, {"filter", filter},
  {"for", for_loop}, {"some", some}, {"every", every},
};

dmn_piece dmn_boxed(dmn_build *b, const xml_element *e, const feel_scope *scope) {
  dmn_piece piece = {.lua = "nil"};
  for (size_t i = 0; e && i < sizeof BOXED / sizeof *BOXED; i++)
    if (dmn_is(e, BOXED[i].name)) piece = BOXED[i].compile(b, e, scope);
  return e ? dmn_coerced(b, piece, dmn_type_of(b, b->model, e, "typeRef")) : piece;
}

static void add_return(dmn_build *b, const char *lua, dmn_out *out) {
  dmn_add(b, out, "return ");
  dmn_add(b, out, lua);
  dmn_add(b, out, "\n");
}

void dmn_boxed_body(dmn_build *b, const xml_element *e, const feel_scope *scope, const feel_type *type, dmn_out *out) {
  const feel_type *own = e ? dmn_type_of(b, b->model, e, "typeRef") : NULL;
  if (e && dmn_is(e, "decisionTable") && (dmn_type_any(own) || dmn_type_any(type) || own == type))
    dmn_table_body(b, e, scope, dmn_type_any(type) ? own : type, out);
  else add_return(b, dmn_coerced(b, dmn_boxed(b, e, scope), type).lua, out);
}
