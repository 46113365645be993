/* Who has a view of the store open: what LMDB tells of its table of readers, which all processes share. */
#include "store/lmdb/lmdb_readers.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "store/lmdb/lmdb_internal.h"

typedef struct readers_call {
  void (*visit)(void *ud, const store_reader *reader);
  void *ud;
  uint64_t latest;
} readers_call;

/* LMDB tells by lines: a heading, then process, thread in hexadecimal, and the commit, or "-" for a handle that has no view
 * open now. */
static int read_line(const char *line, void *ud) {
  const readers_call *call = ud;
  store_reader reader = {0};
  if (sscanf(line, "%ld %" SCNx64 " %" SCNu64, &reader.process, &reader.thread, &reader.commit) != 3) return 0;
  reader.behind = call->latest > reader.commit ? call->latest - reader.commit : 0;
  call->visit(call->ud, &reader);
  return 0;
}

void lmdb_readers(store *base, void (*visit)(void *ud, const store_reader *reader), void *ud) {
  lmdb_store *s = (lmdb_store *)base;
  MDB_envinfo info;
  int dead;
  if (lmdb_check_usable(s, NULL) || mdb_reader_check(s->env, &dead) || mdb_env_info(s->env, &info)) return;
  readers_call call = {visit, ud, info.me_last_txnid};
  (void)mdb_reader_list(s->env, read_line, &call);
}

/* Handles without a view keep their place in the table: a process that has the store open, and ever read, has one. */
static int find_other(const char *line, void *ud) {
  long *other = ud, process;
  if (sscanf(line, "%ld %*x", &process) == 1 && process != (long)getpid()) *other = process;
  return 0;
}

long store_lmdb_other(store *base) {
  lmdb_store *s = (lmdb_store *)base;
  long other = 0;
  int dead;
  if (!lmdb_check_usable(s, NULL) && !mdb_reader_check(s->env, &dead)) (void)mdb_reader_list(s->env, find_other, &other);
  return other;
}

typedef struct process_search {
  long process;
  bool found;
} process_search;

static int find_process(const char *line, void *ud) {
  process_search *search = ud;
  long process;
  if (sscanf(line, "%ld %*x", &process) == 1 && process == search->process) search->found = true;
  return 0;
}

bool store_lmdb_opened_by(store *base, long process) {
  process_search search = {.process = process};
  if (base->methods->readers != lmdb_readers || process == (long)getpid()) return true;
  lmdb_store *s = (lmdb_store *)base;
  if (lmdb_check_usable(s, NULL) || mdb_reader_list(s->env, find_process, &search) < 0) return true;
  return search.found;
}
