/* Variables and their scopes. Reading looks from a scope outwards to the instance; writing goes to the nearest scope that
 * has the variable, else to the instance. Transient variables live in the context only and hide stored ones of the same
 * name and scope. */
#ifndef ORR_VARIABLES_H
#define ORR_VARIABLES_H

#include "state/execution.h"

/* First character of the runtime's own variables. No model's name can hold it, and maps leave such
 * variables out. */
#define VARIABLE_HIDDEN "\x1f"
/* First character of a branch's variables in their records, which have its token's id. No model's
 * name can hold it. */
#define VARIABLE_BRANCH "\x1e"

/* ORR_NIL in *out: there is no such variable. `scope_id`: the id of an instance, an execution or a
 * task (whose scope is its execution's, made local on demand). What is set locally by the id of a
 * token that is no scope belongs to the token's branch: it follows the token, and ends when the
 * token ends or joins others. */
int variable_get(context *c, orr_id scope_id, const char *name, orr_value *out);
/* The same on the scope's own level alone. */
int variable_get_local(context *c, orr_id scope_id, const char *name, orr_value *out);
/* Sets a variable; ORR_NIL removes it. Copies the value into the arena. Triggers conditional events
 * of the scopes that see it. */
int variable_set(context *c, orr_id scope_id, const char *name, const orr_value *value);
/* Tells conditional events of a change ("create" or "update") in this scope, wherever the variable
 * is. */
int variable_changed(context *c, orr_id scope_id, const char *name, const char *event);
/* Is the variable that variable_get finds transient? */
int variable_is_transient(context *c, orr_id scope_id, const char *name, size_t size, bool *out);
/* Sets the variable that an expression names. Null or an empty name: does nothing. */
int variable_set_named(context *c, const expr *name, orr_id scope_id, const node *at, const orr_value *value);
/* Sets it on the scope's own level. */
int variable_set_local(context *c, orr_id scope_id, const char *name, const orr_value *value);
/* The same for a number that siblings count as well (uow/siblings.h). */
int variable_count(context *c, orr_id scope_id, const char *name, int64_t n);
/* Sets a variable that no commit keeps; `local` as in variable_set_local, else where variable_set
 * would. */
int variable_set_transient(context *c, orr_id scope_id, const char *name, const orr_value *value, bool local);
/* Removes it from the nearest scope that has it or, with `local`, from this one. It is no failure
 * if there is none. */
int variable_remove(context *c, orr_id scope_id, const char *name, bool local);
/* A map of everything visible (or of this scope alone). */
int variable_map(context *c, orr_id scope_id, bool local, orr_value *out);
/* Sets each entry of a map, which may be NULL or NIL. */
int variable_set_all(context *c, orr_id scope_id, const orr_value *map, bool local);
/* The same with variables that no commit keeps. */
int variable_set_all_transient(context *c, orr_id scope_id, const orr_value *map, bool local);
/* Removes all variables of a scope that ends (history rows stay); a token's branch keeps its own. */
int variable_drop_scope(context *c, orr_id scope_id);
/* The same for a task without a process. */
int variable_drop_task(context *c, rec_task *t);
/* A token joins others, or ends, and so does its branch. */
int variable_drop_branch(context *c, rec_execution *e);
/* The token continues for others that have joined it. Removes its branch's variables, unless the
 * dialect keeps them. */
int variable_join_branch(context *c, rec_execution *e);
/* Where a callee at `id` sets local variables: there or, by dialect, in the scope around when
 * nothing else runs in it. */
int variable_home(context *c, orr_id id, orr_id *out);
/* Makes a new variable whose name begins with VARIABLE_HIDDEN: without history, without
 * conditions. */
int variable_keep_hidden(context *c, orr_id scope_id, const char *name, const orr_value *value);
/* Moves a scope's variables into another (an event scope of compensation). */
int variable_move_scope(context *c, orr_id from, orr_id to);

#endif
