/* A filter's value as the caller wrote it, made comparable with what records hold: times in
 * milliseconds, ids as numbers, texts folded where case does not count. A value that can never fit
 * any record is the caller's mistake, and refused. */
#ifndef ORR_QUERY_FILTER_VALUE_H
#define ORR_QUERY_FILTER_VALUE_H

#include "query/special.h"

/* Fills term->value for its column and operator. `key` is what the caller wrote, for messages. 0 or ORR_E_ARGUMENT. */
int filter_value_of_term(context *c, filter_term *term, const orr_value *value, const char *key);
/* A time as a caller writes it, in milliseconds; null stays. */
int filter_value_time(context *c, const char *key, orr_value *value);
/* Fills s->value. */
int filter_value_of_special(context *c, filter_special *s, const orr_value *value);
/* Refuses a text, or an array with a text, that has a zero byte, because no name and no id has
 * one. */
int filter_value_texts(context *c, const char *key, const orr_value *value);

#endif
