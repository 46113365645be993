/* Keys that the steps of jobs ask for one by one, again and again: they belong to no group that is fetched for a step, as
 * the record of a job definition. What is asked for often is fetched with the groups from then on. Any thread. */
#ifndef ORR_STORE_POSTGRESQL_HOT_KEYS_H
#define ORR_STORE_POSTGRESQL_HOT_KEYS_H

#include "base/env.h"
#include "store/store.h"

typedef struct hot_keys hot_keys;

#define HOT_KEYS_MAX 16
#define HOT_KEYS_BYTES 40 /* of a longer key nothing is kept */

/* NULL: out of memory. */
hot_keys *hot_keys_new(const orr_allocator *allocator);
/* NULL is fine. */
void hot_keys_free(hot_keys *a);

/* The server was asked for this key alone. */
void hot_keys_note(hot_keys *a, store_bytes key);

typedef struct hot_key_spans {
  size_t count;
  store_span spans[HOT_KEYS_MAX]; /* into: */
  unsigned char bytes[HOT_KEYS_MAX][HOT_KEYS_BYTES];
} hot_key_spans;
/* The keys to fetch beside others. Each time they are taken they age: one that is not asked for goes in the end, to come
 * back by being asked for. */
void hot_keys_take(hot_keys *a, hot_key_spans *out);

#endif
