/* The two meta pages at the head of LMDB's data file. Each commit writes one of them, by turns:
 * transaction N is in page N % 2. LMDB believes the newer one, whatever it says, so both are checked
 * before LMDB maps the file. */
#ifndef ORR_STORE_META_PAGES_H
#define ORR_STORE_META_PAGES_H

#include <stdbool.h>

#include "base/env.h"

/* Refuses (ORR_E_STORE) an open file that is none of this machine's LMDB, that is shorter than its
 * newer meta page says, or whose meta pages contradict themselves or each other. `path` is for the
 * message.
 *
 * `unsynced`: the caller opens the store with durability "none". A power failure may then leave the
 * meta pages of two commits that do not follow each other. That passes, and is refused otherwise. */
int meta_pages_check(int file, const char *path, bool unsynced, orr_error *err);

#endif
