/* The file of running jobs. */
#include "running.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../engine.h"
#include "reclaim.h"

/* The file: whose it is, then a slot for each thread. */
typedef struct running_file {
  char owner[RUNNING_OWNER_BYTES];
  _Atomic orr_id slots[];
} running_file;

struct running {
  orr_allocator allocator;
  char *path;
  size_t size;
  running_file *file;
};

/* "<store>/running-<hash of the owner>", or false for a store without a directory. */
static bool path_of(orr_engine *engine, const char *owner, size_t size, char *out, size_t room) {
  const char *directory = store_path(engine->store);
  if (!directory || !directory[0]) return false;
  int n = snprintf(out, room, "%s/running-%08x", directory, store_crc32c(owner, size));
  return n > 0 && (size_t)n < room;
}

static void *map_file(const char *path, size_t size) {
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return NULL;
  void *mapped = ftruncate(fd, (off_t)size) == 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  close(fd);
  return mapped == MAP_FAILED ? NULL : mapped;
}

running *running_open(orr_engine *engine, const char *owner, uint32_t threads) {
  char path[4096];
  if (!path_of(engine, owner, strlen(owner), path, sizeof path)) return NULL;
  const orr_allocator *allocator = &engine->env.allocator;
  running *r = env_zalloc(allocator, sizeof *r);
  if (!r) return NULL;
  r->allocator = *allocator;
  r->size = sizeof *r->file + threads * sizeof r->file->slots[0];
  r->path = env_strdup(allocator, path);
  r->file = r->path ? map_file(path, r->size) : NULL;
  if (r->file) {
    snprintf(r->file->owner, sizeof r->file->owner, "%s", owner);
    return r;
  }
  if (r->path) env_free(allocator, r->path, strlen(path) + 1);
  env_free(allocator, r, sizeof *r);
  return NULL;
}

void running_close(running *r) {
  if (!r) return;
  munmap(r->file, r->size);
  unlink(r->path);
  orr_allocator allocator = r->allocator;
  env_free(&allocator, r->path, strlen(r->path) + 1);
  env_free(&allocator, r, sizeof *r);
}

void running_set(running *r, uint32_t thread, orr_id job) {
  if (r) atomic_store_explicit(&r->file->slots[thread], job, memory_order_relaxed);
}

/* ---- Of the dead --------------------------------------------------------------------------------------------------------------- */

static void read_list(running_list *list, orr_engine *engine, rec_text owner) {
  char path[4096];
  list->count = 0;
  if (!path_of(engine, owner.data, owner.size, path, sizeof path)) return;
  FILE *file = fopen(path, "rbe");
  if (!file) return;
  if (fseek(file, RUNNING_OWNER_BYTES, SEEK_SET) == 0)
    list->count = (uint32_t)fread(list->jobs, sizeof list->jobs[0], RUNNING_THREADS_MAX, file);
  fclose(file);
}

bool running_list_has(running_list *list, orr_engine *engine, rec_text owner, orr_id job) {
  if (owner.size >= sizeof list->owner) return false;
  bool known = rec_text_is(owner, list->owner);
  if (!known) {
    memcpy(list->owner, owner.data, owner.size);
    list->owner[owner.size] = '\0';
    read_list(list, engine, owner);
  }
  for (uint32_t i = 0; i < list->count; i++)
    if (list->jobs[i] == job) return true;
  return false;
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

void running_forget_dead(orr_engine *engine) {
  const char *directory = store_path(engine->store);
  DIR *d = directory && directory[0] ? opendir(directory) : NULL;
  if (!d) return;
  for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
    char path[4096];
    if (strncmp(entry->d_name, "running-", strlen("running-")) != 0) continue;
    int n = snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    if (n > 0 && (size_t)n < sizeof path && is_of_the_dead(engine, path)) (void)unlink(path);
  }
  closedir(d);
}
