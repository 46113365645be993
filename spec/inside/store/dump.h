/* Everything a store holds, in key order: to compare a store with itself after a restart, or two stores with each other. */
#ifndef ORR_STORE_DUMP_H
#define ORR_STORE_DUMP_H

#include "store/store.h"

/* Anything but 0 ends the dump and is its answer. */
typedef int (*store_dump_fn)(void *ud, store_bytes key, store_bytes value);
int store_dump(store_snapshot *snapshot, store_dump_fn fn, void *ud, orr_error *err);

/* The same number for the same keys and values, whatever keeps them. */
int store_digest(store_snapshot *snapshot, uint64_t *out, orr_error *err);

#endif
