/* What was read ahead: rows of some spans of keys and the pages of others, as of one moment. */
#ifndef ORR_STORE_POSTGRESQL_AHEAD_H
#define ORR_STORE_POSTGRESQL_AHEAD_H

#include "store/postgresql/connection.h"
#include "store/postgresql/images.h"
#include "store/store.h"

typedef struct postgres_ahead postgres_ahead;

/* Spans to be asked for, in any order; of those that overlap, what one holds already is left out of the next, and one that
 * lies partly in pages is left out whole. The bounds are copied. NULL: out of memory. */
postgres_ahead *postgres_ahead_new(const orr_allocator *allocator, const store_span *spans, size_t count);
/* NULL is fine. */
void postgres_ahead_free(postgres_ahead *a);

/* The parameters of the question, which are the ahead's. */
postgres_parameters postgres_ahead_question(const postgres_ahead *a);
/* Takes the answer over. */
void postgres_ahead_keep(postgres_ahead *a, PGresult *rows);
/* The answer goes to the caller, for bytes of it that are still in use; nothing is known any more. NULL: there is none. */
PGresult *postgres_ahead_take(postgres_ahead *a);
/* Offers its pages, which are as they were at `moment`. */
void postgres_ahead_offer(const postgres_ahead *a, page_images *images, uint32_t moment);

/* True: *found says whether the key is there, and *value is its value. False: the server has to be asked. */
bool postgres_ahead_get(const postgres_ahead *a, store_bytes key, bool *found, store_bytes *value);

/* Rows of an answer, from `from` to `to` - 1: keys and values, or pages, the bytes of which stand beside a key that is NULL. */
typedef struct ahead_rows {
  const PGresult *rows;
  int from, to;
  bool pages;
} ahead_rows;
/* True: what lies from `low` up to, and without, `high` is in these rows, and of keys nothing else. */
bool postgres_ahead_range(const postgres_ahead *a, store_bytes low, store_bytes high, ahead_rows *out);

#endif
