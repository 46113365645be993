/* The map of the store on disk, and the file beneath it: both grow, and the file is looked at before it is written. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb_internal.h"

#define MAP_STEP_MAX ((size_t)1024 * 1024 * 1024) /* the map doubles until it grows by this */
#define LOOK_NS (10 * INT64_C(1000000))

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

int lmdb_adopt_map(lmdb_store *s, orr_error *err) {
  if (!gate_close(&s->gate)) return map_is_held(s, err);
  int rc = move_map(s, 0);
  gate_open(&s->gate);
  return rc ? lmdb_fail(s, rc, "adopting a larger map", err) : 0;
}

int lmdb_grow_map(lmdb_store *s, size_t full, orr_error *err) {
  int dead = 0;
  if (mdb_reader_check(s->env, &dead) == 0 && dead > 0) return 0; /* what they kept can be used now */
  if (s->fixed_map) return error_set(err, ORR_E_LIMIT, "the store %s is full: its map is limited to %zu bytes", s->path, full);
  if (!gate_close(&s->gate)) return map_is_held(s, err);
  int rc = 0;
  /* else another thread was faster */
  if (s->map_size <= full) rc = move_map(s, full + (full < MAP_STEP_MAX ? full : MAP_STEP_MAX));
  gate_open(&s->gate);
  return rc ? lmdb_fail(s, rc, "growing the map", err) : 0;
}

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
