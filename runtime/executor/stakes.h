/* What a round of acquisition stakes (store.h), so that the processes that acquire from one store take different jobs.
 *
 * Candidates come in the order of their ids. So a round stakes runs of ids: first as far as a few jobs may reach, then twice
 * as far each time, and gives back what lies behind the last job that it wants. What others have staked it passes over. */
#ifndef ORR_STAKES_H
#define ORR_STAKES_H

#include <stdbool.h>

#include "orrery.h"
#include "uow/uow.h"

#define STAKES_MAX 32 /* runs of a round */

typedef struct stakes_run {
  orr_id from, to;
} stakes_run;

typedef struct stakes {
  store *store;
  stakes_run runs[STAKES_MAX]; /* ours, in order */
  uint32_t count, at;          /* at: where stakes_has looks */
  orr_id known_to;             /* candidates up to here are ours, */
  orr_id theirs_to;            /* ... or up to here another's */
  uint64_t reach;              /* ids that are staked at once */
  orr_id low, high;            /* all that was ever staked lies here; high 0: nothing was */
} stakes;

typedef enum stakes_answer { STAKES_OURS, STAKES_THEIRS, STAKES_FULL } stakes_answer;

/* Nothing is staked yet. */
void stakes_begin(stakes *k, store *s);
/* Stakes a candidate; their ids rise. STAKES_THEIRS: another has it, and all up to theirs_to. STAKES_FULL: enough was staked;
 * stakes_forget makes room. */
stakes_answer stakes_try(stakes *k, orr_id id);
/* Gives back what lies behind the last candidate that is wanted. */
void stakes_trim(stakes *k, orr_id last);
/* Is it among the runs? Asked in the order of ids. *past: it is behind all of them. */
bool stakes_has(stakes *k, orr_id id, bool *past);
/* Makes room for other runs; those there were stay staked. */
void stakes_forget(stakes *k);
/* Gives everything back. */
void stakes_end(stakes *k);

#endif
