/* Conditions on variables, as queries have them: name_operator_value, or { name, operator, value
 * }. */
#ifndef SERVER_MAPPING_CONDITIONS_H
#define SERVER_MAPPING_CONDITIONS_H

#include "server/transport/request.h"

enum { CONDITIONS_MAX = 64 };

/* One; its texts point into the request. */
typedef struct condition {
  const char *name, *op; /* `op`: the engine's */
  size_t name_size;
  const json_t *value; /* NULL: `text` is the value */
  const char *text;
} condition;

typedef struct conditions {
  condition all[CONDITIONS_MAX];
  size_t n;
} conditions;

/* Reads those of a query's parameter `of`: out of `text`, with commas between them, or else out
 * of `list`. False: the request has failed. */
bool conditions_read(request *q, const char *of, const json_t *list, const char *text,
                     conditions *out);
/* A filter's map of variables has one condition of an operator on a variable. The first of each
 * make the first map (round 0), the second ones the next, and so on. */
size_t conditions_rounds(const conditions *all);
/* Writes the map of one round. */
void conditions_write(const conditions *all, size_t round, orr_builder *b);
/* The map of one alone. */
void conditions_write_one(const condition *one, orr_builder *b);
/* The value of one as a key of the filter of a record that is a variable itself, `field` and the
 * operator; with `caseless` texts have no case. False: the request has failed. */
bool conditions_write_own(request *q, const condition *one, const char *field, bool caseless,
                          orr_builder *b);
/* Is the text a date as Camunda writes them? Then a condition means the date, and it is *out. */
bool condition_is_date(const char *text, orr_value *out);

#endif
