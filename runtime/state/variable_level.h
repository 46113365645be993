/* The levels on which variables lie, for variable.c.
 *
 * A token has two. The inner one is the scope that its activity is, if it is one, and ends with the
 * activity. The outer one is the token's branch: what is set locally in an activity that is no
 * scope, which follows the token until it joins others or ends. Both are keyed by the token's id; a
 * branch's names begin with a character that no model's name can begin with. A task without a
 * process is a level by itself, an instance the outermost. */
#ifndef ORR_VARIABLE_LEVEL_H
#define ORR_VARIABLE_LEVEL_H

#include "state/execution.h"

/* The name that a variable of a level has in its record. */
typedef struct level_name {
  rec_text text;
  char buffer[ORR_NAME_BYTES_MAX + 2];
} level_name;

/* The level of an instance or token; *out stays empty when there is none. */
int level_find(context *c, orr_id id, scope *out);
/* ORR_E_NOT_FOUND: no level has this id. */
int level_missing(context *c, orr_id id);
/* The level where a look-up from `id` begins. *task: `id` is a task, whose token holds its
 * variables. */
int level_start(context *c, orr_id id, scope *out, bool *task);
/* The level of local reads and writes of `id`. With `write`, the token of a task, or of an event
 * that it waits for, becomes a scope for them, and the listeners of a task will hear of the change.
 * `of_task` (may be NULL): `id` is a task. */
int level_local(context *c, orr_id id, bool write, scope *out, bool *of_task);
/* Continues with the next level outwards; false at the root, or with *rc set. */
bool level_up(context *c, scope *s, int *rc);
/* The ORR_SCOPE_* flags of what the level belongs to. */
int64_t level_flags(const scope *s);
/* May the level have variables? Costs no look-up. */
bool level_has(const scope *s);
/* The name of a variable in the records of this level. False: it is too long. */
bool level_name_in(const scope *s, const char *name, size_t size, level_name *out);
/* Is this variable of a token on the token's branch? */
bool level_is_of_branch(const rec_variable *v);
/* Does what is set locally in this token's activity end with the activity? */
int level_is_own_scope(context *c, const scope *s, bool *out);
/* Does the token wait for an event? Variables that come with an event are the event's, so such a
 * token has a level for them. Others are spared the cost of one that stays empty. */
bool level_awaits_event(context *c, const rec_execution *e);

#endif
