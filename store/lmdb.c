/* The store on disk.
 *
 * Design
 * - One environment, never MDB_WRITEMAP: a stray write of the host cannot reach the file, and a full disk is an error, not a signal.
 * - MDB_NOTLS: a snapshot belongs to a handle, not to a thread, so work may move between threads.
 * - A commit keeps one write cursor. It first tries each op with its comparison in one descent of the tree; only when a batch loses
 *   after it has changed something, the transaction is thrown away and done again, checking each whole batch before applying it.
 * - The map grows when it is full: the transaction is aborted, the gate closed (no transaction of this process is open then), the map
 *   moved, and the batches start again.
 * - The file is as long as the map (a sparse file: it takes only the blocks that were written). LMDB alone may leave it a little
 *   shorter than its meta pages say, which could not be told from a truncated one, and reading a truncated one is SIGBUS. */
#include <errno.h>
#include <lmdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/gate.h"
#include "store/guard.h"
#include "store/range.h"

#define FLAGS MDB_NOTLS
#define MAP_START ((size_t)16 * 1024 * 1024)
#define MAP_STEP_MAX ((size_t)1024 * 1024 * 1024) /* the map doubles until it grows by this */
#define READERS_MAX 1022                           /* a handle keeps its slot while released; all processes share them */
#define COMMITS_PER_READER_CHECK 64                /* a killed reader keeps pages from being reused until it is noticed */
#define FORMAT_KEY "format"
#define FORMAT_NAME "orrery"
#define RECORDS_NAME "records"

typedef struct lmdb_store {
  store base;
  orr_allocator allocator;
  char *path;
  bool temporary;      /* the directory is ours and goes when the store is closed */
  bool fixed_map;      /* the map may not grow */
  bool claimed;
  MDB_env *env;
  MDB_dbi records;
  size_t map_size;     /* changes only while the gate is closed */
  uint64_t file_size;  /* at least this long; guarded by LMDB's write lock, as is: */
  unsigned commits;    /* since stale readers were looked for */
  atomic_uint_fast64_t own; /* commits made through this handle, the one that is being made included */
  atomic_bool failed;  /* a sync failed or the map is lost: what is on disk is known only after opening again */
  gate gate;
  guard_fork fork;
  guard_claim claim;
} lmdb_store;

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

/* ---- Failures ----------------------------------------------------------------------------------------------------------- */

static int error_code(int rc) {
  switch (rc) {
    case MDB_MAP_FULL:
    case MDB_TXN_FULL:
    case MDB_READERS_FULL: return ORR_E_LIMIT;
    case ENOMEM: return ORR_E_MEMORY;
    default: return ORR_E_STORE;
  }
}

static int lmdb_fail(const lmdb_store *s, int rc, const char *doing, orr_error *err) {
  return error_set(err, error_code(rc), "%s in %s: %s", doing, s->path, mdb_strerror(rc));
}

/* Whether the environment may be touched at all. */
static int check_usable(const lmdb_store *s, orr_error *err) {
  if (guard_forked(&s->fork)) return error_set(err, ORR_E_STATE, "the store %s belongs to the process that forked this one", s->path);
  if (!atomic_load_explicit(&s->failed, memory_order_relaxed)) return 0;
  return error_set(err, ORR_E_STORE, "the store %s failed before; it has to be opened again", s->path);
}

/* ---- The map ------------------------------------------------------------------------------------------------------------ */

/* With the gate closed. `size` 0 takes over what another process set. */
static int move_map(lmdb_store *s, size_t size) {
  int rc = mdb_env_set_mapsize(s->env, size);
  /* LMDB gave the old map up before it asked for the new one: without either there is nothing left to work on. */
  if (rc && mdb_env_set_mapsize(s->env, s->map_size) != 0) atomic_store(&s->failed, true);
  MDB_envinfo info;
  if (mdb_env_info(s->env, &info) == 0) s->map_size = info.me_mapsize;
  return rc;
}

static int map_is_held(const lmdb_store *s, orr_error *err) {
  return error_set(err, ORR_E_STATE, "the map of %s must grow, but this thread holds a snapshot", s->path);
}

/* Another process has grown the store beyond this process's map. */
static int adopt_map(lmdb_store *s, orr_error *err) {
  if (!gate_close(&s->gate)) return map_is_held(s, err);
  int rc = move_map(s, 0);
  gate_open(&s->gate);
  return rc ? lmdb_fail(s, rc, "adopting a larger map", err) : 0;
}

/* After a transaction did not fit into a map of `full` bytes. */
static int grow_map(lmdb_store *s, size_t full, orr_error *err) {
  int dead = 0;
  if (mdb_reader_check(s->env, &dead) == 0 && dead > 0) return 0; /* what they kept can be used now */
  if (s->fixed_map) return error_set(err, ORR_E_LIMIT, "the store %s is full: its map is limited to %zu bytes", s->path, full);
  if (!gate_close(&s->gate)) return map_is_held(s, err);
  int rc = 0;
  if (s->map_size <= full) rc = move_map(s, full + (full < MAP_STEP_MAX ? full : MAP_STEP_MAX)); /* else another thread was faster */
  gate_open(&s->gate);
  return rc ? lmdb_fail(s, rc, "growing the map", err) : 0;
}

/* Within a write transaction, whose lock keeps other processes from doing the same. */
static int cover_map(lmdb_store *s) {
  if (s->file_size >= s->map_size) return 0;
  mdb_filehandle_t file;
  struct stat status;
  int rc = mdb_env_get_fd(s->env, &file);
  if (rc) return rc;
  if (fstat(file, &status) != 0) return errno;
  if ((uint64_t)status.st_size < s->map_size && ftruncate(file, (off_t)s->map_size) != 0) return errno;
  s->file_size = s->map_size;
  return 0;
}

/* ---- Snapshots ---------------------------------------------------------------------------------------------------------- */

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
  if (rc == MDB_READERS_FULL && mdb_reader_check(env, &dead) == 0 && dead > 0) rc = mdb_txn_begin(env, NULL, MDB_RDONLY, &snapshot->txn);
  if (rc) snapshot->txn = NULL;
  return rc;
}

static int lmdb_snapshot_renew(store_snapshot *base, orr_error *err) {
  lmdb_snapshot *snapshot = (lmdb_snapshot *)base;
  lmdb_store *s = snapshot->owner;
  int rc = check_usable(s, err);
  if (rc) return rc;
  lmdb_snapshot_release(base);
  for (;;) {
    gate_enter(&s->gate, &snapshot->pass);
    rc = begin_read(snapshot);
    if (!rc) return 0;
    gate_leave(&s->gate, &snapshot->pass);
    if (rc != MDB_MAP_RESIZED) return lmdb_fail(s, rc, "opening a snapshot", err);
    rc = adopt_map(s, err);
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
  int rc = check_usable(s, err);
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
  return guard_forked(&snapshot->owner->fork) ? check_usable(snapshot->owner, err) : 0;
}

/* ---- Reading ------------------------------------------------------------------------------------------------------------ */

static MDB_val to_val(store_bytes bytes) { return (MDB_val){.mv_size = bytes.size, .mv_data = (void *)(uintptr_t)bytes.data}; }
static store_bytes to_bytes(MDB_val val) { return (store_bytes){val.mv_data, val.mv_size}; }

static int lmdb_get(store_snapshot *base, store_bytes key, store_bytes *value, orr_error *err) {
  lmdb_snapshot *snapshot = (lmdb_snapshot *)base;
  int rc = check_readable(snapshot, err);
  if (rc) return rc;
  MDB_val name = to_val(key), found;
  rc = mdb_get(snapshot->txn, snapshot->owner->records, &name, &found);
  if (rc == MDB_NOTFOUND) return ORR_E_NOT_FOUND;
  if (rc) return lmdb_fail(snapshot->owner, rc, "reading", err);
  *value = to_bytes(found);
  return 0;
}

static int seek(lmdb_cursor *c, const range_start *start) {
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
  range_start start;
  range_begin(range, &start);
  c->first = seek(c, &start);
  *out = &c->base;
  return 0;
}

static int lmdb_next(store_cursor *base, store_bytes *key, store_bytes *value, orr_error *err) {
  lmdb_cursor *c = (lmdb_cursor *)base;
  int rc = check_readable(c->snapshot, err);
  if (rc) return rc;
  rc = c->first;
  if (c->started) rc = mdb_cursor_get(c->cursor, &c->key, &c->value, c->backwards ? MDB_PREV : MDB_NEXT);
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

/* ---- Committing --------------------------------------------------------------------------------------------------------- */

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

static int begin_write(lmdb_store *s, MDB_txn **txn) {
  int rc = mdb_txn_begin(s->env, NULL, 0, txn);
  if (rc) return rc;
  rc = cover_map(s);
  if (rc) mdb_txn_abort(*txn);
  return rc;
}

/* Ends the write transaction for good. Our own commit is counted before it can be seen, so that nobody takes it for a foreign one. */
static int end_write(lmdb_store *s, MDB_txn *txn, bool wrote) {
  bool look = ++s->commits >= COMMITS_PER_READER_CHECK;
  if (look) s->commits = 0;
  if (wrote) atomic_fetch_add(&s->own, 1);
  errno = 0;
  int rc = mdb_txn_commit(txn);
  if (rc == EIO && errno == 0) rc = ENOSPC; /* no call failed: a write came out short, which LMDB calls EIO */
  if (wrote && rc) atomic_fetch_sub(&s->own, 1);
  /* After a failed sync the kernel may have dropped what it could not write: a second try would only seem to succeed. When LMDB could not
   * write its head, it refuses everything from then on. */
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

static int attempt(lmdb_store *s, store_group *group, writer *w, orr_error *err) {
  MDB_txn *txn;
  int rc = begin_write(s, &txn);
  if (rc) return rc;
  rc = write_group(s, txn, group, w, err);
  if (!rc && w->any_won && !w->stained) return end_write(s, txn, w->wrote);
  mdb_txn_abort(txn);
  return rc;
}

static int lmdb_commit(store *base, store_group *group, orr_error *err) {
  lmdb_store *s = (lmdb_store *)base;
  bool careful = false;
  for (;;) {
    int rc = check_usable(s, err);
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
      rc = grow_map(s, map_size, err);
    } else if (rc == MDB_MAP_RESIZED) {
      rc = adopt_map(s, err);
    } else if (rc) {
      rc = lmdb_fail(s, rc, "committing", err);
    }
    if (rc) return rc;
  }
}

/* ---- Facts -------------------------------------------------------------------------------------------------------------- */

/* What a view that is opened now would see. The number in the file's head (mdb_env_info) is ahead of it for as long as another process's
 * commit waits for the disk: who counted by that would take a commit for known that no view had shown yet. */
static uint64_t lmdb_changed(store *base) {
  store_snapshot *snapshot = NULL;
  if (lmdb_snapshot_open(base, &snapshot, NULL) != 0) return 0;
  uint64_t seen = mdb_txn_id(((lmdb_snapshot *)snapshot)->txn);
  lmdb_snapshot_close(snapshot);
  return seen;
}

static uint64_t lmdb_foreign(store *base) {
  lmdb_store *s = (lmdb_store *)base;
  uint64_t all = lmdb_changed(base), own = atomic_load(&s->own); /* in this order: an own commit in between makes it less, not more */
  return all > own ? all - own : 0;
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

/* ---- Opening and closing ------------------------------------------------------------------------------------------------ */

/* `path`/`name`; free with env_free, size strlen + 1. */
static char *join_path(const orr_allocator *allocator, const char *path, const char *name) {
  size_t size = strlen(path) + strlen(name) + 2;
  char *joined = env_alloc(allocator, size);
  if (joined) snprintf(joined, size, "%s/%s", path, name);
  return joined;
}

static void free_path(const lmdb_store *s, char *path) {
  if (path) env_free(&s->allocator, path, strlen(path) + 1);
}

static void remove_temporary(lmdb_store *s) {
  static const char *const names[] = {"data.mdb", "lock.mdb"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *file = join_path(&s->allocator, s->path, names[i]);
    if (file) unlink(file);
    free_path(s, file);
  }
  rmdir(s->path);
}

static void lmdb_close(store *base) {
  lmdb_store *s = (lmdb_store *)base;
  bool forked = guard_forked(&s->fork);
  if (!forked && s->env) mdb_env_close(s->env);
  if (s->claimed) guard_drop_claim(&s->claim);
  if (!forked && s->temporary) remove_temporary(s);
  guard_fork_stop(&s->fork);
  gate_destroy(&s->gate);
  free_path(s, s->path);
  orr_allocator allocator = s->allocator;
  env_free(&allocator, s, sizeof *s);
}

static int make_directory(lmdb_store *s, const char *path, orr_error *err) {
  s->path = path ? env_strdup(&s->allocator, path) : join_path(&s->allocator, env_temp_dir(), "orrery-XXXXXX");
  if (!s->path) return error_memory(err);
  if (path) {
    if (mkdir(path, 0700) == 0 || errno == EEXIST) return 0;
  } else if (mkdtemp(s->path)) {
    s->temporary = true;
    return 0;
  }
  return error_set(err, ORR_E_STORE, "making the directory %s: %s", s->path, strerror(errno));
}

static int check_directory(lmdb_store *s, orr_error *err) {
  int rc = guard_check_file_system(s->path, err);
  if (rc) return rc;
  rc = guard_claim_directory(&s->claim, s->path, err);
  if (rc) return rc;
  s->claimed = true;
  char *file = join_path(&s->allocator, s->path, "data.mdb");
  if (!file) return error_memory(err);
  rc = guard_check_file(file, &s->file_size, err);
  free_path(s, file);
  return rc;
}

static int open_environment(lmdb_store *s, const store_options *options, orr_error *err) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t wanted = options->map_size > 0 ? options->map_size : MAP_START;
  if (wanted < s->file_size) wanted = (size_t)s->file_size;
  wanted = (wanted + page - 1) / page * page;
  /* Nobody can open a temporary store again, so nothing in it has to survive a loss of power. */
  unsigned flags = FLAGS | (options->no_sync || s->temporary ? MDB_NOSYNC : 0);
  int rc = mdb_env_create(&s->env);
  if (rc) {
    s->env = NULL;
    return lmdb_fail(s, rc, "opening", err);
  }
  rc = mdb_env_set_maxreaders(s->env, READERS_MAX);
  if (!rc) rc = mdb_env_set_maxdbs(s->env, 1);
  if (!rc) rc = mdb_env_set_mapsize(s->env, wanted);
  if (!rc) rc = mdb_env_open(s->env, s->path, flags, 0600);
  MDB_envinfo info;
  if (!rc) rc = mdb_env_info(s->env, &info);
  if (rc) return lmdb_fail(s, rc, "opening", err);
  s->map_size = info.me_mapsize;
  s->fixed_map = options->map_size > 0;
  s->file_size = 0; /* as cover_map shall find it: LMDB has made the file by now */
  int dead;
  rc = mdb_reader_check(s->env, &dead);
  return rc ? lmdb_fail(s, rc, "clearing stale readers", err) : 0;
}

static int check_format(const lmdb_store *s, MDB_val value, orr_error *err) {
  const unsigned char *bytes = value.mv_data;
  size_t name_size = strlen(FORMAT_NAME);
  if (value.mv_size != name_size + 1 || memcmp(bytes, FORMAT_NAME, name_size) != 0) {
    return error_set(err, ORR_E_STORE, "%s holds no Orrery store", s->path);
  }
  if (bytes[name_size] == STORE_FORMAT) return 0;
  return error_set(err, ORR_E_STORE, "%s has store format %d; this version knows %d", s->path, bytes[name_size], STORE_FORMAT);
}

/* Finds the format row, or, in a file that has never been written and within a write transaction, makes it.
 * *missing tells that it has to be made. */
static int read_format(lmdb_store *s, MDB_txn *txn, bool *missing, orr_error *err) {
  MDB_dbi unnamed;
  MDB_stat status;
  MDB_val key = {.mv_size = strlen(FORMAT_KEY), .mv_data = (void *)(uintptr_t)FORMAT_KEY}, value;
  *missing = false;
  int rc = mdb_dbi_open(txn, NULL, 0, &unnamed);
  if (!rc) rc = mdb_get(txn, unnamed, &key, &value);
  if (!rc) return check_format(s, value, err);
  if (rc == MDB_NOTFOUND) rc = mdb_stat(txn, unnamed, &status);
  if (rc) return lmdb_fail(s, rc, "reading the store's format", err);
  *missing = status.ms_entries == 0;
  return *missing ? 0 : error_set(err, ORR_E_STORE, "%s holds no Orrery store", s->path);
}

static int write_format(MDB_txn *txn) {
  unsigned char format[] = FORMAT_NAME "?";
  format[strlen(FORMAT_NAME)] = STORE_FORMAT;
  MDB_val key = {.mv_size = strlen(FORMAT_KEY), .mv_data = (void *)(uintptr_t)FORMAT_KEY};
  MDB_val value = {.mv_size = strlen(FORMAT_NAME) + 1, .mv_data = format};
  MDB_dbi unnamed;
  int rc = mdb_dbi_open(txn, NULL, 0, &unnamed);
  return rc ? rc : mdb_put(txn, unnamed, &key, &value, 0);
}

/* An existing store is only read; a new one gets its format row. Two processes may come here at once: the second one to write finds
 * the row of the first. */
static int open_records(lmdb_store *s, bool create, bool *missing, orr_error *err) {
  MDB_txn *txn;
  int rc = create ? begin_write(s, &txn) : mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn);
  if (rc) return lmdb_fail(s, rc, "opening", err);
  int refused = read_format(s, txn, missing, err);
  if (refused == 0 && *missing && create) rc = write_format(txn);
  if (refused == 0 && !rc && (create || !*missing)) rc = mdb_dbi_open(txn, RECORDS_NAME, create ? MDB_CREATE : 0, &s->records);
  if (refused != 0 || rc) {
    mdb_txn_abort(txn);
    return refused != 0 ? refused : lmdb_fail(s, rc, "opening", err);
  }
  rc = mdb_txn_commit(txn); /* keeps the database's handle */
  return rc ? lmdb_fail(s, rc, "opening", err) : 0;
}

static const store_methods lmdb_methods = {
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
  .stats = lmdb_stats,
};

int store_open_lmdb(const store_options *options, store **out, orr_error *err) {
  *out = NULL;
  lmdb_store *s = env_zalloc(&options->env->allocator, sizeof *s);
  if (!s) return error_memory(err);
  s->base.methods = &lmdb_methods;
  s->allocator = options->env->allocator;
  gate_init(&s->gate);
  guard_fork_start(&s->fork);
  bool missing = false;
  int rc = make_directory(s, options->path, err);
  if (!rc) rc = check_directory(s, err);
  if (!rc) rc = open_environment(s, options, err);
  if (!rc) rc = open_records(s, false, &missing, err);
  if (!rc && missing) rc = open_records(s, true, &missing, err);
  if (!rc) {
    *out = &s->base;
  } else {
    lmdb_close(&s->base);
  }
  return rc;
}
