/* LMDB's pages as they lie on disk, and whether they hold together. LMDB believes what its pages say: a slot that leads out
 * of its page, or a page that is used twice, ends in a signal or in lost data instead of an error. */
#ifndef ORR_STORE_PAGES_H
#define ORR_STORE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

/* LMDB 0.9 on 64-bit machines. One tree of pages. */
typedef struct disk_database {
  uint32_t page_size; /* of the list of free pages: how large all pages of the file are (LMDB's md_pad) */
  uint16_t flags, depth;
  uint64_t branches, leaves, overflows, entries, root;
} disk_database;

/* Pages 0 and 1: the trees as one of the last two transactions left them. */
typedef struct disk_meta {
  uint64_t page_number;
  uint16_t pad, flags;
  uint32_t bounds;
  uint32_t magic, version;
  uint64_t address, map_size;
  disk_database free_list, main;
  uint64_t last_page, transaction;
} disk_meta;

/* What is looked at: the mapped file, as `transaction` left it. The caller holds a view of that, so nothing of it is
 * written over meanwhile. */
typedef struct pages_image {
  const uint8_t *map;
  size_t size;
  uint64_t transaction;
  uint64_t inner_max; /* PAGES_INNER: of how many pages at most; 0 is none but the meta page */
} pages_image;

/* How much is looked at: of a store of many pages only those that lead to others, the upper levels first, and the list of
 * free pages, up to inner_max pages together. */
typedef enum pages_depth { PAGES_ALL, PAGES_INNER } pages_depth;

/* Checks that every page is what its place says, that each slot and value lies inside, that no page is used twice or is
 * free and used, and (PAGES_ALL) that each is one or the other. *unsafe counts the findings that make reading the store
 * dangerous. After the first hundred findings the walk ends. 0, or ORR_E_MEMORY; ORR_E_CONFLICT when the image is no longer
 * what its meta page says, because two more transactions have committed. */
int pages_check(const orr_allocator *allocator, const pages_image *image, pages_depth depth, const store_page_listener *told,
                uint64_t *unsafe, orr_error *err);

/* Checks one leaf of the tree of records, and the pages of its large values. `number` is below the
 * image's last page. False, with a finding: reading it is dangerous. */
bool pages_check_leaf(const pages_image *image, uint32_t page_size, uint64_t number,
                      const store_page_listener *told);
/* Does the key at this place begin one of the leaf's entries? For a leaf that was found sound. */
bool pages_leaf_has(const pages_image *image, uint32_t page_size, uint64_t number, const void *key);

#endif
