/* Has an engine come to rest? A round of acquisition says so, if it found nothing and nothing was in flight from its
 * beginning to its end. What ran meanwhile may have left a job behind, or given a place of a limit back, that the round
 * did not see. */
#ifndef ORR_IDLE_H
#define ORR_IDLE_H

#include <stdbool.h>
#include <stdint.h>

/* An engine's jobs with the executor. */
typedef struct idle_traffic {
  uint32_t in_flight; /* locked for us and neither finished nor given back */
  uint64_t handed;    /* ever reserved for a hand-over */
} idle_traffic;

/* What a round found. */
typedef struct idle_found {
  bool failed;
  uint32_t acquired,
      left; /* left: blocked, lost to another commit, held back by a rate, or not looked at yet */
} idle_found;

/* `before` when the round began and `after` it, without the room that the round had reserved for itself. */
bool idle_shown(const idle_traffic *before, const idle_found *found, const idle_traffic *after);

#endif
