/* Threads that run what a loop's thread should not: commands, which may call anything, and long reads.
 *
 * As few run at once as the machine has cores: a command's commit is not waited for, so a thread
 * goes from one command to the next, and the caches, the script state and the processor stay its
 * own. One that does wait (pool_waits) lets another run; and where nothing has begun for some
 * milliseconds although something waits, those that run are taken to hang in code that does not
 * say so, and more may run. */
#ifndef SERVER_POOL_H
#define SERVER_POOL_H

#include "server/transport/request.h"

enum { POOL_QUEUE_MAX = 20000 }; /* more commands that wait than connections there may be */

typedef struct pool pool;

/* Starts that many threads, or as many as there can be, of which `at_once` run by themselves; as many call `warm` first,
 * for what a thread's first request would wait for. NULL: none. For pool_end and pool_free. */
pool *pool_new(size_t threads, size_t at_once, void (*warm)(void *ud), void *ud);
/* Has a thread call work(q); first come, first served. False: too many wait, or the pool ends. */
bool pool_submit(pool *p, request *q, void (*work)(request *q));
/* The same for a chain of requests with their `work` set, at once. The rest of it that is not taken; NULL: all are. */
request *pool_submit_chain(pool *p, request *first);
/* A thread of the pool begins to wait for something, or goes on. */
void pool_waits(pool *p, bool waits);
/* Ends the threads once nothing waits; nothing more is taken from then on. NULL is fine. */
void pool_end(pool *p);
/* Of one that has ended. NULL is fine. */
void pool_free(pool *p);

#endif
