/* One character after the other becomes what may be shown of it. */
#include "base/shown.h"

#include <stdio.h>
#include <string.h>

#include "base/json_text.h"

#define INDENT "    "

/* As Lua and C write it; 0: it has no short escape. */
static char short_escape(unsigned char c) {
  return (char)(c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\t' ? 't' : 0);
}

/* A line that begins with a tab, as a traceback's do, is indented twice. */
static size_t keep_break(const char *at, size_t left, char *out) {
  bool tab = left > 1 && at[1] == '\t';
  strcpy(out, tab ? "\n" INDENT INDENT : "\n" INDENT);
  return tab ? 2 : 1;
}

static size_t show_byte(unsigned char c, char *out) {
  if (short_escape(c)) snprintf(out, SHOWN_CHARACTER_BYTES, "\\%c", short_escape(c));
  else snprintf(out, SHOWN_CHARACTER_BYTES, "\\x%02x", c);
  return 1;
}

static bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

/* C1 has two bytes; U+2028 and U+2029, which some take for line breaks, have three. 0: neither. */
static unsigned hidden_code(const unsigned char *at, size_t size) {
  if (size == 2 && at[0] == 0xc2 && at[1] < 0xa0) return at[1];
  bool breaks = size == 3 && at[0] == 0xe2 && at[1] == 0x80 && (at[2] == 0xa8 || at[2] == 0xa9);
  return breaks ? 0x2000u + (at[2] & 0x3fu) : 0;
}

size_t shown_character(const char *at, size_t left, bool lines, char out[SHOWN_CHARACTER_BYTES]) {
  const unsigned char *bytes = (const unsigned char *)at;
  if (lines && *at == '\n') return keep_break(at, left, out);
  size_t size = json_utf8_size(bytes, left);
  if (size == 0 || is_control(*bytes)) return show_byte(*bytes, out);
  unsigned code = hidden_code(bytes, size);
  if (code) {
    snprintf(out, SHOWN_CHARACTER_BYTES, "\\u{%x}", code);
  } else {
    memcpy(out, at, size);
    out[size] = '\0';
  }
  return size;
}

void shown_lines(const char *text, char *out, size_t room) {
  char piece[SHOWN_CHARACTER_BYTES];
  size_t left = strlen(text), used = 0;
  while (left > 0) {
    size_t taken = shown_character(text, left, true, piece), size = strlen(piece);
    if (used + size >= room) break;
    memcpy(out + used, piece, size);
    used += size;
    text += taken;
    left -= taken;
  }
  out[used] = '\0';
}
