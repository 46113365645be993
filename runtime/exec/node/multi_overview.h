/* Overviews of variable aggregation: variables that tell of a multi-instance's instances while they run. They are made
 * anew when nothing in the transaction moves any more, if a variable or a task of their process instance has changed. */
#ifndef ORR_OVERVIEW_H
#define ORR_OVERVIEW_H

#include "state/execution.h"

/* The process instance has overviews from now on. */
int overview_begin(context *c, const rec_execution *body);
/* Plans the overviews of c->lists.overviews anew. */
int overview_flush(context *c);

#endif
