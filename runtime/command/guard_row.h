/* Rows that exist only so that commands about the same thing meet: of two at once, one loses. */
#ifndef ORR_GUARD_ROW_H
#define ORR_GUARD_ROW_H

#include "state/context.h"

/* Rewrites the row of `what` and a name within a tenant. Only its revision matters; equal hashes of different names cost a
 * needless second try. */
int guard_row_write(context *c, const char *what, rec_text tenant, const char *name);

#endif
