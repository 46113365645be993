/* An hour of counts by the minute, for the small charts of the operator's page: what this process has done, and how long
 * its jobs waited to be run. Kept in memory; a server that begins knows nothing of before. */
#ifndef SERVER_SERIES_H
#define SERVER_SERIES_H

#include <pthread.h>

#include "orrery.h"
#include "server/transport/json_out.h"

enum { SERIES_MINUTES = 60, SERIES_COUNTERS = 6 };

typedef struct series {
  pthread_mutex_t mutex;
  int64_t minute;                                /* that is being counted; 0: none yet */
  int64_t base[SERIES_COUNTERS];                 /* the counters when it began */
  int64_t counts[SERIES_COUNTERS][SERIES_MINUTES]; /* by minute modulo SERIES_MINUTES */
  size_t known;                                  /* how many minutes there are */
} series;

/* Empty; series_free ends its use. */
void series_init(series *s);
/* Looks at the engine's counters when a new minute has begun; cheap otherwise. Called by one thread, every half second. */
void series_sample(series *s, orr_engine *engine, int64_t now_ns);
/* { name: [oldest, ..., latest] }, of minutes that are over; `wait_ms` is the mean of the jobs that began in one, null where
 * none did. Any thread. */
void series_write(series *s, json_out *out);

#endif
