/* Threads that run commands. Each command waits for its commit; many at once are what the committer
 * makes one transaction of. */
#ifndef SERVER_POOL_H
#define SERVER_POOL_H

#include "server/request.h"

enum { POOL_QUEUE_MAX = 20000 }; /* more commands that wait than connections there may be */

typedef struct pool pool;

/* Starts that many threads, or as many as there can be. NULL: none; free with pool_free. */
pool *pool_new(size_t threads);
/* Has a thread call work(q); first come, first served. False: too many wait, or the pool ends. */
bool pool_submit(pool *p, request *q, void (*work)(request *q));
/* Commands that wait or run. */
size_t pool_busy(pool *p);
/* Ends the threads once nothing waits. NULL is fine. */
void pool_free(pool *p);

#endif
