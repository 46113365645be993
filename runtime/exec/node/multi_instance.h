/* Multi-instance: what its files share. */
#ifndef ORR_MULTI_H
#define ORR_MULTI_H

#include "state/execution.h"

/* What the instances are made from: a number, or a collection with an element for each. */
typedef struct multi_source {
  int64_t count;
  orr_value items; /* ORR_NIL: a cardinality */
} multi_source;

/* For modification, which makes instances one by one, whatever the collection has. Makes a new
 * token a body without instances. */
int multi_body_open(context *c, rec_execution *e, const node *n);
/* Adds an instance to a body, which has yet to enter the node. NULL with the context's error. */
rec_execution *multi_body_add(context *c, rec_execution *body, const node *n);

/* A token arrived at a multi-instance activity. */
int multi_enter(context *c, rec_execution *e, const node *n);
int multi_instance_left(context *c, rec_execution *inner, const node *n);  /* an inner instance completed */
int loop_left(context *c, rec_execution *e, const node *n, bool *again);   /* standard loop: enter again? */

#endif
