/* Threads of a host's own that call an engine at the same time. */
#ifndef ORR_BENCH_CALLERS_H
#define ORR_BENCH_CALLERS_H

#include "orrery.h"

typedef enum callers_what { CALLERS_START, CALLERS_COMPLETE, CALLERS_MESSAGE } callers_what;

typedef struct callers_cost {
  double seconds,
      processor;    /* from the first call to the last one's return; of the whole process */
  uint64_t commits; /* of the store */
} callers_cost;

/* Starts an instance of `key` for each of `count`; or completes each task of `ids`; or sends the
 * message `key` to each instance of `ids`. By so many threads, each of which takes the next one
 * until none is left; by one of its own, so many to a transaction, when `grouped`. 0, or an
 * ORR_E_* code with err. */
int callers_run(orr_engine *engine, callers_what what, const char *key, const orr_id *ids,
                uint32_t count, uint32_t threads, bool grouped, callers_cost *cost, orr_error *err);

#endif
