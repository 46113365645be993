/* The leaves of a large store. Opening one looks at the pages that lead to others alone, so that its
 * size costs opening nothing; a leaf is checked when it is read for the first time. LMDB believes
 * what a leaf says: a damaged one would end the process, or be a list that ends early. */
#ifndef ORR_STORE_LEAF_CHECK_H
#define ORR_STORE_LEAF_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/env.h"

/* Any thread. */
typedef struct leaf_check {
  atomic_uchar *sound; /* a bit for each page: it was found sound. NULL: opening has checked all */
  uint64_t pages;      /* so many the file had when it was opened; the others were written since */
} leaf_check;

/* From now on leaves are checked. Of a store with so many pages. */
int leaf_check_start(leaf_check *c, uint64_t pages, const orr_allocator *allocator, orr_error *err);
void leaf_check_stop(leaf_check *c, const orr_allocator *allocator); /* gives its memory back */

#define LEAF_FINDING_BYTES 160
/* Is the leaf sound on which LMDB found this key, and is the key one of its own? `map`: where the
 * file is mapped; what lies outside is a page that the transaction itself has written. False: `why`
 * tells. */
bool leaf_check_key(leaf_check *c, const uint8_t *map, size_t size, const void *key,
                    char why[LEAF_FINDING_BYTES]);

#endif
