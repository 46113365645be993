/* Characters of a FEEL text. FEEL has no tokens of its own accord: what is a name depends on the
 * names in scope ("date and time", "a-b"), so the parser asks, at each place, for what it could go
 * on with, and these functions look. Blanks and comments are skipped behind whatever was taken. */
#ifndef ORR_FEEL_SCAN_H
#define ORR_FEEL_SCAN_H

#include "decision/feel/unit.h"

typedef struct feel_scan {
  orr_arena *arena;
  const char *text;
  size_t size;
  size_t at;         /* of what comes next, never a blank */
  feel_place *where; /* may be NULL */
  orr_error *err;    /* may be NULL */
} feel_scan;

/* Signs, as far as they go: a "<" is not taken where "<=" is written. */
typedef enum feel_sign {
  S_NONE,
  S_ADD,
  S_SUB,
  S_MUL,
  S_DIV,
  S_POWER,
  S_ARROW,
  S_EQ,
  S_NE,
  S_LT,
  S_LE,
  S_GT,
  S_GE,
  S_DOT,
  S_RANGE,
  S_COMMA,
  S_COLON,
  S_AT,
  S_QUESTION,
  S_OPEN,
  S_CLOSE,
  S_OPEN_LIST,
  S_CLOSE_LIST,
  S_OPEN_CONTEXT,
  S_CLOSE_CONTEXT,
} feel_sign;

/* Skips blanks and comments at the beginning. */
void feel_scan_begin(feel_scan *s);
/* Is the text read? */
bool feel_scan_at_end(const feel_scan *s);
/* The sign that stands here; SIGN_NONE for anything else. */
feel_sign feel_scan_peek(const feel_scan *s);
/* Steps over the sign if it stands here. */
bool feel_scan_sign(feel_scan *s, feel_sign wanted);
/* A word, whole: "in" is not found in "inner". */
bool feel_scan_at_word(const feel_scan *s, const char *word);
/* Steps over the word if it stands here. */
bool feel_scan_word(feel_scan *s, const char *word);
/* Does a name, a quoted one included, begin here? */
bool feel_scan_at_name(const feel_scan *s);
bool feel_scan_at_digit(const feel_scan *s); /* also at the point of ".5" */
/* Does a quoted text begin here? */
bool feel_scan_at_string(const feel_scan *s);

/* The end of one word that begins at `at`. */
size_t feel_scan_word_end(const feel_scan *s, size_t at);
/* The end of the words from `at` on, up to a keyword, and never behind one that is not the first:
 * "unit price" in "unit price in x". */
size_t feel_scan_words_end(const feel_scan *s, size_t at);
/* Where `name` ends when it stands at `at`, whatever blanks stand around its signs; 0 when it does
 * not. */
size_t feel_scan_name_end(const feel_scan *s, size_t at, const char *name);
/* The end of a declared name, which may hold signs: names of entries and parameters. It ends before
 * the ":" "," or ")" that follows; 0: there is no such name here. */
size_t feel_scan_declared_end(const feel_scan *s, size_t at);
/* Where the text in backticks that begins at `at` ends, behind the closing one; 0: it has none. */
size_t feel_scan_quoted_end(const feel_scan *s, size_t at);
/* Goes on behind `end`. */
void feel_scan_move(feel_scan *s, size_t end);
/* The line and column of a place in the text. */
feel_place feel_scan_place(const feel_scan *s, size_t at);
/* A name as written from `at` to `end`, its blanks single; NULL when memory is out. */
const char *feel_scan_name(const feel_scan *s, size_t at, size_t end);

/* A number as written ("1.5", ".5", "2E10"); its end. */
size_t feel_scan_number_end(const feel_scan *s);
/* Where the string literal that is next ends; 0: it does not. */
size_t feel_scan_string_end(const feel_scan *s);
/* Reads it, its escapes resolved, into the arena; the failure when it does not end. */
int feel_scan_string(feel_scan *s, const char **text, size_t *size);

/* ORR_E_EXPRESSION with place and text. */
int feel_scan_fail(const feel_scan *s, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* `… expected, found …`. */
int feel_scan_expected(const feel_scan *s, const char *expected);
/* The same for another code; fills the place. */
int feel_scan_fail_code(const feel_scan *s, int code, size_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
