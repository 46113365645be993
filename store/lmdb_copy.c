/* A copy of a store that goes on working, made aside (store/aside.h).
 *
 * The plain copy is LMDB's: the pages as they are, as of one commit. Writers of all processes go on; only in this process
 * the map cannot move meanwhile, so a commit that needs a larger one waits. A compact copy is a new store into which every
 * record is put in the order of its key. LMDB could leave out free pages itself, but it does so in a thread of its own,
 * which a damaged page would take down with the process. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "store/aside.h"
#include "store/lmdb_internal.h"

#define COMPACT_BYTES_PER_COMMIT ((size_t)16 * 1024 * 1024) /* LMDB keeps what is not committed in memory */

/* ---- As it is -------------------------------------------------------------------------------- */

/* LMDB refuses before it writes anything when another process has grown the map. */
static int write_pages(lmdb_store *s, int file, const char *path, orr_error *err) {
  for (;;) {
    gate_pass pass;
    gate_add(&s->gate, &pass);
    gate_enter(&s->gate, &pass);
    int dead, rc = mdb_reader_check(s->env, &dead);
    if (!rc) rc = mdb_env_copyfd(s->env, file);
    gate_remove(&s->gate, &pass);
    if (!rc) return 0;
    if (rc != MDB_MAP_RESIZED) {
      char doing[PATH_MAX + sizeof "writing "];
      snprintf(doing, sizeof doing, "writing %s", path);
      return lmdb_fail(s, rc, doing, err);
    }
    rc = lmdb_adopt_map(s, err);
    if (rc) return rc;
  }
}

static int copy_pages(lmdb_store *s, const aside *a, orr_error *err) {
  int file = open(a->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return aside_failed(a, "making", a->data, err);
  int rc = write_pages(s, file, a->data, err);
  close(file);
  return rc;
}

/* ---- Compact --------------------------------------------------------------------------------- */

typedef struct compaction {
  lmdb_store *to;
  MDB_txn *txn;
  MDB_cursor *cursor;
  size_t bytes; /* put since the last commit */
} compaction;

static int begin_puts(compaction *k) {
  k->bytes = 0;
  int rc = mdb_txn_begin(k->to->env, NULL, 0, &k->txn);
  return rc ? rc : mdb_cursor_open(k->txn, k->to->records, &k->cursor);
}

static int commit_puts(compaction *k) {
  MDB_txn *txn = k->txn;
  mdb_cursor_close(k->cursor);
  k->txn = NULL;
  return mdb_txn_commit(txn);
}

/* Behind everything that was put before. */
static int put_behind(compaction *k, store_bytes key, store_bytes value) {
  MDB_val to_key = {key.size, (void *)(uintptr_t)key.data}, to_value = {value.size, (void *)(uintptr_t)value.data};
  int rc = mdb_cursor_put(k->cursor, &to_key, &to_value, MDB_APPEND);
  k->bytes += key.size + value.size;
  if (rc || k->bytes < COMPACT_BYTES_PER_COMMIT) return rc;
  rc = commit_puts(k);
  return rc ? rc : begin_puts(k);
}

/* Puts every record of the view; the view's failures are in `err`, those of the copy come back as LMDB's code. */
static int put_all_behind(compaction *k, store_snapshot *view, int *failed, orr_error *err) {
  store_cursor *cursor;
  store_bytes key, value;
  int rc = 0, read = store_scan(view, &(store_range){0}, &cursor, err);
  if (read) {
    *failed = read;
    return 0;
  }
  while (!rc && (read = store_next(cursor, &key, &value, err)) == 0) rc = put_behind(k, key, value);
  if (!rc && read != ORR_E_NOT_FOUND) *failed = read;
  store_cursor_close(cursor);
  return rc;
}

static int fill_compact(lmdb_store *s, lmdb_store *fresh, orr_error *err) {
  compaction k = {.to = fresh};
  store_snapshot *view;
  int failed = store_snapshot_open(&s->base, &view, err);
  if (failed) return failed;
  int rc = begin_puts(&k);
  if (!rc) rc = put_all_behind(&k, view, &failed, err);
  if (!rc && !failed) rc = commit_puts(&k);
  if (k.txn) mdb_txn_abort(k.txn);
  store_snapshot_close(view);
  if (!rc && !failed) rc = mdb_env_sync(fresh->env, 1);
  return rc ? lmdb_fail(fresh, rc, "filling a compact copy", err) : failed;
}

/* As long as its pages need: the map is longer, and LMDB alone may leave the file shorter. */
static int fit_to_pages(lmdb_store *fresh, const aside *a, orr_error *err) {
  MDB_envinfo info;
  MDB_stat pages;
  mdb_filehandle_t file;
  int rc = mdb_env_info(fresh->env, &info);
  if (!rc) rc = mdb_env_stat(fresh->env, &pages);
  if (!rc) rc = mdb_env_get_fd(fresh->env, &file);
  if (rc) return lmdb_fail(fresh, rc, "filling a compact copy", err);
  off_t whole = (off_t)((info.me_last_pgno + 1) * pages.ms_psize);
  return ftruncate(file, whole) == 0 ? 0 : aside_failed(a, "writing", a->data, err);
}

static int copy_compact(lmdb_store *s, const aside *a, orr_error *err) {
  lmdb_store fresh;
  int rc = lmdb_make_fresh(s, a->folder, s->map_size, &fresh, err);
  if (!rc) rc = fill_compact(s, &fresh, err);
  if (!rc) rc = fit_to_pages(&fresh, a, err);
  lmdb_end_fresh(&fresh);
  return rc;
}

int lmdb_copy(store *base, const char *target, bool compact, orr_error *err) {
  lmdb_store *s = (lmdb_store *)base;
  aside a;
  uint64_t size;
  int rc = lmdb_check_usable(s, err);
  if (!rc) rc = aside_make(&a, s->path, target, err);
  if (rc) return rc;
  rc = compact ? copy_compact(s, &a, err) : copy_pages(s, &a, err);
  if (!rc) rc = guard_check_files(a.folder, &size, err); /* a source that was cut gives a copy that is */
  if (!rc) rc = aside_put_in_place(&a, err);
  if (rc) aside_remove(&a);
  return rc;
}
