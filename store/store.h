/* The store's contract: an ordered map from byte keys to byte values, read through snapshots,
 * written in atomic batches. LMDB (lmdb.c), PostgreSQL (postgresql/) and memory (memory.c)
 * implement it; nothing above knows which one it uses.
 *
 * A value with a revision begins with a fixed header (store_header): a checksum and a revision. A
 * batch names the revisions that it saw of the keys that it relies on. The store compares them
 * inside the write transaction, and leaves out a losing batch as a whole. Index rows are keys with
 * an empty value and have no revision. */
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

/* PUT writes `value`; DELETE removes the key (which may be missing, with STORE_ANY_REVISION); CHECK only
 * compares; COUNT loses unless exactly `expected` keys begin with `key`. COUNTs come before the changes
 * of a batch. */
typedef struct store_op {
  store_op_kind kind;
  uint32_t expected; /* revision the key must have now, STORE_ABSENT or STORE_ANY_REVISION; COUNT: how many */
  store_bytes key, value;
} store_op;

/* One unit's changes. `status` is the answer: 0, ORR_E_CONFLICT, ORR_E_STORE, ORR_E_MEMORY or
 * ORR_E_LIMIT (map full). The store checks every `expected` against the state before the batch, which
 * includes earlier batches of the same commit; then it applies the ops in order. A key with an
 * expectation comes once in a batch. */
typedef struct store_batch {
  const store_op *ops;
  size_t count;
  /* it may well lose: the store compares all of it first, so its loss costs the commit's others nothing */
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
#define STORE_FORMAT_OLDEST 1 /* that can be upgraded (uow/upgrade.h) */
/* The layouts of records that a build of this format knows: each one that is added to records.lua raises
 * the level. Builds of several levels may have a shared store open at once; then none writes what the
 * oldest cannot read (store_level). 2: jobs in quarantine (JOB_WATCHED); 3: jobs that reserve numbers; 4: jobs at the key
 * of the job before them; 5: the sequence of each row of history, and tasks with an id of their maker's. */
#define STORE_LEVEL 5
#define STORE_LEVEL_QUARANTINE 2
#define STORE_LEVEL_NUMBERS 3
#define STORE_LEVEL_SUCCESSION 4
#define STORE_LEVEL_SEQUENCE 5
#define STORE_LEVEL_OWN_IDS 5
#define STORE_CHECKED_WHOLE (32u << 20) /* reading them takes some 10 ms */
#define STORE_CHECKED_INNER 8192u /* pages of a larger one: as many bytes, so opening takes no longer */
/* The caller has closed all snapshots. NULL is fine. */
void store_close(store *s);
const char *store_path(const store *s); /* "" for memory */

/* A consistent view. Cheap. The caller must not wait for anything while it is open. One thread at a time. */
int store_snapshot_open(store *s, store_snapshot **out, orr_error *err);
/* Shows the latest commit from now on. Bytes read before are no longer valid. */
int store_snapshot_renew(store_snapshot *snapshot, orr_error *err);
/* Closes the view, but keeps the handle for renew. */
void store_snapshot_release(store_snapshot *snapshot);
/* Closes the view and frees the handle. NULL is fine. */
void store_snapshot_close(store_snapshot *snapshot);

/* Has it lost its connection since it was renewed? Then later failures may come from that. False for NULL. */
bool store_snapshot_lost(const store_snapshot *snapshot);

/* After its next renewal the view begins with its first read, not with the renewal itself. It may then
 * show newer commits, and saves a round trip where the store is across a network. */
void store_snapshot_late(store_snapshot *snapshot);

/* 0, ORR_E_NOT_FOUND (err untouched), or ORR_E_STORE. The bytes are valid until renew, release or
 * close, or until STORE_KEPT_BYTES more were read through the view. */
#define STORE_KEPT_BYTES ((size_t)32 << 20)
int store_get(store_snapshot *snapshot, store_bytes key, store_bytes *value, orr_error *err);

/* ---- Stores across a network: prefetching saves round trips. It is optional, and never fails ----- */

/* Keys from `low` (inclusive) to `high` (exclusive); if `high` is empty, the key `low` alone. */
typedef struct store_span {
  store_bytes low, high;
} store_span;
/* Is the store across a network, so that prefetching pays? */
bool store_is_far(const store_snapshot *snapshot);
/* Announces what the caller is about to read in this view: the store fetches it all in one query. */
void store_read_ahead(store_snapshot *snapshot, const store_span *spans, size_t count);

/* The contents of some spans as of one moment, for several views.
 *
 * In these spans, a view that uses it shows what was there at that moment, at most STORE_PREFETCH_MS
 * ago; everything else as of its own. It always shows what this handle has committed before. So it is
 * for units, whose commit is checked against what they read, and not for lists. */
typedef struct store_prefetched store_prefetched;
#define STORE_PREFETCH_MS 10
/* Any thread. NULL: the store is near, or nothing could be fetched. */
store_prefetched *store_prefetch(store *s, const store_span *spans, size_t count);
/* Is it younger than STORE_PREFETCH_MS, so that views may still use it? False for NULL. */
bool store_prefetched_young(const store_prefetched *p);
/* Ends the caller's use of it; views that use it still may. NULL is fine. */
void store_prefetched_release(store_prefetched *p);
/* The view uses it from here on, also after releases and renewals; NULL: it uses none. No cursor of the
 * view may be open. */
void store_snapshot_use(store_snapshot *snapshot, store_prefetched *p);

/* Called by long operations now and then, on the caller's thread, with their progress. */
typedef struct store_progress {
  void (*tell)(void *ud, uint64_t done, uint64_t total); /* NULL: it is not told */
  void *ud;
} store_progress;
/* Reports that `done` of `total` is done. Does nothing when `progress`, or its function, is NULL. */
static inline void store_tell(const store_progress *progress, uint64_t done, uint64_t total) {
  if (progress && progress->tell) progress->tell(progress->ud, done, total);
}

typedef struct store_page_listener {
  void *ud;
  void (*finding)(void *ud, const char *sentence); /* for each fault */
  store_progress progress;                         /* in pages */
} store_page_listener;
/* Checks the store's pages on disk (store/lmdb/pages.h). *unsafe: so much is wrong that reading the store may
 * crash the process. 0 when the check could be done. */
int store_check_pages(store_snapshot *snapshot, const store_page_listener *listener, bool *unsafe, orr_error *err);

/* A walk along the keys that begin with `prefix`, from `from` on (inclusive; empty: from the first key in
 * this direction). */
typedef struct store_cursor store_cursor;
typedef struct store_range {
  store_bytes prefix, from;
  bool backwards;
  /* The caller stops at the first key that is not below this one or, backwards, that is below it; empty: it
   * may read to the end. */
  store_bytes stop;
  uint32_t rows; /* how many the caller mostly reads: a far store sends so many at once; 0: unknown */
} store_range;
/* Opens a cursor before the first key of the range; store_cursor_close ends it. ORR_E_ARGUMENT:
 * prefix or start is too long a key. */
int store_scan(store_snapshot *snapshot, const store_range *range, store_cursor **out, orr_error *err);
/* 0 with key and value set, ORR_E_NOT_FOUND at the end. */
int store_next(store_cursor *cursor, store_bytes *key, store_bytes *value, orr_error *err);
/* Ends the walk and frees the cursor; NULL is fine. */
void store_cursor_close(store_cursor *cursor);

/* One write transaction, one sync. 0: the transaction was committed, and each batch has a status of its
 * own. After a failure (err filled) no batch took effect, and every status has the code. Batches that
 * together need too much memory, or too large a map, are committed one by one, so only those fail that
 * are too large themselves. Any thread; callers wait for each other. The caller's thread should have no
 * snapshot open: the map cannot grow meanwhile, and the commit then fails with ORR_E_STATE. */
int store_commit(store *s, store_batch *batches, size_t count, orr_error *err);

/* A function that the committing thread calls for each commit of this handle, once it is on disk
 * and before its callers are answered, with the batches whose status is 0. It must be quick, and
 * must not use the store. */
typedef void (*store_own_commit_fn)(void *ud, const store_batch *batches, size_t count);
/* Sets the listener (NULL: none). The caller makes sure that nothing commits meanwhile. */
void store_on_own_commit(store *s, store_own_commit_fn fn, void *ud);

/* Returns the batches of a commit. The store calls it once, within the write transaction, so batches
 * that are submitted while others write still join. It must be quick, and must not use the store. */
typedef store_batch *(*store_gather)(void *ud, size_t *count);
/* Like store_commit. The batches are gathered and have their status even after a failure. */
int store_commit_gathered(store *s, store_gather gather, void *ud, orr_error *err);

/* Stakes are hints between processes that have a store open: a process stakes the numbers (ids) of what
 * it is about to take, and the others look elsewhere meanwhile. They protect nothing, and end with
 * their process. The threads of one process share its stakes.
 *
 * Stakes the numbers from `from` to *to, or those before the next that another process has staked; *to
 * is then the last. False: another has staked `from`, and all up to *to. A store without stakes grants
 * everything. */
bool store_stake(store *s, uint64_t from, uint64_t *to);
/* Gives back what this process has staked of these numbers. */
void store_unstake(store *s, uint64_t from, uint64_t to);
/* Are there stakes? */
bool store_has_stakes(const store *s);

/* A count of the commits of all processes: a cheap way to see whether anything changed. */
uint64_t store_changed(store *s);
/* The same without the commits of this handle. While one of them is being made, it may be less by one.
 * It grows exactly when others changed something. On disk it costs a look into memory; a database is
 * asked, and the caller waits. */
uint64_t store_foreign(store *s);
/* The same for threads that must not wait. For a database it is the last known count, and a thread of
 * the store counts again after this call. Only the first call ever waits for it. */
uint64_t store_foreign_known(store *s);
/* As store_foreign_known, for store_changed. */
uint64_t store_changed_known(store *s);
/* How many commits of others an open view shows, or STORE_FOREIGN_UNKNOWN. Two views with the same
 * answer differ only by commits of this handle. */
#define STORE_FOREIGN_UNKNOWN UINT64_MAX
/* How many, or STORE_FOREIGN_UNKNOWN. */
uint64_t store_foreign_seen(store_snapshot *snapshot);

/* A thread of the store calls `fn` when another process has committed, or when the answer of
 * store_clock_jump changes. It must be quick, and must not use the store. Not every store hears of
 * others' commits, nor always, so a caller that waits for them also asks store_foreign. After a call
 * with `fn` NULL, no more calls come, and none is under way. */
typedef void (*store_foreign_commit_fn)(void *ud);
void store_on_foreign_commit(store *s, store_foreign_commit_fn fn, void *ud);
/* Does it hear of them at the moment? Asking is then needed only in case that it stops. */
bool store_tells_foreign_commits(const store *s);

/* ---- Questions between the processes that have the store open. Nothing of them is stored ---------- */

typedef struct store_questions store_questions;
/* One process's whole answer. It comes from anybody who can write to the folder or the database, so the
 * function must check it. True: no more answers are wanted. */
typedef bool (*store_answer_fn)(void *ud, const void *bytes, size_t size);

/* The asking process drops longer answers. */
#define STORE_ANSWER_MAX (1024 * 1024)

/* Asks every process that takes questions at this store, and hands their answers to `take`, until
 * `wait_ms` are over or all known processes have answered. ORR_E_STORE: they cannot be asked. Does
 * nothing when nobody else can have the store open. */
int store_ask(store *s, int64_t wait_ms, store_answer_fn take, void *ud, orr_error *err);
/* From here on others may ask. `name` tells takers of one process apart. NULL without an error: nobody can. */
store_questions *store_questions_open(store *s, const char *name, orr_error *err);
/* Waits for a question. False: store_questions_end was called. One thread at a time. */
bool store_questions_wait(store_questions *q);
/* Answers the last question. Its asker may be gone by then. */
void store_questions_answer(store_questions *q, const void *bytes, size_t size);
/* Ends store_questions_wait. Any thread. */
void store_questions_end(store_questions *q);
/* Takes no more questions. No thread waits for one. NULL is fine. */
void store_questions_close(store_questions *q);

/* May several machines have it open? */
bool store_is_shared(const store *s);
/* The highest level of records that may be written: this build's, or that of an older build that may have
 * the store open, too. */
int store_level(const store *s);
/* The time on which all machines that share the store agree, in milliseconds since the epoch. False: it
 * is the machine's own, because the store is on it. Costs a look into memory. */
bool store_now(const store *s, int64_t *out);
/* By how many milliseconds that time seems to have jumped; 0: it has not. Until that is certain, nobody
 * should judge leases by it. */
int64_t store_clock_jump(const store *s);

/* The state of a store. */
typedef enum store_state {
  STORE_WELL,
  STORE_STAYS_AWAY, /* unreachable for so long that callers no longer wait: they fail at once */
  STORE_FAILED      /* must be opened again before it can do anything */
} store_state;
/* Any thread; costs a look into memory. */
store_state store_state_of(store *s);
/* Called once when a store begins to stay away, with `why`, and once when it is back, with NULL and for
 * how long it was away; by whatever thread notices it. It must be quick, and must not use the store. */
typedef void (*store_watcher)(void *ud, const orr_error *why, int64_t ms);
/* Sets it (NULL: none). The caller makes sure that nothing uses the store meanwhile. */
void store_watch(store *s, store_watcher fn, void *ud);

typedef struct store_stats {
  uint64_t bytes_used, bytes_mapped, commits, entries;
  uint64_t questions; /* round trips of this handle to a server; 0 where there is none */
} store_stats;
/* Sizes and counts as the store has them now. 0 or ORR_E_STORE. */
int store_get_stats(store *s, store_stats *out, orr_error *err);

/* A view that some process has open; with PostgreSQL, a transaction of any program. */
typedef struct store_reader {
  long process;     /* by its id in its own namespace; of PostgreSQL, the server's, as pg_terminate_backend takes it */
  uint64_t thread;  /* as pthread_self has it there; of PostgreSQL 0 */
  uint64_t commit;  /* the last one that it sees */
  uint64_t behind;  /* commits since then */
} store_reader;
/* Visits the open views, once those of processes that have ended were removed. A store that only its own
 * process can see has none. */
void store_readers(store *s, void (*visit)(void *ud, const store_reader *reader), void *ud);

/* Writes a copy of the store, as of one commit, to a new folder (ORR_E_STATE: it exists). The copy is on
 * disk when this returns; after a failure there is none. Others can write meanwhile, in this process
 * unless the map has to grow. `compact` leaves out unused pages. `progress` (NULL: none) is in bytes or,
 * for a compact copy, in entries. ORR_E_UNSUPPORTED: this kind of store cannot be copied. */
int store_copy(store *s, const char *target, bool compact, const store_progress *progress, orr_error *err);

/* The batches of a commit, for implementations. */
typedef struct store_group {
  store_gather gather; /* NULL: they are there from the beginning */
  void *ud;
  store_batch *batches;
  size_t count;
  bool gathered;
} store_group;
/* Gathers the batches, unless that is done; to be called within the write transaction. ORR_E_ARGUMENT:
 * one has an impossible key or value. */
int store_group_gather(store_group *group, orr_error *err);

/* The vtable of an implementation. The specs' fault injection wraps another store's. */
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

/* Details of ORR_E_STORE that say what a caller may do, each true or absent.
 * The store cannot be reached, or the connection was lost: nothing was done, and a later try may succeed. */
#define STORE_AWAY "away"
/* A commit was sent, and nobody knows whether it was made. */
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
