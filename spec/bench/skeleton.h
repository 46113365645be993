/* The least that an engine of durable jobs has to do. */
#ifndef ORR_BENCH_SKELETON_H
#define ORR_BENCH_SKELETON_H

#include "store/store.h"

/* Runs `chains` chains of `jobs` jobs each on `workers` threads, in a store of its own in the empty `directory`. Gives the
 * seconds from the first job to the last one's commit. 0, or an ORR_E_* code with err. */
int skeleton_run(const char *directory, uint32_t chains, uint32_t jobs, uint32_t workers, double *seconds,
                 orr_error *err);

#endif
