/* Reading both meta pages as of one moment, and what is true of every pair that LMDB writes. */
#include "store/lmdb/meta_pages.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb/pages.h"

#define META_FLAG 0x08
#define META_MAGIC 0xBEEFC0DEu
#define META_VERSION 1u
#define PAGE_MIN 512u
#define PAGE_MAX 65536u
#define READS_MAX 1000 /* another process that commits changes the pages between two reads */

static bool read_meta(int file, uint64_t offset, disk_meta *meta) {
  ssize_t got;
  do {
    got = pread(file, meta, sizeof *meta, (off_t)offset);
  } while (got < 0 && errno == EINTR);
  return got == (ssize_t)sizeof *meta;
}

static int check_meta(const disk_meta *meta, const char *path, orr_error *err) {
  if (meta->magic != META_MAGIC || (meta->flags & META_FLAG) == 0)
    return error_set(err, ORR_E_STORE, "%s is not an LMDB file", path);
  if (meta->version == META_VERSION) return 0;
  return error_set(err, ORR_E_STORE, "%s has version %u of LMDB's format, not %u", path,
                   meta->version, META_VERSION);
}

static int read_pair(int file, const char *path, disk_meta metas[2], orr_error *err) {
  if (!read_meta(file, 0, &metas[0]))
    return error_set(err, ORR_E_STORE, "%s is truncated: not even its first page is whole", path);
  int rc = check_meta(&metas[0], path, err);
  if (rc) return rc;
  uint32_t page_size = metas[0].free_list.page_size;
  if (page_size < PAGE_MIN || page_size > PAGE_MAX || (page_size & (page_size - 1)) != 0)
    return error_set(err, ORR_E_STORE, "%s is damaged: pages of %u bytes", path, page_size);
  if (!read_meta(file, page_size, &metas[1]))
    return error_set(err, ORR_E_STORE, "%s is truncated: its second page is missing", path);
  return check_meta(&metas[1], path, err);
}

/* Reads both until neither changes between two reads. *still: they did not change. */
static int read_both(int file, const char *path, disk_meta metas[2], bool *still, orr_error *err) {
  disk_meta before[2];
  int rc = read_pair(file, path, metas, err);
  *still = false;
  for (int reads = 1; !rc && !*still && reads < READS_MAX; reads++) {
    memcpy(before, metas, sizeof before);
    rc = read_pair(file, path, metas, err);
    *still = !rc && memcmp(before, metas, sizeof before) == 0;
  }
  return rc;
}

static int check_page_sizes(const disk_meta metas[2], const char *path, orr_error *err) {
  uint32_t one = metas[0].free_list.page_size, other = metas[1].free_list.page_size;
  if (one == other) return 0;
  return error_set(err, ORR_E_STORE,
                   "%s is damaged: its meta pages tell of pages of %u and of %u bytes", path, one,
                   other);
}

/* A new file has number 0 in both. */
static bool numbers_possible(uint64_t even, uint64_t odd) {
  bool new_file = even == 0 && odd == 0;
  return even % 2 == 0 && (odd % 2 == 1 || new_file);
}

static bool numbers_adjoin(uint64_t even, uint64_t odd) {
  return even + 1 == odd || odd + 1 == even || even == odd;
}

static int check_transactions(const disk_meta metas[2], const char *path, bool unsynced,
                              orr_error *err) {
  static const char HINT[] =
      "; durability \"none\" opens a store that lost its power while it was used so";
  uint64_t even = metas[0].transaction, odd = metas[1].transaction;
  bool possible = numbers_possible(even, odd), adjoin = numbers_adjoin(even, odd);
  if (possible && (adjoin || unsynced)) return 0;
  return error_set(err, ORR_E_STORE,
                   "%s is damaged: its meta pages are of transactions %" PRIu64 " and %" PRIu64
                   ", which do not follow each other%s",
                   path, even, odd, possible ? HINT : "");
}

/* Another process lengthens the file before it writes a meta page: so the length is read last. */
static int check_file_length(int file, const disk_meta metas[2], const char *path, orr_error *err) {
  struct stat status;
  if (fstat(file, &status) != 0)
    return error_set(err, ORR_E_STORE, "%s: %s", path, strerror(errno));
  const disk_meta *newest = &metas[metas[1].transaction > metas[0].transaction];
  uint64_t pages = (uint64_t)status.st_size / metas[0].free_list.page_size;
  if (newest->last_page < pages) return 0;
  return error_set(err, ORR_E_STORE,
                   "%s is truncated: it has %" PRIu64
                   " pages, of which the last should be number %" PRIu64,
                   path, pages, newest->last_page);
}

int meta_pages_check(int file, const char *path, bool unsynced, orr_error *err) {
  _Static_assert(sizeof(disk_meta) == 152 && offsetof(disk_meta, last_page) == 136,
                 "LMDB's layout");
  disk_meta metas[2];
  bool still;
  int rc = read_both(file, path, metas, &still, err);
  if (!rc && still) rc = check_page_sizes(metas, path, err);
  if (!rc && still) rc = check_transactions(metas, path, unsynced, err);
  return rc ? rc : check_file_length(file, metas, path, err);
}
