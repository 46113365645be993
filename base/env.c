/* The operating system as the runtime sees it. The only file of runtime/ and store/ that asks for time, randomness or
 * memory. */
#include "base/env.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void *system_allocate(void *ud, void *ptr, size_t old_size, size_t new_size) {
  (void)ud;
  (void)old_size;
  if (new_size == 0) {
    free(ptr);
    return NULL;
  }
  return realloc(ptr, new_size);
}

static int64_t system_wall_ms(void *ud) {
  (void)ud;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t system_mono_ns(void *ud) {
  (void)ud;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint64_t system_random(void *ud) {
  uint64_t number;
  /* Without a random source the clock has to do: the number spreads retries and names, it guards nothing. */
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
    number = (uint64_t)system_mono_ns(ud) * UINT64_C(0x9E3779B97F4A7C15);
  return number;
}

static void system_host_name(void *ud, char *out, size_t size) {
  (void)ud;
  if (size == 0 || gethostname(out, size) != 0) snprintf(out, size, "localhost");
  if (size > 0) out[size - 1] = '\0';
}

static long system_process_id(void *ud) {
  (void)ud;
  return (long)getpid();
}

/* The first digits tell boots apart well enough. */
static void system_boot_id(void *ud, char *out, size_t size) {
  (void)ud;
  char id[9] = "";
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file) {
    if (!fgets(id, sizeof id, file)) id[0] = '\0';
    fclose(file);
  }
  snprintf(out, size, "%s", id);
}

static unsigned long long system_pid_namespace(void *ud) {
  (void)ud;
  struct stat status;
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

/* Reads /proc/<pid>/stat into `line`. The fields are counted behind the program's name, which may
 * hold anything: the answer is the end of the name. NULL: there is no such file. */
static const char *read_process(long pid, char *line, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  FILE *file = fopen(path, "re");
  if (!file) return NULL;
  size_t n = fread(line, 1, size - 1, file);
  fclose(file);
  line[n] = '\0';
  const char *name_end = strrchr(line, ')');
  return name_end && name_end[1] != '\0' ? name_end : line + n;
}

/* Field 3, behind the name; '\0': it is not there. */
static char process_state(const char *name_end) { return *name_end == ')' ? name_end[2] : '\0'; }

/* Field 22. What has ended and was not waited for, as below a container's first process that waits
 * for nobody, is no process any more. */
static unsigned long long system_process_start(void *ud, long pid) {
  (void)ud;
  char line[1024];
  const char *at = read_process(pid, line, sizeof line);
  if (!at) return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM) ? ENV_PROCESS_HIDDEN : 0;
  if (process_state(at) == 'Z' || process_state(at) == 'X') return 0;
  for (int field = 2; at && field < 22; field++) at = strchr(*at ? at + 1 : at, ' ');
  return at ? strtoull(at + 1, NULL, 10) : 0;
}

static bool system_process_stopped(void *ud, long pid) {
  (void)ud;
  char line[1024];
  const char *at = read_process(pid, line, sizeof line);
  return at && (process_state(at) == 'T' || process_state(at) == 't');
}

void env_name_thread(const char *name) { (void)pthread_setname_np(pthread_self(), name); }

void env_thread_name(char out[ENV_THREAD_NAME_BYTES]) {
  if (pthread_getname_np(pthread_self(), out, ENV_THREAD_NAME_BYTES) != 0) snprintf(out, ENV_THREAD_NAME_BYTES, "?");
}

bool env_fill_standard_streams(void) {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    int file = open("/dev/null", O_RDWR); /* the lowest number that is free: children inherit it, as any standard stream */
    if (file < 0) return false;
    if (file > STDERR_FILENO) close(file); /* another thread was faster */
  }
  return true;
}

void env_system(orr_env *env) {
  *env = (orr_env){
    .allocator = {.fn = system_allocate},
    .wall_ms = system_wall_ms,
    .mono_ns = system_mono_ns,
    .random = system_random,
    .host_name = system_host_name,
    .process_id = system_process_id,
    .boot_id = system_boot_id,
    .pid_namespace = system_pid_namespace,
    .process_start = system_process_start,
    .process_stopped = system_process_stopped,
  };
}

const char *env_temp_dir(void) {
  const char *dir = getenv("TMPDIR");
  return dir && dir[0] == '/' ? dir : "/tmp";
}

static void *allocate(const orr_allocator *allocator, void *old, size_t old_size, size_t new_size) {
  if (!allocator || !allocator->fn) return system_allocate(NULL, old, old_size, new_size);
  return allocator->fn(allocator->ud, old, old_size, new_size);
}

void *env_alloc(const orr_allocator *allocator, size_t size) {
  return allocate(allocator, NULL, 0, size > 0 ? size : 1); /* NULL always means that memory is out */
}

void *env_zalloc(const orr_allocator *allocator, size_t size) {
  void *memory = env_alloc(allocator, size);
  if (memory) memset(memory, 0, size);
  return memory;
}

void *env_realloc(const orr_allocator *allocator, void *old, size_t old_size, size_t new_size) {
  return allocate(allocator, old, old_size, new_size > 0 ? new_size : 1);
}

void env_free(const orr_allocator *allocator, void *memory, size_t size) {
  if (memory) allocate(allocator, memory, size, 0);
}

char *env_strdup(const orr_allocator *allocator, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = env_alloc(allocator, size);
  if (copy) memcpy(copy, text, size);
  return copy;
}
