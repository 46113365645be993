/* Giving back the locks of owners that are gone: those whose lease is over, and those whose process on this machine has
 * ended. Each is fenced first (lock_owner.h), then its claims are given back page by page, and at last its record goes; who
 * dies in between leaves a fenced record, with which the next round goes on. */
#ifndef ORR_RECLAIM_H
#define ORR_RECLAIM_H

#include "executor/owner/lock_owner.h"

/* Gives back the locks of every owner whose lease is over, but of `self`, which is about to prolong its own (0: none). A job
 * whose holder vanished ORR_CRASHES_MAX times is not tried again: it becomes an incident. *count: jobs given back. */
int reclaim_expired(orr_engine *engine, uint64_t self, uint32_t *count, orr_error *err);
/* Would that find anything? */
int reclaim_waits(context *c, bool *out);
/* Gives back the locks of owners whose process is gone, without waiting for the end of their lease. */
int reclaim_dead(orr_engine *engine, uint32_t *count, orr_error *err);
/* Takes everything from one owner of this process, whatever its lease, and its record out of the store. */
int reclaim_owner(orr_engine *engine, uint64_t number, uint32_t *count, orr_error *err);

#endif
