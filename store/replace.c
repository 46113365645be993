/* Files and folders of a store that is made anew. */
#include "store/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb/writer_lock.h"

#define LEFTOVER "upgrading-"

static int replace_failed(const char *doing, const char *path, orr_error *err) {
  return error_set(err, ORR_E_STORE, "%s %s: %s", doing, path, strerror(errno));
}

/* False: the name is too long. */
static bool name_within(char out[PATH_MAX], const char *folder, const char *name) {
  int n = snprintf(out, PATH_MAX, "%s/%s", folder, name);
  return n > 0 && n < PATH_MAX;
}

bool replace_there(const char *path) {
  char file[PATH_MAX];
  return name_within(file, path, "data.mdb") && access(file, F_OK) == 0;
}

static void remove_folder(const char *folder) {
  static const char *const names[] = {"data.mdb", "lock.mdb", WRITER_LOCK_FILE};
  char file[PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (name_within(file, folder, names[i])) unlink(file);
  rmdir(folder);
}

static void remove_leftovers(const char *path) {
  DIR *all = opendir(path);
  char folder[PATH_MAX];
  for (struct dirent *one; all && (one = readdir(all));)
    if (strncmp(one->d_name, LEFTOVER, strlen(LEFTOVER)) == 0 && name_within(folder, path, one->d_name)) remove_folder(folder);
  if (all) closedir(all);
}

/* Records lie as tight as before, index rows are put in any order, which leaves pages a third empty; and what is written in
 * one commit is beside what it replaces until the next. */
uint64_t replace_needs(uint64_t bytes_used) { return bytes_used + bytes_used / 2 + ((uint64_t)32 << 20); }

static int check_room(const char *path, uint64_t bytes_used, orr_error *err) {
  struct statvfs disk;
  uint64_t needs = replace_needs(bytes_used);
  if (statvfs(path, &disk) != 0) return replace_failed("looking at the disk of", path, err);
  uint64_t room = (uint64_t)disk.f_bavail * disk.f_frsize;
  if (room >= needs) return 0;
  return error_set(err, ORR_E_STORE,
                   "the disk of %s has %" PRIu64 " MB free; a new file beside the old one may need %" PRIu64 " MB", path,
                   room >> 20, needs >> 20);
}

int replace_begin(replacement *r, const char *path, uint64_t bytes_used, orr_error *err) {
  *r = (replacement){.path = path};
  remove_leftovers(path);
  int rc = check_room(path, bytes_used, err);
  if (rc) return rc;
  if (!name_within(r->folder, path, LEFTOVER "XXXXXX")) return error_set(err, ORR_E_ARGUMENT, "%s is too long a path", path);
  if (mkdtemp(r->folder)) return 0;
  rc = replace_failed("making the folder", r->folder, err);
  r->folder[0] = '\0';
  return rc;
}

static int sync_file(const char *path, orr_error *err) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  int rc = file >= 0 && fsync(file) == 0 ? 0 : replace_failed("bringing to the disk", path, err);
  if (file >= 0) close(file);
  return rc;
}

/* The lock files tell of the old data file: the next process that opens the store makes them anew. */
int replace_finish(replacement *r, bool keep, orr_error *err) {
  char fresh[PATH_MAX], data[PATH_MAX], lock[PATH_MAX], old[PATH_MAX];
  if (!name_within(fresh, r->folder, "data.mdb") || !name_within(data, r->path, "data.mdb") ||
      !name_within(lock, r->path, "lock.mdb") || !name_within(old, r->path, "data.mdb.old"))
    return error_set(err, ORR_E_ARGUMENT, "%s is too long a path", r->path);
  int rc = sync_file(fresh, err);
  if (!rc && keep && link(data, old) != 0) rc = replace_failed("keeping the old file as", old, err);
  if (!rc && rename(fresh, data) != 0) rc = replace_failed("putting the new file into its place,", data, err);
  if (rc) return rc;
  unlink(lock);
  if (name_within(lock, r->path, WRITER_LOCK_FILE)) unlink(lock);
  return sync_file(r->path, err);
}

void replace_end(replacement *r) {
  if (r->folder[0]) remove_folder(r->folder);
  r->folder[0] = '\0';
}
