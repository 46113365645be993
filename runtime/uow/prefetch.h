/* Fetches what a caller will need from a store that is a network away: many records in one query.
 * Where the store is near, these functions do nothing. */
#ifndef ORR_UOW_PREFETCH_H
#define ORR_UOW_PREFETCH_H

#include "uow/uow.h"

#define UNIT_PREFETCH_MAX 32 /* ids in one query */

/* Is the unit's store a network away, so that each look at it costs a round trip? */
bool unit_is_far(unit *u);

/* Fetches what steps mostly read of the groups of these ids (at most UNIT_PREFETCH_MAX), in one
 * query. NULL: the store is near. The caller releases it by store_prefetched_release. */
store_prefetched *unit_prefetch_groups(unit_source *source, const orr_id *ids, size_t count);
/* Has the unit read from it until the unit is paused. NULL is fine. */
void unit_use_prefetched(unit *u, store_prefetched *p);

/* The caller is about to load these jobs in the unit's view. Fetches them, and the locks of their
 * instances, in one query: at most UNIT_PREFETCH_MAX of them. */
void unit_prefetch_jobs(unit *u, const orr_id *jobs, size_t count);

/* The same for records by their keys, at most UNIT_PREFETCH_MAX. */
void unit_prefetch_keys(unit *u, const store_bytes *keys, size_t count);

#endif
