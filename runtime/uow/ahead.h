/* Reading ahead what belongs to instances, for stores that are a network away. Elsewhere nothing happens. */
#ifndef ORR_UOW_AHEAD_H
#define ORR_UOW_AHEAD_H

#include "uow/uow.h"

#define UNIT_AHEAD_MAX 32 /* ids for which is read ahead at once */

/* Whether the unit's store is a network away, so that each look at it beyond what was read ahead costs a round trip. */
bool unit_is_far(unit *u);

/* What steps mostly need of the groups that these ids belong to, at most UNIT_AHEAD_MAX, with one question. NULL: the
 * store is near. store_prefetched_release ends the caller's use of it. */
store_prefetched *unit_prefetch(unit_source *source, const orr_id *ids, size_t count);
/* The unit reads from it, until it is paused. NULL is fine. */
void unit_use_prefetched(unit *u, store_prefetched *p);

/* The caller is about to load these records in this unit's view, with or without the locks of their instances: at most
 * UNIT_AHEAD_MAX of them come with one question. */
void unit_read_jobs_ahead(unit *u, const orr_id *jobs, size_t count);

/* The same of records by their keys, at most UNIT_AHEAD_MAX. */
void unit_read_keys_ahead(unit *u, const store_bytes *keys, size_t count);

#endif
