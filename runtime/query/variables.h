/* The variables of a listed record: for conditions on them, orders by them, and results with them.
 * Running instances, executions, tasks and external tasks have those of the store; records of
 * history have their last values. */
#ifndef ORR_QUERY_VARIABLES_H
#define ORR_QUERY_VARIABLES_H

#include "query/filter.h"

typedef enum variables_scope {
  VARIABLES_VISIBLE, /* from where the record is outwards to the instance */
  VARIABLES_PROCESS, /* of the instance */
  VARIABLES_LOCAL,   /* of where the record is alone */
} variables_scope;

/* Do records of this kind have variables? */
bool variables_known(const rec_type *type);
/* ORR_NIL: it has no such variable. */
int variables_value(context *c, const rec_head *record, variables_scope which, const char *name, orr_value *out);
/* A map of all; if `names` is an array, only of those. */
int variables_shown(context *c, const rec_head *record, variables_scope which, const orr_value *names, orr_value *out);
/* A condition { name = value | { gt=, ge=, lt=, le=, eq=, ne=, like=, not_like=, in=, not_in=, … } }. */
int variables_fit(context *c, const filter_special *s, const rec_head *record, variables_scope which, bool *out);
/* For the keys that take such a condition: folds the wanted values where case does not count. */
int variables_prepare(context *c, filter_special *s);
/* The one value that a variable must equal for the condition to hold; false: there is no single
 * one. */
bool variables_wants_one(const orr_value *want, orr_value *out);
/* Splits "variables.name", "process_variables.name", "local_variables.name". False: none of these. */
bool variables_named(const char *text, variables_scope *which, const char **name);

#define VARIABLE_NAMES_IGNORE_CASE "variable_names_ignore_case"
#define VARIABLE_VALUES_IGNORE_CASE "variable_values_ignore_case"

#endif
