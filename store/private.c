/* Folders of private stores, and what killed processes have left of them. */
#include "store/private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define PREFIX "orrery-"
#define DRAWN "XXXXXX" /* mkdtemp's */
/* Another process that tidies up may take a folder that is not locked yet for a dead one's. */
#define TRIES 8

/* Empties the folder of plain files, the owner's last, and removes it. */
static void remove_private(int parent, const char *name, int folder) {
  int again = fcntl(folder, F_DUPFD_CLOEXEC, 0); /* closedir closes it */
  DIR *all = again >= 0 ? fdopendir(again) : NULL;
  if (!all && again >= 0) close(again);
  for (struct dirent *one; all && (one = readdir(all));)
    if (strcmp(one->d_name, PRIVATE_OWNER) != 0) (void)unlinkat(folder, one->d_name, 0);
  if (all) closedir(all);
  (void)unlinkat(folder, PRIVATE_OWNER, 0);
  (void)unlinkat(parent, name, AT_REMOVEDIR);
}

/* Is the folder one of this user's whose process is dead? Then `owner` is its lock, now ours. */
static bool left_behind(int folder, int *owner) {
  struct stat status;
  if (fstat(folder, &status) != 0 || status.st_uid != geteuid()) return false;
  *owner = openat(folder, PRIVATE_OWNER, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (*owner < 0) return false;
  bool plain = fstat(*owner, &status) == 0 && S_ISREG(status.st_mode);
  if (plain && flock(*owner, LOCK_EX | LOCK_NB) == 0) return true;
  close(*owner);
  return false;
}

static void tidy_one(int parent, const char *name) {
  int owner, folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  if (left_behind(folder, &owner)) {
    remove_private(parent, name, folder);
    close(owner);
  }
  close(folder);
}

static void tidy(void) {
  DIR *all = opendir(env_temp_dir());
  for (struct dirent *one; all && (one = readdir(all));) {
    bool ours = strncmp(one->d_name, PREFIX, strlen(PREFIX)) == 0;
    if (ours && strlen(one->d_name) == strlen(PREFIX DRAWN)) tidy_one(dirfd(all), one->d_name);
  }
  if (all) closedir(all);
}

/* 0; EAGAIN: another process took the folder for a dead one's. */
static int make_once(char *path, int *owner) {
  memcpy(path + strlen(path) - strlen(DRAWN), DRAWN, strlen(DRAWN));
  if (!mkdtemp(path)) return errno == EAGAIN ? EEXIST : errno;
  struct stat status = {0};
  int made = 0, folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  *owner = folder >= 0 ? openat(folder, PRIVATE_OWNER, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
  if (*owner < 0 || flock(*owner, LOCK_EX | LOCK_NB) != 0 || fstat(*owner, &status) != 0)
    made = errno == ENOENT || errno == EWOULDBLOCK ? EAGAIN : errno;
  else if (status.st_nlink == 0) made = EAGAIN;
  if (folder >= 0) close(folder);
  if (!made) return 0;
  if (made != EAGAIN) private_remove(path, *owner);
  else private_leave(*owner);
  *owner = -1;
  return made;
}

int private_make(const orr_allocator *allocator, char **path, int *owner, orr_error *err) {
  static pthread_once_t tidied = PTHREAD_ONCE_INIT;
  const char *parent = env_temp_dir();
  size_t size = strlen(parent) + sizeof "/" PREFIX DRAWN;
  *owner = -1;
  *path = env_alloc(allocator, size);
  if (!*path) return error_memory(err);
  snprintf(*path, size, "%s/" PREFIX DRAWN, parent);
  pthread_once(&tidied, tidy);
  int made = EAGAIN;
  for (int i = 0; i < TRIES && made == EAGAIN; i++) made = make_once(*path, owner);
  if (!made) return 0;
  return error_set(err, ORR_E_STORE, "making the directory %s: %s", *path, strerror(made));
}

void private_remove(const char *path, int owner) {
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0) {
    remove_private(AT_FDCWD, path, folder);
    close(folder);
  }
  private_leave(owner);
}

void private_leave(int owner) {
  if (owner >= 0) close(owner);
}
