/* A buffer in an arena. */
#include "decision/feel/source.h"

#include <stdio.h>
#include <string.h>

static void source_append(feel_source *s, const char *text, size_t size) {
  if (s->failed) return;
  if (s->room - s->size <= size) {
    size_t room = s->room ? s->room : 128;
    while (room - s->size <= size) room *= 2;
    char *grown = arena_grow(s->arena, s->text, s->room, room);
    if (!grown) {
      s->failed = true;
      return;
    }
    s->text = grown;
    s->room = room;
  }
  memcpy(s->text + s->size, text, size);
  s->size += size;
  s->text[s->size] = '\0';
}

void source_put(feel_source *s, const char *text) { source_append(s, text, strlen(text)); }

void source_putf(feel_source *s, const char *format, ...) {
  char small[160];
  va_list args;
  va_start(args, format);
  int size = vsnprintf(small, sizeof small, format, args);
  va_end(args);
  if (size < (int)sizeof small) {
    source_append(s, small, (size_t)size);
    return;
  }
  va_start(args, format);
  const char *text = arena_vprintf(s->arena, format, args);
  va_end(args);
  if (text) source_append(s, text, (size_t)size);
  else s->failed = true;
}

const char *source_quote(orr_arena *arena, const char *text, size_t size) {
  char *out = arena_alloc(arena, size * 4 + 3), *at = out;
  if (!out) return NULL;
  *at++ = '"';
  for (size_t i = 0; i < size; i++) {
    unsigned char b = (unsigned char)text[i];
    if (b == '"' || b == '\\' || b < 0x20 ||
        b == 0x7f) { /* three digits, so that a digit may follow */
      *at++ = '\\';
      *at++ = (char)('0' + b / 100);
      *at++ = (char)('0' + b / 10 % 10);
      *at++ = (char)('0' + b % 10);
    } else {
      *at++ = (char)b;
    }
  }
  *at++ = '"';
  *at = '\0';
  return out;
}

void source_put_quoted(feel_source *s, const char *text, size_t size) {
  const char *quoted = source_quote(s->arena, text, size);
  if (quoted) source_append(s, quoted, strlen(quoted));
  else s->failed = true;
}
