/* Time limits of delegates: the acquisition thread looks after calls with a deadline, while there are any.
 *
 *   computes   its thread is asked, as for what it is at (inspect.h), and raises at its next instruction
 *   awaits     its thread has it go on, and what it awaits raises
 *   is in C    nothing stops it; it fails when it returns. Meanwhile another thread takes the place of its thread, of at most
 *              ORR_THREADS_REPLACED_MAX at once. The thread that returns begins nothing more, until it takes another's place
 */
#ifndef ORR_TIME_LIMIT_H
#define ORR_TIME_LIMIT_H

#include "executor/pool_internal.h"

/* A call with a deadline begins or goes on (call_place.watch); the worker's thread. */
void time_limit_watch(void *worker);
/* Looks at deadlines; the acquisition thread. */
void time_limit_look(orr_executor *x);
/* When it looks next; INT64_MAX: when it is woken. */
int64_t time_limit_look_at_ns(orr_executor *x, int64_t now_ns);

/* On the worker's thread, between two jobs: has calls go on that wait beyond their deadlines. */
void time_limit_interrupt(worker *w);
/* The thread is back: it has been replaced if it was away for too long. */
void time_limit_back(worker *w);

#endif
