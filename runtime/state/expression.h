/* Evaluating the expressions of a model. */
#ifndef ORR_EXEC_DATA_EXPRESSION_H
#define ORR_EXEC_DATA_EXPRESSION_H

#include "state/variable.h"

/* The value of an expression in a scope. `at` names the place in messages, and may be NULL.
 * ORR_E_EXPRESSION, with the expression's text: it cannot be evaluated, or does not give what is
 * asked for. The script host is not called for literals and plain variables. */
int expr_value(context *c, const expr *e, orr_id scope_id, const node *at, orr_value *out);
/* The same; a value that the host makes goes into `arena`, and a variable's value is not copied. */
int expr_value_into(context *c, const expr *e, orr_id scope_id, const node *at, orr_arena *arena,
                    orr_value *out);
int expr_text(context *c, const expr *e, orr_id scope_id, const node *at, const char **out);       /* NULL for null */
/* A boolean; ORR_E_EXPRESSION for anything else. */
int expr_boolean(context *c, const expr *e, orr_id scope_id, const node *at, bool *out);
/* The same, but false where a variable is missing. */
int expr_condition(context *c, const expr *e, orr_id scope_id, const node *at, bool *out);
/* A number, or a text that holds one. */
int expr_integer(context *c, const expr *e, orr_id scope_id, const node *at, int64_t *out);
/* The same, from the value that the expression gave. */
int expr_integer_from(context *c, const expr *e, const node *at, const orr_value *v, int64_t *out);
/* A literal or expression that gives an ISO 8601 date, a duration (from now), or a number of seconds since the epoch. */
int expr_time(context *c, const expr *e, orr_id scope_id, const node *at, orr_time *out);
/* The same, from a value; null gives 0, no time. */
int value_time(context *c, const orr_value *v, orr_time *out);
/* A skip expression: does it count, and does it hold? It counts if it is given and the instance's
 * variables enable skip expressions. A value that is no boolean is an error. */
int expr_skip(context *c, const expr *e, orr_id scope_id, const node *at, bool *counts, bool *holds);
/* Does it count and hold? */
int expr_skips(context *c, const expr *e, orr_id scope_id, const node *at, bool *out);
/* Evaluates over a map of variables instead of a scope: at deployment, and for `evaluate`. */
int expr_value_over(context *c, const expr *e, const orr_value *variables, orr_value *out);
/* The same as a text, NULL for null: in the context's arena. */
int expr_text_over(context *c, const expr *e, const orr_value *variables, const char **out);

#endif
