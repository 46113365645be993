/* How long to wait before acquiring again: a pure function of what the last acquisitions met.
 *
 * Idle: nothing was found; the wait grows so that a quiet store is asked rarely. Own work wakes the executor at once, so
 * this is about jobs that other processes put into the same store. Conflict: somebody else was faster; the wait grows with
 * jitter so that competing executors fall out of step, and shrinks after some calm. */
#ifndef ORR_BACKOFF_H
#define ORR_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "orrery.h"

typedef struct backoff_rules {
  int64_t idle_ms, idle_max_ms;         /* first and longest idle wait */
  int64_t conflict_ms, conflict_max_ms; /* first and longest wait after lost acquisitions */
  double factor;                        /* both grow by this */
  uint32_t decrease_after;              /* acquisitions without a loss before the conflict level sinks by one */
} backoff_rules;

typedef struct backoff_state {
  uint32_t idle_level, conflict_level, calm;
  bool lost; /* by the last acquisition: others who lost with it wait, too, and what they wait for is no reason to ask */
} backoff_state;

typedef struct backoff_outcome {
  uint32_t acquired, lost, asked; /* asked: the page size; a full page means there is more */
  bool left; /* jobs that others are taking just now: soon they have, or not */
} backoff_outcome;

/* Where an option is not given its default holds. */
backoff_rules backoff_rules_of(const orr_executor_options *options);
/* Milliseconds until the next acquisition; `random` in [0, 2^64) gives the jitter. Changes only `state`. */
int64_t backoff_next(const backoff_rules *rules, backoff_state *state, const backoff_outcome *outcome, uint64_t random);
/* A conflicting job is tried again after this many milliseconds; `attempt` counts from 1. */
int64_t backoff_conflict(const backoff_rules *rules, uint32_t attempt, uint64_t random);

#endif
