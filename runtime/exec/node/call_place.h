/* Which call of a delegate, a script or a listener runs in a context, so that other threads can
 * tell what the executor's threads are doing. A call is noted as two numbers, which whoever asks
 * looks up. So noting it costs two writes to memory, and keeps nothing alive. */
#ifndef ORR_CALL_PLACE_H
#define ORR_CALL_PLACE_H

#include <stdatomic.h>

#include "exec/agenda.h"

/* The place of one call. */
typedef struct place_mark {
  orr_id definition; /* 0: no call runs, or it is at no node */
  uint32_t node;     /* its index in the definition */
  bool listens;      /* a listener or a mapping of the node, not its own call */
  int64_t deadline;  /* by call_clock; 0: none */
} place_mark;

/* The note, which belongs to a worker. All zero: no call runs. */
typedef struct call_place {
  atomic_uint_fast64_t definition;
  atomic_uint_fast32_t node; /* twice its index, plus 1 for `listens` */
  atomic_int_fast64_t deadline;
  int64_t limit_ms;        /* of calls whose node has none; 0: none. The worker's, as is: */
  void (*watch)(void *ud);   /* a call with a deadline begins or continues: check deadlines from now on */
  void *ud;
} call_place;

/* Any thread. If one call ends and another begins meanwhile, the answer may be a mixture of
 * both. */
place_mark call_place_read(const call_place *p);
/* The place of the call that the running operation makes. Does nothing for a context without a
 * note. */
place_mark call_place_of(const context *c, const operation *op, const host_call *call);
/* The call runs or, after a wait, continues. Returns what was noted before. */
place_mark call_place_enter(context *c, const place_mark *mark);
/* The call has answered, or waits: notes what ran around it again. */
void call_place_leave(context *c, const place_mark *before);

/* The clock of deadlines, in milliseconds: the engine's where a program sets it, else a monotonic
 * one. */
int64_t call_clock(orr_engine *engine);
/* Is the running call past its deadline? Costs a look into memory when it has none. */
bool call_place_overdue(const context *c);
/* Turns an answer that came too late into a failure. */
void call_place_fail_overdue(const context *c, const place_mark *mark, host_status *status, host_result *result);
#define CALL_OVER "this took longer than its time limit: the timeout of its task, or the executor's delegate_timeout"

/* What a node's own call runs, in the words of its model: a class, an expression, a type, or
 * "script"; NULL: nothing. */
const char *call_place_delegate(const node *n);

#endif
