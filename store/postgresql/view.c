/* Views: transactions that only read. A session is taken when a view begins and given back when it
 * is released. */
#include <endian.h>
#include <string.h>

#include "base/error.h"
#include "store/postgresql/ahead.h"
#include "store/postgresql/postgresql_internal.h"
#include "store/range.h"

#define CHUNK_ROWS_FIRST 16
#define CHUNK_ROWS_MAX 1024
#define CHUNK_BYTES \
  ((size_t)1 \
   << 20) /* what a chunk of a scan is to hold at most, by the size of the rows before it */
#define BOUND_MAX (STORE_KEY_MAX + 1)
#define AHEADS_MAX 4 /* of what was read ahead: while a list is walked, what is found leads to other lists */

typedef struct postgres_view {
  store_snapshot base;
  postgres_store *owner;
  postgres_connection *c; /* NULL: none yet, none any more, or lost */
  bool open, begun; /* renewed and not released; it has been asked, so that it shows one moment */
  uint64_t foreign; /* of that moment, or STORE_FOREIGN_UNKNOWN: not asked yet */
  PGresult **kept;  /* what bytes were given out of, the oldest first */
  size_t kept_count, kept_capacity, kept_bytes;
  postgres_ahead *aheads[AHEADS_MAX];
  unsigned next_ahead;
  store_prefetched *prefetched; /* NULL: none is used */
} postgres_view;

typedef struct postgres_cursor {
  store_cursor base;
  postgres_view *view;
  PGresult *chunk;
  int at, rows; /* rows: how many the next chunk may have */
  bool backwards, ended;
  const PGresult *ahead; /* rows that were read ahead, these of them: */
  int ahead_at, ahead_end;
  size_t low_size, high_size;
  unsigned char low[BOUND_MAX],
      high[BOUND_MAX]; /* what is left: from low up to, and without, high */
} postgres_cursor;

/* ---- What was given out ---------------------------------------------------------------------- */

static void forget_kept(postgres_view *v) {
  for (size_t i = 0; i < v->kept_count; i++) PQclear(v->kept[i]);
  v->kept_count = v->kept_bytes = 0;
  for (size_t i = 0; i < AHEADS_MAX; i++) {
    postgres_ahead_free(v->aheads[i]);
    v->aheads[i] = NULL;
  }
}

/* The oldest half goes, when it is more than the contract keeps. */
static void forget_oldest(postgres_view *v) {
  size_t gone = 0;
  while (v->kept_bytes > STORE_KEPT_BYTES && gone + 1 < v->kept_count) {
    v->kept_bytes -= PQresultMemorySize(v->kept[gone]);
    PQclear(v->kept[gone++]);
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
      PQclear(result);
      return false;
    }
    v->kept = kept;
    v->kept_capacity = wanted;
  }
  v->kept[v->kept_count++] = result;
  v->kept_bytes += PQresultMemorySize(result);
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
    return v->c ? 0 : error_set(err, ORR_E_STORE, "the connection of this view was lost");
  if (!v->c) rc = postgres_take(v->owner, &v->c, err);
  if (!rc && !v->c->in_transaction) rc = postgres_begin(v->c, false);
  return rc;
}

static int lose_view(postgres_view *v, int rc, orr_error *err) {
  if (rc < 0) return rc;
  if (err && !err->code) error_set(err, ORR_E_STORE, "%s ended a view", v->owner->name);
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
  memcpy(&sum, PQgetvalue(found, 0, 0), sizeof sum);
  PQclear(found);
  v->foreign = be64toh(sum) - (uint64_t)atomic_load(&v->owner->own_before);
  return 0;
}

int postgres_view_renew(store_snapshot *base, orr_error *err) {
  postgres_view *v = (postgres_view *)base;
  int rc = postgres_check_usable(v->owner, err);
  if (rc) return rc;
  postgres_view_release(base);
  v->open = true;
  v->begun = false;
  v->foreign = STORE_FOREIGN_UNKNOWN;
  return base->late ? 0 : see_foreign(v, err);
}

void postgres_view_release(store_snapshot *base) {
  postgres_view *v = (postgres_view *)base;
  forget_kept(v);
  v->open = false;
  if (!v->c || guard_forked(&v->owner->fork)) return;
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
  return (store_bytes){PQgetvalue(result, row, column), (size_t)PQgetlength(result, row, column)};
}

/* Takes the place of the oldest, of whose rows bytes may have been given out. False: out of memory. */
static bool keep_ahead(postgres_view *v, postgres_ahead *a) {
  postgres_ahead **place = &v->aheads[v->next_ahead++ % AHEADS_MAX];
  PGresult *rows = *place ? postgres_ahead_take(*place) : NULL;
  postgres_ahead_free(*place);
  *place = a;
  return !rows || keep_result(v, rows);
}

void postgres_view_read_ahead(store_snapshot *base, const store_span *spans, size_t count) {
  postgres_view *v = (postgres_view *)base;
  postgres_ahead *a = postgres_ahead_new(&v->owner->env.allocator, spans, count);
  if (!a) return;
  postgres_parameters p = postgres_ahead_question(a);
  PGresult *rows = NULL;
  if (view_ask(v, POSTGRES_AHEAD, &p, &rows, NULL)) {
    postgres_ahead_free(a);
    return;
  }
  postgres_ahead_keep(a, rows);
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
  if (guard_forked(&v->owner->fork)) return false;
  for (size_t i = 0; i < AHEADS_MAX; i++) {
    if (v->aheads[i] && postgres_ahead_get(v->aheads[i], key, found, value)) return true;
  }
  return v->prefetched && postgres_prefetched_get(v->prefetched, key, found, value);
}

static bool range_ahead(postgres_cursor *c) {
  postgres_view *v = c->view;
  store_bytes low = {c->low, c->low_size}, high = {c->high, c->high_size};
  for (size_t i = 0; i < AHEADS_MAX; i++) {
    if (v->aheads[i] && postgres_ahead_range(v->aheads[i], low, high, &c->ahead, &c->ahead_at, &c->ahead_end)) return true;
  }
  return v->prefetched &&
         postgres_prefetched_range(v->prefetched, low, high, &c->ahead, &c->ahead_at, &c->ahead_end);
}

int postgres_view_get(store_snapshot *base, store_bytes key, store_bytes *value, orr_error *err) {
  postgres_view *v = (postgres_view *)base;
  bool there;
  if (get_ahead(v, key, &there, value)) return there ? 0 : ORR_E_NOT_FOUND;
  if (v->prefetched) postgres_asked_note(v->owner->asked, key);
  postgres_parameters p = {.count = 1, .values = {key.data}, .sizes = {(int)key.size}};
  PGresult *found = NULL;
  int rc = view_ask(v, POSTGRES_GET, &p, &found, err);
  if (rc) return rc;
  if (PQntuples(found) == 0) {
    PQclear(found);
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
  c->low_size = copy_bound(c->low, range->prefix.data, range->prefix.size, false);
  if (start.seek == RANGE_LAST)
    c->high_size = range_end((store_bytes){0}, c->high);
  else
    c->high_size = copy_bound(c->high, start.key, start.size, start.seek == RANGE_AT_OR_BEFORE);
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
  c->rows = CHUNK_ROWS_FIRST;
  set_bounds(c, range);
  c->ended = !c->backwards && range_ahead(c);
  *out = &c->base;
  return 0;
}

/* What is left begins behind the chunk's last key; how many rows are asked for next follows from
 * how large these were. */
static void move_bounds(postgres_cursor *c, int rows) {
  store_bytes last = field_at(c->chunk, rows - 1, 0);
  if (c->backwards)
    c->high_size = copy_bound(c->high, last.data, last.size, false);
  else
    c->low_size = copy_bound(c->low, last.data, last.size, true);
  size_t fitting = CHUNK_BYTES / (PQresultMemorySize(c->chunk) / (size_t)rows + 1) + 1;
  c->rows = c->rows * 4 < CHUNK_ROWS_MAX ? c->rows * 4 : CHUNK_ROWS_MAX;
  if ((size_t)c->rows > fitting) c->rows = (int)fitting;
}

static int fetch_chunk(postgres_cursor *c, orr_error *err) {
  PGresult *done = c->chunk;
  c->chunk = NULL;
  if (done && !keep_result(c->view, done)) return error_memory(err);
  uint64_t limit = htobe64((uint64_t)c->rows);
  postgres_parameters p = {
      .count = 3,
      .values = {(const char *)c->low, (const char *)c->high, (const char *)&limit},
      .sizes = {(int)c->low_size, (int)c->high_size, sizeof limit}};
  int rc =
      view_ask(c->view, c->backwards ? POSTGRES_BACKWARDS : POSTGRES_FORWARDS, &p, &c->chunk, err);
  if (rc) return rc;
  int rows = PQntuples(c->chunk);
  c->at = 0;
  c->ended = rows < c->rows;
  if (rows > 0) move_bounds(c, rows);
  return 0;
}

int postgres_view_next(store_cursor *base, store_bytes *key, store_bytes *value, orr_error *err) {
  postgres_cursor *c = (postgres_cursor *)base;
  int rc = postgres_check_usable(c->view->owner, err);
  if (!rc && !c->ended && (!c->chunk || c->at == PQntuples(c->chunk))) rc = fetch_chunk(c, err);
  if (rc) return rc;
  if (c->ahead_at < c->ahead_end) {
    *key = field_at(c->ahead, c->ahead_at, 0);
    *value = field_at(c->ahead, c->ahead_at++, 1);
    return 0;
  }
  if (!c->chunk || c->at == PQntuples(c->chunk)) return ORR_E_NOT_FOUND;
  *key = field_at(c->chunk, c->at, 0);
  *value = field_at(c->chunk, c->at++, 1);
  return 0;
}

void postgres_cursor_close(store_cursor *base) {
  postgres_cursor *c = (postgres_cursor *)base;
  postgres_view *v = c->view;
  if (c->chunk) (void)keep_result(v, c->chunk);
  env_free(&v->owner->env.allocator, c, sizeof *c);
}
