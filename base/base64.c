/* Three bytes are four digits. */
#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_write(const char *bytes, size_t size, char *text) {
  const unsigned char *in = (const unsigned char *)bytes;
  for (size_t i = 0; i < size; i += 3) {
    size_t n = size - i;
    uint32_t bits = (uint32_t)in[i] << 16 | (n > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (n > 2 ? in[i + 2] : 0U);
    *text++ = digits[bits >> 18];
    *text++ = digits[bits >> 12 & 63];
    *text++ = n > 1 ? digits[bits >> 6 & 63] : '=';
    *text++ = n > 2 ? digits[bits & 63] : '=';
  }
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Whether nothing but '=' is left. */
static bool base64_ends(const char *text, const char *end) {
  while (text < end && *text == '=') text++;
  return text == end;
}

bool base64_read(const char *text, size_t size, base64_manner manner, char *out, size_t *count) {
  const char *end = text + size;
  uint32_t bits = 0;
  int held = 0;
  size_t n = 0;
  for (; text < end && *text != '='; text++) {
    if (manner == BASE64_MIME && is_blank(*text)) continue;
    const char *digit = memchr(digits, *text, sizeof digits - 1);
    if (!digit) return false;
    bits = bits << 6 | (uint32_t)(digit - digits);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    if (n == *count) return false;
    out[n++] = (char)(bits >> held & 0xFF);
  }
  *count = n;
  return manner == BASE64_MIME || base64_ends(text, end);
}
