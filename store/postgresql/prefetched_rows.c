/* Spans, ranges of pages and rows all lie in order, and are looked through by halves. */
#include "store/postgresql/prefetched_rows.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_KEY, COLUMN_VALUE, COLUMN_PAGE, COLUMN_REVISION };

typedef struct span {
  store_bytes low, high; /* behind the spans, in the same memory */
  int first, last;       /* its rows, without the last */
  bool alone;            /* one key */
  bool complete;         /* these are all that there are */
} span;

typedef struct page_range {
  int64_t low, high; /* pages, the last one included */
  int first, last;
  bool complete;
} page_range;

struct prefetched_rows {
  orr_allocator allocator;
  size_t size;
  PGresult *rows; /* NULL: nothing is known */
  span *spans;
  page_range *ranges;
  size_t count, range_count;
  char *bounds; /* the next one's place */
  array lows, highs, keys, range_lows, range_highs;
};

/* ---- Asking ---------------------------------------------------------------------------------- */

/* Copies a bound, with a zero byte behind it if asked for: the least key above it. */
static store_bytes put_bound(prefetched_rows *a, store_bytes bound, bool above) {
  char *at = a->bounds;
  if (bound.size > 0) memcpy(at, bound.data, bound.size);
  if (above) at[bound.size++] = 0;
  a->bounds += bound.size;
  return (store_bytes){at, bound.size};
}

static int by_low(const void *a, const void *b) {
  return packed_compare(((const store_span *)a)->low, ((const store_span *)b)->low);
}

static int by_first_page(const void *a, const void *b) {
  int64_t one = ((const page_range *)a)->low, other = ((const page_range *)b)->low;
  return (one > other) - (one < other);
}

/* Adds what no earlier span holds of this one, which begins no earlier than they do. */
static void add_span(prefetched_rows *a, store_span s) {
  const span *last = a->count ? &a->spans[a->count - 1] : NULL;
  bool alone = s.high.size == 0, inside = last && packed_compare(s.low, last->high) < 0;
  if (inside && (alone || packed_compare(s.high, last->high) <= 0)) return;
  if (!alone && packed_compare(s.low, s.high) >= 0) return; /* nothing lies in it */
  store_bytes low = put_bound(a, inside ? last->high : s.low, false);
  store_bytes high = put_bound(a, alone ? s.low : s.high, alone);
  a->spans[a->count++] = (span){.low = low, .high = high, .alone = alone};
}

static bool is_of_one_type(store_bytes low, store_bytes high) {
  const unsigned char *first = low.data, *last = high.data;
  return high.size > 0 && (last[0] == first[0] || (high.size == 1 && last[0] == first[0] + 1));
}

/* Whether keys of packed types lie from `low` on, below `high`. */
static bool meets_packed(store_bytes low, store_bytes high) {
  for (const char *tag = POSTGRES_PACKED_TAGS; *tag; tag++) {
    unsigned char from[] = {(unsigned char)*tag}, to[] = {(unsigned char)(*tag + 1)};
    if (packed_compare((store_bytes){from, 1}, high) < 0 && packed_compare((store_bytes){to, 1}, low) > 0) return true;
  }
  return false;
}

static void add_range(prefetched_rows *a, store_span s) {
  bool alone = s.high.size == 0;
  if (!alone && !is_of_one_type(s.low, s.high)) return;
  int64_t low = packed_page(s.low), high = alone ? low : packed_page_below(*(const unsigned char *)s.low.data, s.high);
  if (low <= high) a->ranges[a->range_count++] = (page_range){.low = low, .high = high};
}

static void sort_spans(prefetched_rows *a, store_span *spans, size_t count) {
  qsort(spans, count, sizeof *spans, by_low);
  for (size_t i = 0; i < count; i++) {
    if (packed_key(spans[i].low))
      add_range(a, spans[i]);
    else if (spans[i].high.size == 0 || !meets_packed(spans[i].low, spans[i].high))
      add_span(a, spans[i]);
  }
}

/* Types share pages: of what is asked for twice one remains. */
static void join_ranges(prefetched_rows *a) {
  size_t kept = 0;
  qsort(a->ranges, a->range_count, sizeof *a->ranges, by_first_page);
  for (size_t i = 0; i < a->range_count; i++) {
    page_range *last = kept ? &a->ranges[kept - 1] : NULL;
    if (!last || a->ranges[i].low > last->high)
      a->ranges[kept++] = a->ranges[i];
    else if (a->ranges[i].high > last->high)
      last->high = a->ranges[i].high;
  }
  a->range_count = kept;
}

static bool fill_arrays(prefetched_rows *a) {
  const orr_allocator *m = &a->allocator;
  bool done = array_begin(m, &a->lows, ARRAY_BYTES) && array_begin(m, &a->highs, ARRAY_BYTES) &&
              array_begin(m, &a->keys, ARRAY_BYTES) && array_begin(m, &a->range_lows, ARRAY_NUMBERS) &&
              array_begin(m, &a->range_highs, ARRAY_NUMBERS);
  for (const span *s = a->spans; done && s < a->spans + a->count; s++) {
    array *lows = s->alone ? &a->keys : &a->lows;
    done = array_add(m, lows, s->low.data, s->low.size) &&
           (s->alone || array_add(m, &a->highs, s->high.data, s->high.size));
  }
  for (const page_range *r = a->ranges; done && r < a->ranges + a->range_count; r++)
    done = array_add_number(m, &a->range_lows, r->low) && array_add_number(m, &a->range_highs, r->high);
  if (!done) return false;
  array *all[] = {&a->lows, &a->highs, &a->keys, &a->range_lows, &a->range_highs};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) array_end(all[i]);
  return true;
}

prefetched_rows *prefetched_rows_new(const orr_allocator *allocator, const store_span *spans, size_t count) {
  size_t longest = 0;
  for (size_t i = 0; i < count; i++) {
    if (spans[i].high.size > longest) longest = spans[i].high.size;
    if (spans[i].low.size + 1 > longest) longest = spans[i].low.size + 1;
  }
  size_t size = sizeof(prefetched_rows) + count * (sizeof(span) + sizeof(page_range) + sizeof(store_span) + 2 * longest);
  prefetched_rows *a = env_alloc(allocator, size);
  if (!a) return NULL;
  *a = (prefetched_rows){.allocator = *allocator, .size = size, .spans = (span *)(a + 1)};
  a->ranges = (page_range *)(a->spans + count);
  store_span *sorted = (store_span *)(a->ranges + count);
  a->bounds = (char *)(sorted + count);
  if (count) memcpy(sorted, spans, count * sizeof *spans);
  sort_spans(a, sorted, count);
  join_ranges(a);
  if (fill_arrays(a)) return a;
  prefetched_rows_free(a);
  return NULL;
}

void prefetched_rows_free(prefetched_rows *a) {
  if (!a) return;
  orr_allocator allocator = a->allocator;
  array *all[] = {&a->lows, &a->highs, &a->keys, &a->range_lows, &a->range_highs};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) array_free(&allocator, all[i]);
  pq.clear(a->rows);
  env_free(&allocator, a, a->size);
}

postgres_parameters prefetched_rows_question(const prefetched_rows *a) {
  postgres_parameters p = {0};
  const array *all[] = {&a->lows, &a->highs, &a->keys, &a->range_lows, &a->range_highs};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) array_parameter(all[i], &p);
  return p;
}

/* ---- Keeping --------------------------------------------------------------------------------- */

static store_bytes ahead_field(const PGresult *rows, int row, int column) {
  return (store_bytes){pq.getvalue(rows, row, column), (size_t)pq.getlength(rows, row, column)};
}

static store_bytes key_of_row(const PGresult *rows, int row) { return ahead_field(rows, row, COLUMN_KEY); }

static int64_t ahead_number(const PGresult *rows, int row, int column) {
  uint64_t number;
  memcpy(&number, pq.getvalue(rows, row, column), sizeof number);
  return (int64_t)be64toh(number);
}

static int64_t page_of_row(const PGresult *rows, int row) { return ahead_number(rows, row, COLUMN_PAGE); }

/* The first row from `from` on, and before `to`, whose key is not below this one. */
static int first_row(const PGresult *rows, int from, int to, store_bytes key) {
  while (from < to) {
    int middle = from + (to - from) / 2;
    if (packed_compare(key_of_row(rows, middle), key) < 0)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

/* Pages come behind the last key. */
void prefetched_rows_keep(prefetched_rows *a, PGresult *rows) {
  int row = 0, end = pq.ntuples(rows);
  a->rows = rows;
  for (span *s = a->spans; s < a->spans + a->count; s++) {
    s->first = row;
    while (row < end && !pq.getisnull(rows, row, COLUMN_KEY) && packed_compare(key_of_row(rows, row), s->high) < 0) row++;
    s->last = row;
    s->complete = s->last - s->first < POSTGRES_AHEAD_ROWS;
  }
  for (page_range *r = a->ranges; r < a->ranges + a->range_count; r++) {
    r->first = row;
    while (row < end && page_of_row(rows, row) <= r->high) row++;
    r->last = row;
    r->complete = r->last - r->first < POSTGRES_AHEAD_PAGES;
  }
}

PGresult *prefetched_rows_take(prefetched_rows *a) {
  PGresult *rows = a->rows;
  a->rows = NULL;
  return rows;
}

void prefetched_rows_offer(const prefetched_rows *a, page_images *images, uint32_t moment) {
  int from = a->range_count ? a->ranges[0].first : 0, to = a->range_count ? a->ranges[a->range_count - 1].last : 0;
  for (int row = from; row < to; row++) {
    if (!pq.getisnull(a->rows, row, COLUMN_VALUE))
      page_images_offer(images, page_of_row(a->rows, row), ahead_number(a->rows, row, COLUMN_REVISION),
                        ahead_field(a->rows, row, COLUMN_VALUE), moment);
  }
}

/* ---- Answering ------------------------------------------------------------------------------- */

/* The last span that begins at this key or before it. */
static const span *span_before(const prefetched_rows *a, store_bytes key) {
  size_t from = 0, to = a->count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (packed_compare(a->spans[middle].low, key) <= 0)
      from = middle + 1;
    else
      to = middle;
  }
  return from && a->rows ? &a->spans[from - 1] : NULL;
}

/* The range that holds these pages, and knows them all: NULL, there is none. */
static const page_range *range_of(const prefetched_rows *a, int64_t low, int64_t high) {
  size_t from = 0, to = a->rows ? a->range_count : 0;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (a->ranges[middle].low <= low)
      from = middle + 1;
    else
      to = middle;
  }
  const page_range *r = from ? &a->ranges[from - 1] : NULL;
  if (!r || high > r->high) return NULL;
  return r->complete || page_of_row(a->rows, r->last - 1) >= high ? r : NULL;
}

static bool get_packed(const prefetched_rows *a, store_bytes key, bool *found, store_bytes *value) {
  int64_t page = packed_page(key);
  const page_range *r = range_of(a, page, page);
  if (!r) return false;
  int row = r->first;
  while (row < r->last && page_of_row(a->rows, row) < page) row++;
  bool there = row < r->last && page_of_row(a->rows, row) == page;
  if (there && pq.getisnull(a->rows, row, COLUMN_VALUE)) return false;
  *found = false;
  if (!there) return true;
  store_bytes bytes = ahead_field(a->rows, row, COLUMN_VALUE);
  *found = packed_find(bytes, key, value);
  return *found || packed_intact(bytes);
}

bool prefetched_rows_get(const prefetched_rows *a, store_bytes key, bool *found, store_bytes *value) {
  if (packed_key(key)) return get_packed(a, key, found, value);
  const span *s = span_before(a, key);
  if (!s || packed_compare(key, s->high) >= 0) return false;
  int row = first_row(a->rows, s->first, s->last, key);
  *found = row < s->last && packed_compare(key_of_row(a->rows, row), key) == 0;
  if (!*found) return s->complete;
  *value = ahead_field(a->rows, row, COLUMN_VALUE);
  return !pq.getisnull(a->rows, row, COLUMN_VALUE); /* a large value is not read ahead */
}

static bool all_values(const row_span *r) {
  for (int row = r->from; row < r->to; row++) {
    if (pq.getisnull(r->rows, row, COLUMN_VALUE)) return false;
  }
  return true;
}

static bool range_packed(const prefetched_rows *a, store_bytes low, store_bytes high, row_span *out) {
  if (!is_of_one_type(low, high)) return false;
  int64_t first = packed_page(low), last = packed_page_below(*(const unsigned char *)low.data, high);
  const page_range *r = first <= last ? range_of(a, first, last) : NULL;
  if (!r) return false;
  *out = (row_span){.rows = a->rows, .from = r->first, .pages = true};
  while (out->from < r->last && page_of_row(a->rows, out->from) < first) out->from++;
  for (out->to = out->from; out->to < r->last && page_of_row(a->rows, out->to) <= last; out->to++) continue;
  return all_values(out);
}

bool prefetched_rows_range(const prefetched_rows *a, store_bytes low, store_bytes high, row_span *out) {
  if (packed_key(low)) return range_packed(a, low, high, out);
  const span *s = span_before(a, low);
  if (!s || packed_compare(high, s->high) > 0 || !s->complete) return false;
  *out = (row_span){.rows = a->rows, .from = first_row(a->rows, s->first, s->last, low)};
  out->to = first_row(a->rows, out->from, s->last, high);
  return all_values(out);
}
