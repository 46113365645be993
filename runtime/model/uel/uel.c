/* A recursive descent over the tokens that writes Lua as it goes.
 *
 * Whatever has to coerce, or may meet null, becomes a call of the support table: `a + 1` is
 * `el.add(el.name(scope, "a"), 1)`. What is written are pieces (piece.h), which know what they ask
 * of Lua's parser and machine. */
#include "model/uel/uel.h"

#include <string.h>

#include "base/limits.h"
#include "model/names.h"
#include "model/uel/lex.h"
#include "model/uel/piece.h"

/* Lua calls take about 250 arguments; no model has more than 4. */
#define ARGUMENTS_MAX 50

/* A table constructor gathers this many items before it stores them. */
#define TABLE_BATCH 50

typedef struct name_list {
  const char **items; /* each once */
  size_t count, room;
  names known;
} name_list;

typedef struct compiler {
  uel_lexer lexer;
  int depth;       /* of our recursion */
  int ternaries;   /* whose middle we are in: there a ':' may belong to them */
  name_list roots, beans;
} compiler;

static int memory_error(const compiler *c) { return error_memory(c->lexer.err); }

static int note_name(compiler *c, name_list *list, const char *name) {
  list->known.arena = c->lexer.arena;
  if (names_get(&list->known, name)) return 0;
  if (!names_put(&list->known, name, (void *)(uintptr_t)name)) return memory_error(c);
  if (!ARENA_ROOM(c->lexer.arena, list->items, list->count, list->room, 8)) return memory_error(c);
  list->items[list->count++] = name;
  return 0;
}

static int add_root(compiler *c, const char *name) { return note_name(c, &c->roots, name); }
static int add_bean(compiler *c, const char *name) { return note_name(c, &c->beans, name); }

/* ---- Grammar --------------------------------------------------------------------------------- */

static int parse_expression(compiler *c, piece *out);

static uel_token_kind kind(const compiler *c) { return c->lexer.token.kind; }
static int advance(compiler *c) { return uel_next(&c->lexer, false); }

static int expect(compiler *c, uel_token_kind wanted, const char *expected) {
  return kind(c) == wanted ? advance(c) : uel_expected(&c->lexer, expected);
}

/* A word that names a property or method, whatever it means elsewhere. */
static int parse_member(compiler *c, uel_token *name) {
  int rc = uel_next(&c->lexer, true);
  if (rc) return rc;
  if (kind(c) != T_NAME) return uel_expected(&c->lexer, "a name");
  *name = c->lexer.token;
  return advance(c);
}

/* "a, b)": the opening parenthesis is behind us. Each argument is preceded by ", ". */
static int parse_arguments(compiler *c, piece *out) {
  int rc, n = 0;
  if (kind(c) == T_CLOSE) return advance(c);
  for (;;) {
    piece argument = {0};
    if (++n > ARGUMENTS_MAX) return uel_fail(&c->lexer, c->lexer.token.at, "more than %d arguments", ARGUMENTS_MAX);
    if ((rc = parse_expression(c, &argument)) ||
        (rc = piece_literal(&c->lexer, out, ", "))) return rc;
    piece_join(out, &argument, n); /* a variable's name may stand before them */
    if (kind(c) != T_COMMA) return expect(c, T_CLOSE, "',' or ')'");
    if ((rc = advance(c))) return rc;
  }
}

/* `<function><head>, "<name>"<arguments>)`. */
static int finish_call(compiler *c, piece *out, const char *function, const piece *head, const char *name, size_t size,
                       const piece *arguments) {
  piece call = {0};
  int rc;
  if ((rc = piece_literal(&c->lexer, &call, function))) return rc;
  piece_join(&call, head, 1);
  if ((rc = piece_literal(&c->lexer, &call, ", ")) ||
      (rc = piece_string(&c->lexer, &call, name, size))) return rc;
  piece_join(&call, arguments, 3);
  if ((rc = piece_literal(&c->lexer, &call, ")"))) return rc;
  *out = call;
  return piece_deepen(&c->lexer, out, 1);
}

static int finish_scope_call(compiler *c, piece *out, const char *function, const char *name, size_t size,
                             const piece *arguments) {
  piece scope = {0};
  int rc = piece_literal(&c->lexer, &scope, "scope");
  return rc ? rc : finish_call(c, out, function, &scope, name, size, arguments);
}

static bool is_variable_family(const char *prefix) {
  return strcmp(prefix, "variables") == 0 || strcmp(prefix, "vars") == 0 || strcmp(prefix, "var") == 0;
}

static bool is_known_prefix(const char *prefix) {
  return is_variable_family(prefix) || strcmp(prefix, "date") == 0 || strcmp(prefix, "task") == 0;
}

/* In "variables:get(x)" the first argument is the variable's name, with quotes or without. */
static int parse_variable_name(compiler *c, piece *arguments) {
  int rc = uel_next(&c->lexer, true); /* a variable may be called "empty" */
  uel_token name = c->lexer.token;
  bool given = name.kind == T_NAME || name.kind == T_STRING;
  if (rc || (given && (rc = advance(c)))) return rc;
  if (!given || (kind(c) != T_COMMA && kind(c) != T_CLOSE)) { /* a longer expression gives the name: read it anew */
    c->lexer.at = name.at;
    return advance(c);
  }
  if ((rc = add_root(c, name.text)) || (rc = piece_literal(&c->lexer, arguments, ", ")) ||
      (rc = piece_string(&c->lexer, arguments, name.text, name.size)))
    return rc;
  if (kind(c) == T_CLOSE) return 0;
  if ((rc = advance(c))) return rc;
  return kind(c) == T_CLOSE ? uel_expected(&c->lexer, "an expression") : 0;
}

/* "prefix:name(": no blanks around the colon, which else is that of a ternary. */
static bool at_prefixed_function(const compiler *c, const uel_token *prefix) {
  const uel_lexer *l = &c->lexer;
  if (l->token.kind != T_COLON || l->token.at != prefix->end) return false;
  uel_lexer probe = *l;
  probe.err = NULL;
  if (uel_next(&probe, true) || probe.token.kind != T_NAME || probe.token.at != l->token.end) return false;
  if (uel_next(&probe, false) || probe.token.kind != T_OPEN) return false;
  return c->ternaries == 0 || is_known_prefix(prefix->text);
}

static int parse_prefixed_function(compiler *c, const uel_token *prefix, piece *out) {
  uel_token name = {0};
  piece arguments = {0};
  int rc;
  if ((rc = parse_member(c, &name))) return rc;
  rc = is_variable_family(prefix->text) ? parse_variable_name(c, &arguments) : advance(c);
  if (rc || (rc = parse_arguments(c, &arguments))) return rc;
  const char *whole = arena_printf(c->lexer.arena, "%s:%s", prefix->text, name.text);
  if (!whole) return memory_error(c);
  return finish_scope_call(c, out, "el.fn(", whole, strlen(whole), &arguments);
}

static int parse_identifier(compiler *c, piece *out) {
  uel_token name = c->lexer.token;
  piece none = {0}, arguments = {0};
  int rc = advance(c);
  if (rc) return rc;
  if (kind(c) == T_OPEN) {
    if ((rc = advance(c)) || (rc = parse_arguments(c, &arguments))) return rc;
    return finish_scope_call(c, out, "el.invoke(", name.text, name.size, &arguments);
  }
  if (at_prefixed_function(c, &name)) return parse_prefixed_function(c, &name, out);
  if ((rc = add_root(c, name.text))) return rc;
  rc = finish_scope_call(c, out, "el.name(", name.text, name.size, &none);
  out->name = name.text;
  return rc;
}

/* Of an integer beyond 64 bits Lua makes a float. `sign` is "-" or "". */
static int parse_number(compiler *c, const char *sign, piece *out) {
  const char *text = arena_printf(c->lexer.arena, "(%s%s)", sign, c->lexer.token.text);
  if (!text) return memory_error(c);
  out->is_truthy = true;
  int rc = piece_literal(&c->lexer, out, text);
  if (rc || (rc = piece_deepen(&c->lexer, out, 1))) return rc;
  return advance(c);
}

static int parse_constant(compiler *c, const char *lua, bool boolean, piece *out) {
  out->is_boolean = boolean;
  out->is_truthy = kind(c) == T_TRUE;
  int rc = piece_literal(&c->lexer, out, lua);
  return rc ? rc : advance(c);
}

static int parse_primary(compiler *c, piece *out) {
  const uel_token *t = &c->lexer.token;
  int rc;
  switch (t->kind) {
    case T_NAME: return parse_identifier(c, out);
    case T_NUMBER: return parse_number(c, "", out);
    case T_STRING:
      out->is_truthy = true;
      if ((rc = piece_literal(&c->lexer, out, "(")) ||
          (rc = piece_string(&c->lexer, out, t->text, t->size))) return rc;
      rc = piece_literal(&c->lexer, out, ")");
      return rc ? rc : advance(c);
    case T_TRUE: return parse_constant(c, "true", true, out);
    case T_FALSE: return parse_constant(c, "false", true, out);
    case T_NULL: return parse_constant(c, "nil", false, out);
    case T_OPEN: {
      int ternaries = c->ternaries;
      c->ternaries = 0;
      if ((rc = advance(c)) || (rc = parse_expression(c, out))) return rc;
      c->ternaries = ternaries;
      out->name = NULL;
      return expect(c, T_CLOSE, "')'");
    }
    default: return uel_expected(&c->lexer, "an expression");
  }
}

/* ".name", ".name(…)". A name that a method is asked of may be a bean: a module, when it is nothing
 * else. */
static int parse_dot(compiler *c, piece *out) {
  uel_token name = {0};
  piece base = *out, none = {0}, arguments = {0};
  int rc = parse_member(c, &name);
  if (rc) return rc;
  if (kind(c) != T_OPEN) return finish_call(c, out, "el.get(", &base, name.text, name.size, &arguments);
  const char *bean = base.name;
  if (bean && (rc = add_bean(c, bean))) return rc;
  if (bean && (rc = finish_scope_call(c, &base, "el.bean(", bean, strlen(bean), &none))) return rc;
  if ((rc = advance(c)) || (rc = parse_arguments(c, &arguments))) return rc;
  return finish_call(c, out, "el.call(", &base, name.text, name.size, &arguments);
}

static int parse_index(compiler *c, piece *out) {
  piece key = {0};
  int rc;
  if ((rc = advance(c)) || (rc = parse_expression(c, &key)) ||
      (rc = expect(c, T_CLOSE_INDEX, "']'"))) return rc;
  return piece_call2(&c->lexer, out, "el.index", &key);
}

static int parse_postfix(compiler *c, piece *out) {
  int rc = parse_primary(c, out);
  while (!rc && (kind(c) == T_DOT || kind(c) == T_OPEN_INDEX)) rc = kind(c) == T_DOT ? parse_dot(c, out) : parse_index(c, out);
  return rc;
}

static const char *unary_function(uel_token_kind k) {
  switch (k) {
    case T_SUB: return "el.neg";
    case T_NOT: return "el.lnot";
    case T_EMPTY: return "el.empty";
    case T_LENGTH: return "el.len";
    default: return NULL;
  }
}

static int parse_unary(compiler *c, piece *out) {
  uel_token_kind operator = kind(c);
  const char *function = unary_function(operator);
  if (!function) return parse_postfix(c, out);
  int rc = advance(c);
  if (rc) return rc;
  if (operator == T_SUB && kind(c) == T_NUMBER) return parse_number(c, "-", out);
  if (++c->depth > ORR_EXPRESSION_DEPTH_MAX) return piece_too_deep(&c->lexer);
  rc = parse_unary(c, out);
  c->depth--;
  if (rc || (rc = piece_call1(&c->lexer, out, function))) return rc;
  out->is_boolean = operator == T_NOT || operator == T_EMPTY;
  return 0;
}

/* Binary operators; a higher precedence binds tighter. */
typedef struct binary_operator {
  int precedence;
  const char *function; /* NULL: and, or */
} binary_operator;

enum {
  PRECEDENCE_OR = 1,
  PRECEDENCE_AND,
  PRECEDENCE_EQUAL,
  PRECEDENCE_LESS,
  PRECEDENCE_CONCAT,
  PRECEDENCE_ADD,
  PRECEDENCE_MUL
};

static binary_operator binary(uel_token_kind k) {
  switch (k) {
    case T_OR: return (binary_operator){PRECEDENCE_OR, NULL};
    case T_AND: return (binary_operator){PRECEDENCE_AND, NULL};
    case T_EQ: return (binary_operator){PRECEDENCE_EQUAL, "el.eq"};
    case T_NE: return (binary_operator){PRECEDENCE_EQUAL, "el.ne"};
    case T_LT: return (binary_operator){PRECEDENCE_LESS, "el.lt"};
    case T_LE: return (binary_operator){PRECEDENCE_LESS, "el.le"};
    case T_GT: return (binary_operator){PRECEDENCE_LESS, "el.gt"};
    case T_GE: return (binary_operator){PRECEDENCE_LESS, "el.ge"};
    case T_CONCAT: return (binary_operator){PRECEDENCE_CONCAT, "el.concat"};
    case T_ADD: return (binary_operator){PRECEDENCE_ADD, "el.add"};
    case T_SUB: return (binary_operator){PRECEDENCE_ADD, "el.sub"};
    case T_MUL: return (binary_operator){PRECEDENCE_MUL, "el.mul"};
    case T_DIV: return (binary_operator){PRECEDENCE_MUL, "el.div"};
    case T_MOD: return (binary_operator){PRECEDENCE_MUL, "el.mod"};
    default: return (binary_operator){0, NULL};
  }
}

static int parse_binary(compiler *c, int precedence, piece *out);

/* "a && b && c" stays flat: `(a and b and c)`. */
static int parse_logic(compiler *c, uel_token_kind operator, int precedence, piece *out) {
  piece whole = {0};
  int rc = piece_truth(&c->lexer, out);
  if (rc || (rc = piece_literal(&c->lexer, &whole, "("))) return rc;
  piece_join(&whole, out, 0);
  while (kind(c) == operator) {
    piece right = {0};
    if ((rc = advance(c)) || (rc = parse_binary(c, precedence + 1, &right)) ||
        (rc = piece_truth(&c->lexer, &right)))
      return rc;
    if ((rc = piece_literal(&c->lexer, &whole, operator == T_AND ? " and " : " or "))) return rc;
    piece_join(&whole, &right, 0);
  }
  if ((rc = piece_literal(&c->lexer, &whole, ")"))) return rc;
  *out = whole;
  out->is_boolean = true;
  return piece_deepen(&c->lexer, out, 2);
}

static int parse_binary(compiler *c, int precedence, piece *out) {
  int rc = parse_unary(c, out);
  for (;;) {
    uel_token_kind token = kind(c);
    binary_operator operator = binary(token);
    if (rc || operator.precedence == 0 || operator.precedence < precedence) return rc;
    if (!operator.function) {
      rc = parse_logic(c, token, operator.precedence, out);
      continue;
    }
    piece right = {0};
    if ((rc = advance(c)) || (rc = parse_binary(c, operator.precedence + 1, &right))) return rc;
    rc = piece_call2(&c->lexer, out, operator.function, &right);
    out->is_boolean = operator.precedence == PRECEDENCE_EQUAL || operator.precedence == PRECEDENCE_LESS;
  }
}

/* `condition and yes or no` gives the wrong value when `yes` is null or false, so it travels wrapped unless it is known. */
static int finish_ternary(compiler *c, piece *out, piece *yes, piece *no) {
  bool wrapped = !yes->is_truthy;
  piece whole = {0};
  int rc = piece_truth(&c->lexer, out);
  if (rc || (wrapped && ((rc = piece_call1(&c->lexer, yes, "el.wrap")) ||
      (rc = piece_call1(&c->lexer, no, "el.wrap"))))) return rc;
  if ((rc = piece_literal(&c->lexer, &whole, wrapped ? "el.unwrap(" : "("))) return rc;
  piece_join(&whole, out, 1);
  if ((rc = piece_literal(&c->lexer, &whole, " and "))) return rc;
  piece_join(&whole, yes, 1);
  if ((rc = piece_literal(&c->lexer, &whole, " or "))) return rc;
  piece_join(&whole, no, 1);
  if ((rc = piece_literal(&c->lexer, &whole, ")"))) return rc;
  *out = whole;
  return piece_deepen(&c->lexer, out, 2);
}

static int parse_ternary(compiler *c, piece *out) {
  piece yes = {0}, no = {0};
  int rc = advance(c);
  if (rc) return rc;
  c->ternaries++;
  if ((rc = parse_expression(c, &yes))) return rc;
  c->ternaries--;
  if ((rc = expect(c, T_COLON, "':'")) || (rc = parse_expression(c, &no))) return rc;
  return finish_ternary(c, out, &yes, &no);
}

static int parse_expression(compiler *c, piece *out) {
  if (++c->depth > ORR_EXPRESSION_DEPTH_MAX) return piece_too_deep(&c->lexer);
  int rc = parse_binary(c, PRECEDENCE_OR, out);
  if (!rc && kind(c) == T_QUESTION) rc = parse_ternary(c, out);
  c->depth--;
  return rc;
}

/* ---- Text with expressions in it ------------------------------------------------------------- */

/* What a text is made of so far: one literal, one expression, or the items of `el.join{…}`. */
typedef struct composite {
  size_t parts;
  piece items;    /* each part as a string, each followed by "," */
  piece only;     /* the expression as it is, when there is just one part */
  bool literal;   /* that part is literal text: */
  const char *text;
  size_t size;
} composite;

static int add_literal(compiler *c, composite *all, const char *text, size_t size) {
  if (size == 0) return 0;
  all->parts++;
  all->literal = true;
  all->text = text;
  all->size = size;
  int rc = piece_string(&c->lexer, &all->items, text, size);
  return rc ? rc : piece_literal(&c->lexer, &all->items, ",");
}

/* The same piece stands in both lists only for as long as it is the only part; its fragments are copied, not shared. */
static int add_expression(compiler *c, composite *all, const piece *expression) {
  size_t size;
  char *text = piece_text(&c->lexer, expression, "", &size);
  piece item = {.levels = expression->levels};
  if (!text) return memory_error(c);
  all->parts++;
  all->literal = false;
  all->only = *expression;
  int rc = piece_append(&c->lexer, &item, text, size);
  if (rc || (rc = piece_call1(&c->lexer, &item, "el.part"))) return rc;
  piece_join(&all->items, &item, TABLE_BATCH);
  return piece_literal(&c->lexer, &all->items, ",");
}

/* Is there a "${" or "#{" at this place? */
static bool opens_at(const uel_lexer *l, size_t at) {
  return (l->text[at] == '$' || l->text[at] == '#') && at + 1 < l->size && l->text[at + 1] == '{';
}

/* At most how many bytes of literal text lie ahead. */
static size_t literal_room(const uel_lexer *l) {
  size_t at = l->at;
  while (at < l->size && !(opens_at(l, at) && (at == 0 || l->text[at - 1] != '\\'))) at++;
  return at - l->at;
}

/* Literal text up to the next expression or the end; "\${" stands for "${". *style is '$' or '#' once one was met. */
static int parse_literal_token(compiler *c, char *style, composite *all, bool *more) {
  uel_lexer *l = &c->lexer;
  char *out = arena_alloc(l->arena, literal_room(l) + 1);
  size_t n = 0;
  if (!out) return memory_error(c);
  for (*more = false; l->at < l->size; l->at++) {
    char b = l->text[l->at];
    bool opens = opens_at(l, l->at);
    if (opens && n > 0 && l->at > 0 && l->text[l->at - 1] == '\\') {
      out[n - 1] = b;
      continue;
    }
    if (opens && *style && b != *style) return uel_fail(l, l->at, "'%c{' expected as before instead of '%c{'", *style, b);
    if (opens) {
      *style = b;
      *more = true;
      break;
    }
    out[n++] = b;
  }
  out[n] = '\0';
  return add_literal(c, all, out, n);
}

static int parse_text(compiler *c, composite *all) {
  char style = '\0';
  for (;;) {
    piece expression = {0};
    bool more = false;
    int rc = parse_literal_token(c, &style, all, &more);
    if (rc || !more) return rc;
    c->lexer.at += 2;
    if ((rc = advance(c)) || (rc = parse_expression(c, &expression))) return rc;
    if (kind(c) == T_INSTANCEOF) return uel_fail(&c->lexer, c->lexer.token.at, "instanceof is not supported,");
    if (kind(c) != T_CLOSE_BRACE) return uel_expected(&c->lexer, "'}'");
    if ((rc = add_expression(c, all, &expression))) return rc;
  }
}

static int parse_bare(compiler *c, composite *all) {
  piece expression = {0};
  int rc;
  if ((rc = advance(c)) || (rc = parse_expression(c, &expression))) return rc;
  if (kind(c) != T_END) return uel_expected(&c->lexer, "the end");
  return add_expression(c, all, &expression);
}

static int finish_chunk(compiler *c, const composite *all, uel_code *out) {
  piece whole = {0};
  int rc;
  *out = (uel_code){
      .roots = c->roots.items,
      .n_roots = c->roots.count,
      .beans = c->beans.items,
      .n_beans = c->beans.count,
  };
  if (all->parts == 0 || (all->parts == 1 && all->literal)) {
    out->kind = UEL_LITERAL;
    out->text = all->parts ? all->text : "";
    out->size = all->size;
    return 0;
  }
  if (all->parts == 1) {
    whole = all->only;
  } else {
    if ((rc = piece_literal(&c->lexer, &whole, "el.join{"))) return rc;
    piece_join(&whole, &all->items, 2);
    if ((rc = piece_literal(&c->lexer, &whole, "}")) ||
        (rc = piece_deepen(&c->lexer, &whole, 2))) return rc;
  }
  out->code = piece_text(&c->lexer, &whole, "local el, scope = ...\nreturn ", &out->code_size);
  if (!out->code) return memory_error(c);
  out->kind = whole.name ? UEL_VARIABLE : UEL_CODE;
  out->text = whole.name ? whole.name : out->code;
  out->size = whole.name ? strlen(whole.name) : out->code_size;
  return 0;
}

int uel_compile(orr_arena *arena, const char *text, size_t size, enum uel_mode mode, uel_code *out, orr_error *err) {
  compiler c = {.lexer = {.arena = arena, .text = text, .size = size, .err = err}};
  composite all = {0};
  int rc = mode == UEL_TEXT ? parse_text(&c, &all) : parse_bare(&c, &all);
  return rc ? rc : finish_chunk(&c, &all, out);
}
