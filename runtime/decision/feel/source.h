/* Lua source as it grows. An append that finds no memory is remembered, so that only the end has to
 * be checked. */
#ifndef ORR_FEEL_SOURCE_H
#define ORR_FEEL_SOURCE_H

#include "base/arena.h"

typedef struct feel_source {
  orr_arena *arena;
  char *text; /* NUL-terminated once something was appended */
  size_t size, room;
  bool failed; /* memory was out */
} feel_source;

/* Appends text; once memory was out, nothing but `failed` says so. */
void source_put(feel_source *s, const char *text);
/* The same, formatted. */
void source_putf(feel_source *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As a quoted Lua string. */
void source_put_quoted(feel_source *s, const char *text, size_t size);
/* A quoted Lua string of its own; NULL when memory is out. It has no line break in it. */
const char *source_quote(orr_arena *arena, const char *text, size_t size);

#endif
