/* A place in a text of times, shared by the readers of this room, so that each error can quote the whole text and name the
 * position in it even when a reader sees a part only. */
#ifndef ORR_SCAN_H
#define ORR_SCAN_H

#include <stdbool.h>

#include "base/error.h"

typedef struct scan {
  const char *text; /* the whole, for quoting and counting */
  size_t size;
  size_t at;        /* the next byte */
  size_t end;       /* of the part to read */
  const char *what; /* "duration", "cron expression": what the whole should be */
  orr_error *err;
} scan;

static inline scan scan_of(const char *text, size_t size, const char *what, orr_error *err) {
  return (scan){.text = text, .size = size, .at = 0, .end = size, .what = what, .err = err};
}

/* '\0' at the end. */
static inline char scan_peek(const scan *s) { return s->at < s->end ? s->text[s->at] : '\0'; }

static inline bool scan_take(scan *s, char c) {
  if (s->at >= s->end || s->text[s->at] != c) return false;
  s->at++;
  return true;
}

static inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads digits; false when there is none or the number exceeds `max`; `at` is then as before. */
bool scan_number(scan *s, int64_t max, int64_t *out);
/* How many digits follow. */
size_t scan_digits(const scan *s);
/* Strips blanks from both ends. */
void scan_trim(scan *s);

/* `"<text>" is no <what>: <reason> at position <at + 1>`; ORR_E_ARGUMENT. */
int scan_fail(const scan *s, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* What stands at `at` and what should. */
int scan_expected(const scan *s, const char *expected);

#endif
