/* The map of the store on disk, and the file beneath it: both grow, and the file is looked at before it is written. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb/lmdb_internal.h"

#define MAP_STEP_MAX ((size_t)1024 * 1024 * 1024) /* the map doubles until it grows by this */
#define LOOK_NS (10 * INT64_C(1000000))

/* ---- A map that cannot be written through ---------------------------------------------------------
 *
 * LMDB maps the file as it has opened it, to be written, though it only reads through the map. For each page that goes to
 * the disk the system then looks into the tables of every process that has such a map, since one might have changed the page
 * meanwhile. Over a file that was opened for reading alone a map is none of these, and cannot be made one. */

/* A page of the store, which a view keeps from being written over. */
typedef struct known_page {
  lmdb_store *store;
  MDB_txn *txn;
  const char *at; /* in the map */
  uint64_t number;
} known_page;

/* Any record's page says its number; the one with the store's format is there in every store. */
static int call_find_page(void *ud) {
  known_page *k = ud;
  MDB_dbi unnamed;
  MDB_val key = {.mv_size = strlen(LMDB_FORMAT_KEY), .mv_data = (void *)(uintptr_t)LMDB_FORMAT_KEY}, value;
  int rc = mdb_txn_begin(k->store->env, NULL, MDB_RDONLY, &k->txn);
  if (!rc) rc = mdb_dbi_open(k->txn, NULL, 0, &unnamed);
  if (!rc) rc = mdb_get(k->txn, unnamed, &key, &value);
  if (rc) return rc;
  k->at = (const char *)value.mv_data - (uintptr_t)value.mv_data % (size_t)sysconf(_SC_PAGESIZE);
  memcpy(&k->number, k->at, sizeof k->number);
  return 0;
}

/* Is the file's page of that number what the map has there? Then it is known where the map begins. */
static bool page_agrees(const known_page *k, int file) {
  size_t size = (size_t)sysconf(_SC_PAGESIZE);
  MDB_stat status;
  if (mdb_env_stat(k->store->env, &status) != 0 || status.ms_psize != size) return false;
  if (k->number >= k->store->map_size / size) return false;
  void *same = mmap(NULL, size, PROT_READ, MAP_SHARED, file, (off_t)(k->number * size));
  if (same == MAP_FAILED) return false;
  bool agrees = memcmp(same, k->at, size) == 0;
  munmap(same, size);
  return agrees;
}

static int open_for_reading(const lmdb_store *s) {
  char name[64];
  mdb_filehandle_t file;
  if (mdb_env_get_fd(s->env, &file) != 0) return -1;
  snprintf(name, sizeof name, "/proc/self/fd/%d", file); /* the same file, whatever has become of its name */
  return open(name, O_RDONLY | O_CLOEXEC);
}

int lmdb_map_for_reading(lmdb_store *s) {
  known_page page = {.store = s};
  int rc = 0, file = open_for_reading(s);
  s->map = NULL;
  if (file < 0) return 0;
  if (!lmdb_protect(call_find_page, &page) && page_agrees(&page, file)) {
    char *begin = (char *)(uintptr_t)page.at - page.number * (size_t)sysconf(_SC_PAGESIZE);
    if (mmap(begin, s->map_size, PROT_READ, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) rc = errno;
    else s->map = (const uint8_t *)begin;
  }
  if (rc) atomic_store(&s->failed, true); /* there may be nothing now where the map was */
  if (page.txn) mdb_txn_abort(page.txn);
  close(file);
  return rc;
}

/* ---- Growing --------------------------------------------------------------------------------- */

/* With the map lock held exclusively. `size` 0 takes over what another process set. */
static int move_map(lmdb_store *s, size_t size) {
  int rc = mdb_env_set_mapsize(s->env, size);
  /* LMDB gave the old map up before it asked for the new one: without either there is nothing left to work on. */
  if (rc && mdb_env_set_mapsize(s->env, s->map_size) != 0) atomic_store(&s->failed, true);
  MDB_envinfo info;
  if (mdb_env_info(s->env, &info) == 0) s->map_size = info.me_mapsize;
  return rc ? rc : lmdb_map_for_reading(s);
}

static int map_is_held(const lmdb_store *s, orr_error *err) {
  return error_set(err, ORR_E_STATE, "the map of %s must grow, but this thread holds a snapshot", s->path);
}

int lmdb_adopt_map(lmdb_store *s, orr_error *err) {
  if (!map_lock_exclude(&s->map_lock)) return map_is_held(s, err);
  int rc = move_map(s, 0);
  map_lock_readmit(&s->map_lock);
  return rc ? lmdb_fail(s, rc, "adopting a larger map", err) : 0;
}

int lmdb_grow_map(lmdb_store *s, size_t full, orr_error *err) {
  int dead = 0;
  if (mdb_reader_check(s->env, &dead) == 0 && dead > 0) return 0; /* what they kept can be used now */
  if (s->fixed_map) return error_set(err, ORR_E_LIMIT, "the store %s is full: its map is limited to %zu bytes", s->path, full);
  if (!map_lock_exclude(&s->map_lock)) return map_is_held(s, err);
  int rc = 0;
  /* else another thread was faster */
  if (s->map_size <= full) rc = move_map(s, full + (full < MAP_STEP_MAX ? full : MAP_STEP_MAX));
  map_lock_readmit(&s->map_lock);
  return rc ? lmdb_fail(s, rc, "growing the map", err) : 0;
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Does this commit look at the file? What is written into one that is gone is lost with the process, and what is read
 * beyond the end of one that was cut is a signal. A commit that is synced looks every time, so that none is answered
 * which the disk does not have; beside the sync the look costs nothing. One that is not synced may be lost with the
 * machine in any case, and the look would be as dear as a small commit itself: there it is one look in LOOK_NS, so that no
 * more than what is committed in that time goes into a file that is gone. Neither keeps from a signal who is reading at the
 * moment in which the file is cut. */
static bool looks(lmdb_store *s) {
  if (!s->unsynced || s->file_size < s->map_size) return true;
  int64_t now = s->outside.mono_ns(s->outside.ud);
  if (now - s->looked_ns < LOOK_NS) return false;
  s->looked_ns = now;
  return true;
}

int lmdb_cover_map(lmdb_store *s) {
  mdb_filehandle_t file;
  struct stat status;
  if (!looks(s)) return 0;
  int rc = mdb_env_get_fd(s->env, &file);
  if (rc) return rc;
  if (fstat(file, &status) != 0) return errno;
  if (status.st_nlink == 0 && !s->temporary) return DATA_REMOVED;
  if ((uint64_t)status.st_size < s->file_size) return DATA_CUT;
  if (s->file_size >= s->map_size) return 0;
  if ((uint64_t)status.st_size < s->map_size && ftruncate(file, (off_t)s->map_size) != 0) return errno;
  s->file_size = s->map_size;
  return 0;
}
