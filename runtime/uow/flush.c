/* Flushing: the changes of a unit as one batch, in the order in which the records were first
 * changed.
 *
 * Index rows are not read before they are written. The old image says which rows the record had,
 * the record says which it must have, and only the differences are deleted and put. The revision of
 * a record guards its rows. */
#include "uow/flush.h"

#include "base/value.h"
#include "uow/ready.h"
#include "uow/siblings.h"
#include "uow/succession.h"
#include "uow/uow_internal.h"

#define BLOCK_SIZE 2048 /* keys and values are written into blocks of this size; larger values get one of their own */

typedef struct flush {
  unit *u;
  orr_error *err;
  store_op *ops;
  size_t count;
  uint8_t *at, *end; /* the current block */
  bool ready_known;
  ready_orders ready;
} flush;

static uint8_t *flush_room(flush *f, size_t bound) {
  if (f->at && (size_t)(f->end - f->at) >= bound) return f->at;
  size_t size = bound > BLOCK_SIZE ? bound : BLOCK_SIZE;
  f->at = arena_alloc(f->u->arena, size);
  f->end = !f->at ? NULL : f->at + size;
  return f->at;
}

static void flush_op(flush *f, store_op_kind kind, uint32_t expected, store_bytes key, store_bytes value) {
  f->ops[f->count++] = (store_op){kind, expected, key, value};
}

static int flush_row_op(flush *f, store_op_kind kind, const uint8_t *row, size_t size) {
  uint8_t *key = flush_room(f, size);
  if (!key) return error_memory(f->err);
  memcpy(key, row, size);
  f->at += size;
  flush_op(f, kind, STORE_ANY_REVISION, (store_bytes){key, size}, (store_bytes){NULL, 0});
  return 0;
}

typedef struct row {
  size_t size; /* 0: none */
  uint8_t key[STORE_KEY_MAX];
} row;

static int flush_row(flush *f, const row *was, const row *now) {
  if (was->size == now->size && memcmp(was->key, now->key, now->size) == 0) return 0;
  int rc = was->size > 0 ? flush_row_op(f, STORE_DELETE, was->key, was->size) : 0;
  if (!rc && now->size > 0) rc = flush_row_op(f, STORE_PUT, now->key, now->size);
  return rc;
}

size_t index_row(const rec_index_type *index, const void *record, const rec_head *head, uint8_t out[STORE_KEY_MAX]) {
  if (!index->holds(record)) return 0;
  uint8_t *end = index->row(record, out, out + STORE_KEY_MAX);
  if (!end || end + head->key_size > out + STORE_KEY_MAX) return KEY_TOO_LONG;
  memcpy(end, head->key, head->key_size);
  return (size_t)(end - out) + head->key_size;
}

static bool texts_equal(const rec_text *a, const rec_text *b) {
  return a->size == b->size && (a->data == b->data || a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

/* Rows consist of fields, so equal fields make equal rows. Mostly they are equal: no index has what
 * a job or a step changes. */
static bool rows_equal(const rec_index_type *index, const void *was, const void *now) {
  for (uint8_t i = 0; i < index->n_fields; i++) {
    const rec_field *field = &index->type->fields[index->fields[i]];
    const void *a = record_field(was, field), *b = record_field(now, field);
    bool equal = field->type == REC_TEXT    ? texts_equal(a, b)
                 : field->type == REC_VALUE ? value_equal(a, b)
                 : field->type == REC_U8    ? *(const uint8_t *)a == *(const uint8_t *)b
                                            : *(const uint64_t *)a == *(const uint64_t *)b; /* id, int, time */
    if (!equal) return false;
  }
  return true;
}

static int flush_index(flush *f, const rec_index_type *index, const rec_head *head, const void *was, const void *now) {
  bool had = was && index->holds(was), has = now && index->holds(now);
  if ((!had && !has) || (had && has && rows_equal(index, was, now))) return 0;
  row old, new;
  old.size = had ? index_row(index, was, head, old.key) : 0;
  new.size = has ? index_row(index, now, head, new.key) : 0;
  if (old.size == KEY_TOO_LONG || new.size == KEY_TOO_LONG)
    return error_set(f->err, ORR_E_LIMIT, "a %s is too long for its index %s", head->type->name, index->name);
  return flush_row(f, &old, &new);
}

static int flush_indexes(flush *f, const rec_head *head, const void *was, const void *now) {
  for (uint8_t i = 0; i < head->type->n_indexes; i++) {
    int rc = flush_index(f, &head->type->indexes[i], head, was, now);
    if (rc) return rc;
  }
  return 0;
}

/* The orders in use are read once in a flush, and only if a job is or was ready: the usual job is
 * created locked. */
static int flush_ready(flush *f, const rec_job *was, const rec_job *now) {
  bool was_ready = was && was->state == ORR_JOB_READY, is_ready = now && now->state == ORR_JOB_READY;
  if (!was_ready && !is_ready) return 0;
  if (!f->ready_known) {
    int rc = ready_orders_read(f->u, &f->ready, f->err);
    if (rc) return rc;
    f->ready_known = true;
  }
  for (uint8_t number = 0; number < READY_ORDERS; number++) {
    if ((f->ready.active >> number & 1) == 0) continue;
    ready_order order = {number, f->ready.tau_ms};
    row old, new;
    old.size = was_ready ? ready_row(order, was, old.key) : 0;
    new.size = is_ready ? ready_row(order, now, new.key) : 0;
    int rc = flush_row(f, &old, &new);
    if (rc) return rc;
  }
  return 0;
}

static uint32_t next_revision(flush *f, const rec_head *head) {
  /* A record that siblings build on before it is committed must not be mistaken for one that
   * another writer has put in its place. */
  if (siblings_will_see(f->u, head)) return source_first_revision(f->u->source);
  if (head->revision == 0) return head->type->keyed ? source_first_revision(f->u->source) : 1;
  uint32_t next = head->revision + 1;
  return next == STORE_ANY_REVISION ? 1 : next;
}

static int flush_value(flush *f, const rec_head *head) {
  uint8_t *value = flush_room(f, record_bound(head->type, head));
  if (!value) return error_memory(f->err);
  size_t size = record_encode(head->type, head, next_revision(f, head), value);
  f->at += size;
  flush_op(f, STORE_PUT, head->revision, (store_bytes){head->key, head->key_size}, (store_bytes){value, size});
  return 0;
}

static int flush_rows(flush *f, const rec_head *head, const void *now) {
  int rc = flush_indexes(f, head, head->old, now);
  return rc || !head->type->ready_orders ? rc : flush_ready(f, head->old, now);
}

static int flush_removal(flush *f, const rec_head *head) {
  flush_op(f, STORE_DELETE, head->revision, (store_bytes){head->key, head->key_size}, (store_bytes){NULL, 0});
  return flush_rows(f, head, NULL);
}

static int flush_record(flush *f, rec_head *head) {
  if (head->state == REC_VOID) return 0;
  if (head->state == REC_DELETED) return flush_removal(f, head);
  int rc = 0;
  if (succession_ends(head)) {
    rc = flush_removal(f, head);
    if (!rc && succession_end(f->u, head)) rc = error_memory(f->err);
  }
  if (!rc) rc = flush_value(f, head);
  return rc ? rc : flush_rows(f, head, head);
}

/* Checks of what was read and not written. A record that is written carries its revision itself. */
static void flush_relied(flush *f) {
  for (uint32_t i = 0; i < f->u->relied_count; i++) {
    const rec_head *head = f->u->relied[i];
    if (head->state != REC_CLEAN) continue;
    bool revision = head->relied == RELIED_REVISION; /* else its key must exist, which begins no other */
    flush_op(f, revision ? STORE_CHECK : STORE_COUNT, revision ? head->revision : 1, (store_bytes){head->key, head->key_size},
             (store_bytes){NULL, 0});
  }
}

static void flush_counted(flush *f) {
  for (const counted_rows *rows = f->u->counted; rows; rows = rows->next)
    flush_op(f, STORE_COUNT, rows->count, rows->prefix, (store_bytes){NULL, 0});
}

static int flush_ready_check(flush *f) {
  if (!f->ready_known && f->u->relies_on_orders) {
    int rc = ready_orders_read(f->u, &f->ready, f->err);
    if (rc) return rc;
    f->ready_known = true;
  }
  if (!f->ready_known) return 0;
  const rec_head *record = f->ready.record;
  if (record && (record->state != REC_CLEAN || record->relied == RELIED_REVISION)) return 0; /* it carries its check already */
  uint8_t *key = flush_room(f, STORE_KEY_MAX);
  if (!key) return error_memory(f->err);
  size_t size = ready_orders_key(key);
  f->at += size;
  flush_op(f, STORE_CHECK, !record ? STORE_ABSENT : record->revision, (store_bytes){key, size}, (store_bytes){NULL, 0});
  return 0;
}

/* The most operations that a record can have: itself, under an old and a new key, and an old and a
 * new row in each index and ready order. */
static size_t ops_bound(const unit *u) {
  size_t bound = u->counted_count + u->relied_count + 1;
  for (const rec_head *head = u->changed; head; head = head->next_changed)
    bound += 2 + 2 * ((size_t)head->type->n_indexes + (head->type->ready_orders ? READY_ORDERS : 0));
  return bound;
}

/* Is there anything that the store does not have yet? What was made and deleted within the unit is
 * nothing: an instance that ran to its end without history leaves nothing. */
static bool leaves_something(const unit *u) {
  const rec_head *head = u->changed;
  while (head && head->state == REC_VOID) head = head->next_changed;
  return head;
}

int unit_flush(unit *u, store_batch **out, orr_error *err) {
  *out = NULL;
  if (u->failure != 0) {
    error_set(err, u->failure, "the unit of work failed before: %s", orr_strerror(u->failure));
    if (u->failure == ORR_E_STORE && unit_lost(u)) error_mark(err, STORE_AWAY);
    return u->failure;
  }
  flush f = {.u = u, .err = err};
  store_batch *batch = ARENA_NEW(u->arena, store_batch);
  f.ops = arena_alloc(u->arena, ops_bound(u) * sizeof *f.ops);
  if (!batch || !f.ops) return error_memory(err);
  int rc = 0;
  if (leaves_something(u)) { /* else nothing needs protection: it is as if it had run when its view was opened */
    flush_counted(&f);
    flush_relied(&f);
  }
  for (rec_head *head = u->changed; head && !rc; head = head->next_changed) rc = flush_record(&f, head);
  if (!rc) rc = flush_ready_check(&f);
  if (rc) return rc;
  u->flushed = true;
  if (u->changes_catalog && f.count > 0) {
    source_catalog_begin(u->source);
    u->holds_catalog = true;
  }
  unit_pause(u); /* the batch needs no view, and an old view keeps the store from reusing pages */
  batch->ops = f.ops;
  batch->count = f.count;
  *out = batch;
  return 0;
}
