/* Cutting expressions into tokens, and saying where one of them is wrong. */
#include "model/uel/lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define QUOTE_BYTES_MAX 200
#define REASON_BYTES_MAX 200

int uel_fail(const uel_lexer *lexer, size_t at, const char *format, ...) {
  char reason[REASON_BYTES_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  bool cut = lexer->size > QUOTE_BYTES_MAX;
  return error_set(lexer->err, ORR_E_EXPRESSION, "\"%.*s%s\" is no expression: %s at position %zu",
                   cut ? QUOTE_BYTES_MAX : (int)lexer->size, lexer->text, cut ? "..." : "", reason, at + 1);
}

int uel_expected(const uel_lexer *lexer, const char *expected) {
  const uel_token *t = &lexer->token;
  if (t->kind == T_END) return uel_fail(lexer, t->at, "%s expected", expected);
  size_t size = t->end - t->at;
  return uel_fail(lexer, t->at, "%s expected instead of '%.*s'", expected, size > 40 ? 40 : (int)size, lexer->text + t->at);
}

static bool lex_is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
static bool lex_is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static char at_offset(const uel_lexer *l, size_t n) { return l->at + n < l->size ? l->text[l->at + n] : '\0'; }

static const struct {
  const char *text;
  uel_token_kind kind;
} words[] = {
    {"and", T_AND}, {"or", T_OR},     {"not", T_NOT},     {"empty", T_EMPTY}, {"div", T_DIV}, {"mod", T_MOD},
    {"eq", T_EQ},   {"ne", T_NE},     {"lt", T_LT},       {"le", T_LE},       {"gt", T_GT},   {"ge", T_GE},
    {"true", T_TRUE}, {"false", T_FALSE}, {"null", T_NULL}, {"nil", T_NULL},  {"instanceof", T_INSTANCEOF},
};

/* Longer ones first. */
static const struct {
  const char *text;
  uel_token_kind kind;
} signs[] = {
    {"&&", T_AND}, {"||", T_OR},  {"==", T_EQ},       {"!=", T_NE},        {"~=", T_NE}, {"<=", T_LE}, {">=", T_GE},
        {"..", T_CONCAT},
    {"<", T_LT},   {">", T_GT},   {"!", T_NOT},       {"+", T_ADD},        {"-", T_SUB}, {"*", T_MUL}, {"/", T_DIV},
        {"%", T_MOD},
    {"#", T_LENGTH}, {"?", T_QUESTION}, {":", T_COLON}, {",", T_COMMA},    {".", T_DOT}, {"(", T_OPEN}, {")", T_CLOSE},
    {"[", T_OPEN_INDEX}, {"]", T_CLOSE_INDEX}, {"}", T_CLOSE_BRACE},
};

static int copy_token_text(uel_lexer *l, size_t start) {
  l->token.size = l->at - start;
  l->token.text = arena_strndup(l->arena, l->text + start, l->token.size);
  return l->token.text ? 0 : error_memory(l->err);
}

static int lex_word(uel_lexer *l, bool names_only) {
  size_t start = l->at;
  while (is_name_start(at_offset(l, 0)) || lex_is_digit(at_offset(l, 0))) l->at++;
  l->token.kind = T_NAME;
  for (size_t i = 0; !names_only && i < sizeof words / sizeof words[0]; i++)
    if (strlen(words[i].text) == l->at - start && memcmp(words[i].text, l->text + start, l->at - start) == 0)
      l->token.kind = words[i].kind;
  return copy_token_text(l, start);
}

/* "12", "1.5", ".5", "1e-3"; "1..x" is 1 and a concatenation. */
static int lex_number(uel_lexer *l) {
  size_t start = l->at;
  while (lex_is_digit(at_offset(l, 0))) l->at++;
  if (at_offset(l, 0) == '.' && at_offset(l, 1) != '.') {
    l->at++;
    while (lex_is_digit(at_offset(l, 0))) l->at++;
  }
  if ((at_offset(l, 0) | 0x20) == 'e') {
    l->at++;
    if (at_offset(l, 0) == '+' || at_offset(l, 0) == '-') l->at++;
    if (!lex_is_digit(at_offset(l, 0))) return uel_fail(l, l->at, "digits of an exponent expected");
    while (lex_is_digit(at_offset(l, 0))) l->at++;
  }
  if (is_name_start(at_offset(l, 0))) return uel_fail(l, l->at, "unexpected '%c' in a number", at_offset(l, 0));
  l->token.kind = T_NUMBER;
  return copy_token_text(l, start);
}

static int lex_string(uel_lexer *l) {
  size_t start = l->at;
  char quote = l->text[l->at++];
  char *out = arena_alloc(l->arena, l->size - l->at + 1);
  if (!out) return error_memory(l->err);
  size_t n = 0;
  for (; l->at < l->size && l->text[l->at] != quote; l->at++) {
    char c = l->text[l->at];
    if (c == '\\') {
      c = at_offset(l, 1);
      if (c != '\\' && c != '\'' && c != '"') return uel_fail(l, l->at, "'\\' may only stand before a quote or another '\\',");
      l->at++;
    }
    out[n++] = c;
  }
  if (l->at >= l->size) return uel_fail(l, start, "a text without its closing %c begins", quote);
  l->at++;
  out[n] = '\0';
  l->token.kind = T_STRING;
  l->token.text = out;
  l->token.size = n;
  return 0;
}

static int lex_sign(uel_lexer *l) {
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
    size_t size = strlen(signs[i].text);
    if (l->size - l->at < size || memcmp(signs[i].text, l->text + l->at, size) != 0) continue;
    l->token.kind = signs[i].kind;
    l->at += size;
    return 0;
  }
  return uel_fail(l, l->at, "unexpected '%c'", l->text[l->at]);
}

int uel_next(uel_lexer *l, bool names_only) {
  while (l->at < l->size && lex_is_blank(l->text[l->at])) l->at++;
  l->token = (uel_token){.kind = T_END, .at = l->at, .end = l->at};
  if (l->at >= l->size) return 0;
  char c = l->text[l->at];
  int rc;
  if (is_name_start(c)) {
    rc = lex_word(l, names_only);
  } else if (lex_is_digit(c) || (c == '.' && lex_is_digit(at_offset(l, 1)))) {
    rc = lex_number(l);
  } else if (c == '\'' || c == '"') {
    rc = lex_string(l);
  } else {
    rc = lex_sign(l);
  }
  l->token.end = l->at;
  return rc;
}
