/* Which call of a delegate, a script or a listener runs for a context, as other threads may see it: for who asks what the
 * executor's threads are at. The numbers are looked up by who asks, so nothing is kept alive for it, and noting them costs
 * two writes to memory. */
#ifndef ORR_CALL_PLACE_H
#define ORR_CALL_PLACE_H

#include <stdatomic.h>

#include "exec/agenda.h"

/* Of one call. */
typedef struct place_mark {
  orr_id definition; /* 0: none runs, or it stands nowhere */
  uint32_t node;     /* the node's place among the definition's */
  bool listens;      /* it is a listener or a mapping of the node, not what the node is there for */
} place_mark;

/* What is noted; it belongs to a worker. All zero: no call runs. */
typedef struct call_place {
  atomic_uint_fast64_t definition;
  atomic_uint_fast32_t node; /* twice its place, and 1 for `listens` */
} call_place;

/* Any thread. What it sees of two calls that follow each other may be mixed. */
place_mark call_place_read(const call_place *p);
/* The call that the running operation makes. Nothing for a context without a place. */
place_mark call_place_of(const context *c, const operation *op, const host_call *call);
/* The call runs, or (after a wait) runs again; answers what was noted before. */
place_mark call_place_enter(context *c, const place_mark *mark);
/* The call has answered, or waits: what ran around it goes on. */
void call_place_leave(context *c, const place_mark *before);

/* What a node's own call runs, as its model names it: a class, an expression, a type, or "script"; NULL: nothing. */
const char *call_place_delegate(const node *n);

#endif
