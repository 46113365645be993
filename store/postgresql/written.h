/* Which keys a store's own commits have written since some moment, as far as it concerns what was fetched before: a mark
 * for each group of records (record/records.lua), shared by groups of the same hash. It may say too much, never too little.
 * Any thread. */
#ifndef ORR_STORE_POSTGRESQL_WRITTEN_H
#define ORR_STORE_POSTGRESQL_WRITTEN_H

#include "base/env.h"
#include "store/store.h"

typedef struct postgres_written postgres_written;

/* NULL: out of memory. */
postgres_written *postgres_written_new(const orr_allocator *allocator);
/* NULL is fine. */
void postgres_written_free(postgres_written *w);

/* The present, for postgres_written_since. */
uint32_t postgres_written_now(const postgres_written *w);
/* These batches are committed, those whose status is 0; to be called before anybody is told. */
void postgres_written_mark(postgres_written *w, const store_batch *batches, size_t count);
/* Whether the key, or one that shares its mark, was written after `moment`. */
bool postgres_written_since(const postgres_written *w, store_bytes key, uint32_t moment);
/* Whether all keys from `low` up to, and without, `high` share a mark. */
bool postgres_written_together(store_bytes low, store_bytes high);

#endif
