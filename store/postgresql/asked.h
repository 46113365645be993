/* Keys that the steps of jobs ask for one by one, again and again: they belong to no group that is fetched for a step, as
 * the record of a job definition. What is asked for often is fetched with the groups from then on. Any thread. */
#ifndef ORR_STORE_POSTGRESQL_ASKED_H
#define ORR_STORE_POSTGRESQL_ASKED_H

#include "base/env.h"
#include "store/store.h"

typedef struct postgres_asked postgres_asked;

#define POSTGRES_ASKED_MAX 16
#define POSTGRES_ASKED_BYTES 40 /* of a longer key nothing is kept */

/* NULL: out of memory. */
postgres_asked *postgres_asked_new(const orr_allocator *allocator);
/* NULL is fine. */
void postgres_asked_free(postgres_asked *a);

/* The server was asked for this key alone. */
void postgres_asked_note(postgres_asked *a, store_bytes key);

typedef struct postgres_asked_keys {
  size_t count;
  store_span spans[POSTGRES_ASKED_MAX]; /* into: */
  unsigned char bytes[POSTGRES_ASKED_MAX][POSTGRES_ASKED_BYTES];
} postgres_asked_keys;
/* The keys to fetch beside others. Each time they are taken they age: one that is not asked for goes in the end, to come
 * back by being asked for. */
void postgres_asked_take(postgres_asked *a, postgres_asked_keys *out);

#endif
