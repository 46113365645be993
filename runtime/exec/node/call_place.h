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
  int64_t deadline;  /* by call_clock: when it has taken too long; 0: it may take as long as it likes */
} place_mark;

/* What is noted; it belongs to a worker. All zero: no call runs. */
typedef struct call_place {
  atomic_uint_fast64_t definition;
  atomic_uint_fast32_t node; /* twice its place, and 1 for `listens` */
  atomic_int_fast64_t deadline;
  int64_t limit_ms;          /* of calls whose node says none; 0: none. The worker's, as is: */
  void (*watch)(void *ud);   /* a call with a deadline begins, or goes on: deadlines are to be looked at from now on */
  void *ud;
} call_place;

/* Any thread. What it sees of two calls that follow each other may be mixed. */
place_mark call_place_read(const call_place *p);
/* The call that the running operation makes. Nothing for a context without a place. */
place_mark call_place_of(const context *c, const operation *op, const host_call *call);
/* The call runs, or (after a wait) runs again; answers what was noted before. */
place_mark call_place_enter(context *c, const place_mark *mark);
/* The call has answered, or waits: what ran around it goes on. */
void call_place_leave(context *c, const place_mark *before);

/* The clock of deadlines, in milliseconds: the engine's where a program sets that, else one that does not jump. */
int64_t call_clock(orr_engine *engine);
/* Has the call that runs now taken too long? Costs a look into memory when it has no deadline. */
bool call_place_overdue(const context *c);
/* What answers too late has failed, as if it had raised. */
void call_place_fail_overdue(const context *c, const place_mark *mark, host_status *status, host_result *result);
#define CALL_OVER "this took longer than its time limit: the timeout of its task, or the executor's delegate_timeout"

/* What a node's own call runs, as its model names it: a class, an expression, a type, or "script"; NULL: nothing. */
const char *call_place_delegate(const node *n);

#endif
