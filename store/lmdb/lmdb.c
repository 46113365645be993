/* The store on disk.
 *
 * Design
 * - One environment, never MDB_WRITEMAP: a stray write of the host cannot reach the file, and a full disk is an error,
 *   not a signal.
 * - MDB_NOTLS: a snapshot belongs to a handle, not to a thread, so work may move between threads.
 * - The map grows when it is full: the transaction is aborted, the map lock taken (no transaction of this process is open
 *   then), the map moved, and the batches start again.
 * - The file is as long as the map (a sparse file: it takes only the blocks that were written). LMDB alone may leave it a
 *   little shorter than its meta pages say, which could not be told from a truncated one, and reading a truncated one is
 *   SIGBUS. */
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb/lmdb_internal.h"
#include "store/range.h"

typedef struct lmdb_cursor lmdb_cursor;

typedef struct lmdb_snapshot {
  store_snapshot base;
  lmdb_store *owner;
  MDB_txn *txn; /* NULL until first used; reset while released */
  map_reader reader;
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

/* ---- Leaves of a large store ----------------------------------------------------------------- */

int lmdb_read(lmdb_store *s, MDB_cursor *cursor, MDB_val *key, MDB_val *value, MDB_cursor_op op) {
  int rc = mdb_cursor_get(cursor, key, value, op);
  if (rc || !s->leaves.sound) return rc;
  char why[LEAF_FINDING_BYTES];
  if (leaf_check_key(&s->leaves, s->map, s->map_size, key->mv_data, why)) return 0;
  snprintf(assertion, sizeof assertion, "a page is damaged (%.100s)", why);
  return DATA_DAMAGED;
}

int lmdb_read_from(lmdb_store *s, MDB_cursor *cursor, MDB_val *key, MDB_val *value) {
  int rc = lmdb_read(s, cursor, key, value, key->mv_size > 0 ? MDB_SET_RANGE : MDB_FIRST);
  if (!s->leaves.sound || (rc && rc != MDB_NOTFOUND)) return rc;
  MDB_val before, its_value;
  int side = lmdb_read(s, cursor, &before, &its_value, rc ? MDB_LAST : MDB_PREV);
  if (side && side != MDB_NOTFOUND) return side;
  if (rc) return rc;
  return lmdb_read(s, cursor, key, value, side ? MDB_FIRST : MDB_NEXT);
}

int lmdb_check_usable(const lmdb_store *s, orr_error *err) {
  if (fork_check_in_child(&s->fork))
    return error_set(err, ORR_E_STATE, "the store %s belongs to the process that forked this one", s->path);
  if (!atomic_load_explicit(&s->failed, memory_order_relaxed)) return 0;
  return error_set(err, ORR_E_STORE, "the store %s failed before; it has to be opened again", s->path);
}

/* ---- Snapshots ------------------------------------------------------------------------------- */

static void lmdb_snapshot_release(store_snapshot *base) {
  lmdb_snapshot *snapshot = (lmdb_snapshot *)base;
  if (!map_lock_held(&snapshot->reader) || fork_check_in_child(&snapshot->owner->fork)) return;
  mdb_txn_reset(snapshot->txn);
  map_lock_leave(&snapshot->owner->map_lock, &snapshot->reader);
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
    map_lock_share(&s->map_lock, &snapshot->reader);
    rc = begin_read(snapshot);
    if (!rc) return 0;
    map_lock_leave(&s->map_lock, &snapshot->reader);
    if (rc != MDB_MAP_RESIZED) return lmdb_fail(s, rc, "opening a snapshot", err);
    rc = lmdb_adopt_map(s, err);
    if (rc) return rc;
  }
}

static void lmdb_snapshot_close(store_snapshot *base) {
  lmdb_snapshot *snapshot = (lmdb_snapshot *)base;
  lmdb_store *s = snapshot->owner;
  bool forked = fork_check_in_child(&s->fork); /* then LMDB's own memory is left alone */
  for (lmdb_cursor *c = snapshot->spare; c;) {
    lmdb_cursor *next = c->next_spare;
    if (!forked) mdb_cursor_close(c->cursor);
    env_free(&s->allocator, c, sizeof *c);
    c = next;
  }
  if (!forked && snapshot->txn) mdb_txn_abort(snapshot->txn);
  if (!forked) map_lock_remove(&s->map_lock, &snapshot->reader);
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
  map_lock_add(&s->map_lock, &snapshot->reader);
  rc = lmdb_snapshot_renew(&snapshot->base, err);
  if (!rc) {
    *out = &snapshot->base;
  } else {
    lmdb_snapshot_close(&snapshot->base);
  }
  return rc;
}

static int check_readable(const lmdb_snapshot *snapshot, orr_error *err) {
  if (!map_lock_held(&snapshot->reader)) return error_set(err, ORR_E_STATE, "the snapshot was released");
  return fork_check_in_child(&snapshot->owner->fork) ? lmdb_check_usable(snapshot->owner, err) : 0;
}

/* ---- Reading --------------------------------------------------------------------------------- */

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

typedef struct get_call {
  MDB_txn *txn;
  lmdb_store *store;
  lmdb_cursor *cursor; /* of a large store */
  MDB_val key, value;
} get_call;

/* What is not found where it belongs is not there, if the leaves on both sides are sound. */
static int get_checked(lmdb_store *s, MDB_cursor *cursor, const MDB_val *key, MDB_val *value) {
  MDB_val found = *key;
  int rc = lmdb_read(s, cursor, &found, value, MDB_SET_RANGE);
  if (rc && rc != MDB_NOTFOUND) return rc;
  if (!rc && found.mv_size == key->mv_size && memcmp(found.mv_data, key->mv_data, key->mv_size) == 0)
    return 0;
  found = *key;
  rc = lmdb_read_from(s, cursor, &found, value);
  return rc ? rc : MDB_NOTFOUND;
}

static int call_get(void *ud) {
  get_call *g = ud;
  if (!g->cursor) return mdb_get(g->txn, g->store->records, &g->key, &g->value);
  return get_checked(g->store, g->cursor->cursor, &g->key, &g->value);
}

static void give_cursor(lmdb_snapshot *snapshot, lmdb_cursor *c) {
  c->next_spare = snapshot->spare;
  snapshot->spare = c;
}

static int lmdb_get(store_snapshot *base, store_bytes key, store_bytes *value, orr_error *err) {
  lmdb_snapshot *snapshot = (lmdb_snapshot *)base;
  int rc = check_readable(snapshot, err);
  if (rc) return rc;
  get_call g = {.txn = snapshot->txn, .store = snapshot->owner, .key = lmdb_val(key)};
  if (snapshot->owner->leaves.sound) g.cursor = take_cursor(snapshot, &rc);
  if (!rc) rc = lmdb_protect(call_get, &g);
  if (g.cursor) give_cursor(snapshot, g.cursor);
  if (rc == MDB_NOTFOUND) return ORR_E_NOT_FOUND;
  if (rc) return lmdb_fail(snapshot->owner, rc, "reading", err);
  *value = lmdb_bytes(g.value);
  return 0;
}

static int seek_unprotected(lmdb_cursor *c, const range_start *start) {
  c->key = (MDB_val){.mv_size = start->size, .mv_data = (void *)(uintptr_t)start->key};
  lmdb_store *s = c->snapshot->owner;
  if (start->seek == RANGE_LAST) return lmdb_read(s, c->cursor, &c->key, &c->value, MDB_LAST);
  bool forwards = start->seek == RANGE_AT_OR_AFTER;
  int rc = lmdb_read_from(s, c->cursor, &c->key, &c->value);
  if (forwards) return rc;
  if (rc == MDB_NOTFOUND) return lmdb_read(s, c->cursor, &c->key, &c->value, MDB_LAST);
  if (rc) return rc;
  bool same = c->key.mv_size == start->size && memcmp(c->key.mv_data, start->key, start->size) == 0;
  if (same && start->seek == RANGE_AT_OR_BEFORE) return 0;
  return lmdb_read(s, c->cursor, &c->key, &c->value, MDB_PREV);
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
  lmdb_store *s = c->snapshot->owner;
  return lmdb_read(s, c->cursor, &c->key, &c->value, c->backwards ? MDB_PREV : MDB_NEXT);
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
  if (!range_has_prefix(lmdb_bytes(c->key), (store_bytes){c->prefix, c->prefix_size})) {
    c->started = false; /* asked again, the answer is the same */
    c->first = MDB_NOTFOUND;
    return ORR_E_NOT_FOUND;
  }
  *key = lmdb_bytes(c->key);
  *value = lmdb_bytes(c->value);
  return 0;
}

static void lmdb_cursor_close(store_cursor *base) {
  lmdb_cursor *c = (lmdb_cursor *)base;
  give_cursor(c->snapshot, c);
}

/* ---- Pages ----------------------------------------------------------------------------------- */

/* In a map of its own, since LMDB does not say where its is. */
int lmdb_check_image(const lmdb_store *s, MDB_txn *txn, pages_depth depth, const store_page_listener *told, uint64_t *unsafe,
                     orr_error *err) {
  mdb_filehandle_t file;
  struct stat status;
  int rc = mdb_env_get_fd(s->env, &file);
  if (!rc && fstat(file, &status) != 0) rc = errno;
  if (rc) return lmdb_fail(s, rc, "checking pages", err);
  size_t size = (size_t)status.st_size;
  void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
  if (map == MAP_FAILED) return lmdb_fail(s, errno, "checking pages", err);
  /* These pages lie far apart: with each, the system would read its 32 neighbors from the disk. A failure costs just that. */
  if (depth == PAGES_INNER) (void)madvise(map, size, MADV_RANDOM);
  pages_image image = {.map = map, .size = size, .transaction = mdb_txn_id(txn), .inner_max = STORE_CHECKED_INNER};
  rc = pages_check(&s->allocator, &image, depth, told, unsafe, err);
  munmap(map, size);
  return rc;
}

#define PAGE_CHECKS_MAX 10 /* writers that take the meta page away again and again */

static int lmdb_check_pages(store_snapshot *base, const store_page_listener *told, bool *unsafe, orr_error *err) {
  lmdb_snapshot *snapshot = (lmdb_snapshot *)base;
  uint64_t count = 0;
  int rc = check_readable(snapshot, err);
  if (!rc) rc = lmdb_check_image(snapshot->owner, snapshot->txn, PAGES_ALL, told, &count, err);
  for (int i = 0; rc == ORR_E_CONFLICT && i < PAGE_CHECKS_MAX; i++) {
    if (err) orr_error_clear(err);
    rc = lmdb_snapshot_renew(base, err);
    if (!rc) rc = lmdb_check_image(snapshot->owner, snapshot->txn, PAGES_ALL, told, &count, err);
  }
  *unsafe = count > 0;
  return rc;
}

/* ---- Facts ----------------------------------------------------------------------------------- */

/* What a view that is opened now would see. The number in the file's head (mdb_env_info) is ahead of it for as long as
 * another process's commit waits for the disk: who counted by that would take a commit for known that no view had shown
 * yet. */
static uint64_t lmdb_changed(store *base) {
  store_snapshot *snapshot = NULL;
  if (lmdb_snapshot_open(base, &snapshot, NULL)) return 0;
  uint64_t seen = mdb_txn_id(((lmdb_snapshot *)snapshot)->txn);
  lmdb_snapshot_close(snapshot);
  return seen;
}

static uint64_t lmdb_foreign(store *base) {
  lmdb_store *s = (lmdb_store *)base;
  /* in this order: an own commit in between makes it less, not more */
  uint64_t all = lmdb_changed(base), own = commit_counts_own(&s->commit_counts);
  return all > own ? all - own : 0;
}

static uint64_t lmdb_foreign_seen(store_snapshot *base) {
  const lmdb_snapshot *snapshot = (const lmdb_snapshot *)base;
  return commit_counts_foreign(&snapshot->owner->commit_counts, mdb_txn_id(snapshot->txn));
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
  .ask = lmdb_ask,
  .questions_open = lmdb_questions_open,
  .questions_wait = lmdb_questions_wait,
  .questions_answer = lmdb_questions_answer,
  .questions_end = lmdb_questions_end,
  .questions_close = lmdb_questions_close,
  .stake = lmdb_stake,
  .unstake = lmdb_unstake,
  .state = lmdb_state,
};
