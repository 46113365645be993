/* Few spans with few rows each: they are looked through one by one, the rows by halves. */
#include "store/postgresql/ahead.h"

#include <arpa/inet.h>
#include <string.h>

#define BYTEA_OID 17
#define ARRAY_HEAD 20

static int compare_bytes(store_bytes a, store_bytes b) {
  size_t size = a.size < b.size ? a.size : b.size;
  int order = size > 0 ? memcmp(a.data, b.data, size) : 0;
  return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static size_t put_word(char *at, uint32_t number) {
  number = htonl(number);
  memcpy(at, &number, sizeof number);
  return sizeof number;
}

static size_t put_bounds(char *at, const store_span *spans, size_t count, bool high) {
  const uint32_t head[] = {1, 0, BYTEA_OID, (uint32_t)count,
                           1}; /* dimensions, NULLs, type, size, the first index */
  char *from = at;
  for (size_t i = 0; i < sizeof head / sizeof *head; i++) at += put_word(at, head[i]);
  for (size_t i = 0; i < count; i++) {
    store_bytes bound = high ? spans[i].high : spans[i].low;
    at += put_word(at, (uint32_t)bound.size);
    memcpy(at, bound.data, bound.size);
    at += bound.size;
  }
  return (size_t)(at - from);
}

postgres_parameters postgres_ahead_question(const store_span *spans, size_t count,
                                            postgres_ahead_memory *memory) {
  postgres_parameters p = {.count = 2, .values = {memory->low, memory->high}};
  p.sizes[0] = (int)put_bounds(memory->low, spans, count, false);
  p.sizes[1] = (int)put_bounds(memory->high, spans, count, true);
  return p;
}

/* ---- Keeping --------------------------------------------------------------------------------- */

static store_bytes key_of_row(const PGresult *rows, int row) {
  return (store_bytes){PQgetvalue(rows, row, 0), (size_t)PQgetlength(rows, row, 0)};
}

static store_bytes low_of(const struct postgres_span *s) {
  return (store_bytes){s->low, s->low_size};
}
static store_bytes high_of(const struct postgres_span *s) {
  return (store_bytes){s->high, s->high_size};
}

/* The first row whose key is not below this one. */
static int first_row(const PGresult *rows, store_bytes key) {
  int from = 0, to = PQntuples(rows);
  while (from < to) {
    int middle = from + (to - from) / 2;
    if (compare_bytes(key_of_row(rows, middle), key) < 0)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

void postgres_ahead_keep(postgres_ahead *a, const store_span *spans, size_t count, PGresult *rows) {
  postgres_ahead_clear(a);
  a->rows = rows;
  a->count = count;
  for (size_t i = 0; i < count; i++) {
    struct postgres_span *s = &a->spans[i];
    s->low_size = spans[i].low.size;
    s->high_size = spans[i].high.size;
    memcpy(s->low, spans[i].low.data, s->low_size);
    memcpy(s->high, spans[i].high.data, s->high_size);
    s->complete = first_row(rows, high_of(s)) - first_row(rows, low_of(s)) < POSTGRES_AHEAD_ROWS;
  }
}

void postgres_ahead_clear(postgres_ahead *a) {
  PQclear(a->rows);
  a->rows = NULL;
  a->count = 0;
}

/* ---- Answering ------------------------------------------------------------------------------- */

/* The span that holds all from `low` up to `high`; for a key alone `high` is the key itself. */
static const struct postgres_span *span_around(const postgres_ahead *a, store_bytes low,
                                               store_bytes high, bool key) {
  for (size_t i = 0; i < a->count; i++) {
    const struct postgres_span *s = &a->spans[i];
    int behind = compare_bytes(high, high_of(s));
    if (compare_bytes(low, low_of(s)) >= 0 && (key ? behind < 0 : behind <= 0)) return s;
  }
  return NULL;
}

bool postgres_ahead_get(const postgres_ahead *a, store_bytes key, bool *found, store_bytes *value) {
  const struct postgres_span *s = span_around(a, key, key, true);
  if (!s) return false;
  int row = first_row(a->rows, key);
  *found = row < PQntuples(a->rows) && compare_bytes(key_of_row(a->rows, row), key) == 0;
  if (!*found) return s->complete;
  *value = (store_bytes){PQgetvalue(a->rows, row, 1), (size_t)PQgetlength(a->rows, row, 1)};
  return !PQgetisnull(a->rows, row, 1); /* a large value is not read ahead */
}

bool postgres_ahead_range(const postgres_ahead *a, store_bytes low, store_bytes high, int *from,
                          int *to) {
  const struct postgres_span *s = span_around(a, low, high, false);
  if (!s || !s->complete) return false;
  int first = first_row(a->rows, low), last = first_row(a->rows, high);
  for (int row = first; row < last; row++) {
    if (PQgetisnull(a->rows, row, 1)) return false;
  }
  *from = first;
  *to = last;
  return true;
}
