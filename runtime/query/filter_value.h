/* What a filter's caller wrote as a value, made comparable with what records hold: times in milliseconds, ids as numbers,
 * texts folded where case does not count. A value that can fit no record, ever, is a mistake of the caller's and not an
 * empty list. */
#ifndef ORR_QUERY_FILTER_VALUE_H
#define ORR_QUERY_FILTER_VALUE_H

#include "query/special.h"

/* Fills term->value for its column and operator. `key` is what the caller wrote, for messages. 0 or ORR_E_ARGUMENT. */
int filter_value_of_term(context *c, filter_term *term, const orr_value *value, const char *key);
/* A time as a caller writes it, in milliseconds; null stays. */
int filter_value_time(context *c, const char *key, orr_value *value);
/* Fills s->value. */
int filter_value_of_special(context *c, filter_special *s, const orr_value *value);
/* No record holds a name or an id with a zero byte: refuses a text, or an array with a text, that has one. */
int filter_value_texts(context *c, const char *key, const orr_value *value);

#endif
