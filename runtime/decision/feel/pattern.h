/* XPath's regular expressions as PCRE2's. */
#ifndef ORR_FEEL_PATTERN_H
#define ORR_FEEL_PATTERN_H

#include "base/arena.h"
#include "base/error.h"

/* The pattern in the arena, NUL-terminated; NULL after filling `err`, ORR_E_EXPRESSION for what
 * XPath does not know. `spaced`: blanks do not count (flag x). `dot_all`: "." is any character
 * (flag s). */
const char *pattern_translate(orr_arena *arena, const char *pattern, size_t size, bool spaced,
                              bool dot_all, size_t *out_size, orr_error *err);

#endif
