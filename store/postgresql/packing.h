/* From a merge's changes of packed records to the pages that a commit writes, each whole. */
#ifndef ORR_STORE_POSTGRESQL_PACKING_H
#define ORR_STORE_POSTGRESQL_PACKING_H

#include "store/postgresql/images.h"

typedef struct packed_change {
  store_bytes key, value;
  bool present; /* else the key goes */
} packed_change;

/* All zeros is an empty one. */
typedef struct packing {
  array relied, relied_revisions;
  array insert_pages, insert_tags, insert_counts, insert_values;
  array update_pages, update_revisions, update_tags, update_counts, update_values;
  array delete_pages, delete_revisions;
  size_t bytes; /* of values */
} packing;

/* Sorts the changes, of which no two are of one key, and makes of them the images of the pages that they touch; what is relied
 * on but not changed is compared. The images must be known. False: out of memory. */
bool packing_make(packing *p, const orr_allocator *allocator, page_images *images, packed_change *changes, size_t count);
/* Whether anything is compared or written. */
bool packing_asks(const packing *p);
/* Whether anything is written. */
bool packing_writes(const packing *p);
/* Appends its arrays to a call's parameters. */
void packing_parameters(const packing *p, postgres_parameters *out);
/* Gives its memory back. */
void packing_free(packing *p, const orr_allocator *allocator);

#endif
