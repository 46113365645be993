/* What changes, as it happens (server-sent events), for the page. Each loop looks after its own streams; all of it runs on the
 * loop's thread.
 *
 * An event names no more than that something has changed since the last one, at most four a second: the page asks again for
 * what it shows. A stream that is too slow misses events in between, not the last one. */
#ifndef SERVER_EVENTS_H
#define SERVER_EVENTS_H

#include <microhttpd.h>

#include "server/request.h"

struct loop;

enum { STREAMS_MAX = 1000 }; /* of one loop */

/* The answer to a request for events; NULL: out of memory, or too many. */
struct MHD_Response *events_response(request *q);
/* Looks whether the stores have changed and wakes the streams that have something to say. Every quarter of a second. */
void events_look(struct loop *l);

#endif
