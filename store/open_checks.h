/* What LMDB does not check itself: that one process does not open a store twice, that no file is
 * truncated, that the file system is a local one. Without these checks each of them would end in
 * lost data or a signal instead of an error. */
#ifndef ORR_STORE_OPEN_CHECKS_H
#define ORR_STORE_OPEN_CHECKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/env.h"

/* ---- Standard streams: a program that has closed its own would print into the store ---------- */

/* Opens those that are closed, or fails. */
int check_standard_streams(orr_error *err);

/* ---- One open store a directory and process: closing a second one would drop the first one's file locks ---- */

typedef struct directory_claim {
  struct directory_claim *next;
  dev_t device;
  ino_t inode;
  pid_t pid;
} directory_claim;

/* ORR_E_STATE when this process has a claim on the directory. The claim's memory is the caller's until it is dropped. */
int directory_claim_take(directory_claim *claim, const char *path, orr_error *err);
/* The directory is free for another claim of this process. */
void directory_claim_drop(directory_claim *claim);

/* ---- Files ----------------------------------------------------------------------------------- */

/* Refuses, without mapping it, a data file that is empty, or that meta_pages_check refuses, which is
 * told whether the store is opened `unsynced`; what is no file; and a folder whose data file is gone
 * while its lock file is there. A folder with neither is to become a store: it is fine when it is
 * empty, and refused (ORR_E_ARGUMENT) when other files are in it. *size is the data file's length,
 * 0: there is none. */
int check_store_files(const char *directory, bool unsynced, uint64_t *size, orr_error *err);

/* The name of a network file system by its magic number, or NULL. */
const char *network_file_system_name(uint64_t magic);
/* ORR_E_STORE when the directory lies on one, or cannot be looked at. */
int check_file_system(const char *directory, orr_error *err);

#endif
