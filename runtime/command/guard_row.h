/* Guard rows: rows that commands about the same thing both write, so that of two at the same time
 * one loses. */
#ifndef ORR_GUARD_ROW_H
#define ORR_GUARD_ROW_H

#include "state/context.h"

/* Rewrites the row of `what` and a name within a tenant. Only its revision matters. If two names
 * have the same hash, their commands may meet a conflict without need, and try again. */
int guard_row_write(context *c, const char *what, rec_text tenant, const char *name);

#endif
