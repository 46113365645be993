/* The thread that tells other processes of the store what this executor's threads are doing. It sleeps
 * until a process asks, and then asks the threads (worker/thread_table.h). */
#ifndef ORR_THREAD_REPORTER_H
#define ORR_THREAD_REPORTER_H

#include "engine/engine.h"

typedef struct thread_reporter thread_reporter;

/* Starts the thread for an executor of this name. NULL: nobody can ask here, or it could not be started, which is logged. */
thread_reporter *thread_reporter_open(orr_engine *engine, const char *owner);
/* Ends the thread, behind the answer that it is at. NULL is fine. */
void thread_reporter_close(thread_reporter *a);

/* An answer, into the builder. ORR_E_STORE: it is none. */
int thread_reporter_read(const void *bytes, size_t size, orr_value *out);

#endif
