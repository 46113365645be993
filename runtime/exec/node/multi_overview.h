/* Overviews of variable aggregation: variables that describe the instances of a multi-instance
 * while they run. They are written anew at the end of a transaction, when nothing else is planned,
 * if a variable or a task of the process instance has changed. */
#ifndef ORR_OVERVIEW_H
#define ORR_OVERVIEW_H

#include "state/execution.h"

/* The process instance has overviews from now on. */
int overview_begin(context *c, const rec_execution *body);
/* Plans to write the overviews of c->lists.overviews anew. */
int overview_flush(context *c);

#endif
