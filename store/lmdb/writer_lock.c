/* A robust mutex that processes share, in a mapped file.
 *
 * A mutex in a file outlives a machine that crashes. So each process that opens the file keeps a
 * lock of the system on its first byte; one that finds nobody else there makes the mutex anew. */
#include "store/lmdb/writer_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/timed_lock.h"

struct writer_page {
  uint32_t layout; /* LAYOUT once the mutex is made */
  pthread_mutex_t mutex;
  atomic_uint_fast64_t turn;      /* of the last taking */
  atomic_uint_fast64_t pid;       /* of who holds it; 0: nobody */
  atomic_uint_fast64_t start;     /* when that process started; see orr_env */
  atomic_uint_fast64_t namespace; /* what its id is counted in */
};

/* Builds that lay the page out in another way do not share it. */
#define LAYOUT (0x4F770000u | (uint32_t)sizeof(struct writer_page))
#define SLICE_MS 250 /* after so long a waiter looks whether the holder has changed */
#define NS_OF_MS 1000000

static bool lock_file(int file, short type, bool wait) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
  return fcntl(file, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock) != -1;
}

static bool make_mutex(writer_page *page) {
  pthread_mutexattr_t attr;
  memset(page, 0, sizeof *page);
  if (pthread_mutexattr_init(&attr) != 0) return false;
  bool made = pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0 &&
              pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0 &&
              pthread_mutex_init(&page->mutex, &attr) == 0;
  pthread_mutexattr_destroy(&attr);
  if (made) page->layout = LAYOUT;
  return made;
}

/* The first process makes the mutex; every other one waits until it has. */
static bool join_processes(int file, writer_page *page) {
  if (lock_file(file, F_WRLCK, false)) return make_mutex(page) && lock_file(file, F_RDLCK, false);
  return lock_file(file, F_RDLCK, true) && page->layout == LAYOUT;
}

static bool out_of_descriptors(int code) { return code == EMFILE || code == ENFILE; }

int writer_lock_open(writer_lock *lock, const char *folder, const orr_env *env) {
  char path[PATH_MAX];
  *lock = (writer_lock){.env = env, .file = -1, .pid = env->process_id(env->ud)};
  lock->start = env->process_start(env->ud, lock->pid);
  lock->namespace = env->pid_namespace(env->ud);
  if (snprintf(path, sizeof path, "%s/" WRITER_LOCK_FILE, folder) >= (int)sizeof path)
    return ENAMETOOLONG;
  lock->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock->file < 0) return out_of_descriptors(errno) ? errno : 0;
  /* Writing to a page of a map is a signal where the disk has no block for it. */
  int rc = posix_fallocate(lock->file, 0, sizeof(writer_page));
  if (rc) return rc == ENOSPC || rc == EDQUOT ? 0 : rc;
  void *map = mmap(NULL, sizeof(writer_page), PROT_READ | PROT_WRITE, MAP_SHARED, lock->file, 0);
  if (map == MAP_FAILED) return errno;
  if (join_processes(lock->file, map)) lock->page = map;
  else munmap(map, sizeof(writer_page));
  return 0;
}

void writer_lock_close(writer_lock *lock) {
  if (lock->page) munmap(lock->page, sizeof *lock->page);
  if (lock->file >= 0) close(lock->file);
  *lock = (writer_lock){.file = -1};
}

int64_t writer_lock_patience_ms(const writer_holder *holder) {
  return holder->stopped || holder->pid == 0 ? WRITER_STOPPED_MS : WRITER_RUNNING_MS;
}

uint64_t writer_lock_turn(const writer_lock *lock) {
  if (!lock->page || atomic_load(&lock->page->pid) == 0) return 0;
  return atomic_load(&lock->page->turn);
}

writer_holder writer_lock_holder(const writer_lock *lock) {
  const orr_env *env = lock->env;
  writer_holder holder = {.turn = writer_lock_turn(lock)};
  if (holder.turn == 0) return holder;
  long pid = (long)atomic_load(&lock->page->pid);
  bool here = atomic_load(&lock->page->namespace) == lock->namespace;
  if (!here || env->process_start(env->ud, pid) != atomic_load(&lock->page->start)) return holder;
  holder.pid = pid;
  holder.stopped = env->process_stopped(env->ud, pid);
  return holder;
}

/* Waits for the mutex as long as it changes hands, and for one holder as long as
 * writer_lock_patience_ms says. */
static int wait_for_mutex(writer_lock *lock, uint64_t given_up, writer_holder *holder) {
  const orr_env *env = lock->env;
  uint64_t turn = writer_lock_turn(lock);
  int64_t since = env->mono_ns(env->ud);
  for (;;) {
    if (turn != 0 && turn == given_up) {
      *holder = writer_lock_holder(lock);
      return ETIMEDOUT;
    }
    int rc = timed_lock(&lock->page->mutex, SLICE_MS);
    if (rc != ETIMEDOUT) return rc;
    int64_t now = env->mono_ns(env->ud);
    uint64_t before = turn;
    turn = writer_lock_turn(lock);
    if (turn == 0 || turn != before) {
      since = now;
    } else if (now - since >= WRITER_STOPPED_MS * (int64_t)NS_OF_MS) {
      *holder = writer_lock_holder(lock);
      if (now - since >= writer_lock_patience_ms(holder) * NS_OF_MS) return ETIMEDOUT;
    }
  }
}

/* The mutex is ours, if `rc` says so: of a holder that died, too, since it guards nothing that
 * could be half done. */
static bool accept(writer_page *page, int rc) {
  return !rc || (rc == EOWNERDEAD && pthread_mutex_consistent(&page->mutex) == 0);
}

bool writer_lock_take(writer_lock *lock, uint64_t given_up, writer_holder *holder) {
  writer_page *page = lock->page;
  if (!page) return true;
  int rc = pthread_mutex_trylock(&page->mutex);
  if (rc == EBUSY) rc = wait_for_mutex(lock, given_up, holder);
  if (rc == ETIMEDOUT) return false;
  lock->held = accept(page, rc);
  if (!lock->held) return true; /* the page was overwritten: LMDB's own lock is left */
  atomic_fetch_add(&page->turn, 1);
  atomic_store(&page->start, lock->start);
  atomic_store(&page->namespace, lock->namespace);
  atomic_store(&page->pid, (uint64_t)lock->pid);
  return true;
}

void writer_lock_give(writer_lock *lock) {
  if (!lock->held) return;
  lock->held = false;
  atomic_store(&lock->page->pid, 0);
  pthread_mutex_unlock(&lock->page->mutex);
}

bool writer_lock_free(writer_lock *lock) {
  if (!lock->page) return true;
  int rc = pthread_mutex_trylock(&lock->page->mutex);
  if (!accept(lock->page, rc)) return rc != EBUSY;
  atomic_store(&lock->page->pid, 0);
  pthread_mutex_unlock(&lock->page->mutex);
  return true;
}
