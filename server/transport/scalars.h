/* Scalars as Camunda's reader of JSON takes them: "5" where an integer is wanted, 5 where a text
 * is, "true" where a boolean is; an empty text where neither is a text is null. */
#ifndef SERVER_SCALARS_H
#define SERVER_SCALARS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "orrery.h"

typedef enum scalar_kind {
  SCALAR_TEXT,
  SCALAR_INT,
  SCALAR_BOOL,
  SCALAR_REAL,
  SCALAR_TIME
} scalar_kind;

/* The value as one of that kind, or JSON's null; a time is a text, or a number of milliseconds,
 * and is given as a text. NULL: it cannot be one, or memory is out. The caller decrefs. */
json_t *scalar_as(const json_t *given, scalar_kind kind);
/* Is it true, or a text that says so? */
bool scalar_is_true(const json_t *given);
/* The digits of an integer beyond 64 bits, as json_in.h reads one; NULL: it is none. */
const char *scalar_wide(const json_t *given);

/* The same of texts that stand for a scalar, blanks around it ignored. False: it is none. */
bool scalar_int_of_text(const char *text, int64_t *out);
/* true and false, also with a capital or in capitals. */
bool scalar_bool_of_text(const char *text, bool *out);

#endif
