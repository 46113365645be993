/* Answering other processes of the store, which ask what an executor's threads are at: a thread that rests until somebody
 * does, and then asks those threads (worker/thread_table.h). */
#ifndef ORR_ASKED_H
#define ORR_ASKED_H

#include "engine/engine.h"

typedef struct asked_thread asked_thread;

/* Starts the thread for an executor of this name. NULL: nobody can ask here, or it could not be started, which is logged. */
asked_thread *asked_open(orr_engine *engine, const char *owner);
/* Ends the thread, behind the answer that it is at. NULL is fine. */
void asked_close(asked_thread *a);

/* An answer, into the builder. ORR_E_STORE: it is none. */
int asked_read(const void *bytes, size_t size, orr_value *out);

#endif
