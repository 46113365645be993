/* A list verb's filter: a map of the API, read once, then applied to every candidate.
 *
 * A key is
 *   - a field's name, or a field's name with an operator behind it (name_like, started_before for started_at_before;
 *     operator.h has them all), or a short name (instance for instance_id),
 *   - one of the verb's own (candidate_user, executable, variables, …: special.h),
 *   - any, all, none: arrays of filters, of which at least one, every one or no one must fit,
 *   - or order_by, limit, offset, with_variables, which say how to show what fits.
 * Anything else is an ORR_E_ARGUMENT that names the nearest known key. All conditions of one map must hold. */
#ifndef ORR_FILTER_H
#define ORR_FILTER_H

#include "query/operator.h"
#include "query/row.h"

typedef struct special special;
typedef struct filter_group filter_group;

typedef struct filter_term {
  const row_field *column;
  value_operator op;
  orr_value value; /* times in milliseconds, ids as numbers, folded when the operator folds */
} filter_term;

typedef struct filter_special {
  const special *is;
  orr_value value;           /* of the type that the key takes; times in milliseconds, ids as numbers */
  const filter_group *group; /* where it stands: some keys change the meaning of others */
  orr_value prepared;        /* made from its value before any record is looked at */
} filter_special;

typedef enum filter_choice { FILTER_ANY, FILTER_ALL, FILTER_NONE } filter_choice;

typedef struct filter_branch {
  filter_choice choice;
  filter_group *groups;
  uint32_t n_groups;
  struct filter_branch *next;
} filter_branch;

/* Conditions all of which must hold. */
struct filter_group {
  orr_value map;
  const filter_group *outer; /* NULL: the filter's own */
  filter_term *terms;
  uint32_t n_terms, terms_capacity;
  filter_special *specials;
  uint32_t n_specials, specials_capacity;
  filter_branch *branches;
};

typedef struct filter_order {
  const row_field *column; /* NULL: by a variable */
  const char *variable;
  uint8_t scope;           /* variables_scope, of a variable */
  bool descending;
} filter_order;

#define FILTER_ORDERS_MAX 8
#define FILTER_WITH_MAX 8 /* fields of with_fields */

typedef struct filter {
  row_type row;
  filter_group where;
  uint32_t n_conditions;
  filter_order orders[FILTER_ORDERS_MAX];
  uint32_t n_orders;
  int64_t limit, offset; /* limit -1: none */
  orr_value with_variables, with_local_variables; /* true, or an array of names; ORR_NIL: none */
  const row_field *with[FILTER_WITH_MAX];         /* shown beside those that every list shows */
  uint32_t n_with;
} filter;

/* Reads a filter of such records; texts point into `map` (NULL: all). ORR_E_ARGUMENT names what
 * is wrong in it; ORR_E_LIMIT: it is too large. */
int filter_read(context *c, const rec_type *type, const orr_value *map, filter *out);
/* Does the record fit, by the conditions alone? 0 or the context's error. */
int filter_fits(context *c, const filter *f, const rec_head *record, bool *out);
/* The value that a field must equal for a record to fit, or NULL. Ignores conditions inside any or
 * none. */
const orr_value *filter_equals(const filter *f, const char *column);
/* The array of which a field must equal one, or NULL. */
const orr_value *filter_one_of(const filter *f, const char *column);
/* Is this switch on in the same group, or further out? */
bool filter_switched_on(const filter_group *group, const char *key);

#endif
