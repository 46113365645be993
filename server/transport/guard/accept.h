/* Connections as they come in. They are accepted here and handed to the library: what is one too
 * many never reaches it, and a time without descriptors ends by itself (the library would wait for
 * a connection of its own to end). */
#ifndef SERVER_GUARD_ACCEPT_H
#define SERVER_GUARD_ACCEPT_H

#include "server/transport/loop.h"

/* Has a listener accept what comes to `at->fd`. 0 or negative with `err`; accept_stop in both
 * cases. The loop's own thread, or before it runs. */
int accept_start(listener *at, orr_error *err);
/* Accepts no more, and closes `at->fd`. */
void accept_stop(listener *at);
/* A connection that was accepted has ended. */
void accept_left(listener *at, const connection_origin *from);

#endif
