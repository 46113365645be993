/* Multi-instance: what its files share. */
#ifndef ORR_MULTI_H
#define ORR_MULTI_H

#include "exec/execution.h"

/* What the instances are made from: a number, or a collection with an element for each. */
typedef struct multi_source {
  int64_t count;
  orr_value items; /* ORR_NIL: a cardinality */
} multi_source;

/* Evaluates the cardinality or the collection, once, before the first instance. ORR_E_EXPRESSION when it is neither. */
int multi_resolve(context *c, const rec_execution *body, const node *n, multi_source *out);
/* The element of a sequential instance; ORR_NIL without a collection. The collection is walked once in a unit of work. */
int multi_element(context *c, const rec_execution *body, const node *n, int64_t index, orr_value *out);
/* The body has ended: nobody asks for its elements any more. */
void multi_forget(context *c, orr_id body);

/* A method of what a collection handler or variable aggregator (`what`) names. */
int multi_invoke(context *c, const node *n, const implementation *run, const char *what, const char *method, const orr_value *arguments,
                 orr_value *out);

/* Variable aggregation: keeps what an instance leaves behind, and makes the arrays when the whole is done, or, for overviews, at any time
 * before. The overviews of a body that is cancelled are forgotten. */
int multi_aggregate_one(context *c, rec_execution *body, const rec_execution *inner, const node *n);
int multi_aggregate_overview(context *c, rec_execution *body, const node *n);
int multi_aggregate_all(context *c, rec_execution *body, const node *n);
int multi_aggregate_forget(context *c, const rec_execution *body, const node *n);

/* For modification, which makes instances one by one, whatever the collection says. A new token becomes a body without instances; a body
 * gets one more, which is yet to enter the node. */
int multi_body_open(context *c, rec_execution *e, const node *n);
rec_execution *multi_body_add(context *c, rec_execution *body, const node *n);

#endif
