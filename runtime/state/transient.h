/* Transient variables: values by scope and name, which a context holds beside the records. They end
 * with the context. */
#ifndef ORR_TRANSIENTS_H
#define ORR_TRANSIENTS_H

#include "state/context.h"

/* `name` has `size` bytes and need not end in a zero. False: there is none. *out is valid until the
 * variable is set or removed. */
bool transient_get(const context *c, orr_id scope, const char *name, size_t size, orr_value *out);
/* `value` is copied; ORR_NIL removes. 0 or ORR_E_MEMORY with c->error. */
int transient_set(context *c, orr_id scope, const char *name, size_t size, const orr_value *value);
/* Remembers that this context removed a stored variable of that name. */
int transient_note_removed(context *c, orr_id scope, const char *name, size_t size);
/* Has this context done so? */
bool transient_was_removed(const context *c, orr_id scope, const char *name, size_t size);
/* Is there a transient variable of that name, or was there one in this context? */
bool transient_was_there(const context *c, orr_id scope, const char *name, size_t size);
/* False: there was no such variable. */
bool transient_remove(context *c, orr_id scope, const char *name, size_t size);
/* Removes those of a scope whose names begin with `first` or, with `others`, all others. */
void transient_drop_scope(context *c, orr_id scope, char first, bool others);
/* Calls `each` for every one of a scope, in no order, until it answers other than 0; returns that.
 * `each` must not set any. */
int transient_each(context *c, orr_id scope, int (*each)(void *ud, const char *name, size_t size, const orr_value *value),
                   void *ud);

#endif
