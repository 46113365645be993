/* The store's contract: an ordered map from byte keys to byte values, read through snapshots, written in atomic batches.
 * LMDB (lmdb.c), PostgreSQL (postgresql/) and memory (memory.c) serve it; nothing above knows which.
 *
 * Values that carry a revision begin with a fixed header (store_header): a checksum and a revision. A batch names, for the
 * keys it relied on, the revision it saw; the store compares inside the write transaction and leaves a losing batch out
 * whole. Index rows are keys with an empty value and have no revision. */
#ifndef ORR_STORE_H
#define ORR_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/env.h"
#include "store/bytes.h"

typedef struct store store;
typedef struct store_snapshot store_snapshot;

#define STORE_KEY_MAX 500
/* A record's key begins with a byte for its type and an id of eight bytes, most significant first.
 * The id's first STORE_GROUP_BITS bits name the group that the record belongs to; a store may keep
 * the records of a group together. Keys of any other form are allowed, too. */
#define STORE_GROUP_BITS 41
#define STORE_ANY_REVISION UINT32_MAX /* do not compare */
#define STORE_ABSENT 0u               /* the key must not exist */

typedef enum store_op_kind { STORE_PUT, STORE_DELETE, STORE_CHECK, STORE_COUNT } store_op_kind;

/* PUT writes `value`; DELETE removes (a missing key is fine with STORE_ANY_REVISION); CHECK only compares; COUNT is lost
 * unless exactly `expected` keys begin with `key`. COUNTs come before what a batch changes. */
typedef struct store_op {
  store_op_kind kind;
  uint32_t expected; /* revision the key must have now, STORE_ABSENT or STORE_ANY_REVISION; COUNT: how many */
  store_bytes key, value;
} store_op;

/* One unit's changes. `status` is the answer: 0, ORR_E_CONFLICT, ORR_E_STORE, ORR_E_MEMORY or ORR_E_LIMIT (map full).
 * Every `expected` is about the state before the batch, earlier batches of the same commit included; then ops are applied
 * in order. A key with an expectation comes once in a batch. */
typedef struct store_batch {
  const store_op *ops;
  size_t count;
  /* it may well lose: compare all of it before changing anything, so that its loss costs the others of a commit nothing */
  bool wary;
  int status;
  size_t lost_op; /* with ORR_E_CONFLICT: the op that lost */
} store_batch;

typedef struct store_options {
  const orr_env *env;
  /* directory, made (0700) when missing; NULL: lmdb makes a private temporary one and removes it on close. PostgreSQL: a URL */
  const char *path;
  bool no_sync;     /* durability "none" */
  size_t map_size;  /* 0: grow as needed; else a fixed bound, for tests */
  int *older;       /* a store on disk of an older format is opened, too, to be read; set to the format. NULL: it is refused */
  int level;        /* 0: STORE_LEVEL; for specs: as a build of this level */
} store_options;

/* Opening (open.h, lmdb_open.h) is refused with ORR_E_STORE for: an unknown format version, a truncated, emptied or missing
 * file of a store that was, damaged pages (all of a store up to STORE_CHECKED_WHOLE bytes are looked at, of a larger one
 * those that lead to others, up to STORE_CHECKED_INNER pages), what is no file, a network file system;
 * and ORR_E_STATE when this process has the path open already. A store that another process inherits through fork answers
 * ORR_E_STATE to everything; store_close then only frees memory.
 *
 * On disk: LMDB's unnamed database holds the row "format" (the bytes "orrery" and the format version in one byte), the database
 * "records" all keys of this contract. An LMDB file without that row, or with another version, is left untouched; an
 * older one is refused with the word that brings it here. 1 lacked rows of indexes that lists go by; in 2 each locked job
 * had an expiry and a row of its own, where 3 has owners. */
#define STORE_FORMAT 3
#define STORE_FORMAT_OLDEST 1 /* that can be brought to this one (uow/upgrade.h) */
/* What builds of one format know of records: each layout that is added to records.lua raises it. Builds of several levels may
 * have a shared store open at once; then none writes what the oldest cannot read (store_level). 2: jobs in quarantine; 3: jobs
 * that set numbers aside; 4: jobs that lie where the job before them lay; 5: the sequence of
 * each row of history, and tasks with an id of their maker's. */
#define STORE_LEVEL 5
#define STORE_LEVEL_QUARANTINE 2
#define STORE_LEVEL_NUMBERS 3
#define STORE_LEVEL_SUCCESSION 4
#define STORE_LEVEL_SEQUENCE 5
#define STORE_LEVEL_OWN_IDS 5
#define STORE_CHECKED_WHOLE (32u << 20) /* reading them takes some 10 ms */
#define STORE_CHECKED_INNER 8192u /* pages of a larger one: as many bytes, so that its size costs opening nothing */
/* All snapshots must be closed before. NULL is fine. */
void store_close(store *s);
const char *store_path(const store *s); /* "" for memory */

/* A consistent view. Cheap; must not be held while waiting for anything. One thread at a time. */
int store_snapshot_open(store *s, store_snapshot **out, orr_error *err);
/* Sees the latest commit from now on; bytes got before are void. */
int store_snapshot_renew(store_snapshot *snapshot, orr_error *err);
/* Lets go of the view but keeps the handle for renew. */
void store_snapshot_release(store_snapshot *snapshot);
/* Lets go of view and handle. NULL is fine. */
void store_snapshot_close(store_snapshot *snapshot);

/* Has it lost its connection since it was renewed? Then whatever followed may have failed for that. False for NULL. */
bool store_snapshot_lost(const store_snapshot *snapshot);

/* Lets the view begin, after its next renewal, with its first read instead of with the renewal. It
 * then shows the same or more, and a store across a network is asked once less. */
void store_snapshot_late(store_snapshot *snapshot);

/* 0, or ORR_E_NOT_FOUND (err untouched), or ORR_E_STORE. The bytes are void after renew, release or close, and once
 * STORE_KEPT_BYTES more were read through the view. */
#define STORE_KEPT_BYTES ((size_t)32 << 20)
int store_get(store_snapshot *snapshot, store_bytes key, store_bytes *value, orr_error *err);

/* ---- Far stores: what is read ahead saves questions over a network. Nothing depends on it, and nothing fails by it ---- */

/* Keys from `low` up to, and without, `high`; where that is empty, the key `low` alone. */
typedef struct store_span {
  store_bytes low, high;
} store_span;
/* Does reading ahead pay? True for a store across a network. */
bool store_is_far(const store_snapshot *snapshot);
/* Announces what the caller is about to read in this view, so that the store fetches all of it with
 * one question. */
void store_read_ahead(store_snapshot *snapshot, const store_span *spans, size_t count);

/* What lies in some spans, as of one moment, for all views of a stroke of work.
 *
 * A view that uses it shows in these spans what was there then, at most STORE_PREFETCH_MS before, and everything else as of
 * its own moment; but never less than what this handle had committed before. So it is for units whose commit is compared
 * with what they have read, and not for lists. */
typedef struct store_prefetched store_prefetched;
#define STORE_PREFETCH_MS 10
/* Any thread. NULL: the store is near, or nothing could be fetched. */
store_prefetched *store_prefetch(store *s, const store_span *spans, size_t count);
/* Is it younger than STORE_PREFETCH_MS, so that views may still use it? False for NULL. */
bool store_prefetched_young(const store_prefetched *p);
/* Ends the caller's use of it; views that use it keep it. NULL is fine. */
void store_prefetched_release(store_prefetched *p);
/* Has the view use it from here on, through releases and renewals; NULL: none any more. No cursor
 * of the view may be open. */
void store_snapshot_use(store_snapshot *snapshot, store_prefetched *p);

/* A callback that long work calls now and then, on the caller's thread, with how far it has come.
 * */
typedef struct store_progress {
  void (*tell)(void *ud, uint64_t done, uint64_t total); /* NULL: it is not told */
  void *ud;
} store_progress;
/* Reports that `done` of `total` is done. Nothing when `progress`, or its function, is NULL. */
static inline void store_tell(const store_progress *progress, uint64_t done, uint64_t total) {
  if (progress && progress->tell) progress->tell(progress->ud, done, total);
}

typedef struct store_page_listener {
  void *ud;
  void (*finding)(void *ud, const char *sentence); /* for each fault */
  store_progress progress;                         /* in pages */
} store_page_listener;
/* Checks how the store lies on disk, beneath its keys (store/lmdb/pages.h). *unsafe: so much is
 * wrong that reading on may end the process. 0 when the check could be done. */
int store_check_pages(store_snapshot *snapshot, const store_page_listener *listener, bool *unsafe, orr_error *err);

/* Walks keys that begin with `prefix`, from `from` (inclusive; empty: from the prefix's end in this direction) on. */
typedef struct store_cursor store_cursor;
typedef struct store_range {
  store_bytes prefix, from;
  bool backwards;
  /* The caller leaves off where a key is not below this one, going forwards, or is below it, going backwards; empty: it may
   * not. */
  store_bytes stop;
  uint32_t rows; /* so many the caller looks at, mostly: what is far comes so many at once; 0: nobody knows */
} store_range;
/* Opens a cursor before the first key of the range; store_cursor_close ends it. ORR_E_ARGUMENT:
 * prefix or start is too long a key. */
int store_scan(store_snapshot *snapshot, const store_range *range, store_cursor **out, orr_error *err);
/* 0 with key and value set, ORR_E_NOT_FOUND at the end. */
int store_next(store_cursor *cursor, store_bytes *key, store_bytes *value, orr_error *err);
/* Ends the walk and frees the cursor; NULL is fine. */
void store_cursor_close(store_cursor *cursor);

/* One write transaction, one sync. Returns 0 when the transaction was committed: each batch then has its own status. On
 * failure (err filled) no batch took effect and every status holds the code. When the batches together were too much for
 * memory or the map, they are committed one by one, so that only those fail that are too large themselves. Any thread;
 * callers wait for each other. The caller's thread should hold no snapshot: the map cannot grow below one, and the commit
 * then fails with ORR_E_STATE. */
int store_commit(store *s, store_batch *batches, size_t count, orr_error *err);

/* A function that the committing thread calls for each commit of this handle, once it is on disk
 * and before its callers are answered, with the batches whose status is 0. It must be quick, and
 * must not use the store. */
typedef void (*store_own_commit_fn)(void *ud, const store_batch *batches, size_t count);
/* Sets the listener (NULL: none). The caller makes sure that nothing commits meanwhile. */
void store_on_own_commit(store *s, store_own_commit_fn fn, void *ud);

/* Gives the batches of a commit when it may write, so that what is submitted while others write still joins it. It is
 * called once, within the write transaction: it must be quick and keep away from the store. */
typedef store_batch *(*store_gather)(void *ud, size_t *count);
/* Like store_commit; after a failure, too, the batches were gathered and have their status. */
int store_commit_gathered(store *s, store_gather gather, void *ud, orr_error *err);

/* Stakes are hints between the processes that have a store open: of the numbers that they agree on, one stakes those of what
 * it is about to take, and the others look elsewhere meanwhile. Nothing is guarded by them, and they end with their process.
 * Threads of one process are one here.
 *
 * Stakes the numbers from `from` to *to, or those before the next that another process has staked; *to is then the last.
 * False: another has staked `from`, and all up to *to. Where there are no stakes everything is the caller's. */
bool store_stake(store *s, uint64_t from, uint64_t *to);
/* Gives back whatever this process has staked of these numbers. */
void store_unstake(store *s, uint64_t from, uint64_t to);
/* Are there stakes? */
bool store_has_stakes(const store *s);

/* Counts commits of any process; a cheap way to see whether others changed something. */
uint64_t store_changed(store *s);
/* The same without the commits made through this handle; it may be less than it was by one that is being made. It grows
 * exactly when others changed something. On disk it costs a look into memory; a database is asked,
 * and waited for. */
uint64_t store_foreign(store *s);
/* The same without waiting for anybody, for threads that must not. Of a database that is what was
 * counted last; a thread of the store counts again, now that somebody wants to know. The first call
 * of a store's life alone waits for it. */
uint64_t store_foreign_known(store *s);
/* As store_foreign_known, for store_changed. */
uint64_t store_changed_known(store *s);
/* How many commits of others an open view shows: exactly, or STORE_FOREIGN_UNKNOWN while it cannot be told. Two views with
 * the same answer differ by own commits alone. */
#define STORE_FOREIGN_UNKNOWN UINT64_MAX
/* How many, or STORE_FOREIGN_UNKNOWN. */
uint64_t store_foreign_seen(store_snapshot *snapshot);

/* Called when another process has committed, or store_clock_jump answers otherwise, by a thread of the store's: it must be
 * quick, and keep away from the store. Not every store hears of others' commits, nor always: whoever waits for them asks
 * store_foreign besides. `fn` NULL: no more, and no call is under way. */
typedef void (*store_foreign_commit_fn)(void *ud);
void store_on_foreign_commit(store *s, store_foreign_commit_fn fn, void *ud);
/* Does it hear of them at the moment? Then asking is for the case that it stops to. */
bool store_tells_foreign_commits(const store *s);

/* ---- Questions: what the processes that have the store open ask each other. Nothing of it is kept ------------------------ */

typedef struct store_questions store_questions;
/* What one of them answered, whole; from whoever writes to the folder or the database, so it is to be checked. True: nothing
 * more is wanted. */
typedef bool (*store_answer_fn)(void *ud, const void *bytes, size_t size);

/* Longer answers are cut off by who asks, and dropped. */
#define STORE_ANSWER_MAX (1024 * 1024)

/* Asks every process that takes questions here, and hands on what they answer, until `wait_ms` are over or all of those that
 * can be known have answered. ORR_E_STORE: they cannot be asked. One whose store nobody else can have open asks nobody. */
int store_ask(store *s, int64_t wait_ms, store_answer_fn take, void *ud, orr_error *err);
/* From here on others may ask; `name` tells takers of one process apart. NULL without an error: nobody can, here. */
store_questions *store_questions_open(store *s, const char *name, orr_error *err);
/* Waits for a question. False: store_questions_end was called. One thread at a time. */
bool store_questions_wait(store_questions *q);
/* Answers the question that came last. Its asker may be gone by then. */
void store_questions_answer(store_questions *q, const void *bytes, size_t size);
/* Nothing is waited for any more. Any thread. */
void store_questions_end(store_questions *q);
/* Takes no more of them; nobody waits. NULL is fine. */
void store_questions_close(store_questions *q);

/* May several machines have it open? */
bool store_is_shared(const store *s);
/* The highest level of records that may be written: this build's, or that of an older build which may have it open, too. */
int store_level(const store *s);
/* The time on which all machines that share the store agree, in milliseconds since the epoch. False: the machine's own, since
 * the store is on it. Costs a look into memory. */
bool store_now(const store *s, int64_t *out);
/* That time seems to have jumped by so many milliseconds, which is not certain yet; 0: it has not. Nobody should judge leases
 * by it. */
int64_t store_clock_jump(const store *s);

/* How a store is. */
typedef enum store_state {
  STORE_WELL,
  STORE_STAYS_AWAY, /* it has not been reached for longer than callers are kept waiting: until it is back, they are answered at
                       once */
  STORE_FAILED      /* it will do nothing more until it is opened again */
} store_state;
/* Any thread; costs a look into memory. */
store_state store_state_of(store *s);
/* Is told when a store begins to stay away, with `why`, and when it is back, with NULL and for how long it was away: once each,
 * by whatever thread noticed it. It must be quick, and keep away from the store. */
typedef void (*store_watcher)(void *ud, const orr_error *why, int64_t ms);
/* Sets it (NULL: none). The caller makes sure that nothing uses the store meanwhile. */
void store_watch(store *s, store_watcher fn, void *ud);

typedef struct store_stats {
  uint64_t bytes_used, bytes_mapped, commits, entries;
  uint64_t questions; /* that this handle has asked a server, each a round trip; 0 where there is none */
} store_stats;
/* Sizes and counts as the store has them now. 0 or ORR_E_STORE. */
int store_get_stats(store *s, store_stats *out, orr_error *err);

/* A view that is open now, of some process; of PostgreSQL, a transaction of whatever program. */
typedef struct store_reader {
  long process;     /* by its id in its own namespace; of PostgreSQL, the server's, as pg_terminate_backend takes it */
  uint64_t thread;  /* as pthread_self has it there; of PostgreSQL 0 */
  uint64_t commit;  /* the last one that it sees */
  uint64_t behind;  /* commits since then */
} store_reader;
/* Shows the views that are open, after those of processes that have ended were given up. A store that only its own process
 * can see shows none. */
void store_readers(store *s, void (*visit)(void *ud, const store_reader *reader), void *ud);

/* Writes a copy of the store, as of one commit, to a folder that must not be there yet (ORR_E_STATE): its own, and on the
 * disk when this returns; after a failure there is none. Others go on writing, in this process unless the map has to grow.
 * `compact` leaves out pages that nothing uses. `progress` (NULL: none) is in bytes, or in entries of a compact copy.
 * ORR_E_UNSUPPORTED: this kind of store has no copies. */
int store_copy(store *s, const char *target, bool compact, const store_progress *progress, orr_error *err);

/* The batches of a commit, for implementations. */
typedef struct store_group {
  store_gather gather; /* NULL: they are there from the beginning */
  void *ud;
  store_batch *batches;
  size_t count;
  bool gathered;
} store_group;
/* Makes sure that the batches are there; to be called within the write transaction. ORR_E_ARGUMENT: one has an impossible
 * key or value. */
int store_group_gather(store_group *group, orr_error *err);

/* The vtable behind it, for implementations and for the specs' fault injection, which wraps another store. */
typedef struct store_methods {
  void (*close)(store *);
  const char *(*path)(const store *);
  int (*snapshot_open)(store *, store_snapshot **, orr_error *);
  int (*snapshot_renew)(store_snapshot *, orr_error *);
  void (*snapshot_release)(store_snapshot *);
  void (*snapshot_close)(store_snapshot *);
  int (*get)(store_snapshot *, store_bytes, store_bytes *, orr_error *);
  int (*scan)(store_snapshot *, const store_range *, store_cursor **, orr_error *);
  int (*next)(store_cursor *, store_bytes *, store_bytes *, orr_error *);
  void (*cursor_close)(store_cursor *);
  int (*commit)(store *, store_group *, orr_error *);
  uint64_t (*changed)(store *);
  uint64_t (*foreign_known)(store *); /* NULL, as the next: those above wait for nobody */
  uint64_t (*changed_known)(store *);
  uint64_t (*foreign)(store *);
  uint64_t (*foreign_seen)(store_snapshot *);
  int (*stats)(store *, store_stats *, orr_error *);
  /* NULL: nothing lies beneath the keys */
  int (*check_pages)(store_snapshot *, const store_page_listener *, bool *, orr_error *);
  void (*readers)(store *, void (*)(void *, const store_reader *), void *); /* NULL: none are shown */
  int (*copy)(store *, const char *target, bool compact, const store_progress *, orr_error *); /* NULL: unsupported */
  /* NULL: everything is near */
  void (*read_ahead)(store_snapshot *, const store_span *, size_t);
  store_prefetched *(*prefetch)(store *, const store_span *, size_t);
  bool (*prefetched_young)(const store_prefetched *);
  void (*prefetched_release)(store_prefetched *);
  void (*snapshot_use)(store_snapshot *, store_prefetched *);
  void (*hear)(store *, store_foreign_commit_fn, void *); /* NULL, as the two that follow: nothing is heard */
  bool (*hears)(const store *);
  int64_t (*now)(const store *);               /* NULL, as the next: the machine's own */
  int64_t (*clock_jump)(const store *);
  int (*level)(const store *); /* NULL: this build's */
  store_state (*state)(store *); /* NULL: always well */
  int (*ask)(store *, int64_t, store_answer_fn, void *, orr_error *); /* NULL, as the next: nobody else is there */
  store_questions *(*questions_open)(store *, const char *, orr_error *);
  bool (*questions_wait)(store_questions *);
  void (*questions_answer)(store_questions *, const void *, size_t);
  void (*questions_end)(store_questions *);
  void (*questions_close)(store_questions *);
  bool (*stake)(store *, uint64_t, uint64_t *); /* NULL: there are none */
  void (*unstake)(store *, uint64_t, uint64_t); /* with the one before */
} store_methods;

/* Details of ORR_E_STORE that tell what a caller may do, each true or absent:
 * the store cannot be reached now, or what it was asked through was lost: nothing was done, and a later try may succeed; */
#define STORE_AWAY "away"
/* a commit was sent, and whether it was made is not known. */
#define STORE_IN_DOUBT "in_doubt"

/* Every implementation's structs begin with these. */
struct store {
  const store_methods *methods;
  store_own_commit_fn listener;
  void *listener_ud;
  store_watcher watcher;
  void *watcher_ud;
};
struct store_snapshot {
  const store_methods *methods;
  bool late;
  bool lost; /* the implementation's; see store_snapshot_lost */
};
struct store_cursor { const store_methods *methods; };
struct store_questions { const store_methods *methods; };
struct store_prefetched { const store_methods *methods; };

#endif
