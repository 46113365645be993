/* The grammar's operators, from the loosest to the tightest, and the entry. */
#include "decision/feel/parse_internal.h"

#include <string.h>

#include "base/limits.h"

/* ---- Nodes and failures ---------------------------------------------------------------------- */

feel_node *feel_parse_out_of_memory(feel_parser *p) {
  p->rc = error_memory(p->scan.err);
  return NULL;
}

feel_node *feel_parse_expected(feel_parser *p, const char *expected) {
  p->rc = feel_scan_expected(&p->scan, expected);
  return NULL;
}

feel_node *feel_parse_fail(feel_parser *p, size_t at, const char *reason) {
  p->rc = feel_scan_fail(&p->scan, at, "%s", reason);
  return NULL;
}

feel_node *feel_parse_new(feel_parser *p, feel_node_kind kind, size_t at) {
  feel_node *node = ARENA_NEW(p->scan.arena, feel_node);
  if (!node) return feel_parse_out_of_memory(p);
  node->kind = kind;
  node->at = at;
  node->type = &feel_any;
  return node;
}

bool feel_parse_sign(feel_parser *p, feel_sign sign, const char *expected) {
  if (feel_scan_sign(&p->scan, sign)) return true;
  feel_parse_expected(p, expected);
  return false;
}

bool feel_parse_word(feel_parser *p, const char *word) {
  if (feel_scan_word(&p->scan, word)) return true;
  p->rc = feel_scan_expected(&p->scan, word);
  return false;
}

const char *feel_parse_local(feel_parser *p) {
  const char *local = feel_unit_local(p->unit);
  if (!local) feel_parse_out_of_memory(p);
  return local;
}

static feel_node *binary_node(feel_parser *p, feel_node_kind kind, feel_op op, feel_node *left,
                              feel_node *right, const feel_type *type) {
  feel_node *node = right ? feel_parse_new(p, kind, left->at) : NULL;
  if (!node) return NULL;
  node->op = op;
  node->type = type;
  node->first = left;
  left->next = right;
  return node;
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

bool feel_parse_enter(feel_parser *p) {
  if (++p->depth <= ORR_EXPRESSION_DEPTH_MAX) return true;
  p->rc = feel_scan_fail_code(&p->scan, ORR_E_LIMIT, p->scan.at, "nested more than %d deep",
                              ORR_EXPRESSION_DEPTH_MAX);
  return false;
}

/* A minus and a number are one literal. */
static feel_node *negate(feel_parser *p, size_t at, feel_node *operand) {
  if (!operand) return NULL;
  if (operand->kind == N_NUMBER && operand->text[0] != '-') {
    operand->text = arena_printf(p->scan.arena, "-%s", operand->text);
    operand->at = at;
    return operand->text ? operand : feel_parse_out_of_memory(p);
  }
  feel_node *node = feel_parse_new(p, N_NEGATE, at);
  if (node) node->first = operand;
  return node;
}

/* `x instance of number`, tighter than any operator. */
static feel_node *feel_parse_instance(feel_parser *p) {
  feel_node *left = feel_parse_postfix(p);
  while (left && feel_scan_word(&p->scan, "instance")) {
    if (!feel_parse_word(p, "of")) return NULL;
    feel_node *node = feel_parse_new(p, N_INSTANCE, left->at);
    const feel_type *of = node ? feel_parse_type(p) : NULL;
    if (!of) return NULL;
    node->of = of;
    node->type = &feel_boolean;
    node->first = left;
    left = node;
  }
  return left;
}

/* Negation binds tighter than `**`: `-3 ** 2` is 9. */
static feel_node *feel_parse_negation(feel_parser *p) {
  size_t at = p->scan.at;
  if (!feel_scan_sign(&p->scan, S_SUB)) return feel_parse_instance(p);
  feel_node *operand = feel_parse_enter(p) ? feel_parse_negation(p) : NULL;
  p->depth--;
  return negate(p, at, operand);
}

enum { PRECEDENCE_SUM = 1, PRECEDENCE_PRODUCT, PRECEDENCE_POWER };

static int precedence_of(feel_sign sign, feel_op *op) {
  switch (sign) {
    case S_ADD: *op = OP_ADD; return PRECEDENCE_SUM;
    case S_SUB: *op = OP_SUB; return PRECEDENCE_SUM;
    case S_MUL: *op = OP_MUL; return PRECEDENCE_PRODUCT;
    case S_DIV: *op = OP_DIV; return PRECEDENCE_PRODUCT;
    case S_POWER: *op = OP_POW; return PRECEDENCE_POWER;
    default: return 0;
  }
}

/* Climbs from an operand that was read; all operators are left-associative, `**` too. */
static feel_node *climb(feel_parser *p, feel_node *left, int lowest) {
  feel_op op = OP_ADD;
  for (;;) {
    feel_sign sign = left ? feel_scan_peek(&p->scan) : S_NONE;
    int precedence = precedence_of(sign, &op);
    if (precedence == 0 || precedence < lowest) return left;
    feel_op taken = op;
    feel_scan_sign(&p->scan, sign);
    feel_node *right = climb(p, feel_parse_negation(p), precedence + 1);
    left = binary_node(p, N_ARITHMETIC, taken, left, right, &feel_any);
  }
}

feel_node *feel_parse_sum(feel_parser *p) {
  return climb(p, feel_parse_negation(p), PRECEDENCE_SUM);
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

static bool comparison_of(feel_sign sign, feel_op *op) {
  static const feel_op ops[] = {OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE};
  if (sign < S_EQ || sign > S_GE) return false;
  *op = ops[sign - S_EQ];
  return true;
}

static feel_node *feel_parse_between(feel_parser *p, feel_node *value) {
  feel_node *low = feel_parse_sum(p);
  if (!low || !feel_parse_word(p, "and")) return NULL;
  feel_node *high = feel_parse_sum(p),
            *node = high ? feel_parse_new(p, N_BETWEEN, value->at) : NULL;
  if (!node) return NULL;
  node->type = &feel_boolean;
  node->first = value;
  value->next = low;
  low->next = high;
  return node;
}

static feel_node *single_test(feel_parser *p, feel_node *test) {
  feel_node *tests = test ? feel_parse_new(p, N_TESTS, test->at) : NULL;
  if (!tests) return NULL;
  tests->first = test;
  tests->type = &feel_boolean;
  return tests;
}

/* Behind `in (`. An expression in parentheses may go on: `x in (a).b`. */
static feel_node *feel_parse_in_group(feel_parser *p) {
  size_t at = p->scan.at;
  feel_scan_sign(&p->scan, S_OPEN);
  feel_node *group = feel_parse_group(p, at, true);
  if (!group || group->kind == N_TESTS) return group;
  return single_test(p, climb(p, feel_parse_follow(p, group), PRECEDENCE_SUM));
}

/* `x in tests`: a `?` in them is x. */
static feel_node *feel_parse_in(feel_parser *p, feel_node *value) {
  const char *input = p->input;
  const feel_type *input_type = p->input_type;
  feel_node *node = feel_parse_new(p, N_IN, value->at);
  if (!node) return NULL;
  node->lua = feel_parse_local(p);
  p->input = node->lua;
  p->input_type = &feel_any;
  bool asked = p->asked;
  feel_node *tests = feel_scan_peek(&p->scan) == S_OPEN ? feel_parse_in_group(p)
                                                        : single_test(p, feel_parse_sum(p));
  p->asked = asked;
  p->input = input;
  p->input_type = input_type;
  if (!tests || !node->lua) return NULL;
  node->type = &feel_boolean;
  node->first = value;
  value->next = tests;
  return node;
}

static feel_node *feel_parse_comparison(feel_parser *p) {
  feel_node *left = feel_parse_sum(p);
  while (left) {
    feel_op op;
    feel_sign sign = feel_scan_peek(&p->scan);
    if (comparison_of(sign, &op)) {
      feel_scan_sign(&p->scan, sign);
      left = binary_node(p, N_COMPARE, op, left, feel_parse_sum(p), &feel_boolean);
    } else if (feel_scan_word(&p->scan, "between")) {
      left = feel_parse_between(p, left);
    } else if (feel_scan_word(&p->scan, "in")) {
      left = feel_parse_in(p, left);
    } else {
      break;
    }
  }
  return left;
}

/* ---- And, or --------------------------------------------------------------------------------- */

/* `a and b and c` is one node. */
static feel_node *feel_parse_chain(feel_parser *p, feel_node_kind kind, const char *word,
                                   feel_node *(*operand)(feel_parser *)) {
  feel_node *first = operand(p);
  if (!first || !feel_scan_at_word(&p->scan, word)) return first;
  feel_node *node = feel_parse_new(p, kind, first->at), *last = first;
  if (!node) return NULL;
  node->first = first;
  node->type = &feel_boolean;
  while (feel_scan_word(&p->scan, word)) {
    feel_node *next = operand(p);
    if (!next) return NULL;
    last->next = next;
    last = next;
  }
  return node;
}

static feel_node *feel_parse_conjunction(feel_parser *p) {
  return feel_parse_chain(p, N_AND, "and", feel_parse_comparison);
}

feel_node *feel_parse_expression(feel_parser *p) {
  bool in_range_end = p->in_range_end;
  if (!feel_parse_enter(p)) return NULL;
  p->in_range_end = false;
  feel_node *node = feel_parse_chain(p, N_OR, "or", feel_parse_conjunction);
  p->in_range_end = in_range_end;
  p->depth--;
  return node;
}

/* ---- Unary tests ----------------------------------------------------------------------------- */

/* One test: `< 10`, a range, any expression. Says whether it asks for `?`. */
static feel_node *feel_parse_test(feel_parser *p) {
  bool asked = p->asked;
  p->asked = false;
  feel_node *test = feel_parse_expression(p);
  if (test) test->asks_input = p->asked;
  p->asked = asked || p->asked;
  return test;
}

feel_node *feel_parse_tests(feel_parser *p) {
  feel_node *tests = feel_parse_new(p, N_TESTS, p->scan.at);
  if (!tests) return NULL;
  tests->type = &feel_boolean;
  feel_node **end = &tests->first;
  do {
    *end = feel_parse_test(p);
    if (!*end) return NULL;
    end = &(*end)->next;
  } while (feel_scan_sign(&p->scan, S_COMMA));
  return tests;
}

/* `not(a, b)` that is the whole cell. `not(x) and y`, or a name that begins with "not", is an
 * expression. */
static bool is_whole_not(const feel_parser *p) {
  feel_scan scan = p->scan;
  if (!feel_scan_word(&scan, "not") || !feel_scan_sign(&scan, S_OPEN)) return false;
  int depth = 1;
  while (depth > 0 && !feel_scan_at_end(&scan)) {
    feel_sign sign = feel_scan_peek(&scan);
    if (feel_scan_at_string(&scan)) {
      size_t end = feel_scan_string_end(&scan);
      if (end == 0) return false;
      feel_scan_move(&scan, end);
    } else if (sign == S_NONE) {
      feel_scan_move(&scan, scan.at + 1);
    } else {
      depth += sign == S_OPEN ? 1 : sign == S_CLOSE ? -1 : 0;
      feel_scan_sign(&scan, sign);
    }
  }
  return depth == 0 && feel_scan_at_end(&scan);
}

static feel_node *feel_parse_unary_tests(feel_parser *p) {
  feel_scan scan = p->scan;
  if (feel_scan_sign(&scan, S_SUB) && feel_scan_at_end(&scan)) {
    p->scan = scan;
    return feel_parse_new(p, N_ANY, 0);
  }
  if (!is_whole_not(p)) return feel_parse_tests(p);
  feel_scan_word(&p->scan, "not");
  feel_scan_sign(&p->scan, S_OPEN);
  feel_node *tests = feel_parse_tests(p);
  if (!tests || !feel_parse_sign(p, S_CLOSE, "\")\"")) return NULL;
  tests->kind = N_NOT_TESTS;
  return tests;
}

/* ---- The entry ------------------------------------------------------------------------------- */

static feel_node *feel_parse_type_node(feel_parser *p) {
  feel_node *node = feel_parse_new(p, N_INSTANCE, 0);
  if (node) node->of = feel_parse_type(p);
  return node && node->of ? node : NULL;
}

static feel_node *feel_parse_form(feel_parser *p) {
  switch (p->request->form) {
    case FEEL_UNARY_TESTS: return feel_parse_unary_tests(p);
    case FEEL_TYPE: return feel_parse_type_node(p);
    case FEEL_EXPRESSION: break;
  }
  return feel_parse_expression(p);
}

int feel_parse(feel_unit *unit, const feel_request *request, feel_parsed *out, feel_place *where,
               orr_error *err) {
  feel_parser p = {
      .scan = {.arena = unit->arena,
               .text = request->text,
               .size = request->size,
               .where = where,
               .err = err},
      .unit = unit,
      .request = request,
      .out = out,
      .input = request->input,
      .input_type = request->input_type ? request->input_type : &feel_any,
  };
  feel_scan_begin(&p.scan);
  if (feel_scan_at_end(&p.scan))
    return feel_scan_fail(&p.scan, 0, "an expression expected, but the text is empty");
  out->root = feel_parse_form(&p);
  if (p.rc) return p.rc;
  if (!out->root) return error_memory(err);
  return feel_scan_at_end(&p.scan) ? 0 : feel_scan_expected(&p.scan, "an operator or the end");
}
