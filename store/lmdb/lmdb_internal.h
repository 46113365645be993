/* The inside of the store on disk: lmdb.c reads, lmdb_commit.c writes, lmdb_turn.c lets one
 * writer in at a time, lmdb_map.c keeps map and file, lmdb_open.c opens and closes, lmdb_copy.c
 * copies, lmdb_stakes.c tells other processes what this one is about to take, lmdb_questions.c
 * answers what they ask, and lmdb_ask.c asks them. */
#ifndef ORR_STORE_LMDB_INTERNAL_H
#define ORR_STORE_LMDB_INTERNAL_H

#include <lmdb.h>
#include <stdatomic.h>
#include <sys/un.h>

#include "store/lmdb/leaf_check.h"
#include "store/lmdb/map_lock.h"
#include "store/fork_check.h"
#include "store/open_checks.h"
#include "store/lmdb/commit_counts.h"
#include "store/lmdb/pages.h"
#include "store/store.h"
#include "store/lmdb/writer_lock.h"

typedef struct lmdb_ordered {
  const store_op *op;
  uint64_t rank; /* what its key begins with, behind the kind */
} lmdb_ordered;

typedef struct lmdb_store {
  store base;
  orr_allocator allocator;
  char *path;
  bool temporary;      /* the directory is ours and goes when the store is closed */
  int owner;           /* of a temporary one; see private_make */
  bool fixed_map;      /* the map may not grow */
  bool unsynced;       /* commits do not wait for the disk */
  orr_env outside;     /* of an open store: its clock */
  int *older;          /* see store_options; only while it is opened */
  bool claimed;
  MDB_env *env;
  MDB_dbi records;
  size_t map_size;     /* changes only while `map_lock` is held exclusively */
  const uint8_t *map;  /* where the file is mapped; NULL: it is not known. As map_size */
  leaf_check leaves;   /* of a large store */
  uint64_t file_size;  /* at least this long; guarded by LMDB's write lock, as is: */
  int64_t looked_ns;   /* when an unsynced store's file was looked at last */
  unsigned commits;    /* since stale readers were looked for */
  unsigned losses;     /* groups to be written batch by batch, since a batch has lost */
  lmdb_ordered *order; /* a group's ops by kind and key, and as much room to sort them in */
  size_t order_capacity;
  pthread_mutex_t writing; /* held by the thread that writes, until `commit_counts` knows how its transaction ended */
  writer_lock writer_lock; /* the same between processes; a temporary store has none */
  atomic_uint_fast64_t given_up;      /* the turn that the store stays away for; 0: it does not */
  atomic_int_fast64_t away_since_ns;
  atomic_uint_fast64_t seen_turn; /* of another process, and when it was seen first */
  atomic_int_fast64_t seen_ns;
  commit_counts commit_counts;
  atomic_bool failed;  /* a sync failed or the map is lost: what is on disk is known only after opening again */
  map_lock map_lock;
  fork_check fork;
  directory_claim claim;
} lmdb_store;

/* Where every store says what it is. */
#define LMDB_FORMAT_KEY "format"

/* Failures of our own beside LMDB's. */
enum { DATA_REMOVED = -1, DATA_CUT = -2, DATA_DAMAGED = -3 };

extern const store_methods lmdb_methods;

static inline MDB_val lmdb_val(store_bytes bytes) {
  return (MDB_val){.mv_size = bytes.size, .mv_data = (void *)(uintptr_t)bytes.data};
}
static inline store_bytes lmdb_bytes(MDB_val val) { return (store_bytes){val.mv_data, val.mv_size}; }

/* An error that says what was being done, where, and why it failed: LMDB's code, errno's, or one
 * of the above. */
int lmdb_fail(const lmdb_store *s, int rc, const char *doing, orr_error *err);
/* Calls LMDB where a damaged page may make it assert: what `call` gives, or DATA_DAMAGED. */
int lmdb_protect(int (*call)(void *ud), void *ud);
/* What LMDB is to call: jumps back to the protected call; without one it returns, and LMDB
 * aborts. */
void lmdb_assertion_failed(MDB_env *env, const char *text);
/* As mdb_cursor_get, and checks the leaf; DATA_DAMAGED when that is not sound. */
int lmdb_read(lmdb_store *s, MDB_cursor *cursor, MDB_val *key, MDB_val *value, MDB_cursor_op op);
/* Puts the cursor at the key or behind it, and checks the leaves on both sides of that place: what
 * is not found there is not in the store. As mdb_cursor_get with MDB_SET_RANGE. */
int lmdb_read_from(lmdb_store *s, MDB_cursor *cursor, MDB_val *key, MDB_val *value);
/* Checks the pages as a read transaction sees them; see pages_check. */
int lmdb_check_image(const lmdb_store *s, MDB_txn *txn, pages_depth depth, const store_page_listener *told, uint64_t *unsafe,
                     orr_error *err);
/* 0 unless the store belongs to the process that forked this one, or failed before. */
int lmdb_check_usable(const lmdb_store *s, orr_error *err);
/* Takes over the map's size that another process has set. Waits until no transaction of this
 * process is open; ORR_E_STATE when this thread has one. */
int lmdb_adopt_map(lmdb_store *s, orr_error *err);
/* After a transaction did not fit into a map of `full` bytes: makes room. As lmdb_adopt_map;
 * ORR_E_LIMIT when the map is bounded. */
int lmdb_grow_map(lmdb_store *s, size_t full, orr_error *err);
/* Puts a map in LMDB's place that no right to write goes with, while no transaction of this
 * process is open; leaves LMDB's where that cannot be. 0, or errno's code when neither is left:
 * the store has failed. */
int lmdb_map_for_reading(lmdb_store *s);
/* Within a write transaction, whose lock keeps other processes from doing the same: sees that
 * the file is there and as long as the map. 0, or what lmdb_fail takes. */
int lmdb_cover_map(lmdb_store *s);
/* Waits for the turn to write. 0, or ORR_E_STORE and STORE_AWAY: another process keeps it. */
int lmdb_take_turn(lmdb_store *s, orr_error *err);
/* Lets the next one write. For the thread whose turn it is. */
void lmdb_end_turn(lmdb_store *s);
/* store_state_of LMDB. */
store_state lmdb_state(store *base);
/* store_commit of LMDB. */
int lmdb_commit(store *base, store_group *group, orr_error *err);
/* store_stake and store_unstake of LMDB. */
bool lmdb_stake(store *base, uint64_t from, uint64_t *to);
/* See there. */
void lmdb_unstake(store *base, uint64_t from, uint64_t to);
/* The sockets in the store's folder, by which its processes ask each other. */
#define LMDB_ASKED "asked-"
/* The address of a name in the folder, however long the folder's own is; `folder` is open. */
void lmdb_socket_address(const lmdb_store *s, int folder, const char *name, struct sockaddr_un *out);
/* Is the other end of a process of this user, or root's? */
bool lmdb_peer_trusted(int fd);
/* store_ask of LMDB. */
int lmdb_ask(store *base, int64_t wait_ms, store_answer_fn take, void *ud, orr_error *err);
/* store_questions_open of LMDB, and those that follow. */
store_questions *lmdb_questions_open(store *base, const char *name, orr_error *err);
/* See there. */
bool lmdb_questions_wait(store_questions *base);
/* See there. */
void lmdb_questions_answer(store_questions *base, const void *bytes, size_t size);
/* See there. */
void lmdb_questions_end(store_questions *base);
/* See there. */
void lmdb_questions_close(store_questions *base);
/* Begins a write transaction, once the file is there and covers the map. 0, or what lmdb_fail
 * takes. */
int lmdb_begin_write(lmdb_store *s, MDB_txn **txn);
/* Makes an empty store in a folder that is there and empty, to be filled and closed by its
 * maker: nothing is synced, and the file is as long as the map. lmdb_end_fresh, which is due
 * after a failure, too, leaves the data file alone. */
int lmdb_make_fresh(const lmdb_store *like, const char *folder, size_t map_size, lmdb_store *fresh, orr_error *err);
/* Closes it and removes its lock file. */
void lmdb_end_fresh(lmdb_store *fresh);
/* store_close of LMDB. In a forked child it lets go of nothing that is the parent's. */
void lmdb_close(store *base);
/* store_readers of LMDB. */
void lmdb_readers(store *base, void (*visit)(void *ud, const store_reader *reader), void *ud);
/* store_copy of LMDB: of its pages, or compacted by putting every record into a new store. */
int lmdb_copy(store *base, const char *target, bool compact, const store_progress *progress, orr_error *err);

#endif
