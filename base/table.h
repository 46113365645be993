/* A small hash table from ids to pointers: open addressing, no tombstones. Guarded by whoever owns it. */
#ifndef ORR_TABLE_H
#define ORR_TABLE_H

#include "base/env.h"

typedef struct table {
  struct table_slot { orr_id key; void *value; } *slots; /* key 0: empty */
  uint32_t mask, count;
} table;

/* A zeroed table is empty. Keys are not 0; values are the owner's, and no NULL. table_get: NULL when there is none. */
void *table_get(const table *t, orr_id key);
/* Replaces. */
int table_put(table *t, const orr_allocator *allocator, orr_id key, void *value); /* 0 or ORR_E_MEMORY */
/* Nothing when it is not there. */
void table_remove(table *t, orr_id key);
/* The slots go; what they pointed at is the caller's. */
void table_free(table *t, const orr_allocator *allocator);

#endif
