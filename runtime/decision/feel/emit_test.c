/* Unary tests: cells of decision tables, and the right side of `in`.
 *
 * In a cell only true counts, and its input is a local of the chunk: tests against literals are
 * Lua's own comparisons when the input's type is known. Behind `in` the answer may be null, so
 * everything goes through the support library. */
#include <string.h>

#include "decision/feel/emit_internal.h"

/* What is tested: the Lua expression that holds it, without effects, and what is known of it. */
typedef struct subject {
  const char *lua;
  const feel_type *type;
  bool in_cell; /* where only true counts */
} subject;

static bool is_number_literal(const feel_node *node) { return node->kind == N_NUMBER; }

/* Ranges over number literals, of an input that is a number or null. */
static bool is_plain_range(const subject *s, const feel_node *test) {
  if (s->type->kind != FEEL_NUMBER) return false;
  if (test->kind == N_RANGE)
    return is_number_literal(test->first) && is_number_literal(test->first->next);
  return test->kind == N_HALF_RANGE && is_number_literal(test->first);
}

static const char *lua_operator(feel_op op) {
  switch (op) {
    case OP_LT: return "<";
    case OP_LE: return "<=";
    case OP_GT: return ">";
    case OP_GE: return ">=";
    case OP_NE: return "~=";
    default: return "==";
  }
}

/* `(v1 ~= nil and v1 >= 1 and v1 <= 10)`; an input that is not null is equal or not. */
static void emit_plain_range(feel_emitter *e, const subject *s, const feel_node *test) {
  bool half = test->kind == N_HALF_RANGE,
       equality = half && (test->op == OP_EQ || test->op == OP_NE);
  emit_put(e, "(");
  if (!equality) source_putf(&e->source, "%s ~= nil and ", s->lua);
  source_putf(&e->source, "%s %s ", s->lua,
              half             ? lua_operator(test->op)
              : test->low_open ? ">"
                               : ">=");
  emit_value(e, test->first);
  if (!half) {
    source_putf(&e->source, " and %s %s ", s->lua, test->high_open ? "<" : "<=");
    emit_value(e, test->first->next);
  }
  emit_put(e, ")");
}

static const char *op_function(feel_op op) {
  static const char *const names[] = {"f.eq", "f.ne", "f.lt", "f.le", "f.gt", "f.ge"};
  return names[op - OP_EQ];
}

/* `function(subject, value …` */
static void emit_on_subject(feel_emitter *e, const char *function, const subject *s,
                            const feel_node *arguments) {
  source_putf(&e->source, "%s(%s", function, s->lua);
  emit_arguments(e, arguments, 2);
}

static void emit_general(feel_emitter *e, const subject *s, const feel_node *test) {
  if (test->kind == N_RANGE) {
    emit_on_subject(e, "f.within", s, test->first);
    source_putf(&e->source, ", %s, %s)", test->low_open ? "true" : "false",
                test->high_open ? "true" : "false");
    return;
  }
  feel_node alone = *test;
  alone.next = NULL;
  if (test->kind == N_HALF_RANGE) emit_on_subject(e, op_function(test->op), s, test->first);
  else
    emit_on_subject(e,
                    test->asks_input ? "f.test_asking"
                    : s->in_cell     ? "f.test"
                                     : "f.is_in",
                    s, &alone);
  emit_put(e, ")");
}

/* One test where only true counts. */
static void emit_test_truth(feel_emitter *e, const subject *s, const feel_node *test) {
  feel_level before = emit_enter(e, test, 1, 4);
  if (emit_is_literal(test)) {
    source_putf(&e->source, "%s == ", s->lua);
    emit_value(e, test);
  } else if (is_plain_range(s, test)) {
    emit_plain_range(e, s, test);
  } else if (test->asks_input && test->type->kind == FEEL_BOOLEAN) {
    emit_truth(e, test);
  } else {
    emit_general(e, s, test);
  }
  emit_leave(e, before);
}

/* One test whose answer may be null. */
static void emit_test_value(feel_emitter *e, const subject *s, const feel_node *test) {
  feel_node alone = *test;
  alone.next = NULL;
  if (!emit_is_literal(test)) {
    emit_general(e, s, test);
    return;
  }
  emit_on_subject(e, "f.eq", s, &alone);
  emit_put(e, ")");
}

static void emit_test_row(feel_emitter *e, const subject *s, const feel_node *first,
                          const char *between,
                          void (*emit_one)(feel_emitter *, const subject *, const feel_node *)) {
  for (const feel_node *test = first; test && !e->rc; test = test->next) {
    emit_one(e, s, test);
    if (test->next) emit_put(e, between);
  }
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static bool all_plain(const subject *s, const feel_node *first) {
  bool known =
      s->type->kind == FEEL_NUMBER || s->type->kind == FEEL_STRING || s->type->kind == FEEL_BOOLEAN;
  for (const feel_node *test = first; test; test = test->next)
    if (!known || (!emit_is_literal(test) && !is_plain_range(s, test))) return false;
  return true;
}

static bool has_range(const feel_node *first) {
  for (const feel_node *test = first; test; test = test->next)
    if (!emit_is_literal(test)) return true;
  return false;
}

/* A comparison with null is null, and so is its opposite: then neither holds. Equality with a
 * literal is never null. */
static void emit_none(feel_emitter *e, const subject *s, const feel_node *first) {
  if (!all_plain(s, first)) {
    size_t n = 0;
    for (const feel_node *test = first; test; test = test->next) n++;
    source_putf(&e->source, "f.none(%zu, ", n);
    emit_test_row(e, s, first, ", ", emit_test_value);
    emit_put(e, ")");
    return;
  }
  if (has_range(first)) source_putf(&e->source, "(%s ~= nil and not (", s->lua);
  else emit_put(e, "(not (");
  emit_test_row(e, s, first, " or ", emit_test_truth);
  emit_put(e, "))");
}

void emit_tests(feel_emitter *e, const feel_node *node) {
  subject s = {e->request->input, e->request->input_type ? e->request->input_type : &feel_any,
               true};
  if (node->kind == N_ANY) {
    emit_put(e, "true");
  } else if (node->kind == N_NOT_TESTS) {
    emit_none(e, &s, node->first);
  } else {
    emit_put(e, "(");
    emit_test_row(e, &s, node->first, " or ", emit_test_truth);
    emit_put(e, ")");
  }
}

/* ---- In -------------------------------------------------------------------------------------- */

/* `(function(v1) return f.any_of(n, test, test) end)(value)` */
void emit_in(feel_emitter *e, const feel_node *node) {
  const feel_node *value = node->first, *tests = value->next->first;
  subject s = {node->lua, &feel_any, false};
  size_t n = 0;
  for (const feel_node *test = tests; test; test = test->next) n++;
  if (!emit_at_most(e, node, n, 100, "more tests than 100 behind \"in\"")) return;
  feel_level before = emit_enter_function(e, node, (int)n + 4);
  source_putf(&e->source, "(function(%s) return ", s.lua);
  if (n > 1) source_putf(&e->source, "f.any_of(%zu, ", n);
  emit_test_row(e, &s, tests, ", ", emit_test_value);
  if (n > 1) emit_put(e, ")");
  emit_put(e, " end)(");
  emit_leave(e, before);
  before = emit_enter(e, node, 2, 2);
  emit_value(e, value);
  emit_put(e, ")");
  emit_leave(e, before);
}
