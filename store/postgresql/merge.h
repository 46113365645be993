/* From the batches of a commit to the arrays of one call.
 *
 * A merge supposes that every batch wins which does not contradict those before it, and says what
 * the store must hold for that: checks of keys and counts of prefixes, about the state before all
 * of them; and what it holds afterwards: one value for each key. The server compares everything and
 * writes all or nothing. Batches that lose there are left out of the next merge.
 *
 * What lies in pages is compared here, with the images that the store has of them; the server compares the images'
 * revisions, and gets the new images whole. An image that is not up to date makes the call fail, as above.
 *
 * A batch that counts keys which earlier batches of the merge have written cannot be told before
 * those are there: the merge ends in front of it, and the next one begins with it, in the same
 * transaction. */
#ifndef ORR_STORE_POSTGRESQL_MERGE_H
#define ORR_STORE_POSTGRESQL_MERGE_H

#include "store/postgresql/images.h"
#include "store/store.h"

typedef struct merge merge;

/* Used again for commit after commit; `images` outlives it. NULL: out of memory. */
merge *merge_new(const orr_allocator *allocator, page_images *images);
/* NULL is fine. */
void merge_free(merge *f);

typedef struct merge_how {
  const bool *lost; /* batches that are left out */
  bool careful;     /* everything is compared before anything is written */
} merge_how;

/* Tells the images which pages the batches are about; of those that a batch seems to be the first to write, `guess` allows
 * to take that for known. False: out of memory. */
bool merge_touch_pages(merge *f, const store_batch *batches, size_t count, bool guess);

/* Merges batches from `first` on, whose pages are known; *end is the first one that is not in it. Those that contradict an
 * earlier one get ORR_E_CONFLICT for this merge; the others' status is 0. ORR_E_MEMORY, or
 * ORR_E_LIMIT when it is too much for one call. */
int merge_batches(merge *f, store_batch *batches, const merge_how *how, size_t first, size_t count,
                 size_t *end, orr_error *err);

/* Whether the call has anything to compare or to write. */
bool merge_asks(const merge *f);
/* Whether it writes. */
bool merge_writes(const merge *f);

/* Appends the merge's arrays to a call's parameters: they are the merge's until its next use. */
void merge_parameters(const merge *f, postgres_parameters *out);

/* Marks the batch that a failed comparison belongs to: `which` is positive for a check, negative
 * for a count, from 1 on. False: there is no such comparison. */
bool merge_lose(const merge *f, int64_t which, store_batch *batches, bool *lost);

#endif
