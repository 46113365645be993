/* Which keys a store's own commits have written since some moment, as far as it concerns what was fetched before: a mark
 * for each group of records (record/records.lua), shared by groups of the same hash. It may say too much, never too little.
 * Any thread. */
#ifndef ORR_STORE_POSTGRESQL_RECENT_WRITES_H
#define ORR_STORE_POSTGRESQL_RECENT_WRITES_H

#include "base/env.h"
#include "store/store.h"

typedef struct recent_writes recent_writes;

/* NULL: out of memory. */
recent_writes *recent_writes_new(const orr_allocator *allocator);
/* NULL is fine. */
void recent_writes_free(recent_writes *w);

/* The present, for recent_writes_since. */
uint32_t recent_writes_now(const recent_writes *w);
/* These batches are committed, those whose status is 0; to be called before anybody is told. */
void recent_writes_mark(recent_writes *w, const store_batch *batches, size_t count);
/* Whether the key, or one that shares its mark, was written after `moment`. */
bool recent_writes_since(const recent_writes *w, store_bytes key, uint32_t moment);
/* Whether all keys from `low` up to, and without, `high` share a mark. */
bool recent_writes_together(store_bytes low, store_bytes high);

#endif
