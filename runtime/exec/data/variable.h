/* Variables and their scopes. Reading looks from a scope outwards to the instance; writing goes to the nearest scope that has the
 * variable, else to the instance. Transient variables live in the context only and hide stored ones of the same name and scope. */
#ifndef ORR_VARIABLES_H
#define ORR_VARIABLES_H

#include "exec/execution.h"

/* Variables of the runtime's own: their names begin with a character that no model's name can hold, and maps leave them out. */
#define VARIABLE_HIDDEN "\x1f"
/* How the names of a branch's variables begin in their records, which have its token's id: no model's name can hold it either. */
#define VARIABLE_BRANCH "\x1e"

/* ORR_NIL in *out: no such variable. `scope_id`: instance, execution or task id (a task's scope is its execution's, made local on
 * demand). What is set locally by the id of a token that is no scope belongs to its branch: it goes with the token, and ends when that
 * joins others or ends. */
int variable_get(context *c, orr_id scope_id, const char *name, orr_value *out);
int variable_get_local(context *c, orr_id scope_id, const char *name, orr_value *out);
/* An ORR_NIL value removes. The value is copied into the arena. Fires conditional events of the scopes it is visible in. */
int variable_set(context *c, orr_id scope_id, const char *name, const orr_value *value);
/* Tells conditional events of a change (event: "create", "update") that counts as one of this scope, wherever the variable is. */
int variable_changed(context *c, orr_id scope_id, const char *name, const char *event);
/* Whether what variable_get gives is transient. */
int variable_is_transient(context *c, orr_id scope_id, const char *name, size_t size, bool *out);
/* By a name that an expression gives; null or empty: not at all. */
int variable_set_named(context *c, const expr *name, orr_id scope_id, const node *at, const orr_value *value);
int variable_set_local(context *c, orr_id scope_id, const char *name, const orr_value *value);
int variable_set_transient(context *c, orr_id scope_id, const char *name, const orr_value *value, bool local);
/* From the nearest scope that has it, or from this one alone; a name that nobody has is no failure. */
int variable_remove(context *c, orr_id scope_id, const char *name, bool local);
/* A map of everything visible (or of this scope alone). */
int variable_map(context *c, orr_id scope_id, bool local, orr_value *out);
/* Each entry of a map; `map` may be NULL or NIL. */
int variable_set_all(context *c, orr_id scope_id, const orr_value *map, bool local);
int variable_set_all_transient(context *c, orr_id scope_id, const orr_value *map, bool local);
/* Removes all variables of a scope that ends (history rows stay); a token's branch keeps its own. */
int variable_drop_scope(context *c, orr_id scope_id);
/* A token joins others, or ends: its branch does. */
int variable_drop_branch(context *c, rec_execution *e);
/* Where what a callee at `id` sets locally belongs: there, or by dialect to the scope around when nothing else goes on in that. */
int variable_home(context *c, orr_id id, orr_id *out);
/* Makes a variable whose name begins with VARIABLE_HIDDEN and that does not exist: no history, no conditions. */
int variable_keep_hidden(context *c, orr_id scope_id, const char *name, const orr_value *value);
/* Moves or copies a scope's variables into another (event scopes of compensation). */
int variable_move_scope(context *c, orr_id from, orr_id to);

/* Expressions, evaluated in a scope; `at` names the place in messages, and may be NULL. ORR_E_EXPRESSION, with the expression's text, when
 * one cannot be evaluated or gives what is not asked for. Literals and plain variables never reach the script host. */
int expr_value(context *c, const expr *e, orr_id scope_id, const node *at, orr_value *out);
int expr_text(context *c, const expr *e, orr_id scope_id, const node *at, const char **out);       /* NULL for null */
int expr_boolean(context *c, const expr *e, orr_id scope_id, const node *at, bool *out);           /* anything else: EXPRESSION error */
int expr_condition(context *c, const expr *e, orr_id scope_id, const node *at, bool *out);         /* a missing variable makes it false */
int expr_integer(context *c, const expr *e, orr_id scope_id, const node *at, int64_t *out);        /* numbers, and texts that hold one */
int expr_integer_from(context *c, const expr *e, const node *at, const orr_value *v, int64_t *out); /* the same of what it gave */
/* A literal or expression that gives an ISO 8601 date, a duration (from now), or a number of seconds since the epoch. */
int expr_time(context *c, const expr *e, orr_id scope_id, const node *at, orr_time *out);
/* The same from a value; null gives 0, no time. */
int value_time(context *c, const orr_value *v, orr_time *out);
/* Does a skip expression count (it is given, and the instance's variables enable such expressions: with true; what is no boolean is an
 * error), and does it hold? */
int expr_skip(context *c, const expr *e, orr_id scope_id, const node *at, bool *counts, bool *holds);
/* Both. */
int expr_skips(context *c, const expr *e, orr_id scope_id, const node *at, bool *out);
/* With explicit variables instead of a scope (deployment time, evaluate). */
int expr_value_over(context *c, const expr *e, const orr_value *variables, orr_value *out);
int expr_text_over(context *c, const expr *e, const orr_value *variables, const char **out);

#endif
