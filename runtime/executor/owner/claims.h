/* What an owner has locked. A job that is not exclusive has a row in the index of locked jobs; of exclusive ones the instance
 * lock says whose they are, so a chain of them costs no row for each. */
#ifndef ORR_CLAIMS_H
#define ORR_CLAIMS_H

#include "executor/owner/lock_owner.h"
#include "uow/find.h"

typedef struct claims {
  unit_found jobs;
  unit_found stray; /* instance locks of the owner under which it has no job */
} claims;

/* Some jobs that the owner has locked, about `max`; none: it has none. `max` 0: all. */
int claims_find(context *c, uint64_t owner, size_t max, claims *out);
/* Gives back what the owner has locked and its process has lost sight of: jobs that are not `still_mine`. Nothing to do as
 * long as none was lost. */
int claims_audit(lock_owner *o, bool (*still_mine)(void *ud, orr_id job), void *ud, orr_error *err);
/* Is there something to be looked for? */
bool claims_lost(const lock_owner *o);

#endif
