/* A copy of a store that goes on working, made in a staging folder (store/staging.h).
 *
 * The plain copy is LMDB's: the pages as they are, as of one commit. Writers of all processes go on; only in this process
 * the map cannot move meanwhile, so a commit that needs a larger one waits. A compact copy is a new store into which every
 * record is put in the order of its key. LMDB could leave out free pages itself, but it does so in a thread of its own,
 * which a damaged page would take down with the process. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "store/staging.h"
#include "store/lmdb/lmdb_internal.h"

#define COMPACT_BYTES_PER_COMMIT ((size_t)16 * 1024 * 1024) /* LMDB keeps what is not committed in memory */
#define LOOK_NS (200 * INT64_C(1000000))                            /* how often it is told how far a copy is */
#define ENTRIES_A_WORD 4096                                 /* the same of a compact one */

/* ---- As it is -------------------------------------------------------------------------------- */

/* LMDB refuses before it writes anything when another process has grown the map. */
static int write_pages(lmdb_store *s, int file, const char *path, orr_error *err) {
  for (;;) {
    map_reader reader;
    map_lock_add(&s->map_lock, &reader);
    map_lock_share(&s->map_lock, &reader);
    int dead, rc = mdb_reader_check(s->env, &dead);
    if (!rc) rc = mdb_env_copyfd(s->env, file);
    map_lock_remove(&s->map_lock, &reader);
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

/* LMDB says nothing until it is done. So a thread of its own writes, while the caller's looks how long the file has become. */
typedef struct page_writer {
  lmdb_store *store;
  const char *path;
  int file, rc;
  orr_error err;
  pthread_mutex_t mutex;
  pthread_cond_t ended;
  bool done;
} page_writer;

static void *write_aside(void *arg) {
  page_writer *w = arg;
  env_name_thread("orr-copy");
  int rc = write_pages(w->store, w->file, w->path, &w->err);
  pthread_mutex_lock(&w->mutex);
  w->rc = rc;
  w->done = true;
  pthread_cond_signal(&w->ended);
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

static uint64_t length_of(int file) {
  struct stat status;
  return fstat(file, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* Waits a little; true when the writer has ended. */
static bool writer_ended(page_writer *w) {
  const orr_env *env = &w->store->outside;
  int64_t at = env->mono_ns(env->ud) + LOOK_NS;
  struct timespec until = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
  pthread_mutex_lock(&w->mutex);
  for (int rc = 0; !w->done && !rc;) rc = pthread_cond_timedwait(&w->ended, &w->mutex, &until);
  bool done = w->done;
  pthread_mutex_unlock(&w->mutex);
  return done;
}

static void writer_init(page_writer *w) {
  pthread_condattr_t attr;
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(&w->ended, &attr);
  pthread_condattr_destroy(&attr);
  pthread_mutex_init(&w->mutex, NULL);
}

static int write_and_tell(lmdb_store *s, int file, const char *path, const store_progress *progress, orr_error *err) {
  page_writer w = {.store = s, .path = path, .file = file};
  pthread_t thread;
  store_stats stats;
  int rc = store_get_stats(&s->base, &stats, err);
  if (rc) return rc;
  uint64_t whole = stats.bytes_used;
  writer_init(&w);
  bool apart = pthread_create(&thread, NULL, write_aside, &w) == 0;
  if (!apart) w.rc = write_pages(s, file, path, &w.err); /* and it is not told */
  while (apart && !writer_ended(&w)) {
    uint64_t written = length_of(file);
    store_tell(progress, written < whole ? written : whole, whole);
  }
  if (apart) pthread_join(thread, NULL);
  pthread_cond_destroy(&w.ended);
  pthread_mutex_destroy(&w.mutex);
  if (!w.rc) store_tell(progress, whole, whole);
  error_move(err, &w.err);
  return w.rc;
}

static int copy_pages(lmdb_store *s, const staging *a, const store_progress *progress, orr_error *err) {
  int file = open(a->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return staging_failed(a, "making", a->data, err);
  int rc = progress ? write_and_tell(s, file, a->data, progress, err) : write_pages(s, file, a->data, err);
  close(file);
  return rc;
}

/* ---- Compact --------------------------------------------------------------------------------- */

typedef struct compaction {
  lmdb_store *to;
  MDB_txn *txn;
  MDB_cursor *cursor;
  size_t bytes; /* put since the last commit */
  const store_progress *progress;
  uint64_t done, total; /* entries */
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
  while (!rc && (read = store_next(cursor, &key, &value, err)) == 0) {
    rc = put_behind(k, key, value);
    if (++k->done % ENTRIES_A_WORD == 0) store_tell(k->progress, k->done < k->total ? k->done : k->total, k->total);
  }
  if (!rc && read != ORR_E_NOT_FOUND) *failed = read;
  store_cursor_close(cursor);
  return rc;
}

static int fill_compact(lmdb_store *s, lmdb_store *fresh, const store_progress *progress, orr_error *err) {
  compaction k = {.to = fresh, .progress = progress};
  store_snapshot *view;
  store_stats stats;
  int failed = store_get_stats(&s->base, &stats, err);
  if (!failed) failed = store_snapshot_open(&s->base, &view, err);
  if (failed) return failed;
  k.total = stats.entries;
  int rc = begin_puts(&k);
  if (!rc) rc = put_all_behind(&k, view, &failed, err);
  if (!rc && !failed) rc = commit_puts(&k);
  if (k.txn) mdb_txn_abort(k.txn);
  store_snapshot_close(view);
  if (!rc && !failed) rc = mdb_env_sync(fresh->env, 1);
  if (!rc && !failed) store_tell(progress, k.total, k.total);
  return rc ? lmdb_fail(fresh, rc, "filling a compact copy", err) : failed;
}

/* As long as its pages need: the map is longer, and LMDB alone may leave the file shorter. */
static int fit_to_pages(lmdb_store *fresh, const staging *a, orr_error *err) {
  MDB_envinfo info;
  MDB_stat pages;
  mdb_filehandle_t file;
  int rc = mdb_env_info(fresh->env, &info);
  if (!rc) rc = mdb_env_stat(fresh->env, &pages);
  if (!rc) rc = mdb_env_get_fd(fresh->env, &file);
  if (rc) return lmdb_fail(fresh, rc, "filling a compact copy", err);
  off_t whole = (off_t)((info.me_last_pgno + 1) * pages.ms_psize);
  return ftruncate(file, whole) == 0 ? 0 : staging_failed(a, "writing", a->data, err);
}

static int copy_compact(lmdb_store *s, const staging *a, const store_progress *progress, orr_error *err) {
  lmdb_store fresh;
  int rc = lmdb_make_fresh(s, a->folder, s->map_size, &fresh, err);
  if (!rc) rc = fill_compact(s, &fresh, progress, err);
  if (!rc) rc = fit_to_pages(&fresh, a, err);
  lmdb_end_fresh(&fresh);
  return rc;
}

int lmdb_copy(store *base, const char *target, bool compact, const store_progress *progress, orr_error *err) {
  lmdb_store *s = (lmdb_store *)base;
  staging a;
  uint64_t size;
  int rc = lmdb_check_usable(s, err);
  if (!rc) rc = staging_make(&a, s->path, target, err);
  if (rc) return rc;
  rc = compact ? copy_compact(s, &a, progress, err) : copy_pages(s, &a, progress, err);
  /* A source that was cut gives a copy that is. */
  if (!rc) rc = check_store_files(a.folder, s->unsynced, &size, err);
  if (!rc) rc = staging_put_in_place(&a, err);
  if (rc) staging_remove(&a);
  return rc;
}
