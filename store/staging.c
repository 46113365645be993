/* A folder with LMDB's files in it, beside the place where it is to be. */
#include "store/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb/writer_lock.h"

int staging_failed(const staging *a, const char *doing, const char *path, orr_error *err) {
  return error_set(err, ORR_E_STORE, "copying %s: %s %s: %s", a->from, doing, path, strerror(errno));
}

static int name_paths(staging *a, const char *target, orr_error *err) {
  size_t size = strlen(target);
  while (size > 1 && target[size - 1] == '/') size--;
  int n = snprintf(a->folder, sizeof a->folder, "%.*s.copying-XXXXXX", (int)size, target);
  if (size == 0 || n < 0 || (size_t)n + sizeof "/data.mdb" > sizeof a->folder)
    return error_set(err, ORR_E_ARGUMENT, "copying %s: \"%s\" cannot be the name of a folder", a->from, target);
  snprintf(a->target, sizeof a->target, "%.*s", (int)size, target);
  const char *slash = strrchr(a->target, '/');
  if (!slash) strcpy(a->parent, ".");
  else snprintf(a->parent, sizeof a->parent, "%.*s", slash == a->target ? 1 : (int)(slash - a->target), a->target);
  return 0;
}

static void name_file(const staging *a, const char *name, char path[PATH_MAX]) {
  snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 16, a->folder, name);
}

int staging_make(staging *a, const char *from, const char *target, orr_error *err) {
  a->from = from;
  int rc = name_paths(a, target, err);
  if (rc) return rc;
  struct stat status;
  if (lstat(a->target, &status) == 0)
    return error_set(err, ORR_E_STATE, "copying %s: %s is there already, and a copy makes its folder itself", from, a->target);
  if (!mkdtemp(a->folder)) return staging_failed(a, "making the folder", a->folder, err);
  name_file(a, "data.mdb", a->data);
  return 0;
}

static int sync_path(const staging *a, const char *path, orr_error *err) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  int rc = file >= 0 && fsync(file) == 0 ? 0 : staging_failed(a, "bringing to the disk", path, err);
  if (file >= 0) close(file);
  return rc;
}

/* Who opens the copy makes its locks anew. */
static void remove_locks(const staging *a) {
  static const char *const names[] = {"lock.mdb", WRITER_LOCK_FILE};
  char lock[PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    name_file(a, names[i], lock);
    unlink(lock);
  }
}

/* A folder that is not empty is never replaced. */
int staging_put_in_place(const staging *a, orr_error *err) {
  remove_locks(a);
  int rc = sync_path(a, a->data, err);
  if (!rc) rc = sync_path(a, a->folder, err);
  if (!rc && rename(a->folder, a->target) != 0) rc = staging_failed(a, "making", a->target, err);
  return rc ? rc : sync_path(a, a->parent, err);
}

void staging_remove(const staging *a) {
  unlink(a->data);
  remove_locks(a);
  rmdir(a->folder);
}
