/* Expressions of a model. */
#ifndef ORR_EXEC_DATA_EXPRESSION_H
#define ORR_EXEC_DATA_EXPRESSION_H

#include "state/variable.h"

/* Expressions, evaluated in a scope; `at` names the place in messages, and may be NULL. ORR_E_EXPRESSION, with the
 * expression's text, when one cannot be evaluated or gives what is not asked for. Literals and plain variables never reach
 * the script host. */
int expr_value(context *c, const expr *e, orr_id scope_id, const node *at, orr_value *out);
/* the same; what a host makes of it goes into `arena`, and a variable's value stays where it is */
int expr_value_into(context *c, const expr *e, orr_id scope_id, const node *at, orr_arena *arena,
                    orr_value *out);
int expr_text(context *c, const expr *e, orr_id scope_id, const node *at, const char **out);       /* NULL for null */
/* anything else: EXPRESSION error */
int expr_boolean(context *c, const expr *e, orr_id scope_id, const node *at, bool *out);
/* a missing variable makes it false */
int expr_condition(context *c, const expr *e, orr_id scope_id, const node *at, bool *out);
/* numbers, and texts that hold one */
int expr_integer(context *c, const expr *e, orr_id scope_id, const node *at, int64_t *out);
/* the same of what it gave */
int expr_integer_from(context *c, const expr *e, const node *at, const orr_value *v, int64_t *out);
/* A literal or expression that gives an ISO 8601 date, a duration (from now), or a number of seconds since the epoch. */
int expr_time(context *c, const expr *e, orr_id scope_id, const node *at, orr_time *out);
/* The same from a value; null gives 0, no time. */
int value_time(context *c, const orr_value *v, orr_time *out);
/* Does a skip expression count (it is given, and the instance's variables enable such expressions: with true; what is no
 * boolean is an error), and does it hold? */
int expr_skip(context *c, const expr *e, orr_id scope_id, const node *at, bool *counts, bool *holds);
/* Both. */
int expr_skips(context *c, const expr *e, orr_id scope_id, const node *at, bool *out);
/* With explicit variables instead of a scope (deployment time, evaluate). */
int expr_value_over(context *c, const expr *e, const orr_value *variables, orr_value *out);
/* The same as a text, NULL for null: in the context's arena. */
int expr_text_over(context *c, const expr *e, const orr_value *variables, const char **out);

#endif
