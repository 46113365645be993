/* The header Retry-After: when to come again. */
#include "net/retry_after.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "net/curl.h"

enum { VALUE_BYTES_MAX = 64 }; /* dates have 29 */

/* The value of the first header of this name, without the blanks around it. False: there is none, or a longer one. */
static bool header_value(net_text headers, const char *name, char out[VALUE_BYTES_MAX]) {
  const char *line = headers.bytes, *end = headers.bytes + headers.size, *stop;
  size_t length = strlen(name);
  for (; line < end && (stop = memchr(line, '\n', (size_t)(end - line))); line = stop + 1) {
    if ((size_t)(stop - line) <= length || line[length] != ':' || strncasecmp(line, name, length) != 0) continue;
    const char *from = line + length + 1, *to = stop;
    while (from < to && isspace((unsigned char)*from)) from++;
    while (to > from && isspace((unsigned char)to[-1])) to--;
    if (to - from >= VALUE_BYTES_MAX) return false;
    snprintf(out, VALUE_BYTES_MAX, "%.*s", (int)(to - from), from);
    return true;
  }
  return false;
}

static bool all_digits(const char *text) {
  return *text && text[strspn(text, "0123456789")] == '\0';
}

static int64_t clamp_seconds(int64_t seconds) {
  if (seconds < 0) return 0; /* a date that has passed */
  return seconds > INT32_MAX / 1000 ? INT32_MAX : seconds * 1000;
}

int64_t retry_after_ms(net_text headers) {
  char after[VALUE_BYTES_MAX], date[VALUE_BYTES_MAX];
  if (!header_value(headers, "Retry-After", after)) return -1;
  if (all_digits(after)) return clamp_seconds(strlen(after) > 10 ? INT64_MAX : strtoll(after, NULL, 10));
  if (!header_value(headers, "Date", date)) return -1;
  time_t then = curl.getdate(after, NULL), now = curl.getdate(date, NULL);
  return then < 0 || now < 0 ? -1 : clamp_seconds((int64_t)then - (int64_t)now);
}
