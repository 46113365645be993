/* Where a scan begins and when it ends: shared by the implementations, so that they agree. */
#ifndef ORR_STORE_RANGE_H
#define ORR_STORE_RANGE_H

#include "store/store.h"

typedef enum range_seek { RANGE_AT_OR_AFTER, RANGE_AT_OR_BEFORE, RANGE_BEFORE, RANGE_LAST } range_seek;

typedef struct range_start {
  range_seek seek;
  size_t size;
  unsigned char key[STORE_KEY_MAX];
} range_start;

/* False when a bound is longer than any key: ORR_E_ARGUMENT. */
bool range_valid(const store_range *range);
/* The first key to look at. It may lie outside the prefix: then the scan is empty. */
void range_begin(const store_range *range, range_start *out);
/* The least bytes above every key with this prefix, which may be longer than a key. Returns their size. */
size_t range_end(store_bytes prefix, unsigned char out[STORE_KEY_MAX + 1]);
/* Every key has the empty one. */
bool range_has_prefix(store_bytes key, store_bytes prefix);

#endif
