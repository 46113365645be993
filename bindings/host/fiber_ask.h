/* Asking a thread that runs a script what it is at. Scripts carry no hook for that, which would
 * double what their arithmetic costs: a signal to the thread sets one, and the hook takes itself
 * away. A handler is the whole process's: this one is installed when somebody first asks, not where
 * the program handles the signal itself, and not after orrery.trace_by_signal(false). */
#ifndef ORRERY_FIBER_ASK_H
#define ORRERY_FIBER_ASK_H

#include <lauxlib.h>
#include <pthread.h>

/* Has the script that runs on the thread come to a safe point (executor/worker/inspect.h) at its
 * next instruction. Nothing happens on a thread that runs none, or where the signal is the
 * program's. Any thread; `thread` has not been joined. */
void fiber_ask(pthread_t thread);

/* Raises that the call which runs has taken too long. */
void fiber_over(lua_State *L);

/* trace_by_signal(allowed) -> whether the signal is ours from here on. */
extern const luaL_Reg fiber_ask_functions[];

#endif
