/* Variable aggregation: each completed instance leaves a map, and the multi-instance as a whole an
 * array of them. */
#ifndef ORR_EXEC_NODE_MULTI_AGGREGATE_H
#define ORR_EXEC_NODE_MULTI_AGGREGATE_H

#include "exec/node/multi_instance.h"

/* Keeps what a completed instance leaves behind. */
int multi_aggregate_one(context *c, rec_execution *body, const rec_execution *inner, const node *n);
/* Writes the overviews that the node asks for, as far as its instances have come. 0 or the
 * context's error. */
int multi_aggregate_overview(context *c, rec_execution *body, const node *n);
/* Writes the aggregated variables when the body is complete. */
int multi_aggregate_all(context *c, rec_execution *body, const node *n);
/* Removes the overviews of a body that is canceled. */
int multi_aggregate_forget(context *c, const rec_execution *body, const node *n);

#endif
