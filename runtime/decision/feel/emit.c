/* A tree as Lua: literals, names and operators, and the entry. */
#include "decision/feel/emit_internal.h"

#include <string.h>

#include "base/limits.h"
#include "decision/feel/scan.h"
#include "decision/feel/type.h"

/* Of Lua's 200 levels, the host that loads the chunk and the code around the piece take some. */
#define LUA_LEVELS_MAX 150
/* Of Lua's 255 registers, the caller's locals take some. */
#define LUA_REGISTERS_MAX 180

/* ---- Bounds ---------------------------------------------------------------------------------- */

static void limit(feel_emitter *e, const feel_node *node, const char *what) {
  if (e->rc) return;
  feel_scan scan = {
      .text = e->request->text, .size = e->request->size, .where = e->where, .err = e->err};
  e->rc = feel_scan_fail_code(&scan, ORR_E_LIMIT, node->at, "%s", what);
}

feel_level emit_enter(feel_emitter *e, const feel_node *node, int levels, int registers) {
  feel_level before = {e->levels, e->registers};
  e->levels += levels;
  e->registers += registers;
  if (e->levels > LUA_LEVELS_MAX) limit(e, node, "nested too deep");
  if (e->registers > LUA_REGISTERS_MAX) limit(e, node, "too many values at once");
  return before;
}

feel_level emit_enter_function(feel_emitter *e, const feel_node *node, int parameters) {
  feel_level before = {e->levels, e->registers};
  e->registers = 0;
  emit_enter(e, node, 4, parameters);
  return before;
}

void emit_leave(feel_emitter *e, feel_level before) {
  e->levels = before.levels;
  e->registers = before.registers;
}

bool emit_at_most(feel_emitter *e, const feel_node *node, size_t n, size_t most, const char *what) {
  if (n > most) limit(e, node, what);
  return n <= most;
}

/* ---- Text ------------------------------------------------------------------------------------ */

void emit_put(feel_emitter *e, const char *text) { source_put(&e->source, text); }
void emit_quoted(feel_emitter *e, const char *text, size_t size) {
  source_put_quoted(&e->source, text, size);
}

void emit_constant(feel_emitter *e, const char *lua) {
  const char *place = lua ? feel_unit_constant(e->unit, lua) : NULL;
  if (place) emit_put(e, place);
  else e->source.failed = true;
}

void emit_type(feel_emitter *e, const feel_type *type) {
  emit_constant(e, feel_type_lua(e->unit->arena, type));
}

void emit_arguments(feel_emitter *e, const feel_node *first, int held) {
  for (const feel_node *n = first; n && !e->rc; n = n->next) {
    feel_level before = emit_enter(e, n, 1, ++held);
    emit_put(e, ", ");
    emit_value(e, n);
    emit_leave(e, before);
  }
}

/* `function(a, b, …)` of a node's children. */
static void emit_children(feel_emitter *e, const char *function, const feel_node *node) {
  feel_level before = emit_enter(e, node, 1, 2);
  source_putf(&e->source, "%s(", function);
  emit_value(e, node->first);
  emit_leave(e, before);
  emit_arguments(e, node->first->next, 2);
  emit_put(e, ")");
}

/* ---- Literals -------------------------------------------------------------------------------- */

bool emit_is_literal(const feel_node *node) {
  return node->kind == N_NUMBER || node->kind == N_STRING || node->kind == N_TRUE ||
         node->kind == N_FALSE || node->kind == N_NULL;
}

/* 18 digits always fit; Lua would read more as a float. */
static void emit_number(feel_emitter *e, const feel_node *node) {
  const char *digits = node->text + (node->text[0] == '-');
  size_t n = strspn(digits, "0123456789");
  if (digits[n] == '\0' && n <= 18)
    source_putf(&e->source, node->text[0] == '-' ? "(%s)" : "%s", node->text);
  else emit_constant(e, arena_printf(e->unit->arena, "f.number(\"%s\")", node->text));
}

/* The result of a support function for a constant text. If it has none, it is called again, for its
 * diagnostic. */
static void emit_folded(feel_emitter *e, const char *function, const feel_node *text) {
  const char *quoted = source_quote(e->unit->arena, text->text, text->size);
  const char *lua = quoted ? arena_printf(e->unit->arena, "%s%s)", function, quoted) : NULL;
  emit_put(e, "(");
  emit_constant(e, lua);
  if (lua) source_putf(&e->source, " or %s)", lua);
}

static void emit_list(feel_emitter *e, const feel_node *node) {
  size_t n = 0;
  for (const feel_node *item = node->first; item; item = item->next) n++;
  source_putf(&e->source, "f.list{n = %zu", n);
  int i = 0;
  for (const feel_node *item = node->first; item && !e->rc; item = item->next) {
    feel_level before = emit_enter(
        e, item, 2, 3 + i++ % 50); /* a constructor gathers fifty before it stores them */
    emit_put(e, ", (");
    emit_value(e, item);
    emit_put(e, ")");
    emit_leave(e, before);
  }
  emit_put(e, "}");
}

static void emit_range(feel_emitter *e, const feel_node *node) {
  source_putf(&e->source, "f.range(%s", node->low_open ? "false" : "true");
  emit_arguments(e, node->first, 2);
  source_putf(&e->source, ", %s)", node->high_open ? "false" : "true");
}

static const char *op_name(feel_op op) {
  static const char *const names[] = {"add", "sub", "mul", "div", "pow", "eq",
                                      "ne",  "lt",  "le",  "gt",  "ge"};
  return names[op];
}

static void emit_half_range(feel_emitter *e, const feel_node *node) {
  source_putf(&e->source, "f.half_range(\"%s\"", op_name(node->op));
  emit_arguments(e, node->first, 1);
  emit_put(e, ")");
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* `f.asked(scope, "name", item, …)`: members first, from the innermost filter out, then the host.
 * `f.asked_or(function, scope, …)` when a built-in function has the name, too. */
static void emit_asked_name(feel_emitter *e, const feel_node *node) {
  if (node->lua) source_putf(&e->source, "f.asked_or(%s, scope, ", node->lua);
  else emit_put(e, "f.asked(scope, ");
  emit_quoted(e, node->text, node->size);
  for (const feel_probe *probe = node->probes; probe; probe = probe->next) {
    source_putf(&e->source, ", %s", probe->lua);
  }
  emit_put(e, ")");
}

/* `f.field(item, "name", otherwise)`, from the innermost filter out. */
static void emit_probed_name(feel_emitter *e, const feel_node *node) {
  int open = 0;
  for (const feel_probe *probe = node->probes; probe; probe = probe->next, open++) {
    source_putf(&e->source, "f.field(%s, ", probe->lua);
    emit_quoted(e, node->text, node->size);
    emit_put(e, ", ");
  }
  emit_put(e, node->lua ? node->lua : "nil");
  while (open-- > 0) emit_put(e, ")");
}

static void emit_name(feel_emitter *e, const feel_node *node) {
  if (node->asked) {
    emit_asked_name(e, node);
  } else if (node->probes) {
    emit_probed_name(e, node);
  } else if (node->lua) {
    emit_put(e, node->lua);
  } else {
    emit_put(e, "f.unknown(");
    emit_quoted(e, node->text, node->size);
    emit_put(e, ")");
  }
}

static void emit_builtin(feel_emitter *e, const feel_node *node) {
  source_putf(&e->source, "f.functions[\"%s\"]", node->text);
}

/* ---- Operators ------------------------------------------------------------------------------- */

static void emit_unary(feel_emitter *e, const char *function, const feel_node *node) {
  emit_children(e, function, node);
}

/* A chain of operators, `a + b - c + …`, nests to the left as deep as it is long; a long one
 * becomes a row of statements. */
static size_t spine_length(const feel_node *node) {
  size_t n = 0;
  for (; node->kind == N_ARITHMETIC; node = node->first) n++;
  return n;
}

static void emit_spine(feel_emitter *e, const feel_node *node, size_t n) {
  const feel_node **steps = ARENA_ARRAY(e->unit->arena, const feel_node *, n);
  if (!steps) {
    e->source.failed = true;
    return;
  }
  for (size_t i = n; i > 0; i--, node = node->first) steps[i - 1] = node;
  feel_level before = emit_enter_function(e, node, 4);
  emit_put(e, "(function() local r = ");
  emit_value(e, node);
  for (size_t i = 0; i < n && !e->rc; i++) {
    source_putf(&e->source, "; r = f.%s(r, ", op_name(steps[i]->op));
    emit_value(e, steps[i]->first->next);
    emit_put(e, ")");
  }
  emit_put(e, "; return r end)()");
  emit_leave(e, before);
}

static void emit_arithmetic(feel_emitter *e, const feel_node *node) {
  enum { NESTED_MAX = 16 };
  size_t n = spine_length(node);
  if (n > NESTED_MAX) {
    emit_spine(e, node, n);
    return;
  }
  source_putf(&e->source, "f.%s(", op_name(node->op));
  feel_level before = emit_enter(e, node, 1, 2);
  emit_value(e, node->first);
  emit_leave(e, before);
  emit_arguments(e, node->first->next, 2);
  emit_put(e, ")");
}

/* `x = null` is Lua's own; so is equality with a literal where only true matters, since the numbers
 * and texts that are equal in FEEL are equal in Lua. */
static bool emit_raw_comparison(feel_emitter *e, const feel_node *node, bool truth) {
  const feel_node *left = node->first, *right = left->next;
  bool null = left->kind == N_NULL || right->kind == N_NULL;
  bool literal = emit_is_literal(left) || emit_is_literal(right);
  if (node->op != OP_EQ && !(node->op == OP_NE && null)) return false;
  if (!null && !(truth && literal)) return false;
  feel_level before = emit_enter(e, node, 2, 2);
  emit_put(e, "(");
  emit_value(e, left);
  emit_put(e, node->op == OP_EQ ? " == " : " ~= ");
  emit_value(e, right);
  emit_put(e, ")");
  emit_leave(e, before);
  return true;
}

static void emit_comparison(feel_emitter *e, const feel_node *node, bool truth) {
  if (emit_raw_comparison(e, node, truth)) return;
  const char *function = arena_printf(e->unit->arena, "f.%s", op_name(node->op));
  if (function) emit_children(e, function, node);
  else e->source.failed = true;
}

/* `instance of list`: types of this kind are incomplete without those of their parts. */
static bool is_bare(const feel_type *type) {
  if (type->lua) return false;
  if (type->kind == FEEL_LIST || type->kind == FEEL_RANGE) return !type->item;
  return type == feel_type_builtin("context", 7) || type == feel_type_builtin("function", 8);
}

static void emit_instance(feel_emitter *e, const feel_node *node) {
  if (is_bare(node->of)) {
    source_putf(&e->source, "f.nothing(\"\\\"%s\\\" alone is no type\")", feel_type_name(node->of));
    return;
  }
  feel_level before = emit_enter(e, node, 1, 2);
  emit_put(e, "f.instance_of(");
  emit_value(e, node->first);
  emit_put(e, ", ");
  emit_type(e, node->of);
  emit_put(e, ")");
  emit_leave(e, before);
}

static void emit_path(feel_emitter *e, const feel_node *node) {
  feel_level before = emit_enter(e, node, 1, 2);
  emit_put(e, "f.get(");
  emit_value(e, node->first);
  emit_put(e, ", ");
  emit_quoted(e, node->text, node->size);
  emit_put(e, ")");
  emit_leave(e, before);
}

/* ---- Values and truths ----------------------------------------------------------------------- */

static void emit_literal(feel_emitter *e, const feel_node *node) {
  switch (node->kind) {
    case N_NULL: emit_put(e, "nil"); break;
    case N_TRUE: emit_put(e, "true"); break;
    case N_FALSE: emit_put(e, "false"); break;
    case N_NUMBER: emit_number(e, node); break;
    case N_STRING: emit_quoted(e, node->text, node->size); break;
    default: break;
  }
}

static void emit_operator(feel_emitter *e, const feel_node *node) {
  switch (node->kind) {
    case N_NEGATE: emit_unary(e, "f.neg", node); break;
    case N_ARITHMETIC: emit_arithmetic(e, node); break;
    case N_AND:
    case N_OR: emit_connective(e, node); break;
    case N_COMPARE: emit_comparison(e, node, false); break;
    case N_BETWEEN: emit_children(e, "f.between", node); break;
    case N_IN: emit_in(e, node); break;
    case N_INSTANCE: emit_instance(e, node); break;
    case N_PATH: emit_path(e, node); break;
    case N_FILTER: emit_filter(e, node); break;
    case N_CALL: emit_call(e, node); break;
    default: break;
  }
}

static void emit_construct(feel_emitter *e, const feel_node *node) {
  switch (node->kind) {
    case N_IF: emit_if(e, node); break;
    case N_FOR:
    case N_SOME:
    case N_EVERY: emit_iteration(e, node); break;
    case N_FUNCTION: emit_function(e, node); break;
    case N_CONTEXT: emit_context(e, node); break;
    case N_LIST: emit_list(e, node); break;
    case N_RANGE: emit_range(e, node); break;
    case N_HALF_RANGE: emit_half_range(e, node); break;
    case N_AT: emit_folded(e, "f.at(", node); break;
    case N_NAME: emit_name(e, node); break;
    case N_BUILTIN: emit_builtin(e, node); break;
    case N_INPUT: emit_put(e, node->lua); break;
    default: break;
  }
}

void emit_value(feel_emitter *e, const feel_node *node) {
  if (e->rc) return;
  if (emit_is_literal(node)) emit_literal(e, node);
  else if (node->kind >= N_NEGATE && node->kind <= N_CALL) emit_operator(e, node);
  else emit_construct(e, node);
}

/* `a and b` where each is true or not. */
static void emit_lua_connective(feel_emitter *e, const feel_node *node) {
  feel_level before = emit_enter(e, node, 2, 2);
  emit_put(e, "(");
  for (const feel_node *n = node->first; n && !e->rc; n = n->next) {
    emit_truth(e, n);
    if (n->next) emit_put(e, node->kind == N_AND ? " and " : " or ");
  }
  emit_put(e, ")");
  emit_leave(e, before);
}

bool emit_is_condition(const feel_node *condition) {
  switch (condition->kind) {
    case N_AND:
    case N_OR:
    case N_COMPARE:
    case N_BETWEEN:
    case N_IN:
    case N_INSTANCE:
    case N_SOME:
    case N_EVERY: return true;
    default: return false;
  }
}

/* Kinds whose value is always true, false or nil. Declared types are not trusted. */
static bool is_boolean(const feel_node *node) {
  switch (node->kind) {
    case N_TRUE:
    case N_FALSE:
    case N_NULL: return true;
    case N_CALL: return node->first->kind == N_BUILTIN && node->type->kind == FEEL_BOOLEAN;
    default: return emit_is_condition(node);
  }
}

void emit_truth(feel_emitter *e, const feel_node *node) {
  if (e->rc) return;
  if (node->kind == N_AND || node->kind == N_OR) {
    emit_lua_connective(e, node);
  } else if (node->kind == N_COMPARE) {
    emit_comparison(e, node, true);
  } else if (is_boolean(node)) {
    emit_value(e, node);
  } else {
    feel_level before = emit_enter(e, node, 2, 2);
    emit_put(e, "(");
    emit_value(e, node);
    emit_put(e, " == true)");
    emit_leave(e, before);
  }
}

/* ---- The entry ------------------------------------------------------------------------------- */

static bool is_tests(const feel_node *node) {
  return node->kind == N_ANY || node->kind == N_TESTS || node->kind == N_NOT_TESTS;
}

static void emit_root(feel_emitter *e, const feel_node *root, feel_code *out) {
  if (e->request->form == FEEL_TYPE) {
    out->type = root->of;
    emit_put(e, feel_type_lua(e->unit->arena, root->of));
  } else if (is_tests(root)) {
    out->type = &feel_boolean;
    emit_tests(e, root);
  } else {
    out->type = root->type;
    emit_value(e, root);
  }
}

int feel_emit(feel_unit *unit, const feel_request *request, const feel_node *root, feel_code *out,
              feel_place *where, orr_error *err) {
  feel_emitter e = {.unit = unit,
                    .request = request,
                    .source = {.arena = unit->arena},
                    .where = where,
                    .err = err};
  emit_root(&e, root, out);
  if (e.rc) return e.rc;
  if (e.source.failed || !e.source.text) return error_memory(err);
  const feel_node *only = root->kind == N_TESTS && !root->first->next ? root->first : root;
  out->literal = emit_is_literal(only) || root->kind == N_ANY;
  out->lua = e.source.text;
  out->size = e.source.size;
  return 0;
}
