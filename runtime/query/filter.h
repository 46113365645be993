/* A list verb's filter: a map of the API, understood once, then asked for every candidate.
 *
 * A key is a field's name, a field's name with _in _like _before _after _gt _ge _lt _le behind it (started_before for
 * started_at_before), a short name (instance for instance_id), one of the verb's own (candidate_user, executable, …:
 * special.c), or order_by, limit, offset. Anything else is an ORR_E_ARGUMENT that names the nearest known key. */
#ifndef ORR_FILTER_H
#define ORR_FILTER_H

#include "query/row.h"

typedef enum filter_op { FILTER_EQ, FILTER_IN, FILTER_LIKE, FILTER_LT, FILTER_LE, FILTER_GT, FILTER_GE } filter_op;

typedef struct filter_term {
  const row_field *column;
  filter_op op;
  orr_value value; /* times in milliseconds */
} filter_term;

typedef struct special special;

typedef struct filter_special {
  const special *is;
  orr_value value;
} filter_special;

typedef struct filter_order {
  const row_field *column;
  bool descending;
} filter_order;

#define FILTER_TERMS_MAX 32
#define FILTER_ORDERS_MAX 8

typedef struct filter {
  row_type row;
  orr_value map;
  filter_term terms[FILTER_TERMS_MAX];
  uint32_t n_terms;
  filter_special specials[FILTER_TERMS_MAX];
  uint32_t n_specials;
  filter_order orders[FILTER_ORDERS_MAX];
  uint32_t n_orders;
  int64_t limit, offset; /* limit -1: none */
} filter;

/* A filter key of one verb that is no field. */
struct special {
  const rec_type *type; /* NULL: every verb */
  const char *name;
  /* Does the record fit? The whole filter is at hand, because some keys change the meaning of others. */
  int (*fits)(context *c, const filter *f, const orr_value *value, const rec_head *record, bool *out);
  /* Narrows the candidates by an index; NULL: cannot. */
  int (*find)(context *c, const filter *f, const orr_value *value, unit_found *out);
};

int filter_read(context *c, const rec_type *type, const orr_value *map, filter *out);
int filter_fits(context *c, const filter *f, const rec_head *record, bool *out);
/* The value that a field must equal, or NULL. */
const orr_value *filter_equals(const filter *f, const char *column);
/* A filter on variables: { name = value | { gt=, ge=, lt=, le=, ne=, like=, in= } }, seen from a scope. */
int filter_variables_fit(context *c, const orr_value *wanted, orr_id scope_id, bool local, bool *out);
/* By history: the last values in the scope, and for what it lacks in the instance. */
int filter_history_variables_fit(context *c, const orr_value *wanted, orr_id scope_id, bool *out);
/* SQL's LIKE: % any run, _ any one byte; \% \_ \\ are themselves. */
bool filter_like(const char *text, size_t size, const char *pattern, size_t pattern_size);

#endif
