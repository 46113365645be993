/* Stakes on disk: locks on bytes of the data file, far behind its end, at the offset of each number that is staked.
 *
 * The system keeps them, between all processes that have the file open, in whatever container and as whatever user they run;
 * and it gives them up when a process ends, however. They belong to LMDB's descriptor of the data file: LMDB's own locks are
 * on another file, and of the other kind, so neither knows of the other. */
#include <errno.h>
#include <fcntl.h>

#include "store/lmdb/lmdb_internal.h"

#ifdef F_OFD_SETLK

#define NUMBER_MAX ((uint64_t)INT64_MAX - 1)
#define TRIES_MAX 8 /* stakes that were there when we asked for ours, and gone when we asked whose they were */

static struct flock lock_of(short type, uint64_t from, uint64_t to) {
  return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)from, .l_len = (off_t)(to - from + 1)};
}

bool lmdb_stake(store *base, uint64_t from, uint64_t *to) {
  mdb_filehandle_t file;
  if (mdb_env_get_fd(((lmdb_store *)base)->env, &file) != 0 || from > NUMBER_MAX) return true;
  uint64_t wanted = *to < NUMBER_MAX ? *to : NUMBER_MAX;
  for (int i = 0; i < TRIES_MAX; i++) {
    struct flock ours = lock_of(F_WRLCK, from, wanted);
    if (fcntl(file, F_OFD_SETLK, &ours) == 0) {
      *to = wanted;
      return true;
    }
    if (errno != EAGAIN && errno != EACCES) return true; /* no stakes here */
    struct flock theirs = lock_of(F_WRLCK, from, wanted);
    if (fcntl(file, F_OFD_GETLK, &theirs) != 0) return true;
    if (theirs.l_type == F_UNLCK) continue;
    if ((uint64_t)theirs.l_start <= from) {
      *to = theirs.l_len == 0 ? NUMBER_MAX : (uint64_t)(theirs.l_start + theirs.l_len - 1);
      return false;
    }
    wanted = (uint64_t)theirs.l_start - 1;
  }
  *to = from;
  return false;
}

void lmdb_unstake(store *base, uint64_t from, uint64_t to) {
  mdb_filehandle_t file;
  if (to > NUMBER_MAX) to = NUMBER_MAX;
  if (from > to || mdb_env_get_fd(((lmdb_store *)base)->env, &file) != 0) return;
  struct flock none = lock_of(F_UNLCK, from, to);
  (void)fcntl(file, F_OFD_SETLK, &none); /* splitting a lock may want memory: it then stays until more is given back */
}

#else

bool lmdb_stake(store *base, uint64_t from, uint64_t *to) {
  (void)base, (void)from, (void)to;
  return true;
}

void lmdb_unstake(store *base, uint64_t from, uint64_t to) { (void)base, (void)from, (void)to; }

#endif
