/* XPath's regular expressions (XML Schema's with anchors, reluctant quantifiers, groups and
 * back-references) as PCRE2's.
 *
 * What XPath does not know is refused, though PCRE2 would take it: look-around, possessive
 * quantifiers, named groups. What PCRE2 does not know is written differently: subtraction of
 * classes, blocks of Unicode, \i and \c. */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "decision/feel/pattern.h"
#include "decision/feel/source.h"

enum { GROUPS_MAX = 99 };

typedef struct translator {
  feel_source out;
  const char *text;
  size_t size, at;
  bool dot_all;
  int depth;  /* of open groups, and of classes in classes */
  int opened; /* groups so far */
  bool closed[GROUPS_MAX + 1];
  orr_error *err;
  bool wrong;
} translator;

static bool refuse_pattern(translator *t, const char *reason) {
  if (!t->wrong)
    error_set(t->err, ORR_E_EXPRESSION, "the regular expression \"%.*s\" is wrong: %s, at byte %zu",
              (int)(t->size < 80 ? t->size : 80), t->text, reason, t->at + 1);
  t->wrong = true;
  return false;
}

static bool more(const translator *t) { return t->at < t->size; }
static char peek(const translator *t, size_t ahead) {
  return t->size - t->at > ahead ? t->text[t->at + ahead] : '\0';
}
static void put_text(translator *t, const char *text) { source_put(&t->out, text); }

static void put_byte(translator *t, char c) {
  char text[2] = {c, '\0'};
  put_text(t, text);
}

/* An ASCII character that may mean something to PCRE2. */
static void put_literal(translator *t, char c) {
  bool plain = (unsigned char)c >= 0x80 || c == '_' || (c >= '0' && c <= '9') ||
               ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
  if (plain) put_byte(t, c);
  else source_putf(&t->out, "\\x%02x", (unsigned char)c);
}

/* ---- Escapes --------------------------------------------------------------------------------- */

/* What is inside the brackets of a class that means the same; NULL: it cannot be written so. */
static const char *class_escape(char c) {
  switch (c) {
    case 's': return " \\t\\n\\r";
    case 'S': return "\\x{0}-\\x{8}\\x{b}\\x{c}\\x{e}-\\x{1f}\\x{21}-\\x{10ffff}";
    case 'd': return "\\p{Nd}";
    case 'D': return "\\P{Nd}";
    case 'w': return "\\p{L}\\p{M}\\p{N}\\p{S}";
    case 'W': return "\\p{P}\\p{Z}\\p{C}";
    case 'i': return "\\p{L}_:";
    case 'c': return "\\p{L}\\p{Nd}\\p{M}\\-._:\\x{b7}";
    default: return NULL;
  }
}

/* The complements that no list of characters can say. */
static const char *complement_escape(char c) {
  if (c == 'I') return "[^\\p{L}_:]";
  if (c == 'C') return "[^\\p{L}\\p{Nd}\\p{M}\\-._:\\x{b7}]";
  return NULL;
}

/* The character that an escape stands for; 0: it is no such escape. */
static char single_escape(char c) {
  switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return c && strchr("\\|.?*+(){}-[]^$", c) ? c : '\0';
  }
}

static const struct {
  const char *name;
  unsigned first, last;
} blocks[] = {
#define BLOCK(name, first, last) {name, first, last},
#include "decision/feel/block.def"
#undef BLOCK
};

/* \p{Lu}, \P{IsGreek}; the "\p" is behind us. Inside a class the brackets of a block are not
 * written. */
static bool translate_property(translator *t, bool complement, bool in_class) {
  const char *close = peek(t, 0) == '{' ? memchr(t->text + t->at, '}', t->size - t->at) : NULL;
  size_t size = close ? (size_t)(close - t->text) - t->at - 1 : 0;
  const char *name = t->text + t->at + 1;
  if (size == 0) return refuse_pattern(t, "the name of a category or block in braces expected");
  t->at += size + 2;
  if (size <= 2) {
    source_putf(&t->out, "\\%c{%.*s}", complement ? 'P' : 'p', (int)size, name);
    return true;
  }
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
    if (size != strlen(blocks[i].name) + 2 || memcmp(name, "Is", 2) != 0 ||
        memcmp(name + 2, blocks[i].name, size - 2) != 0)
      continue;
    unsigned first = blocks[i].first, last = blocks[i].last;
    if (!in_class) source_putf(&t->out, "[%s\\x{%x}-\\x{%x}]", complement ? "^" : "", first, last);
    else if (!complement) source_putf(&t->out, "\\x{%x}-\\x{%x}", first, last);
    else if (first) source_putf(&t->out, "\\x{0}-\\x{%x}\\x{%x}-\\x{10ffff}", first - 1, last + 1);
    else source_putf(&t->out, "\\x{%x}-\\x{10ffff}", last + 1);
    return true;
  }
  return refuse_pattern(t, "there is no such category or block");
}

static bool translate_reference(translator *t) {
  int n = 0;
  while (peek(t, 0) >= '0' && peek(t, 0) <= '9' &&
         (n == 0 || n * 10 + (peek(t, 0) - '0') <= t->opened))
    n = n * 10 + (t->text[t->at++] - '0');
  if (n == 0 || n > t->opened || n > GROUPS_MAX || !t->closed[n])
    return refuse_pattern(t, "a reference to a group that is not closed before it");
  source_putf(&t->out, "(?:\\%d)", n);
  return true;
}

static bool translate_escape(translator *t) {
  t->at++;
  char c = peek(t, 0), literal = single_escape(c);
  if (c >= '1' && c <= '9') return translate_reference(t);
  t->at++;
  if (literal) {
    put_literal(t, literal);
  } else if (c == 'p' || c == 'P') {
    return translate_property(t, c == 'P', false);
  } else if (class_escape(c)) {
    source_putf(&t->out, "[%s]", class_escape(c));
  } else if (complement_escape(c)) {
    put_text(t, complement_escape(c));
  } else {
    t->at--;
    return refuse_pattern(t, "no such escape");
  }
  return true;
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* Copies one character, which may be several bytes or an escape; false after a refusal, or for an
 * escape that stands for many. */
static bool class_char(translator *t) {
  char c = peek(t, 0);
  if (c == '\\') {
    c = single_escape(peek(t, 1));
    if (!c) return false;
    t->at++;
  } else if (c == '[' || c == ']') {
    return refuse_pattern(t, "a bracket in a class without a backslash");
  }
  put_literal(t, c);
  t->at++;
  while ((peek(t, 0) & 0xC0) == 0x80 && more(t)) put_byte(t, t->text[t->at++]);
  return true;
}

static bool translate_class(translator *t);

/* An escape that stands for many characters. Complements that cannot be listed are gathered in
 * `others`, as alternatives. */
static bool class_many(translator *t, feel_source *others) {
  char c = peek(t, 1);
  t->at += 2;
  if (c == 'p' || c == 'P') return translate_property(t, c == 'P', true);
  if (class_escape(c)) {
    put_text(t, class_escape(c));
  } else if (complement_escape(c)) {
    source_putf(others, "|%s", complement_escape(c));
  } else {
    t->at -= 2;
    return refuse_pattern(t, "no such escape");
  }
  return true;
}

static bool class_range(translator *t, feel_source *others) {
  if (peek(t, 0) == '\\' && !single_escape(peek(t, 1))) return class_many(t, others);
  if (!class_char(t)) return false;
  if (peek(t, 0) != '-' || peek(t, 1) == ']' || peek(t, 1) == '[' || peek(t, 1) == '\0')
    return true;
  t->at++;
  put_text(t, "-");
  return class_char(t) || refuse_pattern(t, "a range that ends in an escape for many characters");
}

/* What is between the brackets, up to the closing one or a subtraction. */
static bool class_members(translator *t, feel_source *others) {
  size_t begun = t->at;
  while (more(t) && peek(t, 0) != ']' && !(peek(t, 0) == '-' && peek(t, 1) == '[' && t->at > begun))
    if (!class_range(t, others)) return refuse_pattern(t, "a wrong class");
  if (!more(t)) return refuse_pattern(t, "a class without its closing bracket");
  return t->at > begun || refuse_pattern(t, "an empty class");
}

/* `[a-z-[aeiou]]` becomes `(?:(?![aeiou])[a-z])`. */
static bool subtract(translator *t, feel_source *minus) {
  feel_source out = t->out;
  t->out = (feel_source){.arena = out.arena};
  t->at++;
  bool done = translate_class(t);
  *minus = t->out;
  t->out = out;
  if (!done) return false;
  return peek(t, 0) == ']' || refuse_pattern(t, "a subtraction ends its class");
}

static bool translate_class(translator *t) {
  feel_source out = t->out, others = {.arena = out.arena}, minus = {.arena = out.arena};
  if (++t->depth > ORR_EXPRESSION_DEPTH_MAX) return refuse_pattern(t, "nested too deep");
  t->at++;
  bool negated = peek(t, 0) == '^';
  if (negated) t->at++;
  t->out = (feel_source){.arena = out.arena};
  bool done = class_members(t, &others);
  if (done && peek(t, 0) == '-') {
    feel_source members = t->out;
    done = subtract(t, &minus);
    t->out = members;
  }
  feel_source members = t->out;
  t->out = out;
  if (!done) return false;
  t->at++;
  t->depth--;
  const char *simple = members.text ? members.text : "", *more_of = others.text ? others.text : "";
  put_text(t, "(?:");
  if (minus.text) source_putf(&t->out, "(?!%s)", minus.text);
  if (*more_of == '\0') source_putf(&t->out, "[%s%s]", negated ? "^" : "", simple);
  else if (*simple == '\0')
    source_putf(&t->out, negated ? "(?!%s)[\\x{0}-\\x{10ffff}]" : "(?:%s)", more_of + 1);
  else
    source_putf(&t->out, negated ? "(?![%s]%s)[\\x{0}-\\x{10ffff}]" : "(?:[%s]%s)", simple,
                more_of);
  put_text(t, ")");
  return true;
}

/* ---- Quantifiers and groups ------------------------------------------------------------------ */

static bool read_repeat(translator *t, long *out) {
  size_t begun = t->at;
  for (*out = 0; peek(t, 0) >= '0' && peek(t, 0) <= '9'; t->at++) {
    *out = *out * 10 + (peek(t, 0) - '0');
    if (*out > 65535) return refuse_pattern(t, "a count above 65535");
  }
  return t->at > begun;
}

/* {2}, {2,}, {2,5} */
static bool translate_count(translator *t) {
  long least, most = -1;
  size_t begun = t->at++;
  if (!read_repeat(t, &least)) return refuse_pattern(t, "a count expected");
  if (peek(t, 0) == ',') {
    t->at++;
    if (peek(t, 0) != '}' && !read_repeat(t, &most)) return refuse_pattern(t, "a count expected");
  }
  if (peek(t, 0) != '}' || (most >= 0 && most < least)) return refuse_pattern(t, "a wrong count");
  t->at++;
  source_putf(&t->out, "%.*s", (int)(t->at - begun), t->text + begun);
  return true;
}

/* What may follow an atom: a quantifier, reluctant or not. */
static bool translate_quantifier(translator *t) {
  char c = peek(t, 0);
  if (c == '{') {
    if (!translate_count(t)) return false;
  } else if (more(t) && (c == '?' || c == '*' || c == '+')) {
    put_byte(t, c);
    t->at++;
  } else {
    return true;
  }
  if (peek(t, 0) == '?') {
    put_text(t, "?");
    t->at++;
  }
  return true;
}

static bool translate_branches(translator *t);

static bool translate_group(translator *t) {
  int number = 0;
  t->at++;
  if (++t->depth > ORR_EXPRESSION_DEPTH_MAX) return refuse_pattern(t, "nested too deep");
  if (peek(t, 0) == '?') {
    if (peek(t, 1) != ':') return refuse_pattern(t, "groups are (…) and (?:…)");
    t->at += 2;
    put_text(t, "(?:");
  } else {
    if (t->opened >= GROUPS_MAX) return refuse_pattern(t, "more than 99 groups");
    number = ++t->opened;
    put_text(t, "(");
  }
  if (!translate_branches(t)) return false;
  if (peek(t, 0) != ')') return refuse_pattern(t, "a group without its closing parenthesis");
  t->at++;
  t->depth--;
  put_text(t, ")");
  t->closed[number] = number > 0;
  return true;
}

static bool translate_atom(translator *t) {
  char c = peek(t, 0);
  switch (c) {
    case '\\': return translate_escape(t);
    case '[': return translate_class(t);
    case '(': return translate_group(t);
    case '.':
      put_text(t, t->dot_all ? "." : "[^\\n\\r]");
      t->at++;
      return true;
    case '?':
    case '*':
    case '+':
    case '{': return refuse_pattern(t, "a quantifier with nothing before it");
    case '}':
    case ']': return refuse_pattern(t, "a closing bracket without a backslash");
    default: break;
  }
  put_literal(t, c);
  t->at++;
  while (more(t) && (peek(t, 0) & 0xC0) == 0x80) put_byte(t, t->text[t->at++]);
  return true;
}

/* Alternatives up to the end or a closing parenthesis. */
static bool translate_branches(translator *t) {
  while (more(t) && peek(t, 0) != ')') {
    char c = peek(t, 0);
    if (c == '|' || c == '^' || c == '$') {
      put_byte(t, c);
      t->at++;
    } else if (!translate_atom(t) || !translate_quantifier(t)) {
      return false;
    }
  }
  return true;
}

/* Blanks do not count, but within a class: also behind a backslash, and in the name of a category. NULL: no memory. */
static const char *without_blanks(orr_arena *arena, const char *pattern, size_t *size) {
  char *out = arena_alloc(arena, *size + 1);
  size_t n = 0;
  int depth = 0;
  bool escaped = false;
  for (size_t i = 0; out && i < *size; i++) {
    char c = pattern[i];
    if (depth == 0 && c && strchr(" \t\r\n", c)) continue;
    out[n++] = c;
    if (!escaped && c == '[') depth++;
    if (!escaped && c == ']' && depth > 0) depth--;
    escaped = !escaped && c == '\\';
  }
  if (out) out[n] = '\0';
  *size = n;
  return out;
}

const char *pattern_translate(orr_arena *arena, const char *pattern, size_t size, bool spaced,
                              bool dot_all, size_t *out_size, orr_error *err) {
  if (spaced) pattern = without_blanks(arena, pattern, &size);
  if (!pattern) {
    error_memory(err);
    return NULL;
  }
  translator t = {.out = {.arena = arena},
                  .text = pattern,
                  .size = size,
                  .dot_all = dot_all,
                  .err = err};
  put_text(&t, "");
  if (!translate_branches(&t)) return NULL;
  if (more(&t)) {
    refuse_pattern(&t, "a closing parenthesis without its opening one");
    return NULL;
  }
  if (t.out.failed) {
    error_memory(err);
    return NULL;
  }
  *out_size = t.out.size;
  return t.out.text;
}
