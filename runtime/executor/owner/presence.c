/* The file of an executor. */
#include "executor/owner/presence.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/engine.h"
#include "executor/owner/owner_name.h"

#define RUNNING_FILE "running-"
#define STARTING_FILE "starting-"

/* More of them are not listed: then each counts as registered. */
#define RUNNING_DEPLOYMENTS_MAX 1000

/* Others read while this is written. Of what they see each number is whole; that one is older than another misleads nobody
 * for long. */
typedef struct running_file {
  char owner[RUNNING_OWNER_BYTES];
  _Atomic orr_id slots[RUNNING_THREADS_MAX];
  char process[RUNNING_OWNER_BYTES];   /* an owner's name that tells whether it is alive; from here to the next gap set once */
  int64_t priority_min, priority_max;
  bool deployment_aware, exclusive_over_hierarchies;
  bool locked;                         /* the file is, for as long as the process lives */

  _Atomic uint32_t room;
  atomic_bool stopping;                /* it ends in good order: should it be killed meanwhile, no job of it is to blame */
  _Atomic uint32_t n_deployments;      /* more than the maximum: not listed */
  _Atomic uint32_t waiting;            /* jobs that wait for what their delegates await: none of the slots has them */
  _Atomic orr_id deployments[RUNNING_DEPLOYMENTS_MAX];
} running_file;

struct running {
  orr_allocator allocator;
  char *path;
  int fd; /* locked for as long as the process lives, also when it is stopped or in another namespace */
  running_file *file;
};

bool running_keeps_files(orr_engine *engine) {
  const char *directory = store_path(engine->store);
  return directory && directory[0];
}

/* "<store>/running-<hash of the owner>", or false for a store without a directory. */
static bool path_of(orr_engine *engine, const char *owner, size_t size, char *out, size_t room) {
  if (!running_keeps_files(engine)) return false;
  int n = snprintf(out, room, "%s/" RUNNING_FILE "%08x", store_path(engine->store), store_crc32c(owner, size));
  return n > 0 && (size_t)n < room;
}

/* A file of this size whose blocks are all there: a map of one that is only as long would end the process by a signal, on a
 * disk that is full, where it is first written. */
static bool reserve_file(int fd, size_t size) {
  int rc;
  do rc = posix_fallocate(fd, 0, (off_t)size);
  while (rc == EINTR);
  return !rc;
}

/* Makes the file of a name like mkstemp's; NULL when it cannot be, on a full disk for one. */
static running_file *map_file(char *path, int *fd) {
  const size_t size = sizeof(running_file);
  *fd = mkostemp(path, O_CLOEXEC);
  if (*fd < 0) return NULL;
  bool locked = flock(*fd, LOCK_EX) == 0; /* another that tidies up has it while it unlinks */
  running_file *file = MAP_FAILED;
  if (reserve_file(*fd, size)) file = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
  if (file != MAP_FAILED) {
    file->locked = locked;
    return file;
  }
  close(*fd);
  unlink(path);
  return NULL;
}

static void unmap_file(running_file *file, int fd) {
  munmap(file, sizeof *file);
  close(fd);
}

static void introduce(running_file *file, const orr_engine *engine, const acquire_rules *rules) {
  snprintf(file->owner, sizeof file->owner, "%s", rules->owner);
  file->priority_min = rules->has_min ? rules->priority_min : INT64_MIN;
  file->priority_max = rules->has_max ? rules->priority_max : INT64_MAX;
  file->deployment_aware = rules->deployment_aware;
  atomic_store(&file->room, UINT32_MAX); /* until its first round tells */
  file->exclusive_over_hierarchies = rules->exclusive_over_hierarchies;
  if (owner_name(engine, file->process, sizeof file->process)) file->process[0] = '\0'; /* too long: taken for alive */
}

/* It gets its name once it is locked and says everything: an unlocked file of that name is of a dead process. */
static running_file *publish_file(orr_engine *engine, const acquire_rules *rules, const char *path, int *fd) {
  char made[4096];
  int n = snprintf(made, sizeof made, "%s/" STARTING_FILE "XXXXXX", store_path(engine->store));
  if (n < 0 || (size_t)n >= sizeof made) return NULL;
  running_file *file = map_file(made, fd);
  if (!file) return NULL;
  introduce(file, engine, rules);
  if (rename(made, path) == 0) return file;
  bool taken = errno == ENOENT; /* for a dead one's, by another that starts, before it was locked */
  unlink(made);
  unmap_file(file, *fd);
  return taken ? publish_file(engine, rules, path, fd) : NULL;
}

running *running_open(orr_engine *engine, const acquire_rules *rules) {
  char path[4096];
  if (!path_of(engine, rules->owner, strlen(rules->owner), path, sizeof path)) return NULL;
  const orr_allocator *allocator = &engine->env.allocator;
  running *r = env_zalloc(allocator, sizeof *r);
  if (!r) return NULL;
  r->allocator = *allocator;
  r->path = env_strdup(allocator, path);
  r->file = r->path ? publish_file(engine, rules, path, &r->fd) : NULL;
  if (r->file) return r;
  if (r->path) env_free(allocator, r->path, strlen(path) + 1);
  env_free(allocator, r, sizeof *r);
  return NULL;
}

void running_close(running *r) {
  if (!r) return;
  unlink(r->path);
  unmap_file(r->file, r->fd);
  orr_allocator allocator = r->allocator;
  env_free(&allocator, r->path, strlen(r->path) + 1);
  env_free(&allocator, r, sizeof *r);
}

void running_set(running *r, uint32_t thread, orr_id job) {
  if (r) atomic_store_explicit(&r->file->slots[thread], job, memory_order_relaxed);
}

void running_waits(running *r, bool begins) {
  if (!r) return;
  if (begins) atomic_fetch_add_explicit(&r->file->waiting, 1, memory_order_relaxed);
  else atomic_fetch_sub_explicit(&r->file->waiting, 1, memory_order_relaxed);
}

void running_stopping(running *r) {
  if (r) atomic_store(&r->file->stopping, true);
}

void running_tell(running *r, orr_engine *engine, uint32_t room) {
  if (!r) return;
  atomic_store_explicit(&r->file->room, room, memory_order_relaxed);
  if (!r->file->deployment_aware) return;
  pthread_mutex_lock(&engine->mutex);
  size_t n = engine->n_registered;
  for (size_t i = 0; i < n && n <= RUNNING_DEPLOYMENTS_MAX; i++)
    atomic_store_explicit(&r->file->deployments[i], engine->registered[i], memory_order_relaxed);
  atomic_store_explicit(&r->file->n_deployments, (uint32_t)n, memory_order_relaxed);
  pthread_mutex_unlock(&engine->mutex);
}

/* ---- Of others ------------------------------------------------------------------------------- */

/* `dead`: only a file whose process has ended. */
static const running_file *map_other(const char *path, bool dead) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return NULL;
  struct stat is;
  bool whole = fstat(fd, &is) == 0 && is.st_size == (off_t)sizeof(running_file);
  if (dead && flock(fd, LOCK_EX | LOCK_NB) != 0) whole = false;
  void *mapped = whole ? mmap(NULL, sizeof(running_file), PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
  close(fd);
  return mapped == MAP_FAILED ? NULL : mapped;
}

static bool presence_lists(const running_file *file, orr_id deployment) {
  uint32_t n = atomic_load_explicit(&file->n_deployments, memory_order_relaxed);
  if (!file->deployment_aware || deployment == 0 || n > RUNNING_DEPLOYMENTS_MAX) return true;
  for (uint32_t i = 0; i < n; i++)
    if (atomic_load_explicit(&file->deployments[i], memory_order_relaxed) == deployment) return true;
  return false;
}

static bool runs(orr_engine *engine, const running_file *file) {
  return file->owner[0] && owner_alive(engine, file->process, strnlen(file->process, sizeof file->process)) &&
         owner_alive(engine, file->owner, strnlen(file->owner, sizeof file->owner)) &&
         owner_name_is_here(engine, file->process, strnlen(file->process, sizeof file->process));
}

static running_view presence_view(const running_file *file, orr_id deployment) {
  return (running_view){
      .rules = {.has_min = file->priority_min != INT64_MIN,
                .has_max = file->priority_max != INT64_MAX,
                .priority_min = file->priority_min,
                .priority_max = file->priority_max,
                .deployment_aware = file->deployment_aware,
                .exclusive_over_hierarchies = file->exclusive_over_hierarchies,
                .owner = file->owner},
      .room = atomic_load_explicit(&file->room, memory_order_relaxed),
      .waiting = atomic_load_explicit(&file->waiting, memory_order_relaxed),
      .registered = presence_lists(file, deployment),
      .stopping = atomic_load(&file->stopping),
      .file = file,
  };
}

orr_id running_view_job(const running_view *view, uint32_t thread) {
  if (view->file) return atomic_load_explicit(&((const running_file *)view->file)->slots[thread], memory_order_relaxed);
  return thread < view->told.count ? view->told.items[thread] : 0;
}

/* The next file in the folder whose name begins like this; false: there is none. */
static bool next_file(DIR *d, const char *directory, const char *prefix, char *out, size_t room) {
  for (struct dirent *entry; (entry = readdir(d));) {
    if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
    int n = snprintf(out, room, "%s/%s", directory, entry->d_name);
    if (n > 0 && (size_t)n < room) return true;
  }
  return false;
}

void running_each(orr_engine *engine, orr_id deployment, void (*visit)(void *ud, const running_view *view), void *ud) {
  const char *directory = store_path(engine->store);
  DIR *d = directory && directory[0] ? opendir(directory) : NULL;
  if (!d) return;
  for (char path[4096]; next_file(d, directory, RUNNING_FILE, path, sizeof path);) {
    const running_file *file = map_other(path, false);
    if (!file) continue;
    running_view view = presence_view(file, deployment);
    if (runs(engine, file)) visit(ud, &view);
    munmap((void *)file, sizeof *file);
  }
  closedir(d);
}

/* ---- Of the dead ----------------------------------------------------------------------------- */

static void read_presence_list(running_list *list, orr_engine *engine, rec_text owner) {
  char path[4096];
  list->count = list->waiting = 0;
  list->told = path_of(engine, owner.data, owner.size, path, sizeof path) && access(path, F_OK) == 0;
  const running_file *file = list->told ? map_other(path, list->dead) : NULL;
  if (!file) return;
  for (uint32_t i = 0; i < RUNNING_THREADS_MAX && !(list->dead && atomic_load(&file->stopping)); i++) {
    orr_id job = atomic_load_explicit(&file->slots[i], memory_order_relaxed);
    if (!job) continue;
    list->threads[list->count] = i + 1;
    list->jobs[list->count++] = job;
  }
  list->waiting = atomic_load_explicit(&file->waiting, memory_order_relaxed);
  munmap((void *)file, sizeof *file);
}

bool running_list_has(running_list *list, orr_engine *engine, rec_text owner, orr_id job) {
  if (owner.size >= sizeof list->owner) return false;
  bool known = rec_text_is(owner, list->owner);
  if (!known) {
    memcpy(list->owner, owner.data, owner.size);
    list->owner[owner.size] = '\0';
    read_presence_list(list, engine, owner);
  }
  for (uint32_t i = 0; i < list->count; i++)
    if (list->jobs[i] == job) return true;
  return false;
}

bool running_gone(orr_engine *engine, const char *owner, size_t size) {
  char path[4096];
  const running_file *file = path_of(engine, owner, size, path, sizeof path) ? map_other(path, true) : NULL;
  if (!file) return false;
  bool gone = file->locked && strnlen(file->owner, sizeof file->owner) == size && memcmp(file->owner, owner, size) == 0;
  munmap((void *)file, sizeof *file);
  return gone;
}

static bool is_of_the_dead(orr_engine *engine, const char *path) {
  char owner[RUNNING_OWNER_BYTES];
  FILE *file = fopen(path, "rbe");
  if (!file) return false;
  bool whole = fread(owner, 1, sizeof owner, file) == sizeof owner;
  fclose(file);
  owner[sizeof owner - 1] = '\0';
  return whole && owner[0] && !owner_alive(engine, owner, strlen(owner));
}

static void forget_dead(orr_engine *engine, const char *path) {
  if (is_of_the_dead(engine, path)) (void)unlink(path);
}

/* One that never got its name. Who makes it holds its lock. */
static void forget_abandoned(orr_engine *engine, const char *path) {
  (void)engine;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW); /* a socket, which may be there too, is not opened */
  if (fd < 0) return;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) (void)unlink(path);
  close(fd);
}

static void forget_files(orr_engine *engine, const char *prefix,
                         void (*forget)(orr_engine *engine, const char *path)) {
  const char *directory = store_path(engine->store);
  DIR *d = directory && directory[0] ? opendir(directory) : NULL;
  if (!d) return;
  for (char path[4096]; next_file(d, directory, prefix, path, sizeof path);) forget(engine, path);
  closedir(d);
}

void running_forget_dead(orr_engine *engine) {
  forget_files(engine, RUNNING_FILE, forget_dead);
  forget_files(engine, STARTING_FILE, forget_abandoned);
}
