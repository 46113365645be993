/* Rows that were read ahead: those of some spans of keys, as of one moment. */
#ifndef ORR_STORE_POSTGRESQL_AHEAD_H
#define ORR_STORE_POSTGRESQL_AHEAD_H

#include "store/postgresql/connection.h"
#include "store/store.h"

typedef struct postgres_ahead postgres_ahead;

/* Spans to be asked for, in any order; of those that overlap, what one holds already is left out of the next. The bounds
 * are copied. NULL: out of memory. */
postgres_ahead *postgres_ahead_new(const orr_allocator *allocator, const store_span *spans, size_t count);
/* NULL is fine. */
void postgres_ahead_free(postgres_ahead *a);

/* The parameters of the question, which are the ahead's. */
postgres_parameters postgres_ahead_question(const postgres_ahead *a);
/* Takes the answer over. */
void postgres_ahead_keep(postgres_ahead *a, PGresult *rows);
/* The answer goes to the caller, for bytes of it that are still in use; nothing is known any more. NULL: there is none. */
PGresult *postgres_ahead_take(postgres_ahead *a);

/* True: *found says whether the key is there, and *value is its value. False: the server has to be asked. */
bool postgres_ahead_get(const postgres_ahead *a, store_bytes key, bool *found, store_bytes *value);
/* True: what lies from `low` up to, and without, `high` are the rows *from to *to - 1 of *rows. */
bool postgres_ahead_range(const postgres_ahead *a, store_bytes low, store_bytes high, const PGresult **rows, int *from,
                          int *to);

#endif
