/* Strings go out in runs: what needs no escape goes as it stands, together. */
#include "base/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t json_utf8_size(const unsigned char *at, size_t left) {
  size_t size = *at < 0x80 ? 1 : *at < 0xC2 ? 0 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : *at < 0xF5 ? 4 : 0;
  if (size == 0 || size > left) return 0;
  for (size_t i = 1; i < size; i++)
    if ((at[i] & 0xC0) != 0x80) return 0;
  if ((*at == 0xE0 && at[1] < 0xA0) || (*at == 0xED && at[1] >= 0xA0)) return 0; /* overlong; a surrogate */
  return (*at == 0xF0 && at[1] < 0x90) || (*at == 0xF4 && at[1] >= 0x90) ? 0 : size;
}

static bool is_utf8(const unsigned char *at, const unsigned char *end) {
  size_t size = 1;
  for (; at < end && size > 0; at += size) size = json_utf8_size(at, (size_t)(end - at));
  return size > 0;
}

static void put_escape(const json_sink *sink, unsigned char c) {
  static const char names[] = "bfnrt", meanings[] = "\b\f\n\r\t";
  char escape[8];
  const char *meaning = c ? strchr(meanings, c) : NULL;
  if (c == '"' || c == '\\') snprintf(escape, sizeof escape, "\\%c", c);
  else if (meaning) snprintf(escape, sizeof escape, "\\%c", names[meaning - meanings]);
  else snprintf(escape, sizeof escape, "\\u%04x", c);
  sink->put(sink->to, escape, strlen(escape));
}

/* A byte that begins no character. */
static void put_other(const json_sink *sink, unsigned char c, json_bytes others) {
  char latin[2] = {(char)(0xC0 | c >> 6), (char)(0x80 | (c & 0x3F))};
  if (others == JSON_BYTES_REPLACED) sink->put(sink->to, "\xEF\xBF\xBD", 3);
  else if (others == JSON_BYTES_KEPT) sink->put(sink->to, (const char *)&c, 1);
  else if (c < 0xA0) put_escape(sink, c);
  else sink->put(sink->to, latin, sizeof latin);
}

static bool stands_as_it_is(unsigned char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

/* C1 in UTF-8. */
static bool is_c1(const unsigned char *at, size_t size) { return size == 2 && at[0] == 0xC2 && at[1] < 0xA0; }

/* Behind the characters that go as they stand. */
static const unsigned char *skip_plain(const unsigned char *at, const unsigned char *end, bool latin) {
  while (at < end) {
    if (stands_as_it_is(*at)) {
      at++;
      continue;
    }
    size_t size = *at < 0x80 || latin ? 0 : json_utf8_size(at, (size_t)(end - at));
    if (size == 0 || is_c1(at, size)) break;
    at += size;
  }
  return at;
}

void json_put_string(const json_sink *sink, const char *text, size_t size, json_bytes others) {
  const unsigned char *at = (const unsigned char *)text, *end = at + size;
  bool latin = others == JSON_BYTES_LATIN && !is_utf8(at, end);
  sink->put(sink->to, "\"", 1);
  while (at < end) {
    const unsigned char *plain = at;
    at = skip_plain(at, end, latin);
    if (at > plain) sink->put(sink->to, (const char *)plain, (size_t)(at - plain));
    if (at == end) break;
    bool c1 = !latin && end - at > 1 && is_c1(at, 2);
    if (*at < 0x80 || c1) put_escape(sink, c1 ? at[1] : *at);
    else put_other(sink, *at, others);
    at += c1 ? 2 : 1;
  }
  sink->put(sink->to, "\"", 1);
}

void json_number_text(double n, char text[JSON_NUMBER_SIZE]) {
  if (!isfinite(n)) {
    memcpy(text, "null", sizeof "null");
    return;
  }
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, JSON_NUMBER_SIZE, "%.*g", digits, n);
    if (strtod(text, NULL) == n) break;
  }
  if (text[strcspn(text, ".e")] == '\0') strcat(text, ".0"); /* who tells them apart reads a number with a point */
}
