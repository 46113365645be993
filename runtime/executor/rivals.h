/* How an executor acquires beside other processes that work off the same store. A pure function of what its rounds met.
 *
 * While others commit, rounds stake what they are about to take (stakes.h), and leave alone what others have staked. Then
 * hardly anything is lost, and batches that lock jobs are written like all others. Two things may still go wrong, and
 * neither may do harm: there may be processes that do not heed stakes, and one that has staked may not go on, since it was
 * stopped. So after losses batches are wary, and stakes that stand for long are passed by. */
#ifndef ORR_RIVALS_H
#define ORR_RIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "orrery.h"

#define RIVALS_ROUNDS 64 /* without a commit or a stake of theirs, until they are taken to have ended */
#define RIVALS_PATIENCE_NS (3000 * INT64_C(1000000))

typedef struct rivals {
  uint32_t there;    /* rounds for which others are still taken to be at work, */
  uint32_t heedless; /* ... and not to heed stakes */
  orr_id first;      /* the first job that the last round left to another; 0: it left none */
  int64_t since_ns;  /* since when that one is left */
  bool impatient;    /* the next round takes what others have staked, too */
} rivals;

typedef struct rivals_outcome {
  bool lost;  /* jobs to another process */
  orr_id first;
} rivals_outcome;

/* Before a round: have others committed since the last one? */
void rivals_look(rivals *r, bool committed);
/* Is the round to stake? */
bool rivals_stake(const rivals *r);
/* Its batches may well lose. */
bool rivals_wary(const rivals *r, bool stakes);
/* After it. */
void rivals_settle(rivals *r, const rivals_outcome *outcome, int64_t now_ns);

#endif
