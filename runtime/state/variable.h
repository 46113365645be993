/* Variables and their scopes. Reading looks from a scope outwards to the instance; writing goes to the nearest scope that
 * has the variable, else to the instance. Transient variables live in the context only and hide stored ones of the same
 * name and scope. */
#ifndef ORR_VARIABLES_H
#define ORR_VARIABLES_H

#include "state/execution.h"

/* Variables of the runtime's own: their names begin with a character that no model's name can hold, and maps leave them out. */
#define VARIABLE_HIDDEN "\x1f"
/* How the names of a branch's variables begin in their records, which have its token's id: no model's name can hold it
 * either. */
#define VARIABLE_BRANCH "\x1e"

/* ORR_NIL in *out: no such variable. `scope_id`: instance, execution or task id (a task's scope is its execution's, made
 * local on demand). What is set locally by the id of a token that is no scope belongs to its branch: it goes with the
 * token, and ends when that joins others or ends. */
int variable_get(context *c, orr_id scope_id, const char *name, orr_value *out);
/* The same at the level of the scope alone. */
int variable_get_local(context *c, orr_id scope_id, const char *name, orr_value *out);
/* An ORR_NIL value removes. The value is copied into the arena. Fires conditional events of the scopes it is visible in. */
int variable_set(context *c, orr_id scope_id, const char *name, const orr_value *value);
/* Tells conditional events of a change (event: "create", "update") that counts as one of this scope, wherever the variable
 * is. */
int variable_changed(context *c, orr_id scope_id, const char *name, const char *event);
/* Whether what variable_get gives is transient. */
int variable_is_transient(context *c, orr_id scope_id, const char *name, size_t size, bool *out);
/* By a name that an expression gives; null or empty: not at all. */
int variable_set_named(context *c, const expr *name, orr_id scope_id, const node *at, const orr_value *value);
/* Writes at the level of the scope alone. */
int variable_set_local(context *c, orr_id scope_id, const char *name, const orr_value *value);
/* The same for a number that counts what siblings count as well (uow/siblings.h). */
int variable_count(context *c, orr_id scope_id, const char *name, int64_t n);
/* Sets a variable that no commit keeps; `local` as in variable_set_local, else where variable_set
 * would. */
int variable_set_transient(context *c, orr_id scope_id, const char *name, const orr_value *value, bool local);
/* From the nearest scope that has it, or from this one alone; a name that nobody has is no failure. */
int variable_remove(context *c, orr_id scope_id, const char *name, bool local);
/* A map of everything visible (or of this scope alone). */
int variable_map(context *c, orr_id scope_id, bool local, orr_value *out);
/* Each entry of a map; `map` may be NULL or NIL. */
int variable_set_all(context *c, orr_id scope_id, const orr_value *map, bool local);
/* The same with variables that no commit keeps. */
int variable_set_all_transient(context *c, orr_id scope_id, const orr_value *map, bool local);
/* Removes all variables of a scope that ends (history rows stay); a token's branch keeps its own. */
int variable_drop_scope(context *c, orr_id scope_id);
/* The same of a task without a process. */
int variable_drop_task(context *c, rec_task *t);
/* A token joins others, or ends: its branch does. */
int variable_drop_branch(context *c, rec_execution *e);
/* The token goes on for others that have joined with it. Its branch's variables go, unless the
 * dialect keeps them. */
int variable_join_branch(context *c, rec_execution *e);
/* Where what a callee at `id` sets locally belongs: there, or by dialect to the scope around when nothing else goes on in
 * that. */
int variable_home(context *c, orr_id id, orr_id *out);
/* Makes a variable whose name begins with VARIABLE_HIDDEN and that does not exist: no history, no conditions. */
int variable_keep_hidden(context *c, orr_id scope_id, const char *name, const orr_value *value);
/* Moves or copies a scope's variables into another (event scopes of compensation). */
int variable_move_scope(context *c, orr_id from, orr_id to);

#endif
