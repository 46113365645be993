/* The store on disk.
 *
 * Design
 * - One environment, never MDB_WRITEMAP: a stray write of the host cannot reach the file, and a full disk is an error,
 *   not a signal.
 * - MDB_NOTLS: a snapshot belongs to a handle, not to a thread, so work may move between threads.
 * - A commit keeps one write cursor. It first tries each op with its comparison in one descent of the tree; only when a
 *   batch loses
 *   after it has changed something, the transaction is thrown away and done again, checking each whole batch before
 *     applying it.
 * - The map grows when it is full: the transaction is aborted, the gate closed (no transaction of this process is open
 *   then), the map
 *   moved, and the batches start again.
 * - The file is as long as the map (a sparse file: it takes only the blocks that were written). LMDB alone may leave it a
 *   little
 *   shorter than its meta pages say, which could not be told from a truncated one, and reading a truncated one is SIGBUS. */
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb_internal.h"
#include "store/range.h"

#define COMMITS_PER_READER_CHECK 64 /* a killed reader keeps pages from being reused until it is noticed */

typedef struct lmdb_cursor lmdb_cursor;

typedef struct lmdb_snapshot {
  store_snapshot base;
  lmdb_store *owner;
  MDB_txn *txn; /* NULL until first used; reset while released */
  gate_pass pass;
  lmdb_cursor *spare; /* closed cursors, to be used again */
} lmdb_snapshot;

struct lmdb_cursor {
  store_cursor base;
  lmdb_snapshot *snapshot;
  lmdb_cursor *next_spare;
  MDB_cursor *cursor;
  bool backwards;
  int first; /* what the seek answered; the first store_next gives it out */
  bool started;
  MDB_val key, value;
  size_t prefix_size;
  unsigned char prefix[STORE_KEY_MAX];
};

/* ---- Failures -------------------------------------------------------------------------------- */

static int error_code(int rc) {
  switch (rc) {
    case MDB_MAP_FULL:
    case MDB_TXN_FULL:
    case MDB_READERS_FULL: return ORR_E_LIMIT;
    case ENOMEM: return ORR_E_MEMORY;
    default: return ORR_E_STORE;
  }
}

static _Thread_local char assertion[160]; /* what LMDB found broken, of this thread's last DATA_DAMAGED */

static const char *failure_text(int rc) {
  switch (rc) {
    case DATA_REMOVED: return "its data.mdb was removed or replaced while it was open";
    case DATA_CUT: return "its data.mdb was cut while it was open";
    case DATA_DAMAGED: return assertion;
    default: return mdb_strerror(rc);
  }
}

int lmdb_fail(const lmdb_store *s, int rc, const char *doing, orr_error *err) {
  return error_set(err, error_code(rc), "%s in %s: %s", doing, s->path, failure_text(rc));
}

/* Where a page is damaged LMDB asserts, and would end the process. Instead its call is left where it is: nothing of a reader's
 * but its cursor is in the middle of a change then, and a writer throws its transaction away. A page whose damage leads
 * outside of the map is a signal, which nothing here can catch: opening looks for such pages first, but for the leaves of a
 * large store. */
static _Thread_local jmp_buf *protected;

void lmdb_assertion_failed(MDB_env *env, const char *text) {
  (void)env;
  if (!protected) return; /* LMDB aborts */
  snprintf(assertion, sizeof assertion, "a page is damaged (%s)", text);
  longjmp(*protected, 1);
}

int lmdb_protect(int (*call)(void *ud), void *ud) {
  jmp_buf here, *outer = protected;
  protected = &here;
  int rc = _setjmp(here) ? DATA_DAMAGED : call(ud);
  protected = outer;
  return rc;
}

int lmdb_check_usable(const lmdb_store *s, orr_error *err) {
  if (guard_forked(&s->fork))
    return error_set(err, ORR_E_STATE, "the store %s belongs to the process that forked this one", s->path);
  if (!atomic_load_explicit(&s->failed, memory_order_relaxed)) return 0;
  return error_set(err, ORR_E_STORE, "the store %s failed before; it has to be opened again", s->path);
}

/* ---- Snapshots ------------------------------------------------------------------------------- */

static void lmdb_snapshot_release(store_snapshot *base) {
  lmdb_snapshot *snapshot = (lmdb_snapshot *)base;
  if (!gate_inside(&snapshot->pass) || guard_forked(&snapshot->owner->fork)) return;
  mdb_txn_reset(snapshot->txn);
  gate_leave(&snapshot->owner->gate, &snapshot->pass);
}

static int begin_read(lmdb_snapshot *snapshot) {
  if (snapshot->txn) return mdb_txn_renew(snapshot->txn);
  MDB_env *env = snapshot->owner->env;
  int rc = mdb_txn_begin(env, NULL, MDB_RDONLY, &snapshot->txn);
  int dead = 0;
  if (rc == MDB_READERS_FULL && mdb_reader_check(env, &dead) == 0 && dead > 0)
    rc = mdb_txn_begin(env, NULL, MDB_RDONLY, &snapshot->txn);
  if (rc) snapshot->txn = NULL;
  return rc;
}

static int lmdb_snapshot_renew(store_snapshot *base, orr_error *err) {
  lmdb_snapshot *snapshot = (lmdb_snapshot *)base;
  lmdb_store *s = snapshot->owner;
  int rc = lmdb_check_usable(s, err);
  if (rc) return rc;
  lmdb_snapshot_release(base);
  for (;;) {
    gate_enter(&s->gate, &snapshot->pass);
    rc = begin_read(snapshot);
    if (!rc) return 0;
    gate_leave(&s->gate, &snapshot->pass);
    if (rc != MDB_MAP_RESIZED) return lmdb_fail(s, rc, "opening a snapshot", err);
    rc = lmdb_adopt_map(s, err);
    if (rc) return rc;
  }
}

static void lmdb_snapshot_close(store_snapshot *base) {
  lmdb_snapshot *snapshot = (lmdb_snapshot *)base;
  lmdb_store *s = snapshot->owner;
  bool forked = guard_forked(&s->fork); /* then LMDB's own memory is left alone */
  for (lmdb_cursor *c = snapshot->spare; c;) {
    lmdb_cursor *next = c->next_spare;
    if (!forked) mdb_cursor_close(c->cursor);
    env_free(&s->allocator, c, sizeof *c);
    c = next;
  }
  if (!forked && snapshot->txn) mdb_txn_abort(snapshot->txn);
  if (!forked) gate_remove(&s->gate, &snapshot->pass);
  env_free(&s->allocator, snapshot, sizeof *snapshot);
}

static int lmdb_snapshot_open(store *base, store_snapshot **out, orr_error *err) {
  lmdb_store *s = (lmdb_store *)base;
  int rc = lmdb_check_usable(s, err);
  if (rc) return rc;
  lmdb_snapshot *snapshot = env_zalloc(&s->allocator, sizeof *snapshot);
  if (!snapshot) return error_memory(err);
  snapshot->base.methods = base->methods;
  snapshot->owner = s;
  gate_add(&s->gate, &snapshot->pass);
  rc = lmdb_snapshot_renew(&snapshot->base, err);
  if (!rc) {
    *out = &snapshot->base;
  } else {
    lmdb_snapshot_close(&snapshot->base);
  }
  return rc;
}

static int check_readable(const lmdb_snapshot *snapshot, orr_error *err) {
  if (!gate_inside(&snapshot->pass)) return error_set(err, ORR_E_STATE, "the snapshot was released");
  return guard_forked(&snapshot->owner->fork) ? lmdb_check_usable(snapshot->owner, err) : 0;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static MDB_val to_val(store_bytes bytes) { return (MDB_val){.mv_size = bytes.size, .mv_data = (void *)(uintptr_t)bytes.data}; }
static store_bytes to_bytes(MDB_val val) { return (store_bytes){val.mv_data, val.mv_size}; }

typedef struct get_call {
  MDB_txn *txn;
  MDB_dbi records;
  MDB_val key, value;
} get_call;

static int call_get(void *ud) {
  get_call *g = ud;
  return mdb_get(g->txn, g->records, &g->key, &g->value);
}

static int lmdb_get(store_snapshot *base, store_bytes key, store_bytes *value, orr_error *err) {
  lmdb_snapshot *snapshot = (lmdb_snapshot *)base;
  int rc = check_readable(snapshot, err);
  if (rc) return rc;
  get_call g = {.txn = snapshot->txn, .records = snapshot->owner->records, .key = to_val(key)};
  rc = lmdb_protect(call_get, &g);
  if (rc == MDB_NOTFOUND) return ORR_E_NOT_FOUND;
  if (rc) return lmdb_fail(snapshot->owner, rc, "reading", err);
  *value = to_bytes(g.value);
  return 0;
}

static int seek_unprotected(lmdb_cursor *c, const range_start *start) {
  c->key = (MDB_val){.mv_size = start->size, .mv_data = (void *)(uintptr_t)start->key};
  if (start->seek == RANGE_LAST) return mdb_cursor_get(c->cursor, &c->key, &c->value, MDB_LAST);
  bool forwards = start->seek == RANGE_AT_OR_AFTER;
  int rc = mdb_cursor_get(c->cursor, &c->key, &c->value, start->size > 0 ? MDB_SET_RANGE : MDB_FIRST);
  if (forwards) return rc;
  if (rc == MDB_NOTFOUND) return mdb_cursor_get(c->cursor, &c->key, &c->value, MDB_LAST);
  if (rc) return rc;
  bool same = c->key.mv_size == start->size && memcmp(c->key.mv_data, start->key, start->size) == 0;
  if (same && start->seek == RANGE_AT_OR_BEFORE) return 0;
  return mdb_cursor_get(c->cursor, &c->key, &c->value, MDB_PREV);
}

typedef struct seek_call {
  lmdb_cursor *cursor;
  range_start start;
} seek_call;

static int call_seek(void *ud) {
  const seek_call *k = ud;
  return seek_unprotected(k->cursor, &k->start);
}

static int call_cursor_next(void *ud) {
  lmdb_cursor *c = ud;
  return mdb_cursor_get(c->cursor, &c->key, &c->value, c->backwards ? MDB_PREV : MDB_NEXT);
}

static lmdb_cursor *take_cursor(lmdb_snapshot *snapshot, int *rc) {
  lmdb_cursor *c = snapshot->spare;
  if (c) {
    *rc = mdb_cursor_renew(snapshot->txn, c->cursor);
    if (!*rc) snapshot->spare = c->next_spare;
    return *rc ? NULL : c;
  }
  c = env_zalloc(&snapshot->owner->allocator, sizeof *c);
  *rc = c == NULL ? ENOMEM : mdb_cursor_open(snapshot->txn, snapshot->owner->records, &c->cursor);
  if (!*rc) return c;
  env_free(&snapshot->owner->allocator, c, sizeof *c);
  return NULL;
}

static int lmdb_scan(store_snapshot *base, const store_range *range, store_cursor **out, orr_error *err) {
  lmdb_snapshot *snapshot = (lmdb_snapshot *)base;
  int rc = check_readable(snapshot, err);
  if (rc) return rc;
  lmdb_cursor *c = take_cursor(snapshot, &rc);
  if (!c) return lmdb_fail(snapshot->owner, rc, "opening a cursor", err);
  c->base.methods = base->methods;
  c->snapshot = snapshot;
  c->backwards = range->backwards;
  c->started = false;
  c->prefix_size = range->prefix.size;
  if (range->prefix.size > 0) memcpy(c->prefix, range->prefix.data, range->prefix.size);
  seek_call k = {.cursor = c};
  range_begin(range, &k.start);
  c->first = lmdb_protect(call_seek, &k);
  *out = &c->base;
  return 0;
}

static int lmdb_next(store_cursor *base, store_bytes *key, store_bytes *value, orr_error *err) {
  lmdb_cursor *c = (lmdb_cursor *)base;
  int rc = check_readable(c->snapshot, err);
  if (rc) return rc;
  rc = c->first;
  if (c->started) rc = lmdb_protect(call_cursor_next, c);
  c->started = true;
  if (rc == MDB_NOTFOUND) return ORR_E_NOT_FOUND;
  if (rc) return lmdb_fail(c->snapshot->owner, rc, "scanning", err);
  if (!range_has_prefix(to_bytes(c->key), (store_bytes){c->prefix, c->prefix_size})) {
    c->started = false; /* asked again, the answer is the same */
    c->first = MDB_NOTFOUND;
    return ORR_E_NOT_FOUND;
  }
  *key = to_bytes(c->key);
  *value = to_bytes(c->value);
  return 0;
}

static void lmdb_cursor_close(store_cursor *base) {
  lmdb_cursor *c = (lmdb_cursor *)base;
  c->next_spare = c->snapshot->spare;
  c->snapshot->spare = c;
}

/* ---- Pages ----------------------------------------------------------------------------------- */

/* In a map of its own, since LMDB does not say where its is. */
int lmdb_check_image(const lmdb_store *s, MDB_txn *txn, pages_depth depth, const pages_listener *told, uint64_t *unsafe,
                     orr_error *err) {
  mdb_filehandle_t file;
  struct stat status;
  int rc = mdb_env_get_fd(s->env, &file);
  if (!rc && fstat(file, &status) != 0) rc = errno;
  if (rc) return lmdb_fail(s, rc, "checking pages", err);
  size_t size = (size_t)status.st_size;
  void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
  if (map == MAP_FAILED) return lmdb_fail(s, errno, "checking pages", err);
  pages_image image = {.map = map, .size = size, .transaction = mdb_txn_id(txn), .inner_max = STORE_CHECKED_INNER};
  rc = pages_check(&s->allocator, &image, depth, told, unsafe, err);
  munmap(map, size);
  return rc;
}

#define PAGE_CHECKS_MAX 10 /* writers that take the meta page away again and again */

static int lmdb_check_pages(store_snapshot *base, void (*finding)(void *, const char *), void *ud, bool *unsafe,
                            orr_error *err) {
  lmdb_snapshot *snapshot = (lmdb_snapshot *)base;
  pages_listener told = {ud, finding};
  uint64_t count = 0;
  int rc = check_readable(snapshot, err);
  if (!rc) rc = lmdb_check_image(snapshot->owner, snapshot->txn, PAGES_ALL, &told, &count, err);
  for (int i = 0; rc == ORR_E_CONFLICT && i < PAGE_CHECKS_MAX; i++) {
    if (err) orr_error_clear(err);
    rc = lmdb_snapshot_renew(base, err);
    if (!rc) rc = lmdb_check_image(snapshot->owner, snapshot->txn, PAGES_ALL, &told, &count, err);
  }
  *unsafe = count > 0;
  return rc;
}

/* ---- Committing ------------------------------------------------------------------------------ */

static int compare_count(MDB_cursor *cursor, const store_op *op, bool *lost) {
  MDB_val key = to_val(op->key), value;
  uint32_t count = 0;
  int rc = mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE);
  while (!rc && range_has_prefix(to_bytes(key), op->key) && count <= op->expected) {
    count++;
    rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT);
  }
  *lost = count != op->expected;
  return rc == MDB_NOTFOUND ? 0 : rc;
}

/* Puts the cursor on the op's key; *lost tells that the key is not as the op expects it. */
static int compare(MDB_cursor *cursor, const store_op *op, bool *found, bool *lost) {
  MDB_val key = to_val(op->key), value;
  *found = false;
  if (op->kind == STORE_COUNT) return compare_count(cursor, op, lost);
  int rc = mdb_cursor_get(cursor, &key, &value, MDB_SET_KEY);
  if (rc && rc != MDB_NOTFOUND) return rc;
  *found = !rc;
  if (op->expected == STORE_ABSENT) {
    *lost = *found;
  } else if (op->expected != STORE_ANY_REVISION) {
    *lost = !*found || store_revision(to_bytes(value)) != op->expected;
  }
  return 0;
}

static int lmdb_put(MDB_cursor *cursor, const store_op *op, bool *lost) {
  MDB_val key = to_val(op->key), value = to_val(op->value);
  unsigned flags = 0;
  if (op->expected == STORE_ABSENT) {
    flags = MDB_NOOVERWRITE;
  } else if (op->expected != STORE_ANY_REVISION) {
    bool found;
    int rc = compare(cursor, op, &found, lost);
    if (rc || *lost) return rc;
    flags = MDB_CURRENT; /* no second descent */
  }
  int rc = mdb_cursor_put(cursor, &key, &value, flags);
  if (rc != MDB_KEYEXIST) return rc;
  *lost = true;
  return 0;
}

/* Sets *wrote when something was changed. */
static int apply_op(MDB_cursor *cursor, const store_op *op, bool *lost, bool *wrote) {
  if (op->kind == STORE_PUT) {
    int rc = lmdb_put(cursor, op, lost);
    *wrote = *wrote || (!rc && !*lost);
    return rc;
  }
  bool changes = op->kind == STORE_DELETE;
  if (!changes && op->expected == STORE_ANY_REVISION) return 0;
  bool found;
  int rc = compare(cursor, op, &found, lost);
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
  MDB_cursor *cursor;
  bool careful;  /* look at all of every batch before changing anything */
  bool stained;  /* a lost batch left changes: nothing of this transaction may stay */
  bool any_won;
  bool wrote;    /* something was changed; LMDB does not count a transaction that changes nothing */
  int refused;   /* the batches are not fit to be written: an ORR_E_* code */
} writer;

static int check_batch(writer *w, store_batch *batch) {
  for (size_t i = 0; i < batch->count; i++) {
    bool found, lost = false;
    if (batch->ops[i].expected == STORE_ANY_REVISION) continue;
    int rc = compare(w->cursor, &batch->ops[i], &found, &lost);
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
    int rc = apply_op(w->cursor, &op, &lost, &changed);
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

int lmdb_begin_write(lmdb_store *s, MDB_txn **txn) {
  int rc = mdb_txn_begin(s->env, NULL, 0, txn);
  if (rc) return rc;
  rc = lmdb_cover_map(s);
  if (rc) mdb_txn_abort(*txn);
  return rc;
}

/* Ends the write transaction for good. The ledger knows of it before it can be seen, so that it is never taken for a foreign
 * one. */
static int end_write(lmdb_store *s, MDB_txn *txn, bool wrote) {
  bool look = ++s->commits >= COMMITS_PER_READER_CHECK;
  if (look) s->commits = 0;
  if (wrote) ledger_begin(&s->own, mdb_txn_id(txn));
  errno = 0;
  int rc = mdb_txn_commit(txn);
  if (rc == EIO && errno == 0) rc = ENOSPC; /* no call failed: a write came out short, which LMDB calls EIO */
  if (wrote) ledger_end(&s->own, !rc);
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
  for (size_t i = 0; i < group->count && !rc && !w->stained; i++) rc = write_batch(w, &group->batches[i]);
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
  const writer *w = k->writer;
  int rc = write_group(k->store, k->txn, k->group, k->writer, k->err);
  if (rc || !w->any_won || w->stained) return rc;
  rc = end_write(k->store, k->txn, w->wrote);
  k->txn = NULL;
  return rc;
}

/* After damage the environment is in doubt: LMDB was left in the middle of changing its own lists. */
static int attempt(lmdb_store *s, store_group *group, writer *w, orr_error *err) {
  write_call k = {.store = s, .group = group, .writer = w, .err = err};
  int rc = lmdb_begin_write(s, &k.txn);
  if (rc) return rc;
  rc = lmdb_protect(call_write, &k);
  if (k.txn) mdb_txn_abort(k.txn);
  if (rc == DATA_DAMAGED) atomic_store(&s->failed, true);
  return rc;
}

static int lmdb_commit(store *base, store_group *group, orr_error *err) {
  lmdb_store *s = (lmdb_store *)base;
  bool careful = false;
  for (;;) {
    int rc = lmdb_check_usable(s, err);
    if (rc) return rc;
    writer w = {.careful = careful};
    gate_pass pass;
    gate_add(&s->gate, &pass);
    gate_enter(&s->gate, &pass);
    size_t map_size = s->map_size;
    rc = attempt(s, group, &w, err);
    gate_remove(&s->gate, &pass);
    if (w.refused != 0) return w.refused;
    if (!rc && (!w.stained || group->count == 1)) return 0;
    careful = careful || w.stained;
    if (rc == MDB_MAP_FULL) {
      rc = lmdb_grow_map(s, map_size, err);
    } else if (rc == MDB_MAP_RESIZED) {
      rc = lmdb_adopt_map(s, err);
    } else if (rc) {
      rc = lmdb_fail(s, rc, "committing", err);
    }
    if (rc) return rc;
  }
}

/* ---- Facts ----------------------------------------------------------------------------------- */

/* What a view that is opened now would see. The number in the file's head (mdb_env_info) is ahead of it for as long as
 * another process's commit waits for the disk: who counted by that would take a commit for known that no view had shown
 * yet. */
static uint64_t lmdb_changed(store *base) {
  store_snapshot *snapshot = NULL;
  if (lmdb_snapshot_open(base, &snapshot, NULL) != 0) return 0;
  uint64_t seen = mdb_txn_id(((lmdb_snapshot *)snapshot)->txn);
  lmdb_snapshot_close(snapshot);
  return seen;
}

static uint64_t lmdb_foreign(store *base) {
  lmdb_store *s = (lmdb_store *)base;
  /* in this order: an own commit in between makes it less, not more */
  uint64_t all = lmdb_changed(base), own = ledger_own(&s->own);
  return all > own ? all - own : 0;
}

static uint64_t lmdb_foreign_seen(store_snapshot *base) {
  const lmdb_snapshot *snapshot = (const lmdb_snapshot *)base;
  return ledger_foreign(&snapshot->owner->own, mdb_txn_id(snapshot->txn));
}

static int lmdb_stats(store *base, store_stats *out, orr_error *err) {
  lmdb_store *s = (lmdb_store *)base;
  store_snapshot *snapshot = NULL;
  int rc = lmdb_snapshot_open(base, &snapshot, err);
  if (rc) return rc;
  MDB_envinfo info;
  MDB_stat entries;
  rc = mdb_env_info(s->env, &info);
  if (!rc) rc = mdb_stat(((lmdb_snapshot *)snapshot)->txn, s->records, &entries);
  lmdb_snapshot_close(snapshot);
  if (rc) return lmdb_fail(s, rc, "reading statistics", err);
  *out = (store_stats){
    .bytes_used = (info.me_last_pgno + 1) * (uint64_t)entries.ms_psize,
    .bytes_mapped = info.me_mapsize,
    .commits = info.me_last_txnid,
    .entries = entries.ms_entries,
  };
  return 0;
}

static const char *lmdb_path(const store *base) { return ((const lmdb_store *)base)->path; }

const store_methods lmdb_methods = {
  .close = lmdb_close,
  .path = lmdb_path,
  .snapshot_open = lmdb_snapshot_open,
  .snapshot_renew = lmdb_snapshot_renew,
  .snapshot_release = lmdb_snapshot_release,
  .snapshot_close = lmdb_snapshot_close,
  .get = lmdb_get,
  .scan = lmdb_scan,
  .next = lmdb_next,
  .cursor_close = lmdb_cursor_close,
  .commit = lmdb_commit,
  .changed = lmdb_changed,
  .foreign = lmdb_foreign,
  .foreign_seen = lmdb_foreign_seen,
  .stats = lmdb_stats,
  .check_pages = lmdb_check_pages,
  .readers = lmdb_readers,
  .copy = lmdb_copy,
};
