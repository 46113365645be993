/* Committing to the store on disk: one write transaction for a group of batches, each of which wins or loses alone.
 *
 * A transaction keeps one cursor, and tries each op with its comparison in one descent of the tree. Of a group, or of one
 * large batch, it writes the ops by their keys: neighbors in the tree then follow each other, and the cursor finds
 * most of them on the page where it stands. Ops of one key stay in the order of their batches, so that each finds what it
 * would have found batch by batch, as long as every batch wins. When one loses after anything was changed, the transaction is
 * thrown away and done anew batch by batch, each looked at as a whole before it is applied. */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "store/lmdb/lmdb_internal.h"
#include "store/range.h"

enum {
  COMMITS_PER_READER_CHECK = 64, /* a killed reader keeps pages from being reused until it is noticed */
  GROUPS_AFTER_LOSS = 32,       /* where batches lose others will: so many groups are written batch by batch */
  OPS_BY_KIND_MAX = 65536,       /* written together; two megabytes to order them in */
  OPS_BY_KIND_MIN = 32,          /* of a batch that is written by itself */
  HELD_CHECKS = 16,              /* remembered; those that share a place are looked up again */
  FETCH_AHEAD = 4,               /* ops; about as long as memory takes */
};

static int compare_count(lmdb_store *s, MDB_cursor *cursor, const store_op *op, bool *lost) {
  MDB_val key = lmdb_val(op->key), value;
  uint32_t count = 0;
  int rc = lmdb_read_from(s, cursor, &key, &value);
  while (!rc && range_has_prefix(lmdb_bytes(key), op->key) && count <= op->expected) {
    count++;
    rc = lmdb_read(s, cursor, &key, &value, MDB_NEXT);
  }
  *lost = count != op->expected;
  return rc == MDB_NOTFOUND ? 0 : rc;
}

/* Puts the cursor on the op's key; *lost tells that the key is not as the op expects it. */
static int compare(lmdb_store *s, MDB_cursor *cursor, const store_op *op, bool *found, bool *lost) {
  MDB_val key = lmdb_val(op->key), value;
  *found = false;
  if (op->kind == STORE_COUNT) return compare_count(s, cursor, op, lost);
  int rc = lmdb_read(s, cursor, &key, &value, MDB_SET_KEY);
  if (rc && rc != MDB_NOTFOUND) return rc;
  *found = !rc;
  if (op->expected == STORE_ABSENT) {
    *lost = *found;
  } else if (op->expected != STORE_ANY_REVISION) {
    *lost = !*found || store_revision(lmdb_bytes(value)) != op->expected;
  }
  return 0;
}

static int lmdb_put(lmdb_store *s, MDB_cursor *cursor, const store_op *op, bool *lost) {
  MDB_val key = lmdb_val(op->key), value = lmdb_val(op->value);
  unsigned flags = 0;
  if (op->expected == STORE_ABSENT) {
    flags = MDB_NOOVERWRITE;
  } else if (op->expected != STORE_ANY_REVISION) {
    bool found;
    int rc = compare(s, cursor, op, &found, lost);
    if (rc || *lost) return rc;
    flags = MDB_CURRENT; /* no second descent */
  }
  int rc = mdb_cursor_put(cursor, &key, &value, flags);
  if (rc != MDB_KEYEXIST) return rc;
  *lost = true;
  return 0;
}

/* The leaves that the op will change are sound: LMDB would move what a damaged one says is there. */
static int look_at_place(lmdb_store *s, MDB_cursor *cursor, const store_op *op) {
  MDB_val key = lmdb_val(op->key), value;
  int rc = lmdb_read_from(s, cursor, &key, &value);
  return rc == MDB_NOTFOUND ? 0 : rc;
}

/* Sets *wrote when something was changed. */
static int apply_op(lmdb_store *s, MDB_cursor *cursor, const store_op *op, bool *lost, bool *wrote) {
  if (s->leaves.sound) {
    int rc = look_at_place(s, cursor, op);
    if (rc) return rc;
  }
  if (op->kind == STORE_PUT) {
    int rc = lmdb_put(s, cursor, op, lost);
    *wrote = *wrote || (!rc && !*lost);
    return rc;
  }
  bool changes = op->kind == STORE_DELETE;
  if (!changes && op->expected == STORE_ANY_REVISION) return 0;
  bool found;
  int rc = compare(s, cursor, op, &found, lost);
  if (rc || *lost || !found || !changes) return rc;
  *wrote = true;
  return mdb_cursor_del(cursor, 0);
}

static void lose(store_batch *batch, size_t op) {
  batch->status = ORR_E_CONFLICT;
  batch->lost_op = op;
}

/* One write transaction's work. */
typedef struct writer {
  lmdb_store *store;
  MDB_cursor *cursor;
  bool careful;  /* look at all of every batch before changing anything */
  bool stained;  /* a lost batch left changes: nothing of this transaction may stay */
  bool any_won;
  bool wrote;    /* something was changed; LMDB does not count a transaction that changes nothing */
  bool doubtful; /* the transaction was sent on its way, and whether it is on disk is not known */
  int refused;   /* the batches are unfit, or the turn to write did not come: an ORR_E_* code */
} writer;

static int check_batch(writer *w, store_batch *batch) {
  for (size_t i = 0; i < batch->count; i++) {
    bool found, lost = false;
    if (batch->ops[i].expected == STORE_ANY_REVISION) continue;
    int rc = compare(w->store, w->cursor, &batch->ops[i], &found, &lost);
    if (rc) return rc;
    if (lost) {
      lose(batch, i);
      return 0;
    }
  }
  return 0;
}

static int write_batch(writer *w, store_batch *batch) {
  bool careful = w->careful || batch->wary;
  batch->status = 0;
  if (careful) {
    int rc = check_batch(w, batch);
    if (rc || batch->status != 0) return rc;
  }
  bool changed = false;
  for (size_t i = 0; i < batch->count; i++) {
    bool lost = false;
    store_op op = batch->ops[i];
    if (careful) op.expected = STORE_ANY_REVISION; /* compared already */
    int rc = apply_op(w->store, w->cursor, &op, &lost, &changed);
    if (rc) return rc;
    if (lost) {
      lose(batch, i);
      w->stained = changed;
      return 0;
    }
  }
  w->any_won = true;
  w->wrote = w->wrote || changed;
  return 0;
}

/* ---- By key ---------------------------------------------------------------------------------- */

/* What a batch counts has to be so before any of it is applied and after all of those before it; and one that may well
 * lose is looked at first. */
static bool goes_alone(const store_batch *batch) {
  bool counts = batch->wary;
  for (size_t i = 0; i < batch->count && !counts; i++) counts = batch->ops[i].kind == STORE_COUNT;
  return counts;
}

static unsigned char kind_of(const store_op *op) { return ((const unsigned char *)op->key.data)[0]; }

/* How many batches from the first one on can be written together, and how many ops they have, at most OPS_BY_KIND_MAX. */
static size_t run_length(const store_batch *batches, size_t n, size_t *ops) {
  size_t run = 0;
  for (*ops = 0; run < n && !goes_alone(&batches[run]) && *ops + batches[run].count <= OPS_BY_KIND_MAX; run++)
    *ops += batches[run].count;
  return run;
}

static bool order_room(lmdb_store *s, size_t count) {
  if (count <= s->order_capacity) return true;
  size_t size = 2 * sizeof *s->order; /* of an op's place, and of one to sort it in */
  lmdb_ordered *grown = env_realloc(&s->allocator, s->order, s->order_capacity * size, count * size);
  if (!grown) return false;
  s->order = grown;
  s->order_capacity = count;
  return true;
}

/* Eight bytes of the key behind its kind, as a number that grows with them. */
static uint64_t rank_of(const store_op *op) {
  const unsigned char *key = op->key.data;
  uint64_t rank = 0;
  if (op->key.size > sizeof rank) {
    memcpy(&rank, key + 1, sizeof rank);
    return be64toh(rank);
  }
  for (size_t i = 1; i <= sizeof rank; i++) rank = rank << 8 | (i < op->key.size ? key[i] : 0);
  return rank;
}

/* Puts the batches' ops into the store's order: by kind, and in each kind as they came. A kind's place is
 * then its end. */
static void order_by_kind(lmdb_store *s, const store_batch *batches, size_t n, size_t places[256]) {
  size_t begin = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < batches[i].count; k++) places[kind_of(&batches[i].ops[k])]++;
  for (int kind = 0; kind < 256; kind++) {
    size_t count = places[kind];
    places[kind] = begin;
    begin += count;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < batches[i].count; k++) {
      const store_op *op = &batches[i].ops[k];
      s->order[places[kind_of(op)]++] = (lmdb_ordered){op, rank_of(op)};
    }
}

/* The end of the run of ops from `at` on whose keys do not fall. */
static size_t rise(const lmdb_ordered *ops, size_t at, size_t end) {
  for (at++; at < end && ops[at].rank >= ops[at - 1].rank; at++) {}
  return at;
}

/* Two neighboring runs into one; of equal keys those of the first come first. */
static void merge(const lmdb_ordered *from, size_t a, size_t b, size_t end, lmdb_ordered *to) {
  for (size_t middle = b; a < middle || b < end; to++)
    *to = a < middle && (b == end || from[a].rank <= from[b].rank) ? from[a++] : from[b++];
}

/* By key, ops of one key as they came: each worker goes through its share of the jobs in order, so there are
 * some runs to be merged and mostly nothing else. `room` is for as many. */
static void sort_by_key(lmdb_ordered *ops, size_t count, lmdb_ordered *room) {
  lmdb_ordered *from = ops, *to = room;
  while (rise(from, 0, count) < count) {
    for (size_t a = 0, b, end; a < count; a = end) {
      b = rise(from, a, count);
      end = b < count ? rise(from, b, count) : count;
      merge(from, a, b, end, to + a);
    }
    lmdb_ordered *merged = to;
    to = from;
    from = merged;
  }
  if (from != ops) memcpy(ops, from, count * sizeof *ops);
}

/* By kind, and in each kind by key. */
static void order_ops(lmdb_store *s, const store_batch *batches, size_t n) {
  size_t places[256] = {0}, begin = 0;
  order_by_kind(s, batches, n, places);
  for (int kind = 0; kind < 256; begin = places[kind++])
    if (places[kind] - begin > 1)
      sort_by_key(s->order + begin, places[kind] - begin, s->order + s->order_capacity);
}

/* Checks that were found to hold: the batches of a group rely on the same few records, such as their job
 * definitions, and what one of them has found holds for all until that record is written. */
typedef struct held_checks { const store_op *ops[HELD_CHECKS]; } held_checks;

static const store_op **place_of_check(held_checks *held, const store_op *op) {
  const unsigned char *end = (const unsigned char *)op->key.data + op->key.size;
  return &held->ops[(op->key.size > 1 ? end[-1] ^ end[-2] * 5 : 0) % HELD_CHECKS];
}

static bool same_check(const store_op *a, const store_op *b) {
  return a && a->expected == b->expected && a->key.size == b->key.size && memcmp(a->key.data, b->key.data, b->key.size) == 0;
}

/* A record was written that one of them may be about. */
static void forget_checks(held_checks *held, const store_op *op) { *place_of_check(held, op) = NULL; }

/* What the processor will need soon lies where the workers wrote it, in another one's cache. */
static void fetch_soon(const lmdb_store *s, size_t i, size_t ops) {
  if (i + FETCH_AHEAD < ops) __builtin_prefetch(s->order[i + FETCH_AHEAD].op->value.data);
}

/* Writes all of them, or stains the transaction. */
static int write_by_key(writer *w, store_batch *batches, size_t n, size_t ops) {
  held_checks held = {0};
  const store_op *op = NULL;
  bool lost = false;
  int rc = 0;
  order_ops(w->store, batches, n);
  for (size_t i = 0; i < ops && !rc && !lost; i++) {
    op = w->store->order[i].op;
    fetch_soon(w->store, i, ops);
    const store_op **same = op->kind == STORE_CHECK ? place_of_check(&held, op) : NULL;
    if (same && same_check(*same, op)) continue;
    rc = apply_op(w->store, w->cursor, op, &lost, &w->wrote);
    if (same) *same = op;
    else forget_checks(&held, op);
  }
  if (rc) return rc;
  for (size_t i = 0; i < n; i++) batches[i].status = 0;
  if (lost && n == 1) lose(batches, (size_t)(op - batches->ops));
  w->stained = lost;
  w->any_won = true;
  return 0;
}

/* The loss of a wary batch says nothing of the others: with several processes at work some acquisition loses in most groups,
 * and what the workers have made hardly ever does. Nor does that of a batch that came alone, as those do that are about the
 * process itself. */
static int write_batches(writer *w, store_batch *batches, size_t n) {
  lmdb_store *s = w->store;
  bool calm = !w->careful && s->losses == 0, lost = false;
  int rc = 0;
  for (size_t i = 0, run = 1; i < n && !rc && !w->stained; i += run) {
    size_t ops = 0;
    run = calm ? run_length(&batches[i], n - i, &ops) : 1;
    if (run > 0 && (run > 1 || ops >= OPS_BY_KIND_MIN) && order_room(s, ops)) {
      rc = write_by_key(w, &batches[i], run, ops);
    } else {
      run = 1;
      rc = write_batch(w, &batches[i]);
      lost = lost || (batches[i].status != 0 && !batches[i].wary);
    }
  }
  if (n > 1 && (lost || w->stained)) s->losses = GROUPS_AFTER_LOSS;
  else if (n > 1 && s->losses > 0) s->losses--;
  return rc;
}

/* ---- The transaction ------------------------------------------------------------------------- */

int lmdb_begin_write(lmdb_store *s, MDB_txn **txn) {
  int rc = mdb_txn_begin(s->env, NULL, 0, txn);
  if (rc) return rc;
  rc = lmdb_cover_map(s);
  if (rc) mdb_txn_abort(*txn);
  return rc;
}

/* Ends the write transaction for good. s->commit_counts knows of it before others can see it, so it
 * is never taken for a foreign one. */
static int end_write(lmdb_store *s, MDB_txn *txn, bool wrote) {
  bool look = ++s->commits >= COMMITS_PER_READER_CHECK;
  if (look) s->commits = 0;
  if (wrote) commit_counts_begin(&s->commit_counts, mdb_txn_id(txn));
  errno = 0;
  int rc = mdb_txn_commit(txn);
  if (rc == EIO && errno == 0) rc = ENOSPC; /* no call failed: a write came out short, which LMDB calls EIO */
  if (wrote) commit_counts_end(&s->commit_counts, !rc);
  /* After a failed sync the kernel may have dropped what it could not write: a second try would only seem to succeed. When
   * LMDB could not write its head, it refuses everything from then on. */
  if (rc == EIO || rc == MDB_PANIC) atomic_store(&s->failed, true);
  int dead;
  if (look) mdb_reader_check(s->env, &dead); /* a failure here is for the next look */
  return rc;
}

static int write_group(lmdb_store *s, MDB_txn *txn, store_group *group, writer *w, orr_error *err) {
  w->refused = store_group_gather(group, err);
  if (w->refused != 0) return 0;
  int rc = mdb_cursor_open(txn, s->records, &w->cursor);
  if (rc) return rc;
  rc = write_batches(w, group->batches, group->count);
  mdb_cursor_close(w->cursor);
  return rc;
}

typedef struct write_call {
  lmdb_store *store;
  MDB_txn *txn; /* NULL once it has ended */
  store_group *group;
  writer *writer;
  orr_error *err;
} write_call;

static int call_write(void *ud) {
  write_call *k = ud;
  writer *w = k->writer;
  int rc = write_group(k->store, k->txn, k->group, w, k->err);
  if (rc || !w->any_won || w->stained) return rc;
  rc = end_write(k->store, k->txn, w->wrote);
  k->txn = NULL;
  w->doubtful = rc == EIO || rc == MDB_PANIC;
  return rc;
}

/* After damage the environment is in doubt: LMDB was left in the middle of changing its own lists. */
static int attempt_alone(lmdb_store *s, store_group *group, writer *w, orr_error *err) {
  write_call k = {.store = s, .group = group, .writer = w, .err = err};
  int rc = lmdb_begin_write(s, &k.txn);
  if (rc) return rc;
  rc = lmdb_protect(call_write, &k);
  if (k.txn) mdb_txn_abort(k.txn);
  if (rc == DATA_DAMAGED) atomic_store(&s->failed, true);
  return rc;
}

/* LMDB's lock is free again before its commit returns. So the threads of this process take a lock of their own, which is
 * held until s->commit_counts knows of the commit: else the next one would begin there before this one has ended. */
static int attempt(lmdb_store *s, store_group *group, writer *w, orr_error *err) {
  w->refused = lmdb_take_turn(s, err);
  if (w->refused != 0) return 0;
  int rc = attempt_alone(s, group, w, err);
  lmdb_end_turn(s);
  return rc;
}

int lmdb_commit(store *base, store_group *group, orr_error *err) {
  lmdb_store *s = (lmdb_store *)base;
  bool careful = false;
  for (;;) {
    int rc = lmdb_check_usable(s, err);
    if (rc) return rc;
    writer w = {.store = s, .careful = careful};
    map_reader reader;
    map_lock_add(&s->map_lock, &reader);
    map_lock_share(&s->map_lock, &reader);
    size_t map_size = s->map_size;
    rc = attempt(s, group, &w, err);
    map_lock_remove(&s->map_lock, &reader);
    if (w.refused != 0) return w.refused;
    if (!rc && (!w.stained || group->count == 1)) return 0;
    careful = careful || w.stained;
    if (rc == MDB_MAP_FULL) {
      rc = lmdb_grow_map(s, map_size, err);
    } else if (rc == MDB_MAP_RESIZED) {
      rc = lmdb_adopt_map(s, err);
    } else if (rc) {
      rc = lmdb_fail(s, rc, "committing", err);
      if (w.doubtful) (void)error_mark(err, STORE_IN_DOUBT);
    }
    if (rc) return rc;
  }
}

