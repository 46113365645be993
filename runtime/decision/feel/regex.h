/* Regular expressions as FEEL has them: those of XPath and XML Schema, found with PCRE2 within
 * bounds of limits.h. */
#ifndef ORR_FEEL_REGEX_H
#define ORR_FEEL_REGEX_H

#include "base/arena.h"
#include "base/error.h"

typedef struct feel_regex feel_regex;

/* Where a group matched, in bytes from the text's beginning; `start` is SIZE_MAX when it took no
 * part. */
typedef struct regex_span {
  size_t start, end;
} regex_span;

/* `flags`: s, m, i, x and q as in XPath. A pattern or flag that XPath does not know is
 * ORR_E_EXPRESSION. The caller frees it. */
int regex_compile(const char *pattern, size_t size, const char *flags, feel_regex **out,
                  orr_error *err);
/* Frees it; NULL is fine. */
void regex_free(feel_regex *regex);
/* Groups, the whole match not among them. */
size_t regex_groups(const feel_regex *regex);
/* The first match from `from` on: spans[0] is the whole, then each group, owned by the regex until
 * the next call. *spans is NULL when there is none. Text that is no UTF-8 is ORR_E_ARGUMENT; a
 * search of more than ORR_FEEL_REGEX_STEPS_MAX steps is ORR_E_LIMIT. One thread at a time. */
int regex_find(feel_regex *regex, const char *text, size_t size, size_t from,
               const regex_span **spans, orr_error *err);

#endif
