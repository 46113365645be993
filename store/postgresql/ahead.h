/* What a view has read ahead: the rows of some spans of keys, as the view shows them. */
#ifndef ORR_STORE_POSTGRESQL_AHEAD_H
#define ORR_STORE_POSTGRESQL_AHEAD_H

#include "store/postgresql/connection.h"
#include "store/store.h"

typedef struct postgres_ahead {
  PGresult *rows; /* in the order of keys; NULL: nothing was read ahead */
  size_t count;
  struct postgres_span {
    unsigned char low[STORE_SPAN_BYTES], high[STORE_SPAN_BYTES];
    size_t low_size, high_size;
    bool complete; /* the rows are all that there are */
  } spans[STORE_SPANS_MAX];
} postgres_ahead;

typedef struct postgres_ahead_memory {
  char low[STORE_SPANS_MAX * (STORE_SPAN_BYTES + 4) + 20];
  char high[STORE_SPANS_MAX * (STORE_SPAN_BYTES + 4) + 20];
} postgres_ahead_memory;
/* The parameters of the question for some spans; their bytes lie in `memory`, which must live until
 * it was asked. */
postgres_parameters postgres_ahead_question(const store_span *spans, size_t count,
                                            postgres_ahead_memory *memory);

/* Takes the answer over. */
void postgres_ahead_keep(postgres_ahead *a, const store_span *spans, size_t count, PGresult *rows);
/* Forgets all of it. */
void postgres_ahead_clear(postgres_ahead *a);

/* True: *found says whether the key is there, and *value is its value. False: the server has to be
 * asked. */
bool postgres_ahead_get(const postgres_ahead *a, store_bytes key, bool *found, store_bytes *value);
/* True: what lies from `low` up to, and without, `high` are the rows *from to *to - 1. */
bool postgres_ahead_range(const postgres_ahead *a, store_bytes low, store_bytes high, int *from,
                          int *to);

#endif
