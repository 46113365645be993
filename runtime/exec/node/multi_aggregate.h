/* Variable aggregation: each completed instance leaves a map, and the whole gives an array of them. */
#ifndef ORR_EXEC_NODE_MULTI_AGGREGATE_H
#define ORR_EXEC_NODE_MULTI_AGGREGATE_H

#include "exec/node/multi_instance.h"

/* Variable aggregation: keeps what an instance leaves behind, and makes the arrays when the whole is done, or, for
 * overviews, at any time before. The overviews of a body that is canceled are forgotten. */
int multi_aggregate_one(context *c, rec_execution *body, const rec_execution *inner, const node *n);
int multi_aggregate_overview(context *c, rec_execution *body, const node *n);
int multi_aggregate_all(context *c, rec_execution *body, const node *n);
int multi_aggregate_forget(context *c, const rec_execution *body, const node *n);

#endif
