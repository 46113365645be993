/* Packed pages: the records that a step changes together lie in one row of the database.
 *
 * Instances, tokens, jobs and the locks of instances are packed, by their keys' first bytes; what they own beside (variables,
 * history, rows of indexes) has a row for each key. Ids that follow each other share a page, so that a small instance has one,
 * and of a large one a step writes a part only. For keys of one type, the order of pages is the order of keys.
 *
 * The bytes of a page are its entries in the order of keys: the key's size in 2 bytes and the value's in 4, the highest first,
 * then key and value. */
#ifndef ORR_STORE_POSTGRESQL_PACKED_H
#define ORR_STORE_POSTGRESQL_PACKED_H

#include "store/store.h"

#define POSTGRES_PAGE_BITS 5      /* of an id: so many ids, their powers of two, share a page */
#define POSTGRES_PACKED_TAGS "EIKW" /* in their order; of record/records.lua */
#define POSTGRES_LATE_TAG 'K'      /* its first record in a page comes when others are there */
#define POSTGRES_PAGE_LAST (INT64_MAX >> (POSTGRES_PAGE_BITS - 1)) /* no page has a greater number */

/* The bit of a packed type in a page's `tags`, or 0: keys that begin so have rows of their own. */
int packed_tag(unsigned char first);
/* Whether a key is in a page. */
bool packed_key(store_bytes key);
/* In which, of a key that is, be it long enough for an id or not. */
int64_t packed_page(store_bytes key);
/* The least key of the type that is in this page, which is not the first one, or in a later one. */
#define PACKED_KEY_SIZE 9 /* a type and an id */
void packed_first_key(unsigned char tag, int64_t page, unsigned char out[PACKED_KEY_SIZE]);
/* The last page in which a key of the type may lie that is below `high`; -1: there is none. */
int64_t packed_page_below(unsigned char tag, store_bytes high);

typedef struct packed_entry {
  store_bytes key, value; /* in the page's bytes */
} packed_entry;
/* Takes the next entry off `rest`. False: there is none, and if `rest` is not empty then, the bytes are damaged. */
bool packed_next(store_bytes *rest, packed_entry *out);
/* Whether the bytes are entries, to the last one. */
bool packed_intact(store_bytes page);
/* The value of a key. False: it is not there. */
bool packed_find(store_bytes page, store_bytes key, store_bytes *value);

#define PACKED_HEAD 6
/* Writes an entry, PACKED_HEAD + key.size + value.size bytes; returns the place behind it. */
char *packed_put(char *at, const packed_entry *entry);

/* As memcmp, and of two of which one begins with the other the shorter comes first. */
int packed_compare(store_bytes a, store_bytes b);

#endif
