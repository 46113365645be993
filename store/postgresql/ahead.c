/* Spans and rows both lie in the order of keys, and are looked through by halves. */
#include "store/postgresql/ahead.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define BYTEA_OID 17
#define ARRAY_HEAD 20

typedef struct span {
  store_bytes low, high; /* in the question's arrays */
  int first, last;       /* its rows, without the last */
  bool complete;         /* these are all that there are */
} span;

/* The spans and the two arrays of their bounds lie behind it, in the same memory. */
struct postgres_ahead {
  orr_allocator allocator;
  size_t size;
  PGresult *rows; /* NULL: nothing is known */
  span *spans;
  size_t count;
  char *low, *high;
  size_t low_size, high_size;
};

static int compare_bytes(store_bytes a, store_bytes b) {
  size_t size = a.size < b.size ? a.size : b.size;
  int order = size > 0 ? memcmp(a.data, b.data, size) : 0;
  return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static void put_word(char *at, uint32_t number) {
  number = htonl(number);
  memcpy(at, &number, sizeof number);
}

/* Dimensions, NULLs, type, size, the first index. */
static void put_head(char *at, size_t count) {
  const uint32_t head[] = {1, 0, BYTEA_OID, (uint32_t)count, 1};
  for (size_t i = 0; i < sizeof head / sizeof *head; i++) put_word(at + 4 * i, head[i]);
}

/* Appends a bound, with a zero byte behind it if asked for: the least key above it. */
static store_bytes put_bound(char *array, size_t *size, store_bytes bound, bool above) {
  char *at = array + *size + 4;
  memcpy(at, bound.data, bound.size);
  if (above) at[bound.size++] = 0;
  put_word(at - 4, (uint32_t)bound.size);
  *size += 4 + bound.size;
  return (store_bytes){at, bound.size};
}

static int by_low(const void *a, const void *b) {
  return compare_bytes(((const store_span *)a)->low, ((const store_span *)b)->low);
}

/* Adds what no earlier span holds of this one, which begins no earlier than they do. */
static void add_span(postgres_ahead *a, store_span s) {
  const span *last = a->count ? &a->spans[a->count - 1] : NULL;
  bool alone = s.high.size == 0, inside = last && compare_bytes(s.low, last->high) < 0;
  if (inside && (alone || compare_bytes(s.high, last->high) <= 0)) return;
  if (!alone && compare_bytes(s.low, s.high) >= 0) return; /* nothing lies in it */
  store_bytes low = put_bound(a->low, &a->low_size, inside ? last->high : s.low, false);
  store_bytes high = put_bound(a->high, &a->high_size, alone ? s.low : s.high, alone);
  a->spans[a->count++] = (span){.low = low, .high = high};
}

postgres_ahead *postgres_ahead_new(const orr_allocator *allocator, const store_span *spans, size_t count) {
  size_t low = ARRAY_HEAD, high = ARRAY_HEAD, longest = 0;
  for (size_t i = 0; i < count; i++) {
    if (spans[i].high.size > longest) longest = spans[i].high.size;
    if (spans[i].low.size + 1 > longest) longest = spans[i].low.size + 1;
  }
  low += count * (4 + longest);
  high += count * (4 + longest);
  size_t size = sizeof(postgres_ahead) + count * (sizeof(span) + sizeof(store_span)) + low + high;
  postgres_ahead *a = env_alloc(allocator, size);
  if (!a) return NULL;
  *a = (postgres_ahead){.allocator = *allocator, .size = size, .spans = (span *)(a + 1),
                        .low_size = ARRAY_HEAD, .high_size = ARRAY_HEAD};
  store_span *sorted = (store_span *)(a->spans + count);
  a->low = (char *)(sorted + count);
  a->high = a->low + low;
  if (count) memcpy(sorted, spans, count * sizeof *spans);
  qsort(sorted, count, sizeof *sorted, by_low);
  for (size_t i = 0; i < count; i++) add_span(a, sorted[i]);
  put_head(a->low, a->count);
  put_head(a->high, a->count);
  return a;
}

void postgres_ahead_free(postgres_ahead *a) {
  if (!a) return;
  orr_allocator allocator = a->allocator;
  PQclear(a->rows);
  env_free(&allocator, a, a->size);
}

postgres_parameters postgres_ahead_question(const postgres_ahead *a) {
  return (postgres_parameters){
      .count = 2, .values = {a->low, a->high}, .sizes = {(int)a->low_size, (int)a->high_size}};
}

/* ---- Keeping --------------------------------------------------------------------------------- */

static store_bytes key_of_row(const PGresult *rows, int row) {
  return (store_bytes){PQgetvalue(rows, row, 0), (size_t)PQgetlength(rows, row, 0)};
}

/* The first row from `from` on, and before `to`, whose key is not below this one. */
static int first_row(const PGresult *rows, int from, int to, store_bytes key) {
  while (from < to) {
    int middle = from + (to - from) / 2;
    if (compare_bytes(key_of_row(rows, middle), key) < 0)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

void postgres_ahead_keep(postgres_ahead *a, PGresult *rows) {
  int row = 0, end = PQntuples(rows);
  a->rows = rows;
  for (span *s = a->spans; s < a->spans + a->count; s++) {
    s->first = row;
    while (row < end && compare_bytes(key_of_row(rows, row), s->high) < 0) row++;
    s->last = row;
    s->complete = s->last - s->first < POSTGRES_AHEAD_ROWS;
  }
}

PGresult *postgres_ahead_take(postgres_ahead *a) {
  PGresult *rows = a->rows;
  a->rows = NULL;
  return rows;
}

/* ---- Answering ------------------------------------------------------------------------------- */

/* The last span that begins at this key or before it. */
static const span *span_before(const postgres_ahead *a, store_bytes key) {
  size_t from = 0, to = a->count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (compare_bytes(a->spans[middle].low, key) <= 0)
      from = middle + 1;
    else
      to = middle;
  }
  return from && a->rows ? &a->spans[from - 1] : NULL;
}

bool postgres_ahead_get(const postgres_ahead *a, store_bytes key, bool *found, store_bytes *value) {
  const span *s = span_before(a, key);
  if (!s || compare_bytes(key, s->high) >= 0) return false;
  int row = first_row(a->rows, s->first, s->last, key);
  *found = row < s->last && compare_bytes(key_of_row(a->rows, row), key) == 0;
  if (!*found) return s->complete;
  *value = (store_bytes){PQgetvalue(a->rows, row, 1), (size_t)PQgetlength(a->rows, row, 1)};
  return !PQgetisnull(a->rows, row, 1); /* a large value is not read ahead */
}

bool postgres_ahead_range(const postgres_ahead *a, store_bytes low, store_bytes high, const PGresult **rows, int *from,
                          int *to) {
  const span *s = span_before(a, low);
  if (!s || compare_bytes(high, s->high) > 0 || !s->complete) return false;
  int first = first_row(a->rows, s->first, s->last, low), last = first_row(a->rows, s->first, s->last, high);
  for (int row = first; row < last; row++) {
    if (PQgetisnull(a->rows, row, 1)) return false;
  }
  *rows = a->rows;
  *from = first;
  *to = last;
  return true;
}
