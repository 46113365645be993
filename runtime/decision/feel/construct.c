/* Constructs that begin with a word: if, for, some, every, function; and types. */
#include "decision/feel/parse_internal.h"
#include "decision/feel/type.h"

#include <string.h>

/* ---- If -------------------------------------------------------------------------------------- */

/* Condition and value of one branch, up to its `else`; its `if` has been read. */
static feel_node *parse_branch(feel_parser *p, size_t at) {
  feel_node *node = feel_parse_new(p, N_IF, at);
  feel_node *condition = node ? feel_parse_expression(p) : NULL;
  if (!condition || !feel_parse_word(p, "then")) return NULL;
  feel_node *value = feel_parse_expression(p);
  if (!value || !feel_parse_word(p, "else")) return NULL;
  node->first = condition;
  condition->next = value;
  return node;
}

/* `else if` continues the loop, so a chain of branches nests no deeper than one. */
static feel_node *feel_parse_if(feel_parser *p, size_t at) {
  feel_node *first = NULL, **place = &first;
  for (;;) {
    feel_node *node = parse_branch(p, at);
    if (!node) return NULL;
    feel_node *value = node->first->next;
    *place = node;
    place = &value->next;
    at = p->scan.at;
    if (feel_scan_at_word(&p->scan, "if") && !feel_parse_at_declared_name(p)) {
      feel_scan_word(&p->scan, "if");
      continue;
    }
    *place = feel_parse_expression(p);
    if (!*place) return NULL;
    if (value->type == (*place)->type) node->type = value->type;
    return first;
  }
}

/* ---- Iterations ------------------------------------------------------------------------------ */

static const feel_type *item_type(const feel_type *domain) {
  bool holds = domain->kind == FEEL_LIST || domain->kind == FEEL_RANGE;
  return holds && domain->item ? domain->item : &feel_any;
}

/* `name in domain`, `name in low..high`; the name is in scope behind it. */
static feel_node *feel_parse_iterator(feel_parser *p) {
  feel_node *node = feel_parse_new(p, N_ITERATOR, p->scan.at);
  if (!node || !(node->lua = feel_parse_local(p))) return NULL;
  if (!feel_scan_at_name(&p->scan)) return feel_parse_expected(p, "a name");
  node->text = feel_parse_declared(p, feel_scan_words_end(&p->scan, p->scan.at));
  if (!node->text || !feel_parse_word(p, "in")) return NULL;
  node->first = feel_parse_expression(p);
  if (!node->first) return NULL;
  const feel_type *item = item_type(node->first->type);
  if (feel_scan_sign(&p->scan, S_RANGE)) {
    item = node->first->type;
    node->first->next = feel_parse_expression(p);
    if (!node->first->next) return NULL;
  }
  return frame_bind(p, node->text, item, node->lua, NULL) ? node : NULL;
}

/* Iterators, the word, the body. */
static feel_node *feel_parse_iteration(feel_parser *p, feel_node *node, const char *word) {
  feel_node **end = &node->first;
  do {
    *end = feel_parse_iterator(p);
    if (!*end) return NULL;
    end = &(*end)->next;
  } while (feel_scan_sign(&p->scan, S_COMMA));
  if (!feel_parse_word(p, word)) return NULL;
  if (node->kind == N_FOR && !frame_bind(p, "partial", &feel_any, node->lua, node)) return NULL;
  *end = feel_parse_expression(p);
  return *end ? node : NULL;
}

static feel_node *feel_parse_quantified(feel_parser *p, size_t at, feel_node_kind kind) {
  feel_frame frame = {0};
  feel_node *node = feel_parse_new(p, kind, at);
  if (!node) return NULL;
  if (kind != N_FOR) node->type = &feel_boolean;
  else if (!(node->lua = feel_parse_local(p))) return NULL;
  frame_push(p, &frame);
  feel_node *done = feel_parse_iteration(p, node, kind == N_FOR ? "return" : "satisfies");
  frame_pop(p);
  if (!done || kind != N_FOR) return done;
  feel_node *body = node->first;
  while (body->next) body = body->next;
  node->type = feel_type_list(p->scan.arena, body->type);
  return node->type ? node : feel_parse_out_of_memory(p);
}

/* ---- Functions ------------------------------------------------------------------------------- */

static feel_node *feel_parse_parameter(feel_parser *p) {
  feel_node *node = feel_parse_new(p, N_PARAMETER, p->scan.at);
  if (!node || !(node->lua = feel_parse_local(p))) return NULL;
  bool quoted = feel_scan_at_name(&p->scan) && p->scan.text[p->scan.at] == '`';
  size_t end = feel_scan_at_name(&p->scan) ? feel_scan_declared_end(&p->scan, p->scan.at) : 0;
  if (end == 0 && !quoted) return feel_parse_expected(p, "a parameter's name");
  node->text = feel_parse_declared(p, end);
  if (!node->text) return NULL;
  node->size = strlen(node->text);
  if (feel_scan_sign(&p->scan, S_COLON)) {
    const feel_type *type = feel_parse_type(p);
    if (!type) return NULL;
    node->type = type;
  }
  return frame_bind(p, node->text, node->type, node->lua, NULL) ? node : NULL;
}

static feel_node *feel_parse_function_parts(feel_parser *p, feel_node *node) {
  feel_node **end = &node->first;
  if (!feel_parse_sign(p, S_OPEN, "\"(\"")) return NULL;
  while (feel_scan_peek(&p->scan) != S_CLOSE) {
    if (node->first && !feel_parse_sign(p, S_COMMA, "\",\" or \")\"")) return NULL;
    *end = feel_parse_parameter(p);
    if (!*end) return NULL;
    end = &(*end)->next;
  }
  feel_scan_sign(&p->scan, S_CLOSE);
  node->external = feel_scan_word(&p->scan, "external");
  *end = feel_parse_expression(p);
  return *end ? node : NULL;
}

static feel_node *feel_parse_function(feel_parser *p, size_t at) {
  feel_frame frame = {0};
  feel_node *node = feel_parse_new(p, N_FUNCTION, at);
  if (!node) return NULL;
  node->type = feel_type_builtin("function", strlen("function"));
  const char *input = p->input;
  frame_push(p, &frame);
  feel_node *done = feel_parse_function_parts(p, node);
  frame_pop(p);
  p->input = input;
  return done;
}

/* ---- Which ----------------------------------------------------------------------------------- */

static const struct {
  const char *word;
  feel_node_kind kind;
} constructs[] = {
    {"if", N_IF}, {"for", N_FOR}, {"some", N_SOME}, {"every", N_EVERY}, {"function", N_FUNCTION}};

/* The construct whose word is next, unless the word only begins a name that is in scope: "for
 * free". */
static int construct_at(const feel_parser *p) {
  for (size_t i = 0; i < sizeof constructs / sizeof constructs[0]; i++)
    if (feel_scan_at_word(&p->scan, constructs[i].word))
      return feel_parse_at_declared_name(p) ? -1 : (int)i;
  return -1;
}

bool feel_parse_at_construct(const feel_parser *p) { return construct_at(p) >= 0; }

feel_node *feel_parse_construct(feel_parser *p) {
  size_t at = p->scan.at;
  int i = construct_at(p);
  feel_scan_word(&p->scan, constructs[i].word);
  switch (constructs[i].kind) {
    case N_IF: return feel_parse_if(p, at);
    case N_FUNCTION: return feel_parse_function(p, at);
    default: return feel_parse_quantified(p, at, constructs[i].kind);
  }
}

/* ---- Types ----------------------------------------------------------------------------------- */

static feel_type *new_type(feel_parser *p, feel_type value) {
  feel_type *type = arena_alloc(p->scan.arena, sizeof *type);
  if (!type) {
    feel_parse_out_of_memory(p);
    return NULL;
  }
  *type = value;
  return type;
}

static const feel_type *feel_parse_item_type(feel_parser *p, enum feel_kind kind) {
  const feel_type *item = feel_parse_type(p);
  if (!item || !feel_parse_sign(p, S_GT, "\">\"")) return NULL;
  return new_type(p, (feel_type){.kind = kind, .item = item});
}

static bool add_member(feel_parser *p, feel_type *type, feel_member member) {
  size_t size = type->n_members * sizeof member;
  feel_member *members =
      arena_grow(p->scan.arena, (void *)(uintptr_t)type->members, size, size + sizeof member);
  if (!members) {
    feel_parse_out_of_memory(p);
    return false;
  }
  members[type->n_members++] = member;
  type->members = members;
  return true;
}

static const char *feel_parse_declared_member(feel_parser *p) {
  bool at_name = feel_scan_at_name(&p->scan);
  bool quoted = at_name && p->scan.text[p->scan.at] == '`';
  size_t end = at_name ? feel_scan_declared_end(&p->scan, p->scan.at) : 0;
  if (end || quoted) return feel_parse_declared(p, end);
  feel_parse_expected(p, "a member's name");
  return NULL;
}

/* `context<a: number, b: string>`, behind the "<". */
static const feel_type *feel_parse_context_type(feel_parser *p) {
  feel_type *type = new_type(p, (feel_type){.kind = FEEL_CONTEXT, .open = true});
  while (type && feel_scan_peek(&p->scan) != S_GT) {
    if (type->n_members && !feel_parse_sign(p, S_COMMA, "\",\" or \">\"")) return NULL;
    feel_member member = {.name = feel_parse_declared_member(p)};
    if (!member.name || !feel_parse_sign(p, S_COLON, "\":\"")) return NULL;
    member.type = feel_parse_type(p);
    if (!member.type || !add_member(p, type, member)) return NULL;
  }
  feel_scan_sign(&p->scan, S_GT);
  return type;
}

/* `function<number, string> -> boolean`, behind the "<". */
static const feel_type *feel_parse_function_type(feel_parser *p) {
  feel_type *type = new_type(p, (feel_type){.kind = FEEL_FUNCTION});
  while (type && feel_scan_peek(&p->scan) != S_GT) {
    if (type->n_members && !feel_parse_sign(p, S_COMMA, "\",\" or \">\"")) return NULL;
    const feel_type *parameter = feel_parse_type(p);
    if (!parameter || !add_member(p, type, (feel_member){"", parameter})) return NULL;
  }
  feel_scan_sign(&p->scan, S_GT);
  if (!type || !feel_parse_sign(p, S_ARROW, "\"->\"")) return NULL;
  type->item = feel_parse_type(p);
  return type->item ? type : NULL;
}

/* The longest type name that fits here. */
static const feel_type *feel_parse_named_type(feel_parser *p) {
  size_t at = p->scan.at, words = feel_scan_words_end(&p->scan, at), end = 0;
  const feel_type *found = NULL;
  static const char *const spaced[] = {"date and time", "days and time duration",
                                       "years and months duration"};
  for (size_t i = 0; i < sizeof spaced / sizeof spaced[0]; i++)
    if (feel_scan_name_end(&p->scan, at, spaced[i])) {
      found = feel_type_builtin(spaced[i], strlen(spaced[i]));
      end = feel_scan_name_end(&p->scan, at, spaced[i]);
    }
  if (!found) found = feel_type_builtin(p->scan.text + at, (end = words) - at);
  for (const feel_scope *scope = p->request->scope; scope; scope = scope->outer)
    for (size_t i = 0; i < scope->n_types; i++) {
      size_t stop = feel_scan_name_end(&p->scan, at, scope->types[i].name);
      if (stop > end || (stop && !found)) {
        found = scope->types[i].type;
        end = stop;
      }
    }
  if (!found) {
    p->rc = feel_scan_fail(&p->scan, at, "there is no type \"%.*s\"",
                           (int)(words - at < 60 ? words - at : 60), p->scan.text + at);
    return NULL;
  }
  feel_scan_move(&p->scan, end);
  return found;
}

static const feel_type *feel_parse_any_type(feel_parser *p) {
  static const struct {
    const char *word;
    enum feel_kind kind;
  } generic[] = {{"list", FEEL_LIST},
                 {"range", FEEL_RANGE},
                 {"context", FEEL_CONTEXT},
                 {"function", FEEL_FUNCTION}};
  feel_scan scan = p->scan;
  for (size_t i = 0; i < sizeof generic / sizeof generic[0]; i++) {
    if (!feel_scan_word(&scan, generic[i].word) || !feel_scan_sign(&scan, S_LT)) continue;
    p->scan = scan;
    if (generic[i].kind == FEEL_CONTEXT) return feel_parse_context_type(p);
    if (generic[i].kind == FEEL_FUNCTION) return feel_parse_function_type(p);
    return feel_parse_item_type(p, generic[i].kind);
  }
  if (feel_scan_at_name(&p->scan)) return feel_parse_named_type(p);
  feel_parse_expected(p, "a type");
  return NULL;
}

const feel_type *feel_parse_type(feel_parser *p) {
  const feel_type *type = feel_parse_enter(p) ? feel_parse_any_type(p) : NULL;
  p->depth--;
  return type;
}
