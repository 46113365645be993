/* The TCP ports at which this process itself serves. Who listens says so, and who calls outside for
 * a model asks: so that a model does not reach its own server (runtime/net/address_guard.h). */
#ifndef ORR_SERVING_H
#define ORR_SERVING_H

#include <stdbool.h>

/* From here on a server of this process serves at the port, before anybody can connect to it.
 * Servers at several addresses of one port each say so. A number that is no port is passed over.
 * Any thread, as the others. */
void serving_begin(int port);
/* One that has said so no longer does. */
void serving_end(int port);
/* Does it? */
bool serving_at(int port);

#endif
