/* What changes, as it happens (server-sent events), for the page. Each loop looks after its own streams, and has a feed of
 * each engine that they follow; all of it runs on the loop's thread.
 *
 * An event names the kinds of records that have changed since the last one, and the instances that they belong to, at most
 * four times a second: the page asks again for what it shows. What another process changed is not known, which is said as
 * the kind "any". A stream that is too slow gets fewer events, which tell as much. */
#ifndef SERVER_EVENTS_H
#define SERVER_EVENTS_H

#include <microhttpd.h>

#include "server/transport/request.h"

struct loop;

enum { STREAMS_MAX = 1000 }; /* of one loop */

/* The answer to a request for events; NULL: out of memory, or too many. */
struct MHD_Response *events_response(request *q);
/* Looks whether the stores have changed and wakes the streams that have something to say. Every quarter of a second. */
void events_look(struct loop *l);

#endif
