/* Opening and closing the store on disk: the folder and its files are looked at before LMDB maps them, a new file comes into
 * its place whole, and the format row says whose it is. */
#include "store/lmdb/lmdb_open.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/lmdb/lmdb_internal.h"
#include "store/private.h"

#define FLAGS MDB_NOTLS
#define MAP_START ((size_t)16 * 1024 * 1024)
#define READERS_MAX 1022 /* a handle keeps its slot while released; all processes share them */
#define FORMAT_NAME "orrery"
#define RECORDS_NAME "records"

/* `path`/`name`; free with env_free, size strlen + 1. */
static char *join_path(const orr_allocator *allocator, const char *path, const char *name) {
  size_t size = strlen(path) + strlen(name) + 2;
  char *joined = env_alloc(allocator, size);
  if (joined) snprintf(joined, size, "%s/%s", path, name);
  return joined;
}

static void free_path(const lmdb_store *s, char *path) {
  if (path) env_free(&s->allocator, path, strlen(path) + 1);
}

/* Of a staged store (store/staging.h): LMDB's files alone are in its folder. */
static void remove_aside(const lmdb_store *s) {
  static const char *const names[] = {"data.mdb", "lock.mdb"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *file = join_path(&s->allocator, s->path, names[i]);
    if (file) unlink(file);
    free_path(s, file);
  }
  rmdir(s->path);
}

void lmdb_close(store *base) {
  lmdb_store *s = (lmdb_store *)base;
  bool forked = fork_check_in_child(&s->fork);
  if (!forked && s->env) mdb_env_close(s->env);
  if (s->claimed) directory_claim_drop(&s->claim);
  if (s->temporary && forked) private_leave(s->owner);
  else if (s->temporary) private_remove(s->path, s->owner);
  fork_check_stop(&s->fork);
  writer_lock_close(&s->writer_lock);
  leaf_check_stop(&s->leaves, &s->allocator);
  pthread_mutex_destroy(&s->writing);
  commit_counts_destroy(&s->commit_counts);
  map_lock_destroy(&s->map_lock);
  free_path(s, s->path);
  env_free(&s->allocator, s->order, s->order_capacity * 2 * sizeof *s->order);
  orr_allocator allocator = s->allocator;
  env_free(&allocator, s, sizeof *s);
}

static int make_directory(lmdb_store *s, const char *path, orr_error *err) {
  if (!path) {
    int rc = private_make(&s->allocator, &s->path, &s->owner, err);
    s->temporary = !rc;
    return rc;
  }
  s->path = env_strdup(&s->allocator, path);
  if (!s->path) return error_memory(err);
  if (mkdir(path, 0700) == 0 || errno == EEXIST) return 0;
  return error_set(err, ORR_E_STORE, "making the directory %s: %s", s->path, strerror(errno));
}

static int check_directory(lmdb_store *s, orr_error *err) {
  int rc = check_file_system(s->path, err);
  if (rc) return rc;
  rc = directory_claim_take(&s->claim, s->path, err);
  if (rc) return rc;
  s->claimed = true;
  return check_store_files(s->path, s->unsynced, &s->file_size, err);
}

/* LMDB writes its lock file through a map and makes it only as long as that: on a full disk the first write to a page
 * without blocks would end the process by a signal. A file that an earlier opening has made is used as it is if there is
 * no room for the rest of it; nor does a file system matter that cannot reserve. An empty one stays: another process may
 * have opened it meanwhile, and two files would be two locks. */
static int reserve_lock_file(const lmdb_store *s, orr_error *err) {
  const off_t size = (READERS_MAX + 2) * 64; /* LMDB's head and its readers' slots, a cache line each */
  char *path = join_path(&s->allocator, s->path, "lock.mdb");
  if (!path) return error_memory(err);
  struct stat status;
  int rc = 0, file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0 && fstat(file, &status) == 0 && fallocate(file, 0, 0, size) != 0 && status.st_size == 0)
    if (errno == ENOSPC || errno == EDQUOT) rc = error_set(err, ORR_E_STORE, "making %s: %s", path, strerror(errno));
  if (file >= 0) close(file);
  free_path(s, path);
  return rc;
}

static int open_environment(lmdb_store *s, const store_options *options, orr_error *err) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t wanted = options->map_size > 0 ? options->map_size : MAP_START;
  if (wanted < s->file_size) wanted = (size_t)s->file_size;
  wanted = (wanted + page - 1) / page * page;
  /* Nobody can open a temporary store again, so nothing in it has to survive a loss of power. */
  unsigned flags = FLAGS | (options->no_sync || s->temporary ? MDB_NOSYNC : 0);
  int rc = reserve_lock_file(s, err);
  if (rc) return rc;
  rc = mdb_env_create(&s->env);
  if (rc) {
    s->env = NULL;
    return lmdb_fail(s, rc, "opening", err);
  }
  rc = mdb_env_set_assert(s->env, lmdb_assertion_failed);
  if (!rc) rc = mdb_env_set_maxreaders(s->env, READERS_MAX);
  if (!rc) rc = mdb_env_set_maxdbs(s->env, 1);
  if (!rc) rc = mdb_env_set_mapsize(s->env, wanted);
  if (!rc) rc = mdb_env_open(s->env, s->path, flags, 0600);
  MDB_envinfo info;
  if (!rc) rc = mdb_env_info(s->env, &info);
  if (rc) return lmdb_fail(s, rc, "opening", err);
  s->map_size = info.me_mapsize;
  s->fixed_map = options->map_size > 0;
  s->file_size = 0; /* as lmdb_cover_map shall find it: LMDB has made the file by now */
  int dead;
  rc = mdb_reader_check(s->env, &dead);
  return rc ? lmdb_fail(s, rc, "clearing stale readers", err) : 0;
}

static int check_format(const lmdb_store *s, MDB_val value, orr_error *err) {
  const unsigned char *bytes = value.mv_data;
  size_t name_size = strlen(FORMAT_NAME);
  if (value.mv_size != name_size + 1 || memcmp(bytes, FORMAT_NAME, name_size) != 0) {
    return error_set(err, ORR_E_STORE, "%s holds no Orrery store", s->path);
  }
  int format = bytes[name_size];
  bool older = format >= STORE_FORMAT_OLDEST && format < STORE_FORMAT;
  if (s->older) *s->older = format;
  if (format == STORE_FORMAT || (older && s->older)) return 0;
  return error_set(err, ORR_E_STORE, "%s has store format %d; this version knows %d: %s", s->path, format, STORE_FORMAT,
                   older ? "\"orrery upgrade\" brings it there" : "go on with the version that wrote it");
}

/* Looks for the format row. *missing tells that it has to be made, in a file that has never been written. */
static int read_format(lmdb_store *s, MDB_txn *txn, bool *missing, orr_error *err) {
  MDB_dbi unnamed;
  MDB_stat status;
  MDB_val key = {.mv_size = strlen(LMDB_FORMAT_KEY), .mv_data = (void *)(uintptr_t)LMDB_FORMAT_KEY}, value;
  *missing = false;
  int rc = mdb_dbi_open(txn, NULL, 0, &unnamed);
  if (!rc) rc = mdb_get(txn, unnamed, &key, &value);
  if (!rc) return check_format(s, value, err);
  if (rc == MDB_NOTFOUND) rc = mdb_stat(txn, unnamed, &status);
  if (rc) return lmdb_fail(s, rc, "reading the store's format", err);
  *missing = status.ms_entries == 0;
  return *missing ? 0 : error_set(err, ORR_E_STORE, "%s holds no Orrery store", s->path);
}

static int write_format(MDB_txn *txn) {
  unsigned char format[] = FORMAT_NAME "?";
  format[strlen(FORMAT_NAME)] = STORE_FORMAT;
  MDB_val key = {.mv_size = strlen(LMDB_FORMAT_KEY), .mv_data = (void *)(uintptr_t)LMDB_FORMAT_KEY};
  MDB_val value = {.mv_size = strlen(FORMAT_NAME) + 1, .mv_data = format};
  MDB_dbi unnamed;
  int rc = mdb_dbi_open(txn, NULL, 0, &unnamed);
  return rc ? rc : mdb_put(txn, unnamed, &key, &value, 0);
}

typedef struct damage {
  uint64_t count;
  char first[256];
} damage;

static void keep_first(void *ud, const char *sentence) {
  damage *d = ud;
  if (d->count++ == 0) snprintf(d->first, sizeof d->first, "%s", sentence);
}

/* Before LMDB believes them. A writer that takes the meta page away meanwhile has read the pages itself. */
static int check_opened_pages(lmdb_store *s, MDB_txn *txn, orr_error *err) {
  MDB_envinfo info;
  damage found = {0};
  store_page_listener told = {.ud = &found, .finding = keep_first};
  uint64_t unsafe = 0;
  int rc = mdb_env_info(s->env, &info);
  if (rc) return lmdb_fail(s, rc, "opening", err);
  bool large = info.me_last_pgno > STORE_CHECKED_WHOLE / (size_t)sysconf(_SC_PAGESIZE);
  if (large && !s->leaves.sound) rc = leaf_check_start(&s->leaves, info.me_last_pgno + 1, &s->allocator, err);
  if (rc) return rc;
  rc = lmdb_check_image(s, txn, large ? PAGES_INNER : PAGES_ALL, &told, &unsafe, err);
  if (rc == ORR_E_CONFLICT && err) orr_error_clear(err);
  if (rc || unsafe == 0) return rc == ORR_E_CONFLICT ? 0 : rc;
  char more[32] = "";
  if (found.count > 1) snprintf(more, sizeof more, ", and %" PRIu64 " more", found.count - 1);
  return error_set(err, ORR_E_STORE, "%s/data.mdb is damaged: %s%s; go back to a copy", s->path, found.first, more);
}

/* LMDB's own order, byte by byte and of two that begin the same the shorter first, so that any program that opens the store may
 * do without. Keys lie next to each other that differ in some of their first eight bytes, or in the eight behind: to
 * compare those as numbers is half the work of calling for any number of bytes. */
static int compare_records(const MDB_val *a, const MDB_val *b) {
  size_t common = a->mv_size < b->mv_size ? a->mv_size : b->mv_size;
  const unsigned char *one = a->mv_data, *other = b->mv_data;
  for (uint64_t x, y; common >= sizeof x; one += sizeof x, other += sizeof y, common -= sizeof x) {
    memcpy(&x, one, sizeof x);
    memcpy(&y, other, sizeof y);
    if (x != y) return be64toh(x) < be64toh(y) ? -1 : 1;
  }
  for (; common > 0; one++, other++, common--)
    if (*one != *other) return *one < *other ? -1 : 1;
  return (a->mv_size > b->mv_size) - (a->mv_size < b->mv_size);
}

static int open_database(MDB_txn *txn, bool create, MDB_dbi *out) {
  int rc = mdb_dbi_open(txn, RECORDS_NAME, create ? MDB_CREATE : 0, out);
  return rc ? rc : mdb_set_compare(txn, *out, compare_records);
}

/* An existing store is only read; a new one gets its format row. Two processes may come here at once: the second one to
 * write finds the row of the first. */
static int open_records(lmdb_store *s, bool create, bool *missing, orr_error *err) {
  MDB_txn *txn;
  int rc = create ? lmdb_begin_write(s, &txn) : mdb_txn_begin(s->env, NULL, MDB_RDONLY, &txn);
  if (rc) return lmdb_fail(s, rc, "opening", err);
  int refused = create ? 0 : check_opened_pages(s, txn, err);
  if (refused == 0) refused = read_format(s, txn, missing, err);
  if (refused == 0 && *missing && create) rc = write_format(txn);
  if (refused == 0 && !rc && (create || !*missing)) rc = open_database(txn, create, &s->records);
  if (refused != 0 || rc) {
    mdb_txn_abort(txn);
    return refused != 0 ? refused : lmdb_fail(s, rc, "opening", err);
  }
  rc = mdb_txn_commit(txn); /* keeps the database's handle */
  return rc ? lmdb_fail(s, rc, "opening", err) : 0;
}

typedef struct open_call {
  lmdb_store *store;
  bool create, *missing;
  orr_error *err;
} open_call;

static int call_open_records(void *ud) {
  const open_call *k = ud;
  return open_records(k->store, k->create, k->missing, k->err);
}

/* As open_records, for a file that may be damaged. */
static int open_records_protected(lmdb_store *s, bool create, bool *missing, orr_error *err) {
  int rc = lmdb_protect(call_open_records, &(open_call){s, create, missing, err});
  return rc == DATA_DAMAGED ? lmdb_fail(s, rc, "opening", err) : rc;
}

/* Another process that makes the same store may be faster. */
static int link_data(lmdb_store *s, const lmdb_store *fresh, orr_error *err) {
  char *from = join_path(&s->allocator, fresh->path, "data.mdb"), *to = join_path(&s->allocator, s->path, "data.mdb");
  int rc = from && to ? 0 : error_memory(err);
  if (!rc && link(from, to) != 0 && errno != EEXIST) rc = error_set(err, ORR_E_STORE, "making %s: %s", to, strerror(errno));
  free_path(s, from);
  free_path(s, to);
  return rc;
}

/* A new store's file is made beside its place and renamed whole: so an empty one is never a store that is just being
 * made, but one that has lost everything. */
static int create_data(lmdb_store *s, const store_options *options, orr_error *err) {
  lmdb_store fresh = {.allocator = s->allocator, .path = join_path(&s->allocator, s->path, "creating-XXXXXX")};
  if (!fresh.path) return error_memory(err);
  int rc = mkdtemp(fresh.path) ? 0 : error_set(err, ORR_E_STORE, "making a store in %s: %s", s->path, strerror(errno));
  bool made = !rc, missing;
  if (!rc) rc = open_environment(&fresh, options, err);
  if (!rc) rc = open_records(&fresh, true, &missing, err);
  if (fresh.env) mdb_env_close(fresh.env);
  if (!rc) rc = link_data(s, &fresh, err);
  if (made) remove_aside(&fresh);
  free_path(s, fresh.path);
  return rc;
}

int lmdb_make_fresh(const lmdb_store *like, const char *folder, size_t map_size, lmdb_store *fresh, orr_error *err) {
  store_options options = {.no_sync = true, .map_size = map_size};
  bool missing;
  *fresh = (lmdb_store){.allocator = like->allocator, .path = env_strdup(&like->allocator, folder)};
  if (!fresh->path) return error_memory(err);
  int rc = open_environment(fresh, &options, err);
  return rc ? rc : open_records(fresh, true, &missing, err);
}

void lmdb_end_fresh(lmdb_store *fresh) {
  if (fresh->env) mdb_env_close(fresh->env);
  char *lock = fresh->path ? join_path(&fresh->allocator, fresh->path, "lock.mdb") : NULL;
  if (lock) unlink(lock);
  free_path(fresh, lock);
  free_path(fresh, fresh->path);
}

static int open_writer_lock(lmdb_store *s, orr_error *err) {
  int failed = writer_lock_open(&s->writer_lock, s->path, &s->outside);
  return failed ? lmdb_fail(s, failed, "opening " WRITER_LOCK_FILE, err) : 0;
}

int store_open_lmdb(const store_options *options, store **out, orr_error *err) {
  *out = NULL;
  int rc = check_standard_streams(err);
  if (rc) return rc;
  lmdb_store *s = env_zalloc(&options->env->allocator, sizeof *s);
  if (!s) return error_memory(err);
  s->base.methods = &lmdb_methods;
  s->allocator = options->env->allocator;
  s->outside = *options->env;
  s->writer_lock.file = -1;
  s->older = options->older;
  map_lock_init(&s->map_lock);
  commit_counts_init(&s->commit_counts);
  pthread_mutex_init(&s->writing, NULL);
  fork_check_start(&s->fork);
  bool missing = false;
  rc = make_directory(s, options->path, err);
  s->unsynced = options->no_sync || s->temporary;
  if (!rc) rc = check_directory(s, err);
  if (!rc && s->file_size == 0 && !s->temporary) rc = create_data(s, options, err);
  if (!rc) rc = open_environment(s, options, err);
  if (!rc && !s->temporary) rc = open_writer_lock(s, err);
  if (!rc) rc = open_records_protected(s, false, &missing, err);
  if (!rc && missing) rc = open_records_protected(s, true, &missing, err);
  s->older = NULL;
  int unmapped = rc ? 0 : lmdb_map_for_reading(s);
  if (unmapped) rc = lmdb_fail(s, unmapped, "mapping", err);
  if (!rc) {
    *out = &s->base;
  } else {
    lmdb_close(&s->base);
  }
  return rc;
}
