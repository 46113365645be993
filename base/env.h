/* Where the outside world enters the runtime: memory, clocks, randomness and the log.
 * Nothing else in runtime/ or store/ may ask the operating system for them, so that tests and the simulator can drive them. */
#ifndef ORR_ENV_H
#define ORR_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery.h"

#define ENV_PROCESS_HIDDEN UINT64_MAX
#define ENV_BOOT_ID_BYTES 16

typedef struct orr_env {
  orr_allocator allocator;
  void *ud;
  int64_t (*wall_ms)(void *ud);  /* milliseconds since the epoch, UTC; may jump */
  int64_t (*mono_ns)(void *ud);  /* nanoseconds since some start; never goes back; for time-outs and leases */
  uint64_t (*random)(void *ud);  /* for jitter and owner names, never for ids */
  void (*host_name)(void *ud, char *out, size_t size);
  long (*process_id)(void *ud);
  /* What process ids are counted in: one boot of the machine ("" when it is not known), and in it a namespace (0 when it
   * is not known). Two namespaces that exist at once have different numbers. */
  void (*boot_id)(void *ud, char *out, size_t size);
  unsigned long long (*pid_namespace)(void *ud);
  /* When a process of this namespace started, in ticks since boot: with its id it names the process for good. 0: there is none;
   * ENV_PROCESS_HIDDEN: there is one, and no more is shown to us. */
  unsigned long long (*process_start)(void *ud, long pid);
  /* Is a process of this namespace stopped, by a signal or a debugger? False: nothing says so. */
  bool (*process_stopped)(void *ud, long pid);
} orr_env;

/* What a thread is called, in logs, debuggers and top: at most 15 bytes. The host's own threads have their own names. */
#define ENV_THREAD_NAME_BYTES 16
void env_name_thread(const char *name); /* the calling one */
/* The name of this thread; "?" when it has none. */
void env_thread_name(char out[ENV_THREAD_NAME_BYTES]);

/* A file of ours that had the number of a closed standard stream would be what the program prints into: those that are
 * closed are opened, on /dev/null. False, with errno: they cannot be. */
bool env_fill_standard_streams(void);

/* The real clocks, getrandom and malloc. */
void env_system(orr_env *env);
/* Where private temporary stores go: TMPDIR when it is an absolute path, else /tmp. */
const char *env_temp_dir(void);

/* An allocator of NULL, or one without a function, is malloc. A result of NULL always means that memory is out. */
void *env_alloc(const orr_allocator *allocator, size_t size);
/* The same, cleared. */
void *env_zalloc(const orr_allocator *allocator, size_t size);
/* `old` (NULL: none) has `old_size` bytes, and is still good when memory is out. */
void *env_realloc(const orr_allocator *allocator, void *old, size_t old_size, size_t new_size);
/* `size`: as it was asked for. NULL is fine. */
void env_free(const orr_allocator *allocator, void *memory, size_t size);
char *env_strdup(const orr_allocator *allocator, const char *text); /* free with size strlen + 1 */

#endif
