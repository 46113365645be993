/* What operations assumed of a counter that siblings change as well (uow/siblings.h): "others are
 * left in this scope", "the join still waits". Before the commit, the unit is brought up to date.
 * By then the others may have gone, or have come, and this unit is the one that has to continue.
 * So a context keeps each assumption, with the operation to plan once it is broken. */
#ifndef ORR_ASSUMPTION_H
#define ORR_ASSUMPTION_H

#include "exec/agenda.h"

/* Holds as long as a counter that counts down is above 0, or one that counts up is below `bound`. */
typedef struct assumption {
  struct assumption *next;
  rec_head *record;       /* of the counter */
  const int64_t *counter;
  int64_t bound;          /* 0: the counter counts down */
  operation_fn run;       /* is planned once the assumption is broken, about: */
  orr_id execution;
  const node *node;
} assumption;

/* Keeps a copy; does nothing in a context without siblings. */
int assumption_keep(context *c, const assumption *a);
/* Is one broken by what siblings have published so far? */
bool assumptions_broken(const context *c);
/* Plans the operations of all broken ones. The caller waits until the siblings' batches are
 * answered, because a batch that lost has changed nothing. */
int assumptions_follow(context *c);

#endif
