/* Types: item definitions, what type references name, and when a value needs no check. */
#include <string.h>

#include "base/nearest.h"
#include "decision/dmn/dmn_internal.h"
#include "decision/feel/type.h"

static const feel_type *item_type_of(dmn_build *b, dmn_model *m, dmn_item *item);

/* ---- Names of types -------------------------------------------------------------------------- */

bool dmn_type_is_foreign_number(const char *name) {
  static const char *const NUMBERS[] = {"integer", "int", "long", "double", "float", "short", "decimal"};
  for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
    if (strcmp(NUMBERS[i], name) == 0) return true;
  return false;
}

/* Type names that Camunda's and Flowable's tools write besides DMN's own. */
static const feel_type *vendor_type(const char *name, bool *known) {
  static const char *const OTHERS[] = {"date",   "dateTime", "datetime", "collection", "json",
                                       "object", "map",      "list",     "any",        "Any"};
  *known = true;
  for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
    if (strcmp(OTHERS[i], name) == 0) return NULL;
  *known = false;
  return NULL;
}

static const feel_type *own_type(dmn_build *b, dmn_model *m, const char *name, bool *known) {
  dmn_item *item = names_get(&m->items, name);
  *known = true;
  if (item) return item_type_of(b, m, item);
  if (dmn_type_is_foreign_number(name)) return feel_type_builtin("number", strlen("number"));
  if (m->vendor != DMN_STANDARD) {
    const feel_type *type = vendor_type(name, known);
    if (*known) return type;
  }
  const feel_type *builtin = feel_type_builtin(name, strlen(name));
  *known = builtin != NULL;
  return builtin;
}

static const feel_type *imported_type(dmn_build *b, dmn_model *m, const char *name, bool *known) {
  for (uint32_t i = 0; i < m->n_imports; i++) {
    const dmn_import *import = &m->imports[i];
    size_t n = strlen(import->name);
    if (!import->model || (n && (strncmp(name, import->name, n) != 0 || name[n] != '.'))) continue;
    const feel_type *type = own_type(b, import->model, n ? name + n + 1 : name, known);
    if (*known) return type;
  }
  *known = false;
  return NULL;
}

/* `list<number>` and the like, as FEEL writes types. */
static const feel_type *written_type(dmn_build *b, const dmn_model *m, const char *name, bool *known) {
  feel_scope scope = {.types = m->types, .n_types = m->n_types};
  feel_request request = {.form = FEEL_TYPE, .text = name, .size = strlen(name), .scope = &scope};
  feel_code code = {0};
  orr_error err = {0};
  int rc = strchr(name, '<') ? feel_compile(b->unit, &request, &code, NULL, &err) : ORR_E_EXPRESSION;
  orr_error_clear(&err);
  if (rc == ORR_E_MEMORY) dmn_memory(b);
  *known = !rc;
  return rc ? NULL : code.type;
}

static nearest nearest_type(const dmn_model *m, const char *name) {
  static const char *const BUILTIN[] = {
      "number", "string", "boolean", "date", "time", "date and time", "days and time duration", "years and months duration",
      "Any"};
  nearest best = nearest_to(name, strlen(name));
  for (size_t i = 0; i < sizeof BUILTIN / sizeof *BUILTIN; i++) nearest_offer(&best, BUILTIN[i], strlen(BUILTIN[i]));
  for (uint32_t i = 0; i < m->n_types; i++) nearest_offer(&best, m->types[i].name, strlen(m->types[i].name));
  return best;
}

/* The type that a reference names; NULL: any, or unknown (reported at `e`). */
static const feel_type *dmn_type_named(dmn_build *b, dmn_model *m, const xml_element *e, const char *name) {
  bool known = true;
  if (!name) return NULL;
  const feel_type *type = own_type(b, m, name, &known);
  if (known) return type;
  const char *colon = strchr(name, ':');
  if (colon && colon[1] && !strchr(name, '<')) type = own_type(b, m, colon + 1, &known);
  if (!known) type = imported_type(b, m, name, &known);
  if (!known) type = written_type(b, m, name, &known);
  if (known) return type;
  const char *once = dmn_printf(b, "%p %s", (const void *)e, name); /* an element's type is asked for more than once */
  if (names_get(&b->refused, once)) return NULL;
  if (!names_put(&b->refused, once, b)) dmn_memory(b);
  nearest best = nearest_type(m, name);
  const char *hint = best.name ? dmn_printf(b, "; did you mean \"%.*s\"?", (int)best.size, best.name) : "";
  bool lenient = b->options->lenient || m->vendor != DMN_STANDARD;
  dmn_problem(b, lenient, e, e->line, e->column, "there is no type \"%.100s\"%s", name, hint);
  return NULL;
}

const feel_type *dmn_type_of(dmn_build *b, dmn_model *m, const xml_element *e, const char *attribute) {
  return e ? dmn_type_named(b, m, e, dmn_attribute(b, e, attribute)) : NULL;
}

/* ---- Item definitions ------------------------------------------------------------------------ */

static feel_type *item_new_type(dmn_build *b, feel_type value) {
  feel_type *type = DMN_NEW(b, feel_type);
  *type = value;
  return type;
}

const char *dmn_type_lua(dmn_build *b, const feel_type *type) {
  const char *lua = feel_type_lua(b->arena, type ? type : feel_type_builtin("Any", 3));
  if (!lua) dmn_memory(b);
  return lua;
}

/* The type whose values also pass the tests in `e`, an <allowedValues> or <typeConstraint>. */
static const feel_type *constrained(dmn_build *b, const feel_type *base, const xml_element *e) {
  dmn_text text = dmn_text_in(b, e, true);
  if (!e || dmn_text_blank(&text)) return base;
  text.language = DMN_FEEL; /* types are the standard's own */
  const char *input = dmn_local(b);
  dmn_piece test = dmn_compile_test(b, &text, &(feel_scope){0}, input, base);
  uint32_t number = ++b->n_types;
  dmn_addf(b, &b->types, "T[%u] = f.types.constrained(%s, function(%s) return ", number, dmn_type_lua(b, base), input);
  dmn_add(b, &b->types, test.lua);
  dmn_add(b, &b->types, " end)\n");
  feel_type *type = item_new_type(b, base ? *base : (feel_type){.kind = FEEL_ANY});
  type->lua = dmn_printf(b, "T[%u]", number);
  return type;
}

static const feel_type *structure(dmn_build *b, dmn_model *m, const xml_element *e);

static const feel_type *context_type(dmn_build *b, dmn_model *m, const xml_element *e, uint32_t count) {
  feel_member *members = DMN_ARRAY(b, feel_member, count);
  size_t n = 0;
  for (const xml_element *c = NULL; (c = dmn_next(e, c, "itemComponent"));) {
    const char *name = dmn_attribute(b, c, "name");
    if (!name) dmn_error(b, c, "<itemComponent> must have a name");
    else members[n++] = (feel_member){name, structure(b, m, c)};
  }
  return item_new_type(b, (feel_type){.kind = FEEL_CONTEXT, .open = true, .members = members, .n_members = n});
}

static const feel_type *item_function_type(dmn_build *b, dmn_model *m, const xml_element *e) {
  feel_member *members = DMN_ARRAY(b, feel_member, dmn_count(e, "parameters") + 1);
  size_t n = 0;
  for (const xml_element *c = NULL; (c = dmn_next(e, c, "parameters"));)
    members[n++] = (feel_member){dmn_attribute(b, c, "name"), dmn_type_of(b, m, c, "typeRef")};
  const feel_type *result = dmn_type_of(b, m, e, "outputTypeRef");
  return item_new_type(b, (feel_type){.kind = FEEL_FUNCTION, .item = result, .members = members, .n_members = n});
}

/* Allowed values are about the items, a type constraint about the whole. */
static const feel_type *structure(dmn_build *b, dmn_model *m, const xml_element *e) {
  const xml_element *reference = dmn_child(e, "typeRef"), *function = dmn_child(e, "functionItem");
  uint32_t components = dmn_count(e, "itemComponent");
  const feel_type *type = NULL;
  if (components) type = context_type(b, m, e, components);
  else if (function) type = item_function_type(b, m, function);
  else if (reference) type = dmn_type_named(b, m, reference, dmn_trimmed(b, reference->text));
  type = constrained(b, type, dmn_child(e, "allowedValues"));
  const char *collection = dmn_attribute(b, e, "isCollection");
  if (collection && (strcmp(collection, "true") == 0 || strcmp(collection, "1") == 0)) {
    type = feel_type_list(b->arena, type);
    if (!type) dmn_memory(b);
  }
  return constrained(b, type, dmn_child(e, "typeConstraint"));
}

static const feel_type *item_type_of(dmn_build *b, dmn_model *m, dmn_item *item) {
  if (item->open) {
    dmn_error(b, item->element, "item definition \"%s\" contains itself", item->name);
    return NULL;
  }
  if (item->type) return item->type;
  item->open = true;
  const feel_type *type = structure(b, m, item->element);
  item->open = false;
  return item->type = type ? type : feel_type_builtin("Any", 3);
}

static void add_types(dmn_build *b, dmn_model *m, const char *prefix, const dmn_model *from, uint32_t room) {
  for (uint32_t i = 0; i < from->n_types && m->n_types < room; i++) {
    if (strchr(from->types[i].name, '.') && from != m) continue; /* what it imports itself */
    const char *name = *prefix ? dmn_printf(b, "%s.%s", prefix, from->types[i].name) : from->types[i].name;
    m->types[m->n_types++] = (feel_member){name, from->types[i].type};
  }
}

void dmn_read_types(dmn_build *b, dmn_model *m) {
  uint32_t room = dmn_count(m->root, "itemDefinition");
  for (uint32_t i = 0; i < m->n_imports; i++) room += m->imports[i].model ? m->imports[i].model->n_types : 0;
  m->types = DMN_ARRAY(b, feel_member, room + 1);
  for (const xml_element *e = NULL; (e = dmn_next(m->root, e, "itemDefinition"));) {
    const char *name = dmn_attribute(b, e, "name");
    if (!name) dmn_error(b, e, "<itemDefinition> must have a name");
    else if (names_get(&m->items, name)) dmn_error(b, e, "item definition \"%s\" is declared twice", name);
    if (!name || names_get(&m->items, name)) continue;
    dmn_item *item = DMN_NEW(b, dmn_item);
    *item = (dmn_item){.element = e, .name = name};
    if (!names_put(&m->items, name, item)) dmn_memory(b);
  }
  for (const xml_element *e = NULL; (e = dmn_next(m->root, e, "itemDefinition"));) {
    const char *name = dmn_attribute(b, e, "name");
    dmn_item *item = name ? names_get(&m->items, name) : NULL;
    if (!item || item->element != e) continue;
    const feel_type *type = item_type_of(b, m, item); /* first: a problem in it looks at the types so far */
    m->types[m->n_types++] = (feel_member){name, type};
  }
  for (uint32_t i = 0; i < m->n_imports; i++)
    if (m->imports[i].model) add_types(b, m, m->imports[i].name, m->imports[i].model, room);
  for (uint32_t i = 0; i < m->n_nodes; i++) {
    dmn_node *n = m->nodes[i];
    const xml_element *variable = dmn_child(n->element, "variable");
    n->type = dmn_type_of(b, m, variable, "typeRef");
  }
}

/* ---- What fits ------------------------------------------------------------------------------- */

bool dmn_type_any(const feel_type *type) { return !type || (type->kind == FEEL_ANY && !type->lua); }

bool dmn_type_fits(const feel_type *has, const feel_type *wanted) {
  if (dmn_type_any(wanted) || has == wanted) return true;
  if (!has || wanted->lua) return has && has->kind == FEEL_NULL;
  if (has->kind == FEEL_NULL) return true;
  return has->kind == wanted->kind && wanted->kind >= FEEL_NUMBER && wanted->kind <= FEEL_MONTHS_DURATION;
}

dmn_piece dmn_coerced(dmn_build *b, dmn_piece piece, const feel_type *type) {
  if (dmn_type_fits(piece.type, type)) return piece;
  return (dmn_piece){.lua = dmn_printf(b, "f.coerce(%s, %s)", piece.lua, dmn_type_lua(b, type)), .type = type};
}
