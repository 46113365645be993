/* Threads that work for an engine: their part in it, and their Lua states. */
#ifndef ORRERY_HOST_HOST_THREAD_H
#define ORRERY_HOST_HOST_THREAD_H

#include "bindings/host/host_types.h"

/* The thread's part in the engine; `loop`: its own, or NULL. NULL with `err`. */
host_thread *host_thread_open(host *self, void *loop, orr_error *err);
/* On that thread: what it has under way ends without an answer, and its Lua state, unless it is the program's, goes. */
void host_thread_close(host_thread *thread);

#endif
