/* Views: transactions that only read. A session is taken when a view begins and given back when it
 * is released. */
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "store/postgresql/prefetched_rows.h"
#include "store/postgresql/postgresql_internal.h"
#include "store/range.h"

#define CHUNK_ROWS_FIRST 16
#define CHUNK_ROWS_MAX 1024
#define CHUNK_BYTES \
  ((size_t)1 \
   << 20) /* what a chunk of a scan is to hold at most, by the size of the rows before it */
#define BOUND_MAX (STORE_KEY_MAX + 1)
#define PAGES_MAX 8 /* of those that were got last */
#define AHEADS_MAX 4 /* of what was read ahead: while a list is walked, what is found leads to other lists */

/* The answer about one page, without a row when there is none. */
typedef struct got_page {
  int64_t page;
  PGresult *answer; /* NULL: a free place */
} got_page;

typedef struct postgres_view {
  store_snapshot base;
  postgres_store *owner;
  postgres_connection *c; /* NULL: none yet, none any more, or lost */
  bool open, begun; /* renewed and not released; it has been asked, so that it shows one moment */
  uint64_t foreign; /* of that moment, or STORE_FOREIGN_UNKNOWN: not asked yet */
  PGresult **kept;  /* what bytes were given out of, the oldest first */
  size_t kept_count, kept_capacity, kept_bytes;
  prefetched_rows *aheads[AHEADS_MAX];
  unsigned next_ahead;
  got_page pages[PAGES_MAX];
  unsigned next_page;
  store_prefetched *prefetched; /* NULL: none is used */
} postgres_view;

typedef struct postgres_cursor {
  store_cursor base;
  postgres_view *view;
  PGresult *chunk;   /* the last answer, of which these are: */
  packed_entry *items; /* in the order of the walk, from `at` on */
  size_t at, count, capacity;
  int rows; /* how many the next chunk may have */
  bool backwards, ended, told; /* told: `rows` is what the caller expects */
  size_t low_size, high_size;
  unsigned char low[BOUND_MAX],
      high[BOUND_MAX]; /* what is left: from low up to, and without, high */
} postgres_cursor;

/* ---- What was given out ---------------------------------------------------------------------- */

static void forget_kept(postgres_view *v) {
  for (size_t i = 0; i < v->kept_count; i++) pq.clear(v->kept[i]);
  v->kept_count = v->kept_bytes = 0;
  for (size_t i = 0; i < AHEADS_MAX; i++) {
    prefetched_rows_free(v->aheads[i]);
    v->aheads[i] = NULL;
  }
  for (size_t i = 0; i < PAGES_MAX; i++) {
    pq.clear(v->pages[i].answer);
    v->pages[i].answer = NULL;
  }
}

/* The oldest half goes, when it is more than the contract keeps. */
static void forget_oldest(postgres_view *v) {
  size_t gone = 0;
  while (v->kept_bytes > STORE_KEPT_BYTES && gone + 1 < v->kept_count) {
    v->kept_bytes -= pq.resultMemorySize(v->kept[gone]);
    pq.clear(v->kept[gone++]);
  }
  memmove(v->kept, v->kept + gone, (v->kept_count - gone) * sizeof *v->kept);
  v->kept_count -= gone;
}

/* False: out of memory; the result is gone. */
static bool keep_result(postgres_view *v, PGresult *result) {
  if (v->kept_count == v->kept_capacity) {
    size_t wanted = v->kept_capacity ? v->kept_capacity * 2 : 32;
    PGresult **kept = env_realloc(&v->owner->env.allocator, v->kept,
                                  v->kept_capacity * sizeof *kept, wanted * sizeof *kept);
    if (!kept) {
      pq.clear(result);
      return false;
    }
    v->kept = kept;
    v->kept_capacity = wanted;
  }
  v->kept[v->kept_count++] = result;
  v->kept_bytes += pq.resultMemorySize(result);
  if (v->kept_bytes > 2 * STORE_KEPT_BYTES) forget_oldest(v);
  return true;
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* A view that is lost stays so until it is renewed: another one would show another moment. */
static int begin_asking(postgres_view *v, orr_error *err) {
  int rc = postgres_check_usable(v->owner, err);
  if (rc) return rc;
  if (!v->open) return error_set(err, ORR_E_STATE, "a view that was released cannot be read");
  if (v->begun)
    return v->c ? 0 : postgres_away(err, "the connection of this view was lost");
  if (!v->c) rc = postgres_take(v->owner, &v->c, err);
  if (!rc && !v->c->in_transaction) rc = postgres_begin(v->c, false);
  return rc;
}

static int lose_view(postgres_view *v, int rc, orr_error *err) {
  v->base.lost = v->base.lost || rc > 0 || error_marked(err, STORE_AWAY);
  if (rc < 0) return rc;
  if (err && !err->code) postgres_away(err, "%s ended a view", v->owner->name);
  postgres_give(v->owner, v->c); /* which ends it, when it is lost */
  v->c = NULL;
  v->begun = true;
  return ORR_E_STORE;
}

/* A session that rested may be lost without anybody's knowing: as long as nothing was read, another
 * one is as good. */
static int ask_again(postgres_view *v, postgres_statement statement, const postgres_parameters *p,
                     PGresult **out, orr_error *err) {
  if (err) orr_error_clear(err);
  int rc = postgres_take_fresh(v->owner, &v->c, err);
  if (!rc) rc = postgres_begin(v->c, false);
  return rc ? rc : postgres_ask(v->c, statement, p, v->owner->name, out, err);
}

static int view_ask(postgres_view *v, postgres_statement statement, const postgres_parameters *p,
                    PGresult **out, orr_error *err) {
  *out = NULL;
  int rc = begin_asking(v, err);
  if (!rc) rc = postgres_ask(v->c, statement, p, v->owner->name, out, err);
  if (rc == POSTGRES_LOST && !v->begun) rc = ask_again(v, statement, p, out, err);
  if (rc) return lose_view(v, rc, err);
  v->begun = true;
  return 0;
}

static int see_foreign(postgres_view *v, orr_error *err) {
  uint64_t lane = htobe64((uint64_t)v->owner->lane), sum;
  postgres_parameters p = {.count = 1, .values = {(const char *)&lane}, .sizes = {sizeof lane}};
  PGresult *found = NULL;
  int rc = view_ask(v, POSTGRES_FOREIGN, &p, &found, err);
  if (rc) return rc;
  memcpy(&sum, pq.getvalue(found, 0, 0), sizeof sum);
  pq.clear(found);
  v->foreign = be64toh(sum) - (uint64_t)atomic_load(&v->owner->own_before);
  return 0;
}

int postgres_view_renew(store_snapshot *base, orr_error *err) {
  postgres_view *v = (postgres_view *)base;
  int rc = postgres_check_usable(v->owner, err);
  if (rc) return rc;
  postgres_view_release(base);
  v->open = true;
  v->begun = base->lost = false;
  v->foreign = STORE_FOREIGN_UNKNOWN;
  return base->late ? 0 : see_foreign(v, err);
}

void postgres_view_release(store_snapshot *base) {
  postgres_view *v = (postgres_view *)base;
  forget_kept(v);
  v->open = false;
  if (!v->c || fork_check_in_child(&v->owner->fork)) return;
  postgres_end_view(v->c);
  postgres_give(v->owner, v->c);
  v->c = NULL;
}

int postgres_view_open(store *base, store_snapshot **out, orr_error *err) {
  postgres_store *s = (postgres_store *)base;
  int rc = postgres_check_usable(s, err);
  if (rc) return rc;
  postgres_view *v = env_zalloc(&s->env.allocator, sizeof *v);
  if (!v) return error_memory(err);
  v->base.methods = base->methods;
  v->owner = s;
  rc = postgres_view_renew(&v->base, err);
  if (rc)
    postgres_view_close(&v->base);
  else
    *out = &v->base;
  return rc;
}

void postgres_view_close(store_snapshot *base) {
  postgres_view *v = (postgres_view *)base;
  orr_allocator allocator = v->owner->env.allocator;
  postgres_view_release(base);
  postgres_view_use(base, NULL);
  postgres_disconnect(&allocator, v->c, true); /* only a child of fork has it still */
  env_free(&allocator, v->kept, v->kept_capacity * sizeof *v->kept);
  env_free(&allocator, v, sizeof *v);
}

uint64_t postgres_view_foreign(store_snapshot *base) {
  postgres_view *v = (postgres_view *)base;
  if (v->foreign == STORE_FOREIGN_UNKNOWN) (void)see_foreign(v, NULL);
  return v->foreign;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static store_bytes field_at(const PGresult *result, int row, int column) {
  return (store_bytes){pq.getvalue(result, row, column), (size_t)pq.getlength(result, row, column)};
}

/* Takes the place of the oldest, of whose rows bytes may have been given out. False: out of memory. */
static bool keep_ahead(postgres_view *v, prefetched_rows *a) {
  prefetched_rows **place = &v->aheads[v->next_ahead++ % AHEADS_MAX];
  PGresult *rows = *place ? prefetched_rows_take(*place) : NULL;
  prefetched_rows_free(*place);
  *place = a;
  return !rows || keep_result(v, rows);
}

void postgres_view_read_ahead(store_snapshot *base, const store_span *spans, size_t count) {
  postgres_view *v = (postgres_view *)base;
  prefetched_rows *a = prefetched_rows_new(&v->owner->env.allocator, spans, count);
  if (!a) return;
  postgres_parameters p = prefetched_rows_question(a);
  PGresult *rows = NULL;
  if (view_ask(v, POSTGRES_AHEAD, &p, &rows, NULL)) {
    prefetched_rows_free(a);
    return;
  }
  prefetched_rows_keep(a, rows);
  (void)keep_ahead(v, a);
}

void postgres_view_use(store_snapshot *base, store_prefetched *p) {
  postgres_view *v = (postgres_view *)base;
  if (p) postgres_prefetched_keep(p);
  if (v->prefetched) postgres_prefetched_release(v->prefetched);
  v->prefetched = p;
}

/* What was read ahead is no use in a child of fork, which has no store. */
static bool get_ahead(const postgres_view *v, store_bytes key, bool *found, store_bytes *value) {
  if (fork_check_in_child(&v->owner->fork)) return false;
  for (size_t i = 0; i < AHEADS_MAX; i++) {
    if (v->aheads[i] && prefetched_rows_get(v->aheads[i], key, found, value)) return true;
  }
  return v->prefetched && postgres_prefetched_get(v->prefetched, key, found, value);
}

static bool range_ahead(const postgres_cursor *c, row_span *out) {
  postgres_view *v = c->view;
  store_bytes low = {c->low, c->low_size}, high = {c->high, c->high_size};
  for (size_t i = 0; i < AHEADS_MAX; i++) {
    if (v->aheads[i] && prefetched_rows_range(v->aheads[i], low, high, out)) return true;
  }
  return v->prefetched && postgres_prefetched_range(v->prefetched, low, high, out);
}

static int damaged_page(const postgres_view *v, orr_error *err) {
  return error_set(err, ORR_E_STORE, "%s: a page of records is damaged", v->owner->name);
}

/* The answer is the view's; what was given out of the one whose place it takes stays. */
static int ask_page(postgres_view *v, int64_t page, PGresult **out, orr_error *err) {
  uint64_t number = htobe64((uint64_t)page);
  postgres_parameters p = {.count = 1, .values = {(const char *)&number}, .sizes = {sizeof number}};
  int rc = view_ask(v, POSTGRES_PAGE, &p, out, err);
  if (rc) return rc;
  got_page *place = &v->pages[v->next_page++ % PAGES_MAX];
  PGresult *before = place->answer;
  *place = (got_page){page, *out};
  return before && !keep_result(v, before) ? error_memory(err) : 0;
}

static int view_get_packed(postgres_view *v, store_bytes key, store_bytes *value, orr_error *err) {
  int64_t page = packed_page(key);
  PGresult *answer = NULL;
  int rc = postgres_check_usable(v->owner, err);
  if (rc) return rc;
  for (size_t i = 0; i < PAGES_MAX; i++) {
    if (v->pages[i].answer && v->pages[i].page == page) answer = v->pages[i].answer;
  }
  if (!answer) rc = ask_page(v, page, &answer, err);
  if (rc) return rc;
  if (pq.ntuples(answer) == 0) return ORR_E_NOT_FOUND;
  store_bytes bytes = field_at(answer, 0, 0);
  if (packed_find(bytes, key, value)) return 0;
  return packed_intact(bytes) ? ORR_E_NOT_FOUND : damaged_page(v, err);
}

int postgres_view_get(store_snapshot *base, store_bytes key, store_bytes *value, orr_error *err) {
  postgres_view *v = (postgres_view *)base;
  bool there;
  if (get_ahead(v, key, &there, value)) return there ? 0 : ORR_E_NOT_FOUND;
  if (v->prefetched) hot_keys_note(v->owner->hot_keys, key);
  if (packed_key(key)) return view_get_packed(v, key, value, err);
  postgres_parameters p = {.count = 1, .values = {key.data}, .sizes = {(int)key.size}};
  PGresult *found = NULL;
  int rc = view_ask(v, POSTGRES_GET, &p, &found, err);
  if (rc) return rc;
  if (pq.ntuples(found) == 0) {
    pq.clear(found);
    return ORR_E_NOT_FOUND;
  }
  if (!keep_result(v, found)) return error_memory(err);
  *value = field_at(found, 0, 0);
  return 0;
}

static size_t copy_bound(unsigned char *out, const void *data, size_t size, bool behind) {
  if (size > 0) memcpy(out, data, size);
  if (behind) out[size++] = 0; /* the least key above this one */
  return size;
}

static void set_bounds(postgres_cursor *c, const store_range *range) {
  range_start start;
  range_begin(range, &start);
  if (!range->backwards) {
    c->low_size = copy_bound(c->low, start.key, start.size, false);
    c->high_size = range->stop.size > 0
                       ? copy_bound(c->high, range->stop.data, range->stop.size, false)
                       : range_end(range->prefix, c->high);
    return;
  }
  store_bytes low = range->stop.size > 0 ? range->stop : range->prefix;
  c->low_size = copy_bound(c->low, low.data, low.size, false);
  if (start.seek == RANGE_LAST)
    c->high_size = range_end((store_bytes){0}, c->high);
  else
    c->high_size = copy_bound(c->high, start.key, start.size, start.seek == RANGE_AT_OR_BEFORE);
}

/* ---- Walking --------------------------------------------------------------------------------- */

static int add_item(postgres_cursor *c, packed_entry item, orr_error *err) {
  if (c->count == c->capacity) {
    size_t wanted = c->capacity ? c->capacity * 2 : CHUNK_ROWS_FIRST;
    packed_entry *items = env_realloc(&c->view->owner->env.allocator, c->items, c->capacity * sizeof *items,
                                    wanted * sizeof *items);
    if (!items) return error_memory(err);
    c->items = items;
    c->capacity = wanted;
  }
  c->items[c->count++] = item;
  return 0;
}

static void reverse_items(postgres_cursor *c, size_t from) {
  for (size_t to = c->count; from + 1 < to; from++, to--) {
    packed_entry item = c->items[from];
    c->items[from] = c->items[to - 1];
    c->items[to - 1] = item;
  }
}

/* Those entries of a page that are in the range. */
static int add_page(postgres_cursor *c, store_bytes rest, store_bytes low, store_bytes high, orr_error *err) {
  size_t from = c->count;
  int rc = 0;
  for (packed_entry e; !rc && packed_next(&rest, &e);) {
    if (packed_compare(e.key, low) >= 0 && packed_compare(e.key, high) < 0) rc = add_item(c, e, err);
  }
  if (!rc && rest.size > 0) rc = damaged_page(c->view, err);
  if (c->backwards) reverse_items(c, from);
  return rc;
}

/* What is left to walk, as far as it is of one kind. */
typedef struct stretch {
  unsigned char tag; /* of a packed type, or 0: keys with rows of their own */
  store_bytes low, high;
  unsigned char edge; /* where it is an end of the stretch, but not of the walk */
} stretch;

static int walk_rows(postgres_cursor *c, const row_span *r, store_bytes low, store_bytes high, orr_error *err) {
  int rc = 0;
  for (int row = r->from; row < r->to && !rc; row++) {
    store_bytes value = field_at(r->rows, row, 1);
    rc = r->pages ? add_page(c, value, low, high, err)
                  : add_item(c, (packed_entry){field_at(r->rows, row, 0), value}, err);
  }
  return rc;
}

/* The packed type that follows this byte, or 0. */
static unsigned char next_packed(unsigned char byte) {
  const char *tag = POSTGRES_PACKED_TAGS;
  while (*tag && (unsigned char)*tag <= byte) tag++;
  return (unsigned char)*tag;
}

/* Up to a type's end, or to the next packed one. */
static void stretch_forwards(const postgres_cursor *c, stretch *s) {
  unsigned char first = c->low_size ? c->low[0] : 0;
  s->tag = packed_tag(first) ? first : 0;
  s->edge = s->tag ? (unsigned char)(first + 1) : next_packed(first);
  store_bytes edge = {&s->edge, 1};
  if (s->edge && packed_compare(edge, s->high) < 0) s->high = edge;
}

/* Down to a type's beginning, or behind the packed one before; the walk's end is not at the beginning of all keys. */
static void stretch_backwards(const postgres_cursor *c, stretch *s) {
  unsigned char last = c->high_size == 1 ? (unsigned char)(c->high[0] - 1) : c->high[0];
  s->tag = packed_tag(last) ? last : 0;
  s->edge = last;
  while (!s->tag && s->edge && !packed_tag((unsigned char)(s->edge - 1))) s->edge--;
  store_bytes edge = {&s->edge, 1};
  if (s->edge && packed_compare(edge, s->low) > 0) s->low = edge;
}

static void walk_stretch(const postgres_cursor *c, stretch *s) {
  *s = (stretch){.low = {c->low, c->low_size}, .high = {c->high, c->high_size}};
  if (c->backwards)
    stretch_backwards(c, s);
  else
    stretch_forwards(c, s);
}

static void check_end(postgres_cursor *c) {
  store_bytes low = {c->low, c->low_size}, high = {c->high, c->high_size};
  c->ended = packed_compare(low, high) >= 0 || (c->backwards && high.size == 1 && c->high[0] == 0);
}

/* What is left begins behind it. */
static void pass_stretch(postgres_cursor *c, const stretch *s) {
  if (c->backwards)
    c->high_size = copy_bound(c->high, s->low.data, s->low.size, false);
  else
    c->low_size = copy_bound(c->low, s->high.data, s->high.size, false);
}

static void pass_page(postgres_cursor *c, const stretch *s, int64_t page) {
  unsigned char key[PACKED_KEY_SIZE];
  if (page == (c->backwards ? 0 : POSTGRES_PAGE_LAST)) {
    pass_stretch(c, s);
    return;
  }
  packed_first_key(s->tag, page + !c->backwards, key);
  if (c->backwards)
    c->high_size = copy_bound(c->high, key, sizeof key, false);
  else
    c->low_size = copy_bound(c->low, key, sizeof key, false);
}

static void pass_row(postgres_cursor *c, store_bytes key) {
  if (c->backwards)
    c->high_size = copy_bound(c->high, key.data, key.size, false);
  else
    c->low_size = copy_bound(c->low, key.data, key.size, true);
}

/* What is left begins behind the chunk's last key or page; how many rows are asked for next follows from how large these
 * were. */
static void move_bounds(postgres_cursor *c, const stretch *s, int rows) {
  store_bytes last = field_at(c->chunk, rows - 1, 0);
  uint64_t page;
  if (s->tag) {
    memcpy(&page, last.data, sizeof page);
    pass_page(c, s, (int64_t)be64toh(page));
  } else {
    pass_row(c, last);
  }
  size_t fitting = CHUNK_BYTES / (pq.resultMemorySize(c->chunk) / (size_t)rows + 1) + 1;
  if (!c->told) c->rows = c->rows * 4 < CHUNK_ROWS_MAX ? c->rows * 4 : CHUNK_ROWS_MAX;
  if ((size_t)c->rows > fitting) c->rows = (int)fitting;
}

static int ask_rows(postgres_cursor *c, const stretch *s, orr_error *err) {
  uint64_t limit = htobe64((uint64_t)c->rows);
  postgres_parameters p = {.count = 3,
                           .values = {s->low.data, s->high.data, (const char *)&limit},
                           .sizes = {(int)s->low.size, (int)s->high.size, sizeof limit}};
  return view_ask(c->view, c->backwards ? POSTGRES_BACKWARDS : POSTGRES_FORWARDS, &p, &c->chunk, err);
}

static int ask_pages(postgres_cursor *c, const stretch *s, orr_error *err) {
  uint64_t numbers[] = {htobe64((uint64_t)packed_page(s->low)), htobe64((uint64_t)packed_page_below(s->tag, s->high)),
                        htobe64((uint64_t)packed_tag(s->tag)), htobe64((uint64_t)c->rows)};
  postgres_parameters p = {0};
  for (; p.count < 4; p.count++) {
    p.values[p.count] = (const char *)&numbers[p.count];
    p.sizes[p.count] = sizeof *numbers;
  }
  return view_ask(c->view, c->backwards ? POSTGRES_PAGES_BACKWARDS : POSTGRES_PAGES_FORWARDS, &p, &c->chunk, err);
}

static int fetch_stretch(postgres_cursor *c, orr_error *err) {
  PGresult *done = c->chunk;
  stretch s;
  c->chunk = NULL;
  c->at = c->count = 0;
  if (done && !keep_result(c->view, done)) return error_memory(err);
  walk_stretch(c, &s);
  int rc = s.tag ? ask_pages(c, &s, err) : ask_rows(c, &s, err);
  if (rc) return rc;
  row_span rows = {.rows = c->chunk, .to = pq.ntuples(c->chunk), .pages = s.tag != 0};
  rc = walk_rows(c, &rows, s.low, s.high, err);
  if (rc) return rc;
  if (rows.to < c->rows)
    pass_stretch(c, &s);
  else
    move_bounds(c, &s, rows.to);
  check_end(c);
  return 0;
}

/* Rows that were read ahead ascend, whichever way the walk goes. */
static int walk_ahead(postgres_cursor *c, const row_span *rows, orr_error *err) {
  bool backwards = c->backwards;
  c->backwards = false;
  int rc = walk_rows(c, rows, (store_bytes){c->low, c->low_size}, (store_bytes){c->high, c->high_size}, err);
  c->backwards = backwards;
  if (!rc && backwards) reverse_items(c, 0);
  return rc;
}

int postgres_view_scan(store_snapshot *base, const store_range *range, store_cursor **out,
                       orr_error *err) {
  postgres_view *v = (postgres_view *)base;
  int rc = postgres_check_usable(v->owner, err);
  if (rc) return rc;
  postgres_cursor *c = env_zalloc(&v->owner->env.allocator, sizeof *c);
  if (!c) return error_memory(err);
  c->base.methods = base->methods;
  c->view = v;
  c->backwards = range->backwards;
  c->told = range->rows > 0;
  c->rows = !c->told ? CHUNK_ROWS_FIRST : range->rows < CHUNK_ROWS_MAX ? (int)range->rows : CHUNK_ROWS_MAX;
  set_bounds(c, range);
  check_end(c);
  row_span ahead;
  if (!c->ended && range_ahead(c, &ahead)) {
    c->ended = true;
    rc = walk_ahead(c, &ahead, err);
  }
  *out = &c->base;
  if (!rc) return 0;
  postgres_cursor_close(&c->base);
  return rc;
}

int postgres_view_next(store_cursor *base, store_bytes *key, store_bytes *value, orr_error *err) {
  postgres_cursor *c = (postgres_cursor *)base;
  int rc = postgres_check_usable(c->view->owner, err);
  while (!rc && c->at == c->count && !c->ended) rc = fetch_stretch(c, err);
  if (rc) return rc;
  if (c->at == c->count) return ORR_E_NOT_FOUND;
  *key = c->items[c->at].key;
  *value = c->items[c->at++].value;
  return 0;
}

void postgres_cursor_close(store_cursor *base) {
  postgres_cursor *c = (postgres_cursor *)base;
  postgres_view *v = c->view;
  if (c->chunk) (void)keep_result(v, c->chunk);
  env_free(&v->owner->env.allocator, c->items, c->capacity * sizeof *c->items);
  env_free(&v->owner->env.allocator, c, sizeof *c);
}
