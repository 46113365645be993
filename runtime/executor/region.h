/* Where in the ready index a process looks for jobs while others work off the same store. A pure function of what its
 * rounds gave.
 *
 * All begin at the front, so of several at a time one gets the jobs there and the others lose. Who loses goes on some
 * pages behind where it was, at random, so that the losers part, and stays in that region as long as it finds full pages
 * there. A region is a run of jobs side by side, not a share of all: such jobs lie on the same pages of the store, so that
 * a commit writes few (docs/performance.md). Whoever is away returns to the front after some rounds, and when its region
 * ends: nothing at the front waits for ever. */
#ifndef ORR_REGION_H
#define ORR_REGION_H

#include <stdbool.h>
#include <stdint.h>

#define REGION_ROUNDS_MAX 16 /* away from the front, in an order that is only custom (the oldest first) */
#define REGION_ORDERED_ROUNDS_MAX 1 /* ... in an order that was asked for */

typedef struct region {
  bool away; /* the next round begins where the last one ended, not at the front */
  uint32_t rounds; /* since it left the front */
} region;

typedef struct region_outcome {
  bool lost;       /* jobs to another process */
  bool filled;     /* the round found as many candidates as it asked for */
  uint32_t level;  /* of the back-off after lost races: the more losers, the wider they spread */
} region_outcome;

/* Settles a round; answers how many pages the next one passes over first. */
uint32_t region_next(region *r, const region_outcome *outcome, uint32_t rounds_max, uint64_t random);

#endif
