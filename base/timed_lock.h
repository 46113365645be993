/* Waiting for a mutex with a bound. */
#ifndef ORR_TIMED_LOCK_H
#define ORR_TIMED_LOCK_H

#include <pthread.h>

/* Locks a mutex, and waits at most `ms` for it, by the system's clock whatever clock an engine
 * has. 0, ETIMEDOUT, or what else pthread_mutex_lock answers. */
int timed_lock(pthread_mutex_t *mutex, int ms);

#endif
