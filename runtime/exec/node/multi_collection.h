/* The collection of a multi-instance: how it is found, and its elements, one for each instance. */
#ifndef ORR_EXEC_NODE_MULTI_COLLECTION_H
#define ORR_EXEC_NODE_MULTI_COLLECTION_H

#include "exec/node/multi_instance.h"

/* Evaluates the cardinality or the collection, before the first instance. ORR_E_EXPRESSION when it
 * is neither. */
int multi_resolve(context *c, const rec_execution *body, const node *n, multi_source *out);
/* The element of a sequential instance behind the first; ORR_NIL without a collection, or where
 * nothing takes the elements. Evaluates the collection anew: ORR_E_EXPRESSION when it no longer has
 * that element. A collection that is an unchanged variable is walked once in a unit of work. */
int multi_element(context *c, const rec_execution *body, const node *n, int64_t index, orr_value *out);
/* Drops the context's cursor over the body's collection; for a body that ends or is canceled. */
void multi_forget(context *c, orr_id body);
/* Calls a method of what a collection handler or variable aggregator (`what`) names. The result is
 * in `arena`. */
int multi_invoke(context *c, const node *n, const implementation *run, const char *what, const char *method,
                 const orr_value *arguments, orr_arena *arena, orr_value *out);

#endif
