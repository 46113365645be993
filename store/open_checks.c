/* Second openings, cut files and network file systems, found before LMDB meets them. */
#include "store/open_checks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb/meta_pages.h"
#include "store/private.h"

/* ---- Standard streams ------------------------------------------------------------------------ */

int check_standard_streams(orr_error *err) {
  if (env_fill_standard_streams()) return 0;
  return error_set(err, ORR_E_STATE, "standard input, output or error is closed, and /dev/null cannot take its place: %s",
                   strerror(errno));
}
/* ---- Claims ---------------------------------------------------------------------------------- */

/* The one thing that is the whole process's and not an engine's: POSIX file locks are the process's too, and two engines
 * that know nothing of each other must still not open one store. */
static pthread_mutex_t claims_mutex = PTHREAD_MUTEX_INITIALIZER;
static directory_claim *claims;

/* A child of fork inherits the list but none of its parent's locks: claims of another process do not count. */
static bool claimed(const directory_claim *wanted) {
  for (const directory_claim *c = claims; c; c = c->next) {
    if (c->device == wanted->device && c->inode == wanted->inode && c->pid == wanted->pid) return true;
  }
  return false;
}

int directory_claim_take(directory_claim *claim, const char *path, orr_error *err) {
  struct stat status;
  if (stat(path, &status) != 0) return error_set(err, ORR_E_STORE, "%s: %s", path, strerror(errno));
  if (!S_ISDIR(status.st_mode)) return error_set(err, ORR_E_STORE, "%s is not a directory", path);
  *claim = (directory_claim){.device = status.st_dev, .inode = status.st_ino, .pid = getpid()};
  pthread_mutex_lock(&claims_mutex);
  bool taken = claimed(claim);
  if (!taken) {
    claim->next = claims;
    claims = claim;
  }
  pthread_mutex_unlock(&claims_mutex);
  return taken ? error_set(err, ORR_E_STATE, "this process has the store %s open already", path) : 0;
}

void directory_claim_drop(directory_claim *claim) {
  pthread_mutex_lock(&claims_mutex);
  for (directory_claim **at = &claims; *at; at = &(*at)->next) {
    if (*at != claim) continue;
    *at = claim->next;
    break;
  }
  pthread_mutex_unlock(&claims_mutex);
}

/* ---- The data file --------------------------------------------------------------------------- */

static const char *file_kind(mode_t mode) {
  if (S_ISREG(mode)) return NULL;
  return S_ISDIR(mode) ? "a folder" : S_ISFIFO(mode) ? "a FIFO" : S_ISSOCK(mode) ? "a socket" : "a device";
}

/* Opens what must be a plain file; -1 with 0: there is none. A FIFO is not waited for. */
static int open_plain(const char *path, int *file, struct stat *status, orr_error *err) {
  *file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (*file < 0 && errno == ENOENT) return 0;
  int rc = *file < 0 && errno != ENXIO ? error_set(err, ORR_E_STORE, "%s: %s", path, strerror(errno)) : 0;
  if (!rc && stat(path, status) != 0) rc = error_set(err, ORR_E_STORE, "%s: %s", path, strerror(errno));
  const char *kind = rc ? NULL : file_kind(status->st_mode);
  if (kind) rc = error_set(err, ORR_E_STORE, "%s is %s, and no file of a store", path, kind);
  if (rc && *file >= 0) close(*file);
  return rc;
}

static int check_lock_file(const char *path, bool *there, orr_error *err) {
  int file;
  struct stat status;
  int rc = open_plain(path, &file, &status, err);
  *there = !rc && file >= 0;
  if (*there) close(file);
  return rc;
}

static int check_data_file(const char *path, bool unsynced, bool *there, uint64_t *size,
                           orr_error *err) {
  int file;
  struct stat status;
  int rc = open_plain(path, &file, &status, err);
  *there = !rc && file >= 0;
  if (!*there) return rc;
  *size = (uint64_t)status.st_size;
  if (*size == 0) rc = error_set(err, ORR_E_STORE, "%s is empty: what was in the store is lost, or the file was emptied", path);
  else rc = meta_pages_check(file, path, unsynced, err);
  close(file);
  return rc;
}

/* What may lie in a folder that is to become a store: what another process makes of it at the same
 * time, what a file system of its own begins with, and the lock of a private store. */
static bool may_be_there(const char *name) {
  static const char MAKING[] = "creating-";
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, "lost+found") == 0 ||
         strcmp(name, PRIVATE_OWNER) == 0 || strncmp(name, MAKING, sizeof MAKING - 1) == 0;
}

/* A wrong path would have a store lie among other people's files. */
static int check_new_folder(const char *directory, const char *data, orr_error *err) {
  DIR *folder = opendir(directory);
  if (!folder) return error_set(err, ORR_E_STORE, "%s: %s", directory, strerror(errno));
  const struct dirent *entry = readdir(folder);
  while (entry && may_be_there(entry->d_name)) entry = readdir(folder);
  struct stat status;
  bool alone = !entry || stat(data, &status) == 0; /* another process has made it meanwhile */
  if (!alone)
    error_set(err, ORR_E_ARGUMENT,
              "there is no store in %s, but other files are, such as %s: a new store is made in an "
              "empty folder, or in one that is not there yet", directory, entry->d_name);
  closedir(folder);
  return alone ? 0 : ORR_E_ARGUMENT;
}

int check_store_files(const char *directory, bool unsynced, uint64_t *size, orr_error *err) {
  char data[PATH_MAX], lock[PATH_MAX];
  bool data_there, lock_there;
  *size = 0;
  int n = snprintf(data, sizeof data, "%s/data.mdb", directory), m = snprintf(lock, sizeof lock, "%s/lock.mdb", directory);
  if (n >= (int)sizeof data || m >= (int)sizeof lock) return error_set(err, ORR_E_STORE, "%s: the path is too long", directory);
  int rc = check_data_file(data, unsynced, &data_there, size, err);
  if (!rc) rc = check_lock_file(lock, &lock_there, err);
  if (rc || data_there) return rc;
  if (!lock_there) return check_new_folder(directory, data, err);
  return error_set(err, ORR_E_STORE, "%s is gone, and its lock.mdb is there: remove the folder to begin a new store", data);
}

/* ---- File systems ---------------------------------------------------------------------------- */

/* Where a shared map or file locks do not hold between machines, or a server stands between. */
const char *network_file_system_name(uint64_t magic) {
  static const struct {
    uint64_t magic;
    const char *name;
  } known[] = {
    {0x6969, "NFS"},        {0x517B, "SMB"},        {0xFF534D42, "CIFS"},   {0xFE534D42, "SMB2"},
    {0x01021997, "9P"},     {0x65735546, "FUSE"},   {0x00C36400, "Ceph"},   {0x5346414F, "AFS"},
    {0x73757245, "Coda"},   {0x0BD00BD0, "Lustre"}, {0x01161970, "GFS2"},   {0x7461636F, "OCFS2"},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i].magic == magic) return known[i].name;
  }
  return NULL;
}

int check_file_system(const char *directory, orr_error *err) {
  struct statfs status;
  if (statfs(directory, &status) != 0) return error_set(err, ORR_E_STORE, "%s: %s", directory, strerror(errno));
  const char *name = network_file_system_name((uint32_t)status.f_type);
  if (!name) return 0;
  return error_set(err, ORR_E_STORE, "%s is on %s: a store needs a local file system", directory, name);
}
