/* Characters, signs, words and literals of FEEL, and where a text is wrong. */
#include "decision/feel/scan.h"

#include <stdio.h>
#include <string.h>

/* ---- Characters ------------------------------------------------------------------------------ */

/* The character at `at` and its bytes. Bytes that are no UTF-8 count as characters of their own,
 * which no rule allows. */
static uint32_t char_at(const feel_scan *s, size_t at, size_t *bytes) {
  const unsigned char *p = (const unsigned char *)s->text + at;
  size_t left = s->size - at, more = p[0] >= 0xF0 ? 3 : p[0] >= 0xE0 ? 2 : 1;
  *bytes = 1;
  if (p[0] < 0x80) return p[0];
  if (p[0] < 0xC2 || p[0] > 0xF4 || left <= more) return UINT32_MAX;
  uint32_t c = p[0] & (0x3Fu >> more);
  for (size_t i = 1; i <= more; i++) {
    if ((p[i] & 0xC0) != 0x80) return UINT32_MAX;
    c = c << 6 | (p[i] & 0x3F);
  }
  *bytes = more + 1;
  return c;
}

/* Blanks and line ends of every kind, as the grammar lists them. */
static bool is_blank_char(uint32_t c) {
  return c == ' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         c == 0x180E || (c >= 0x2000 && c <= 0x200B) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

static bool is_digit_char(uint32_t c) { return c >= '0' && c <= '9'; }

static bool begins_name(uint32_t c) {
  if (c < 0x80) return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  return c != UINT32_MAX && c >= 0xC0 && c != 0xD7 && c != 0xF7 && !is_blank_char(c);
}

static bool is_name_part(uint32_t c) { return begins_name(c) || is_digit_char(c) || c == 0xB7; }

/* Signs that a name may hold. */
static bool is_name_sign(uint32_t c) { return c != 0 && c < 0x80 && strchr("./-'+*", (int)c); }

static size_t skip_blanks(const feel_scan *s, size_t at) {
  size_t bytes;
  while (at < s->size && is_blank_char(char_at(s, at, &bytes))) at += bytes;
  return at;
}

/* Behind blanks and comments. A comment that is not closed is left where it is, for the parser to
 * stumble over. */
static size_t skip_space(const feel_scan *s, size_t at) {
  for (;;) {
    at = skip_blanks(s, at);
    if (s->size - at < 2 || s->text[at] != '/') return at;
    if (s->text[at + 1] == '/') {
      while (at < s->size && s->text[at] != '\n') at++;
    } else if (s->text[at + 1] == '*') {
      size_t end = at + 2;
      while (s->size - end >= 2 && memcmp(s->text + end, "*/", 2) != 0) end++;
      if (s->size - end < 2) return at;
      at = end + 2;
    } else {
      return at;
    }
  }
}

void feel_scan_move(feel_scan *s, size_t end) { s->at = skip_space(s, end); }
void feel_scan_begin(feel_scan *s) { feel_scan_move(s, 0); }
bool feel_scan_at_end(const feel_scan *s) { return s->at >= s->size; }

/* ---- Signs and words ------------------------------------------------------------------------- */

/* The longer first. */
static const struct {
  const char *text;
  feel_sign sign;
} signs[] = {
    {"**", S_POWER},    {"->", S_ARROW},     {"..", S_RANGE},       {"!=", S_NE},
    {"<=", S_LE},       {">=", S_GE},        {"<", S_LT},           {">", S_GT},
    {"=", S_EQ},        {"+", S_ADD},        {"-", S_SUB},          {"*", S_MUL},
    {"/", S_DIV},       {".", S_DOT},        {",", S_COMMA},        {":", S_COLON},
    {"@", S_AT},        {"?", S_QUESTION},   {"(", S_OPEN},         {")", S_CLOSE},
    {"[", S_OPEN_LIST}, {"]", S_CLOSE_LIST}, {"{", S_OPEN_CONTEXT}, {"}", S_CLOSE_CONTEXT},
};

static feel_sign sign_at(const feel_scan *s, size_t at, size_t *size) {
  *size = 0;
  if (s->size - at > 1 && memcmp(s->text + at, "/*", 2) == 0) return S_NONE; /* it is not closed */
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
    *size = strlen(signs[i].text);
    if (s->size - at >= *size && memcmp(s->text + at, signs[i].text, *size) == 0)
      return signs[i].sign;
  }
  *size = 0;
  return S_NONE;
}

feel_sign feel_scan_peek(const feel_scan *s) {
  size_t size;
  return sign_at(s, s->at, &size);
}

bool feel_scan_sign(feel_scan *s, feel_sign wanted) {
  size_t size;
  if (sign_at(s, s->at, &size) != wanted) return false;
  feel_scan_move(s, s->at + size);
  return true;
}

size_t feel_scan_word_end(const feel_scan *s, size_t at) {
  size_t bytes;
  while (at < s->size && is_name_part(char_at(s, at, &bytes))) at += bytes;
  return at;
}

static bool word_at(const feel_scan *s, size_t at, const char *word) {
  size_t size = strlen(word);
  return s->size - at >= size && memcmp(s->text + at, word, size) == 0 &&
         feel_scan_word_end(s, at) == at + size;
}

bool feel_scan_at_word(const feel_scan *s, const char *word) { return word_at(s, s->at, word); }

bool feel_scan_word(feel_scan *s, const char *word) {
  if (!feel_scan_at_word(s, word)) return false;
  feel_scan_move(s, s->at + strlen(word));
  return true;
}

bool feel_scan_at_name(const feel_scan *s) {
  size_t bytes;
  return s->at < s->size && (s->text[s->at] == '`' || begins_name(char_at(s, s->at, &bytes)));
}

bool feel_scan_at_digit(const feel_scan *s) {
  if (feel_scan_at_end(s)) return false;
  if (is_digit_char((unsigned char)s->text[s->at])) return true;
  return s->text[s->at] == '.' && s->size - s->at > 1 &&
         is_digit_char((unsigned char)s->text[s->at + 1]);
}

bool feel_scan_at_string(const feel_scan *s) { return s->at < s->size && s->text[s->at] == '"'; }

/* ---- Names ----------------------------------------------------------------------------------- */

/* Words that end a name of several words. */
static bool is_keyword(const feel_scan *s, size_t at) {
  static const char *const keywords[] = {
      "and",  "between", "else",   "every",     "false", "for",  "if",   "in",      "instance",
      "null", "or",      "return", "satisfies", "some",  "then", "true", "external"};
  for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
    if (word_at(s, at, keywords[i])) return true;
  return false;
}

static bool starts_name(const feel_scan *s, size_t at) {
  size_t bytes;
  return at < s->size && begins_name(char_at(s, at, &bytes));
}

/* Further words may begin with a digit: "version 2". */
static bool continues_name(const feel_scan *s, size_t at) {
  size_t bytes;
  return at < s->size && is_name_part(char_at(s, at, &bytes)) && !is_keyword(s, at);
}

size_t feel_scan_words_end(const feel_scan *s, size_t at) {
  size_t end = feel_scan_word_end(s, at);
  for (size_t next = skip_blanks(s, end); next > end && continues_name(s, next);
       next = skip_blanks(s, end))
    end = feel_scan_word_end(s, next);
  return end;
}

/* One step of feel_scan_name_end: blanks in the name. Between words there must be some in the text,
 * around signs there may be. */
static bool match_blanks(const feel_scan *s, const char **name, size_t *at) {
  const char *n = *name;
  bool after_sign = is_name_sign((unsigned char)n[-1]);
  while (*n == ' ') n++;
  size_t end = skip_blanks(s, *at);
  if (end == *at && !after_sign && !is_name_sign((unsigned char)*n)) return false;
  *name = n;
  *at = end;
  return true;
}

size_t feel_scan_name_end(const feel_scan *s, size_t at, const char *name) {
  const char *n = name;
  size_t start = at;
  while (*n) {
    bool inside = n > name;
    if (inside && *n == ' ') {
      if (!match_blanks(s, &n, &at)) return 0;
      continue;
    }
    if (inside && (is_name_sign((unsigned char)*n) || is_name_sign((unsigned char)n[-1])))
      at = skip_blanks(s, at);
    if (at >= s->size || s->text[at] != *n) return 0;
    at++;
    n++;
  }
  size_t bytes;
  if (at == start) return 0;
  if (is_name_sign((unsigned char)n[-1]) || at >= s->size || !is_name_part(char_at(s, at, &bytes)))
    return at;
  return 0;
}

size_t feel_scan_declared_end(const feel_scan *s, size_t at) {
  if (!starts_name(s, at)) return 0;
  size_t end = at, bytes;
  while (at < s->size) {
    uint32_t c = char_at(s, at, &bytes);
    if (c == ':' || c == ',' || c == ')') return end;
    if (!is_blank_char(c) && !is_name_part(c) && !is_name_sign(c) && c != '?') return 0;
    at += bytes;
    if (!is_blank_char(c)) end = at;
  }
  return 0;
}

size_t feel_scan_quoted_end(const feel_scan *s, size_t at) {
  const char *close = s->size - at > 1 ? memchr(s->text + at + 1, '`', s->size - at - 1) : NULL;
  return close ? (size_t)(close - s->text) + 1 : 0;
}

const char *feel_scan_name(const feel_scan *s, size_t at, size_t end) {
  char *name = arena_alloc(s->arena, end - at + 1), *out = name;
  if (!name) return NULL;
  while (at < end) {
    size_t bytes, next = skip_blanks(s, at);
    if (next > at && out > name && next < end) *out++ = ' ';
    at = next;
    if (at >= end) break;
    char_at(s, at, &bytes);
    memcpy(out, s->text + at, bytes);
    out += bytes;
    at += bytes;
  }
  *out = '\0';
  return name;
}

/* ---- Literals -------------------------------------------------------------------------------- */

static size_t digits_end(const feel_scan *s, size_t at) {
  while (at < s->size && is_digit_char((unsigned char)s->text[at])) at++;
  return at;
}

/* "1..x" is 1 and a range. */
size_t feel_scan_number_end(const feel_scan *s) {
  size_t at = digits_end(s, s->at);
  if (s->size - at > 1 && s->text[at] == '.' && is_digit_char((unsigned char)s->text[at + 1]))
    at = digits_end(s, at + 1);
  if (at >= s->size || (s->text[at] | 0x20) != 'e') return at;
  size_t exponent = at + 1;
  if (exponent < s->size && (s->text[exponent] == '+' || s->text[exponent] == '-')) exponent++;
  size_t end = digits_end(s, exponent);
  return end > exponent ? end : at;
}

static int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The number of `digits` hexadecimal digits at `at`; UINT32_MAX when they are none. */
static uint32_t hex_at(const feel_scan *s, size_t at, size_t digits) {
  uint32_t value = 0;
  if (s->size - at < digits) return UINT32_MAX;
  for (size_t i = 0; i < digits; i++) {
    int digit = hex_value(s->text[at + i]);
    if (digit < 0) return UINT32_MAX;
    value = value << 4 | (uint32_t)digit;
  }
  return value;
}

static char *put_char(char *out, uint32_t c) {
  if (c < 0x80) {
    *out++ = (char)c;
  } else if (c < 0x800) {
    *out++ = (char)(0xC0 | c >> 6);
    *out++ = (char)(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    *out++ = (char)(0xE0 | c >> 12);
    *out++ = (char)(0x80 | (c >> 6 & 0x3F));
    *out++ = (char)(0x80 | (c & 0x3F));
  } else {
    *out++ = (char)(0xF0 | c >> 18);
    *out++ = (char)(0x80 | (c >> 12 & 0x3F));
    *out++ = (char)(0x80 | (c >> 6 & 0x3F));
    *out++ = (char)(0x80 | (c & 0x3F));
  }
  return out;
}

/* \uXXXX and \UXXXXXX behind the backslash; two halves of a pair make one character. Moves `at`
 * behind it, or leaves it: no such escape. */
static char *unicode_escape(const feel_scan *s, size_t *at, char *out) {
  size_t digits = s->text[*at] == 'u' ? 4 : 6;
  uint32_t c = hex_at(s, *at + 1, digits);
  size_t end = *at + 1 + digits;
  if (c > 0x10FFFF) return out;
  if (c >= 0xD800 && c < 0xDC00 && s->size - end > 5 && s->text[end] == '\\' &&
      s->text[end + 1] == 'u') {
    uint32_t low = hex_at(s, end + 2, 4);
    if (low >= 0xDC00 && low < 0xE000) {
      c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
      end += 6;
    }
  }
  if (c >= 0xD800 && c < 0xE000) return out; /* half a pair is no character */
  *at = end;
  return put_char(out, c);
}

/* What an escape stands for, behind its backslash. One that FEEL does not know stays as it is:
 * patterns are full of them. */
static char *escape(const feel_scan *s, size_t *at, char *out) {
  static const char names[] = "nrt\"'\\", values[] = "\n\r\t\"'\\";
  const char *known = *at < s->size && s->text[*at] ? strchr(names, s->text[*at]) : NULL;
  if (known) {
    *out++ = values[known - names];
    ++*at;
    return out;
  }
  size_t before = *at;
  if (*at < s->size && (s->text[*at] | 0x20) == 'u') out = unicode_escape(s, at, out);
  if (*at == before) *out++ = '\\';
  return out;
}

size_t feel_scan_string_end(const feel_scan *s) {
  size_t at = s->at + 1;
  while (at < s->size && s->text[at] != '"') at += s->text[at] == '\\' ? 2 : 1;
  return at < s->size ? at + 1 : 0;
}

int feel_scan_string(feel_scan *s, const char **text, size_t *size) {
  size_t end = feel_scan_string_end(s), at = s->at + 1;
  if (end == 0) return feel_scan_fail(s, s->at, "a string without its closing '\"'");
  char *copy = arena_alloc(s->arena, end - at), *out = copy;
  if (!copy) return error_memory(s->err);
  while (at < end - 1) {
    if (s->text[at] != '\\') {
      *out++ = s->text[at++];
    } else {
      at++;
      out = escape(s, &at, out);
    }
  }
  *out = '\0';
  *text = copy;
  *size = (size_t)(out - copy);
  feel_scan_move(s, end);
  return 0;
}

/* ---- Errors ---------------------------------------------------------------------------------- */

feel_place feel_scan_place(const feel_scan *s, size_t at) {
  feel_place place = {1, 1};
  size_t bytes;
  for (size_t i = 0; i < at && i < s->size; i += bytes) {
    uint32_t c = char_at(s, i, &bytes);
    place.column++;
    if (c == '\n') place = (feel_place){place.line + 1, 1};
  }
  return place;
}

/* Of the text, what fits into a message: its beginning, cut between characters. */
static int excerpt(const feel_scan *s) {
  size_t end = s->size < 60 ? s->size : 60;
  while (end < s->size && end > 0 && ((unsigned char)s->text[end] & 0xC0) == 0x80) end--;
  return (int)end;
}

static int fail_va(const feel_scan *s, int code, size_t at, const char *format, va_list args) {
  feel_place place = feel_scan_place(s, at);
  char reason[300];
  if (s->where) *s->where = place;
  vsnprintf(reason, sizeof reason, format, args);
  int size = excerpt(s);
  return error_set(s->err, code, "\"%.*s%s\" is no FEEL: %s at line %d, column %d", size, s->text,
                   (size_t)size < s->size ? "…" : "", reason, place.line, place.column);
}

int feel_scan_fail_code(const feel_scan *s, int code, size_t at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int rc = fail_va(s, code, at, format, args);
  va_end(args);
  return rc;
}

int feel_scan_fail(const feel_scan *s, size_t at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int rc = fail_va(s, ORR_E_EXPRESSION, at, format, args);
  va_end(args);
  return rc;
}

int feel_scan_expected(const feel_scan *s, const char *expected) {
  size_t bytes = 0;
  if (feel_scan_at_end(s))
    return feel_scan_fail(s, s->at, "%s expected, but the text ends", expected);
  if (s->size - s->at > 1 && memcmp(s->text + s->at, "/*", 2) == 0)
    return feel_scan_fail(s, s->at, "a comment that is not closed");
  size_t end = feel_scan_word_end(s, s->at);
  if (end == s->at) {
    char_at(s, s->at, &bytes);
    end += bytes;
  }
  if (end - s->at > 40) end = s->at + 40;
  return feel_scan_fail(s, s->at, "%s expected, found \"%.*s\"", expected, (int)(end - s->at),
                        s->text + s->at);
}
