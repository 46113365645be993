/* The pages that a store's commits write, as the database has them, so that a commit need not ask for them.
 *
 * They are what was fetched for steps, and what was written last. Nobody tells when another process has changed one: a
 * commit compares the revision of each image that it has gone by, and asks again for those that are not so any more. All
 * but page_images_offer is for the one thread that commits. */
#ifndef ORR_STORE_POSTGRESQL_IMAGES_H
#define ORR_STORE_POSTGRESQL_IMAGES_H

#include "store/postgresql/array.h"
#include "store/postgresql/packed.h"
#include "store/postgresql/recent_writes.h"

typedef struct page_image {
  struct page_image *next; /* in the same place of the table */
  int64_t page, revision;  /* revision 0: there is no such page */
  store_bytes bytes;
  bool known;   /* else it has to be asked for */
  bool touched; /* by the commit in hand */
  bool relied;  /* its revision is compared by the merge in hand */
  bool written; /* by the merge in hand, to these bytes: */
  store_bytes next_bytes;
} page_image;

typedef struct page_images page_images;

/* NULL: out of memory. */
page_images *page_images_new(const orr_allocator *allocator);
/* NULL is fine. */
void page_images_free(page_images *im);

/* Any thread: a page as it was at `moment` (store/postgresql/recent_writes.h), for the next commit that wants it. */
void page_images_offer(page_images *im, int64_t page, int64_t revision, store_bytes bytes, uint32_t moment);

/* Before a commit: takes what was offered, unless this store has written there since. */
void page_images_begin(page_images *im, const recent_writes *written);
/* The image of a page that the commit needs; it stays where it is until the commit's end. NULL: out of memory. */
page_image *page_images_touch(page_images *im, int64_t page);
/* As the database has it. False: out of memory. */
bool page_images_set(page_images *im, page_image *image, int64_t revision, store_bytes bytes);
/* The numbers of those touched that are not known; they are taken for absent ones from here on, until they are set. False: out
 * of memory. */
bool page_images_missing(page_images *im, array *out);
/* Before a merge: none is relied on, or written. */
void page_images_forget_fold(page_images *im);
/* The merge's call has succeeded: what it wrote is there, in the commit's transaction at least. */
void page_images_advance(page_images *im, int64_t revision);
/* The commit ends; `made`: with success. Else nothing is known any more of what it touched. */
void page_images_end(page_images *im, bool made);

/* Those touched, for looking through. */
page_image *const *page_images_touched(const page_images *im, size_t *count);

#endif
