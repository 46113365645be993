/* Asking a thread that runs a script what it is at. Scripts carry no hook for that, which would
 * double what their arithmetic costs: a signal to the thread sets one, and the hook takes itself
 * away. */
#ifndef ORRERY_FIBER_ASK_H
#define ORRERY_FIBER_ASK_H

#include <pthread.h>

/* Has the script that runs on the thread come to a safe point (executor/worker/inspect.h) at its
 * next instruction. Nothing happens on a thread that runs none, or in a program that uses SIGURG
 * itself. Any thread; `thread` has not been joined. */
void fiber_ask(pthread_t thread);

#endif
