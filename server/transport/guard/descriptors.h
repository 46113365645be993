/* Descriptors: how many the server may have, and what for. */
#ifndef SERVER_GUARD_DESCRIPTORS_H
#define SERVER_GUARD_DESCRIPTORS_H

#include "server/server.h"

enum {
  DESCRIPTORS_A_LOOP = 8, /* of libuv and libmicrohttpd, listeners, a connection that is refused */
  DESCRIPTORS_A_THREAD = 4,   /* that scripts wait on: a loop of libuv's, and 2 to spare */
  DESCRIPTORS_OUTSIDE = 1024, /* for the store, and calls to the world outside, of which
                                 docs/integration.md promises 1,000 */
  CONNECTIONS_LEAST = 16,     /* with room for fewer no server begins */
};

/* Raises the process's soft limit of descriptors to what a server of so many threads and loops can
 * use, as far as the hard limit allows, and lowers connections_max to what there is room for.
 * Negative with `err`: there is room for next to none. */
int descriptors_plan(server_config *config, size_t threads, size_t loops, orr_error *err);

#endif
