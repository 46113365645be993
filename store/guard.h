/* What LMDB does not guard itself against: one process opening a store twice, a fork, a truncated file, a network file system.
 * Each of them would end in lost data or a signal instead of an error. */
#ifndef ORR_STORE_GUARD_H
#define ORR_STORE_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/env.h"

/* ---- Standard streams: a program that has closed its own would print into the store ---------- */

/* Opens those that are closed, or fails. */
int guard_standard_streams(orr_error *err);

/* ---- Fork: LMDB's locks and its map belong to the process that opened them ------------------- */

typedef struct guard_fork {
  volatile unsigned char *page; /* a page that a child finds wiped; NULL where the kernel cannot: then pids are compared */
  pid_t pid;
} guard_fork;

/* Remembers this process, so that guard_forked tells a child. */
void guard_fork_start(guard_fork *guard);
/* Gives the page back. */
void guard_fork_stop(guard_fork *guard);
/* True in a child of the process that started the guard. */
bool guard_forked(const guard_fork *guard);

/* ---- One open store a directory and process: closing a second one would drop the first one's file locks ---- */

typedef struct guard_claim {
  struct guard_claim *next;
  dev_t device;
  ino_t inode;
  pid_t pid;
} guard_claim;

/* ORR_E_STATE when this process has a claim on the directory. The claim's memory is the caller's until it is dropped. */
int guard_claim_directory(guard_claim *claim, const char *path, orr_error *err);
/* The directory is free for another claim of this process. */
void guard_drop_claim(guard_claim *claim);

/* ---- Files ----------------------------------------------------------------------------------- */

/* Refuses, without mapping it, a data file that is empty, or that meta_pages_check refuses, which is
 * told whether the store is opened `unsynced`; what is no file; and a folder whose data file is gone
 * while its lock file is there. A folder with neither is to become a store: it is fine when it is
 * empty, and refused (ORR_E_ARGUMENT) when other files are in it. *size is the data file's length,
 * 0: there is none. */
int guard_check_files(const char *directory, bool unsynced, uint64_t *size, orr_error *err);

/* The name of a network file system by its magic number, or NULL. */
const char *guard_network_name(uint64_t magic);
/* ORR_E_STORE when the directory lies on one, or cannot be looked at. */
int guard_check_file_system(const char *directory, orr_error *err);

#endif
