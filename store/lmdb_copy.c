/* A copy of a store that goes on working.
 *
 * It is made in a folder beside the target, brought to the disk, and comes into its place by a rename: so under the target's
 * name there is a whole store or nothing, whatever happens meanwhile. A process that is killed leaves the folder
 * "<target>.copying-…" behind.
 *
 * The plain copy is LMDB's: the pages as they are, as of one commit. Writers of all processes go on; only in this process
 * the map cannot move meanwhile, so a commit that needs a larger one waits. A compact copy is a new store into which every
 * record is put in the order of its key. LMDB could leave out free pages itself, but it does so in a thread of its own,
 * which a damaged page would take down with the process. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb_internal.h"

#define COMPACT_BYTES_PER_COMMIT ((size_t)16 * 1024 * 1024) /* LMDB keeps what is not committed in memory */

typedef struct copy_paths {
  char target[PATH_MAX], aside[PATH_MAX], data[PATH_MAX], parent[PATH_MAX];
} copy_paths;

/* errno says why. */
static int copy_failed(const lmdb_store *s, const char *doing, const char *path, orr_error *err) {
  return error_set(err, ORR_E_STORE, "copying %s: %s %s: %s", s->path, doing, path, strerror(errno));
}

static int name_paths(const lmdb_store *s, const char *target, copy_paths *p, orr_error *err) {
  size_t size = strlen(target);
  while (size > 1 && target[size - 1] == '/') size--;
  int n = snprintf(p->aside, sizeof p->aside, "%.*s.copying-XXXXXX", (int)size, target);
  if (size == 0 || n < 0 || (size_t)n + sizeof "/data.mdb" > sizeof p->aside)
    return error_set(err, ORR_E_ARGUMENT, "copying %s: \"%s\" cannot be the name of a folder", s->path, target);
  snprintf(p->target, sizeof p->target, "%.*s", (int)size, target);
  const char *slash = strrchr(p->target, '/');
  if (!slash) strcpy(p->parent, ".");
  else snprintf(p->parent, sizeof p->parent, "%.*s", slash == p->target ? 1 : (int)(slash - p->target), p->target);
  return 0;
}

static int make_aside(const lmdb_store *s, copy_paths *p, orr_error *err) {
  struct stat status;
  if (lstat(p->target, &status) == 0) {
    return error_set(err, ORR_E_STATE, "copying %s: %s is there already, and a copy makes its folder itself", s->path,
                     p->target);
  }
  if (!mkdtemp(p->aside)) return copy_failed(s, "making the folder", p->aside, err);
  snprintf(p->data, sizeof p->data, "%.*s/data.mdb", (int)(sizeof p->data - sizeof "/data.mdb"), p->aside);
  return 0;
}

static int sync_path(const lmdb_store *s, const char *path, orr_error *err) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  int rc = file >= 0 && fsync(file) == 0 ? 0 : copy_failed(s, "bringing to the disk", path, err);
  if (file >= 0) close(file);
  return rc;
}

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

static int copy_pages(lmdb_store *s, const copy_paths *p, orr_error *err) {
  int file = open(p->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return copy_failed(s, "making", p->data, err);
  int rc = write_pages(s, file, p->data, err);
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
static int fit_to_pages(const lmdb_store *s, lmdb_store *fresh, const copy_paths *p, orr_error *err) {
  MDB_envinfo info;
  MDB_stat pages;
  mdb_filehandle_t file;
  int rc = mdb_env_info(fresh->env, &info);
  if (!rc) rc = mdb_env_stat(fresh->env, &pages);
  if (!rc) rc = mdb_env_get_fd(fresh->env, &file);
  if (rc) return lmdb_fail(fresh, rc, "filling a compact copy", err);
  off_t whole = (off_t)((info.me_last_pgno + 1) * pages.ms_psize);
  return ftruncate(file, whole) == 0 ? 0 : copy_failed(s, "writing", p->data, err);
}

static int copy_compact(lmdb_store *s, const copy_paths *p, orr_error *err) {
  lmdb_store fresh;
  int rc = lmdb_make_fresh(s, p->aside, s->map_size, &fresh, err);
  if (!rc) rc = fill_compact(s, &fresh, err);
  if (!rc) rc = fit_to_pages(s, &fresh, p, err);
  lmdb_end_fresh(&fresh);
  return rc;
}

/* ---- Into its place -------------------------------------------------------------------------- */

/* A folder that is not empty is never replaced. */
static int put_in_place(const lmdb_store *s, const copy_paths *p, orr_error *err) {
  int rc = sync_path(s, p->data, err);
  if (!rc) rc = sync_path(s, p->aside, err);
  if (!rc && rename(p->aside, p->target) != 0) rc = copy_failed(s, "making", p->target, err);
  return rc ? rc : sync_path(s, p->parent, err);
}

static void remove_aside(const copy_paths *p) {
  char lock[PATH_MAX];
  unlink(p->data);
  snprintf(lock, sizeof lock, "%.*s/lock.mdb", (int)(sizeof lock - sizeof "/lock.mdb"), p->aside);
  unlink(lock);
  rmdir(p->aside);
}

int lmdb_copy(store *base, const char *target, bool compact, orr_error *err) {
  lmdb_store *s = (lmdb_store *)base;
  copy_paths p;
  uint64_t size;
  int rc = lmdb_check_usable(s, err);
  if (!rc) rc = name_paths(s, target, &p, err);
  if (!rc) rc = make_aside(s, &p, err);
  if (rc) return rc;
  rc = compact ? copy_compact(s, &p, err) : copy_pages(s, &p, err);
  if (!rc) rc = guard_check_files(p.aside, &size, err); /* a source that was cut gives a copy that is */
  if (!rc) rc = put_in_place(s, &p, err);
  if (rc) remove_aside(&p);
  return rc;
}
