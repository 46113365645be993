/* The heap of the rows that come first in an order. */
#include "query/ranking.h"

#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/value.h"
#include "engine/engine.h"
#include "query/operator.h"
#include "query/variables.h"
#include "uow/prefetch.h"
#include "uow/find.h"

typedef struct ranked {
  rec_head *record;  /* one that the unit has made or changed; else NULL: */
  store_bytes key;   /* of the record */
  size_t position;   /* in the order of arrival, which equal rows keep */
  orr_value values[FILTER_ORDERS_MAX];
} ranked;

struct ranking {
  context *c;
  const filter *f;
  void **rows; /* ranked: a heap whose first is the worst */
  heap_order worst;
  size_t count, capacity, wanted, seen;
  orr_arena *held, *spare; /* what rows point to; the other one */
  size_t garbage_at;       /* bytes of `held` at which it is copied */
};

/* Nothing is copied below this: a page of rows with short texts. */
enum { RANKING_BYTES_MIN = 64 * 1024 };

int ranking_value(context *c, const filter_order *order, const rec_head *record, orr_value *out) {
  if (order->column) return row_value(c, order->column, record, out);
  int rc = variables_value(c, record, (variables_scope)order->scope, order->variable, out);
  if (out->type == ORR_NULL) *out = (orr_value){0}; /* null sorts like a missing value */
  return rc;
}

int ranking_compare(const filter *f, const orr_value *a, const orr_value *b) {
  for (uint32_t i = 0; i < f->n_orders; i++) {
    bool none = operand_is_null(&a[i]), other = operand_is_null(&b[i]);
    if (none != other) return none ? 1 : -1;
    int order = value_compare(&a[i], &b[i], NULL);
    if (order) return f->orders[i].descending ? -order : order;
  }
  return 0;
}

static int compare_ranked(const void *left, const void *right, const void *ud) {
  const ranked *a = left, *b = right;
  int order = ranking_compare(ud, a->values, b->values);
  return order ? order : a->position < b->position ? -1 : a->position > b->position;
}

static bool ranked_worse(const void *a, const void *b, const void *f) { return compare_ranked(a, b, f) > 0; }

/* By the pointers to them. */
static int compare_places(const void *left, const void *right, void *ud) {
  return compare_ranked(*(void *const *)left, *(void *const *)right, ud);
}

ranking *ranking_new(context *c, const filter *f, size_t wanted) {
  ranking *r = ARENA_NEW(c->arena, ranking);
  if (!r) {
    context_memory(c);
    return NULL;
  }
  *r = (ranking){.c = c, .f = f, .wanted = wanted, .garbage_at = RANKING_BYTES_MIN, .worst = {ranked_worse, NULL, f}};
  r->held = arena_new(&c->engine->env.allocator);
  r->spare = arena_new(&c->engine->env.allocator);
  if (r->held && r->spare) return r;
  ranking_free(r);
  context_memory(c);
  return NULL;
}

void ranking_free(ranking *r) {
  if (r->held) arena_free(r->held);
  if (r->spare) arena_free(r->spare);
  r->held = r->spare = NULL;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Copies what the row points to. */
static int ranked_hold(const ranking *r, orr_arena *arena, ranked *row) {
  for (uint32_t i = 0; i < r->f->n_orders; i++) {
    orr_value value = row->values[i];
    if (value_copy(arena, &value, &row->values[i])) return context_memory(r->c);
  }
  if (row->record) return 0;
  uint8_t *key = arena_alloc(arena, row->key.size);
  if (!key) return context_memory(r->c);
  memcpy(key, row->key.data, row->key.size);
  row->key.data = key;
  return 0;
}

static int drop_garbage(ranking *r) {
  if (arena_used(r->held) < r->garbage_at) return 0;
  int rc = 0;
  for (size_t i = 0; !rc && i < r->count; i++) rc = ranked_hold(r, r->spare, r->rows[i]);
  if (rc) return rc;
  orr_arena *copied = r->spare;
  r->spare = r->held;
  r->held = copied;
  arena_reset(r->spare);
  size_t live = arena_used(r->held);
  r->garbage_at = live * 2 > RANKING_BYTES_MIN ? live * 2 : RANKING_BYTES_MIN;
  return 0;
}

/* ---- The heap -------------------------------------------------------------------------------- */

int ranking_offer(ranking *r, rec_head *record) {
  bool stored = record->state == REC_CLEAN && record->key;
  ranked row = {.record = stored ? NULL : record, .key = {record->key, record->key_size}, .position = r->seen++};
  int rc = 0;
  for (uint32_t i = 0; !rc && i < r->f->n_orders; i++)
    rc = ranking_value(r->c, &r->f->orders[i], record, &row.values[i]);
  bool full = r->count == r->wanted;
  if (rc || (full && !ranked_worse(r->rows[0], &row, r->f))) return rc;
  rc = ranked_hold(r, r->held, &row);
  if (rc) return rc;
  if (full) {
    ranked *first = r->rows[0];
    *first = row;
    heap_down(&r->worst, r->rows, r->count, 0, first);
    return drop_garbage(r);
  }
  ranked *made = ARENA_NEW(r->c->arena, ranked);
  if (!made || !ARENA_ROOM(r->c->arena, r->rows, r->count, r->capacity, 16)) return context_memory(r->c);
  *made = row;
  heap_up(&r->worst, r->rows, r->count++, made);
  return 0;
}

/* Fetches the rows of a page together, because they are far apart in the store. */
static void prefetch_ranked(const ranking *r, size_t from) {
  store_bytes keys[UNIT_PREFETCH_MAX];
  size_t n = 0;
  for (size_t i = from; i < r->count && i < from + UNIT_PREFETCH_MAX; i++) {
    const ranked *row = r->rows[i];
    if (!row->record) keys[n++] = row->key;
  }
  unit_prefetch_keys(r->c->u, keys, n);
}

int ranking_records(ranking *r, unit_found *out) {
  if (r->count) qsort_r(r->rows, r->count, sizeof *r->rows, compare_places, (void *)(uintptr_t)r->f);
  out->items = ARENA_ARRAY(r->c->arena, rec_head *, r->count + 1);
  out->count = 0;
  if (!out->items) return context_memory(r->c);
  for (size_t i = 0; i < r->count; i++) {
    const ranked *row = r->rows[i];
    if (i % UNIT_PREFETCH_MAX == 0) prefetch_ranked(r, i);
    const rec_head lent = {.type = r->f->row.record, .key = row->key.data, .key_size = (uint16_t)row->key.size};
    rec_head *record = row->record ? row->record : unit_keep(r->c->u, &lent, &r->c->error);
    if (!record) return r->c->error.code;
    out->items[out->count++] = record;
  }
  return 0;
}
