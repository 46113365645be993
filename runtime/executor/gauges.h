/* How things stand with a store's jobs: what monitoring asks every few seconds.
 *
 * Counting walks index rows, at most GAUGE_ROWS_MAX of an index: a number that has reached it means 'so many or more'. How
 * long jobs have waited is asked of the GAUGE_JOBS_MAX oldest ready ones. */
#ifndef ORR_GAUGES_H
#define ORR_GAUGES_H

#include "job/job.h"

#define GAUGE_ROWS_MAX 100000
#define GAUGE_JOBS_MAX 10000

/* Priorities, from .. to */
#define GAUGE_BANDS(X)        \
  X("below 0", INT64_MIN, -1) \
  X("0", 0, 0)                \
  X("1 to 9", 1, 9)           \
  X("10 to 99", 10, 99)       \
  X("100 and more", 100, INT64_MAX)

enum {
#define GAUGE_COUNT(name, from, to) +1
  GAUGE_BANDS_COUNT = GAUGE_BANDS(GAUGE_COUNT)
#undef GAUGE_COUNT
};

typedef struct job_gauges {
  int64_t ready, throttled, due, waiting, locked, exhausted; /* due: timers whose time has come, not yet made ready */
  orr_duration oldest_ms[GAUGE_BANDS_COUNT];                 /* -1: none waits */
} job_gauges;

/* Counts the jobs of the store as they are committed: walks the ready ones. 0 or the context's
 * error. */
int gauges_read(context *c, job_gauges *out);
/* The name of a band, as the metrics show it. */
const char *gauges_band(int band);

#endif
