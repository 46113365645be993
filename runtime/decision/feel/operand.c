/* Operands: literals, names, brackets of every kind, and the paths, filters and calls behind them.
 */
#include "decision/feel/parse_internal.h"

#include <string.h>

#include "base/limits.h"
#include "decision/feel/type.h"

/* ---- Literals -------------------------------------------------------------------------------- */

static feel_node *feel_parse_number(feel_parser *p) {
  size_t at = p->scan.at, end = feel_scan_number_end(&p->scan);
  feel_node *node = feel_parse_new(p, N_NUMBER, at);
  if (!node) return NULL;
  node->type = &feel_number;
  node->size = end - at;
  node->text = arena_strndup(p->scan.arena, p->scan.text + at, end - at);
  if (!node->text) return feel_parse_out_of_memory(p);
  if (feel_scan_word_end(&p->scan, end) > end)
    return feel_parse_fail(p, end, "a number that goes on as a name");
  feel_scan_move(&p->scan, end);
  return node;
}

static feel_node *feel_parse_string(feel_parser *p, feel_node_kind kind, size_t at) {
  feel_node *node = feel_parse_new(p, kind, at);
  if (!node) return NULL;
  if (!feel_scan_at_string(&p->scan)) return feel_parse_expected(p, "a string");
  p->rc = feel_scan_string(&p->scan, &node->text, &node->size);
  if (kind == N_STRING) node->type = &feel_string;
  return p->rc ? NULL : node;
}

/* Words with a fixed meaning; NULL without a failure: it is none. */
static feel_node *feel_parse_constant(feel_parser *p) {
  static const struct {
    const char *word;
    feel_node_kind kind;
    const feel_type *type;
  } constants[] = {{"true", N_TRUE, &feel_boolean},
                   {"false", N_FALSE, &feel_boolean},
                   {"null", N_NULL, &feel_null}};
  size_t at = p->scan.at;
  for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
    if (!feel_scan_word(&p->scan, constants[i].word)) continue;
    feel_node *node = feel_parse_new(p, constants[i].kind, at);
    if (node) node->type = constants[i].type;
    return node;
  }
  return NULL;
}

static feel_node *feel_parse_input(feel_parser *p) {
  size_t at = p->scan.at;
  if (!p->input) return feel_parse_fail(p, at, "\"?\" means something in unary tests only");
  feel_scan_sign(&p->scan, S_QUESTION);
  feel_node *node = feel_parse_new(p, N_INPUT, at);
  if (!node) return NULL;
  node->lua = p->input;
  node->type = p->input_type;
  p->asked = true;
  return node;
}

/* ---- Ranges, lists, groups ------------------------------------------------------------------- */

/* Behind `..`: the high end and what closes the range. */
static feel_node *feel_parse_range(feel_parser *p, size_t at, feel_node *low, bool low_open) {
  feel_node *node = feel_parse_new(p, N_RANGE, at);
  if (!node || !low) return NULL;
  bool outer = p->in_range_end;
  p->in_range_end = true;
  feel_node *high = feel_parse_sum(p);
  p->in_range_end = outer;
  if (!high) return NULL;
  node->low_open = low_open;
  node->high_open = feel_scan_sign(&p->scan, S_CLOSE) || feel_scan_sign(&p->scan, S_OPEN_LIST);
  if (!node->high_open && !feel_parse_sign(p, S_CLOSE_LIST, "\"]\", \")\" or \"[\"")) return NULL;
  node->first = low;
  low->next = high;
  feel_type *type = ARENA_NEW(p->scan.arena, feel_type);
  if (!type) return feel_parse_out_of_memory(p);
  *type = (feel_type){.kind = FEEL_RANGE, .item = low->type};
  node->type = type;
  return node;
}

/* The members of both, as far as they are known; any item may lack some. NULL: no memory. */
static const feel_type *common_context(feel_parser *p, const feel_type *a, const feel_type *b) {
  size_t size = (a->n_members + b->n_members) * sizeof(feel_member);
  feel_member *members = arena_alloc(p->scan.arena, size ? size : 1);
  feel_type *type = ARENA_NEW(p->scan.arena, feel_type);
  if (!members || !type) return NULL;
  if (a->n_members) memcpy(members, a->members, a->n_members * sizeof *members);
  size_t n = a->n_members;
  for (size_t i = 0; i < b->n_members; i++) {
    size_t k = 0;
    while (k < n && strcmp(members[k].name, b->members[i].name) != 0) k++;
    if (k == n) members[n++] = b->members[i];
    else if (members[k].type != b->members[i].type) members[k].type = NULL;
  }
  *type = (feel_type){.kind = FEEL_CONTEXT, .open = true, .members = members, .n_members = n};
  return type;
}

/* What is known of all items of a list. NULL: no memory. */
static const feel_type *common_type(feel_parser *p, const feel_type *a, const feel_type *b) {
  if (a == b && a->kind != FEEL_CONTEXT) return a;
  if (a->kind == FEEL_CONTEXT && b->kind == FEEL_CONTEXT) return common_context(p, a, b);
  return &feel_any;
}

static feel_node *finish_list(feel_parser *p, feel_node *list) {
  const feel_type *item = list->first ? list->first->type : &feel_any;
  for (feel_node *n = list->first; n && item; n = n->next) item = common_type(p, item, n->type);
  list->type = item ? feel_type_list(p->scan.arena, item) : NULL;
  return list->type ? list : feel_parse_out_of_memory(p);
}

/* `[1, 2]`, `[1..2]`. */
static feel_node *feel_parse_list(feel_parser *p) {
  size_t at = p->scan.at;
  feel_scan_sign(&p->scan, S_OPEN_LIST);
  feel_node *list = feel_parse_new(p, N_LIST, at), **end = list ? &list->first : NULL;
  if (!list) return NULL;
  if (feel_scan_sign(&p->scan, S_CLOSE_LIST)) return finish_list(p, list);
  for (;;) {
    *end = feel_parse_expression(p);
    if (!*end) return NULL;
    if (end == &list->first && feel_scan_sign(&p->scan, S_RANGE))
      return feel_parse_range(p, at, *end, false);
    end = &(*end)->next;
    if (feel_scan_sign(&p->scan, S_CLOSE_LIST)) return finish_list(p, list);
    if (!feel_parse_sign(p, S_COMMA, "\",\" or \"]\"")) return NULL;
  }
}

/* `]1..2]` */
static feel_node *feel_parse_open_range(feel_parser *p) {
  size_t at = p->scan.at;
  feel_scan_sign(&p->scan, S_CLOSE_LIST);
  feel_node *low = feel_parse_expression(p);
  if (!low || !feel_parse_sign(p, S_RANGE, "\"..\"")) return NULL;
  return feel_parse_range(p, at, low, true);
}

/* `< 10`; the sign is next. */
static feel_node *feel_parse_half_range(feel_parser *p) {
  static const feel_op ops[] = {OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE};
  feel_sign sign = feel_scan_peek(&p->scan);
  feel_node *node = feel_parse_new(p, N_HALF_RANGE, p->scan.at);
  feel_scan_sign(&p->scan, sign);
  feel_node *end = node ? feel_parse_sum(p) : NULL;
  if (!end) return NULL;
  node->op = ops[sign - S_EQ];
  node->first = end;
  return node;
}

feel_node *feel_parse_group(feel_parser *p, size_t at, bool many) {
  feel_node *first = feel_parse_expression(p);
  if (!first) return NULL;
  if (feel_scan_sign(&p->scan, S_RANGE)) return feel_parse_range(p, at, first, true);
  first->asks_input = p->asked;
  if (!many || feel_scan_peek(&p->scan) != S_COMMA)
    return feel_parse_sign(p, S_CLOSE, "\")\"") ? first : NULL;
  feel_scan_sign(&p->scan, S_COMMA);
  feel_node *tests = feel_parse_tests(p);
  if (!tests || !feel_parse_sign(p, S_CLOSE, "\",\" or \")\"")) return NULL;
  first->next = tests->first;
  tests->first = first;
  return tests;
}

/* ---- Contexts -------------------------------------------------------------------------------- */

static const char *feel_parse_key(feel_parser *p) {
  if (feel_scan_at_string(&p->scan)) {
    size_t size = 0;
    const char *key = "";
    p->rc = feel_scan_string(&p->scan, &key, &size);
    if (!p->rc && strlen(key) != size)
      feel_parse_fail(p, p->scan.at, "a key that holds a zero byte");
    return p->rc ? NULL : key;
  }
  size_t end = feel_scan_at_name(&p->scan) ? feel_scan_declared_end(&p->scan, p->scan.at) : 0;
  bool quoted = feel_scan_at_name(&p->scan) && p->scan.text[p->scan.at] == '`';
  if (end == 0 && !quoted) {
    feel_parse_expected(p, "a key");
    return NULL;
  }
  return feel_parse_declared(p, end);
}

/* Each entry is in scope for those behind it. */
static feel_node *feel_parse_entry(feel_parser *p, feel_node *context) {
  feel_node *entry = feel_parse_new(p, N_ENTRY, p->scan.at);
  const char *key = entry ? feel_parse_key(p) : NULL;
  if (!key || !feel_parse_sign(p, S_COLON, "\":\"")) return NULL;
  entry->first = feel_parse_expression(p);
  if (!entry->first) return NULL;
  entry->text = key;
  entry->size = strlen(key);
  const char *name = source_quote(p->scan.arena, key, entry->size);
  const char *lua = name ? arena_printf(p->scan.arena, "%s[%s]", context->lua, name) : NULL;
  if (!lua) return feel_parse_out_of_memory(p);
  return frame_bind(p, key, entry->first->type, lua, context) ? entry : NULL;
}

static feel_node *finish_context(feel_parser *p, feel_node *context, size_t n) {
  feel_member *members = ARENA_ARRAY(p->scan.arena, feel_member, n ? n : 1);
  feel_type *type = ARENA_NEW(p->scan.arena, feel_type);
  if (!members || !type) return feel_parse_out_of_memory(p);
  *type = (feel_type){.kind = FEEL_CONTEXT, .members = members, .n_members = n};
  for (feel_node *entry = context->first; entry; entry = entry->next)
    *members++ = (feel_member){entry->text, entry->first->type};
  context->type = type;
  return context;
}

static feel_node *too_many_entries(feel_parser *p) {
  p->rc = feel_scan_fail_code(&p->scan, ORR_E_LIMIT, p->scan.at,
                              "a context of more than %d entries", ORR_FEEL_ENTRIES_MAX);
  return NULL;
}

static feel_node *feel_parse_entries(feel_parser *p, feel_node *context) {
  feel_node **end = &context->first;
  size_t n = 0;
  if (feel_scan_sign(&p->scan, S_CLOSE_CONTEXT)) return finish_context(p, context, 0);
  for (;;) {
    *end = feel_parse_entry(p, context);
    if (!*end) return NULL;
    end = &(*end)->next;
    if (++n > ORR_FEEL_ENTRIES_MAX) return too_many_entries(p);
    if (feel_scan_sign(&p->scan, S_CLOSE_CONTEXT)) return finish_context(p, context, n);
    if (!feel_parse_sign(p, S_COMMA, "\",\" or \"}\"")) return NULL;
  }
}

static feel_node *feel_parse_context(feel_parser *p) {
  feel_frame frame = {0};
  feel_node *context = feel_parse_new(p, N_CONTEXT, p->scan.at);
  if (!context || !(context->lua = feel_parse_local(p))) return NULL;
  feel_scan_sign(&p->scan, S_OPEN_CONTEXT);
  frame_push(p, &frame);
  feel_node *done = feel_parse_entries(p, context);
  frame_pop(p);
  return done;
}

/* ---- What follows an operand ----------------------------------------------------------------- */

static feel_node *feel_parse_path(feel_parser *p, feel_node *object) {
  feel_scan_sign(&p->scan, S_DOT);
  const char *name = feel_parse_member_name(p, object->type);
  feel_node *node = name ? feel_parse_new(p, N_PATH, object->at) : NULL;
  if (!node) return NULL;
  node->text = name;
  node->size = strlen(name);
  node->type = member_type(p, object->type, name);
  node->first = object;
  return node;
}

static const feel_type *item_of(const feel_type *type) {
  if (type->kind == FEEL_LIST) return type->item ? type->item : &feel_any;
  return type;
}

/* `list[condition]`, where `item` and the item's members are in scope. */
static feel_node *feel_parse_filter(feel_parser *p, feel_node *list) {
  feel_frame frame = {.item = feel_parse_local(p), .item_type = item_of(list->type)};
  feel_node *node = frame.item ? feel_parse_new(p, N_FILTER, list->at) : NULL;
  if (!node) return NULL;
  feel_scan_sign(&p->scan, S_OPEN_LIST);
  frame_push(p, &frame);
  feel_node *condition =
      frame_bind(p, "item", frame.item_type, frame.item, NULL) ? feel_parse_expression(p) : NULL;
  frame_pop(p);
  if (!condition || !feel_parse_sign(p, S_CLOSE_LIST, "\"]\"")) return NULL;
  node->lua = frame.item;
  node->first = list;
  list->next = condition;
  node->type = condition->type->kind == FEEL_NUMBER ? frame.item_type : list->type;
  return node;
}

static feel_node *feel_parse_named_argument(feel_parser *p) {
  feel_node *entry = feel_parse_new(p, N_ENTRY, p->scan.at);
  size_t end =
      entry && feel_scan_at_name(&p->scan) ? feel_scan_declared_end(&p->scan, p->scan.at) : 0;
  if (!entry) return NULL;
  if (end == 0) return feel_parse_expected(p, "a parameter's name");
  entry->text = feel_parse_declared(p, end);
  if (!entry->text || !feel_parse_sign(p, S_COLON, "\":\"")) return NULL;
  entry->size = strlen(entry->text);
  entry->first = feel_parse_expression(p);
  return entry->first ? entry : NULL;
}

/* `f(a: 1)`: the first argument tells. */
static bool is_named_call(const feel_parser *p) {
  feel_scan scan = p->scan;
  size_t end = feel_scan_at_name(&scan) ? feel_scan_declared_end(&scan, scan.at) : 0;
  if (end == 0) return false;
  feel_scan_move(&scan, end);
  return feel_scan_peek(&scan) == S_COLON;
}

static feel_node *feel_parse_call(feel_parser *p, feel_node *function) {
  feel_node *node = feel_parse_new(p, N_CALL, function->at), **end = &function->next;
  if (!node) return NULL;
  feel_scan_sign(&p->scan, S_OPEN);
  node->first = function;
  if (function->kind == N_BUILTIN) node->type = function->type;
  if (feel_scan_sign(&p->scan, S_CLOSE)) return node;
  node->named = is_named_call(p);
  for (;;) {
    *end = node->named ? feel_parse_named_argument(p) : feel_parse_expression(p);
    if (!*end) return NULL;
    end = &(*end)->next;
    if (feel_scan_sign(&p->scan, S_CLOSE)) return node;
    if (!feel_parse_sign(p, S_COMMA, "\",\" or \")\"")) return NULL;
  }
}

/* Behind a range's high end "[" closes it, unless what comes next can only be a filter's condition.
 */
static bool closes_range(const feel_parser *p) {
  if (!p->in_range_end) return false;
  feel_scan scan = p->scan;
  feel_scan_sign(&scan, S_OPEN_LIST);
  if (feel_scan_at_end(&scan)) return true;
  if (feel_scan_at_digit(&scan) || feel_scan_at_string(&scan)) return false;
  if (feel_scan_at_name(&scan))
    return feel_scan_words_end(&scan, scan.at) == feel_scan_word_end(&scan, scan.at) &&
           feel_scan_at_word(&scan, "and");
  feel_sign sign = feel_scan_peek(&scan);
  return sign != S_OPEN && sign != S_OPEN_LIST && sign != S_OPEN_CONTEXT && sign != S_SUB &&
         sign != S_AT && sign != S_QUESTION;
}

feel_node *feel_parse_follow(feel_parser *p, feel_node *node) {
  while (node) {
    switch (feel_scan_peek(&p->scan)) {
      case S_DOT: node = feel_parse_path(p, node); break;
      case S_OPEN: node = feel_parse_call(p, node); break;
      case S_OPEN_LIST:
        if (closes_range(p)) return node;
        node = feel_parse_filter(p, node);
        break;
      default: return node;
    }
  }
  return node;
}

static feel_node *feel_parse_at(feel_parser *p) {
  size_t at = p->scan.at;
  feel_scan_sign(&p->scan, S_AT);
  return feel_parse_string(p, N_AT, at);
}

static feel_node *feel_parse_sign_operand(feel_parser *p) {
  size_t at = p->scan.at;
  switch (feel_scan_peek(&p->scan)) {
    case S_OPEN: feel_scan_sign(&p->scan, S_OPEN); return feel_parse_group(p, at, false);
    case S_OPEN_LIST: return feel_parse_list(p);
    case S_CLOSE_LIST: return feel_parse_open_range(p);
    case S_OPEN_CONTEXT: return feel_parse_context(p);
    case S_AT: return feel_parse_at(p);
    case S_QUESTION: return feel_parse_input(p);
    case S_EQ:
    case S_NE:
    case S_LT:
    case S_LE:
    case S_GT:
    case S_GE: return feel_parse_half_range(p);
    default: return feel_parse_expected(p, "an expression");
  }
}

static feel_node *feel_parse_operand(feel_parser *p) {
  if (feel_scan_at_digit(&p->scan)) return feel_parse_number(p);
  if (feel_scan_at_string(&p->scan)) return feel_parse_string(p, N_STRING, p->scan.at);
  if (!feel_scan_at_name(&p->scan)) return feel_parse_sign_operand(p);
  feel_node *constant = feel_parse_constant(p);
  if (constant || p->rc) return constant;
  return feel_parse_at_construct(p) ? feel_parse_construct(p) : feel_parse_name(p);
}

feel_node *feel_parse_postfix(feel_parser *p) {
  return feel_parse_follow(p, feel_parse_operand(p));
}
