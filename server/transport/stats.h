/* What the server counts of itself, and what it writes of each request: the log of accesses. */
#ifndef SERVER_STATS_H
#define SERVER_STATS_H

#include <stdatomic.h>

#include "server/transport/request.h"

enum { STATS_BUCKETS = 10, STATS_CLASSES = 6 };

typedef struct stats {
  atomic_llong connections, cut_off, parked, streams, undelivered;
  atomic_llong unread;        /* bytes of answers that are not out */
  atomic_llong accept_pauses; /* without descriptors or memory for another connection */
  atomic_llong looks;                            /* at topics, for polls that wait */
  atomic_llong active;                           /* requests whose answer is not out */
  atomic_llong answers[STATS_CLASSES];           /* by the first digit of the status */
  atomic_llong buckets[STATS_BUCKETS + 1];       /* of durations */
  atomic_llong microseconds;
} stats;

/* A request has been answered, or could not be. On its loop. */
void stats_count(request *q, bool delivered);
/* Has the log of accesses written out. */
void stats_flush(server *s);
/* The server's own metrics, as Prometheus reads them, after those of the engines. */
void stats_write(server *s, json_out *out);

#endif
