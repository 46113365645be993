/* Numbers, blanks and errors at a place in a text of times. */
#include "time/scan.h"

#include <stdarg.h>
#include <stdio.h>

/* Of a text that is no time, this much is enough to find it again. */
#define QUOTE_BYTES_MAX 100
#define REASON_BYTES_MAX 200

bool scan_number(scan *s, int64_t max, int64_t *out) {
  int64_t n = 0;
  size_t at = s->at;
  while (at < s->end && is_digit(s->text[at])) {
    int digit = s->text[at] - '0';
    if (digit > max || n > (max - digit) / 10) return false;
    n = n * 10 + digit;
    at++;
  }
  if (at == s->at) return false;
  s->at = at;
  *out = n;
  return true;
}

size_t scan_digits(const scan *s) {
  size_t n = 0;
  while (s->at + n < s->end && is_digit(s->text[s->at + n])) n++;
  return n;
}

static bool scan_is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void scan_trim(scan *s) {
  while (s->at < s->end && scan_is_blank(s->text[s->at])) s->at++;
  while (s->end > s->at && scan_is_blank(s->text[s->end - 1])) s->end--;
}

int scan_fail(const scan *s, size_t at, const char *format, ...) {
  char reason[REASON_BYTES_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  bool cut = s->size > QUOTE_BYTES_MAX;
  return error_set(s->err, ORR_E_ARGUMENT, "\"%.*s%s\" is no %s: %s at position %zu", cut ? QUOTE_BYTES_MAX : (int)s->size,
                   s->text, cut ? "..." : "", s->what, reason, at + 1);
}

int scan_expected(const scan *s, const char *expected) {
  if (s->at >= s->end) return scan_fail(s, s->at, "%s expected", expected);
  return scan_fail(s, s->at, "%s expected instead of '%c'", expected, s->text[s->at]);
}
