/* What was read ahead: rows of some spans of keys and the pages of others, as of one moment. */
#ifndef ORR_STORE_POSTGRESQL_PREFETCHED_ROWS_H
#define ORR_STORE_POSTGRESQL_PREFETCHED_ROWS_H

#include "store/postgresql/connection.h"
#include "store/postgresql/images.h"
#include "store/store.h"

typedef struct prefetched_rows prefetched_rows;

/* Spans to be asked for, in any order; of those that overlap, what one holds already is left out of the next, and one that
 * lies partly in pages is left out whole. The bounds are copied. NULL: out of memory. */
prefetched_rows *prefetched_rows_new(const orr_allocator *allocator, const store_span *spans, size_t count);
/* NULL is fine. */
void prefetched_rows_free(prefetched_rows *a);

/* The parameters of the question, which are the ahead's. */
postgres_parameters prefetched_rows_question(const prefetched_rows *a);
/* Takes the answer over. */
void prefetched_rows_keep(prefetched_rows *a, PGresult *rows);
/* The answer goes to the caller, for bytes of it that are still in use; nothing is known any more. NULL: there is none. */
PGresult *prefetched_rows_take(prefetched_rows *a);
/* Offers its pages, which are as they were at `moment`. */
void prefetched_rows_offer(const prefetched_rows *a, page_images *images, uint32_t moment);

/* True: *found says whether the key is there, and *value is its value. False: the server has to be asked. */
bool prefetched_rows_get(const prefetched_rows *a, store_bytes key, bool *found, store_bytes *value);

/* Rows of an answer, from `from` to `to` - 1: keys and values, or pages, the bytes of which stand beside a key that is NULL. */
typedef struct row_span {
  const PGresult *rows;
  int from, to;
  bool pages;
} row_span;
/* True: what lies from `low` up to, and without, `high` is in these rows, and of keys nothing else. */
bool prefetched_rows_range(const prefetched_rows *a, store_bytes low, store_bytes high, row_span *out);

#endif
