/* What operations have concluded from counters that siblings change as well (uow/siblings.h): "others are left in this scope",
 * "the join waits for others". When a unit is brought up to date before its commit the others may turn out to have gone, or
 * to have come, and this unit is the one that goes on. So each conclusion is kept, with the operation that follows if it
 * does not hold any more. */
#ifndef ORR_VERDICT_H
#define ORR_VERDICT_H

#include "exec/agenda.h"

/* The verdict holds until a count of what is left has come to 0, or one of what has come to `bound`. */
typedef struct verdict {
  struct verdict *next;
  rec_head *record;       /* of the counter */
  const int64_t *counter;
  int64_t bound;          /* 0: it counts down */
  operation_fn run;       /* else this is planned, about: */
  orr_id execution;
  const node *node;
} verdict;

/* Keeps a verdict; of a context without siblings none is needed. */
int verdict_add(context *c, const verdict *v);
/* Is there one that does not hold any more, as far as siblings have published? */
bool verdicts_overturned(const context *c);
/* Plans what follows from those that do not hold any more: when the siblings' batches are answered, since one that is lost
 * has changed nothing. */
int verdicts_follow(context *c);

#endif
