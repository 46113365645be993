/* What the files of this room share: the store's struct and its sessions. */
#ifndef ORR_STORE_POSTGRESQL_INTERNAL_H
#define ORR_STORE_POSTGRESQL_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "store/fork_check.h"
#include "store/open_checks.h"
#include "store/postgresql/prefetched_rows.h"
#include "store/postgresql/clock.h"
#include "store/postgresql/connection.h"
#include "store/postgresql/hot_keys.h"
#include "store/postgresql/merge.h"
#include "store/postgresql/notice.h"
#include "store/postgresql/postgresql.h"
#include "store/postgresql/schema.h"
#include "store/postgresql/recent_writes.h"

typedef struct postgres_store {
  store base;
  orr_env env;
  char *url, *name; /* the name is the URL as it may be shown */
  bool volatile_commits;
  int known;         /* the level of this build */
  atomic_int level;  /* the database's, as it was seen last */
  fork_check fork;
  atomic_bool away;   /* it was not reached for POSTGRES_PATIENCE_MS; guarded for writing by reach, as what follows: */
  pthread_mutex_t reach;
  int64_t away_since_ns, next_try_ns;
  char why[300];      /* it could not be reached */

  pthread_mutex_t pool; /* guards the idle sessions */
  postgres_connection *idle;
  uint32_t idle_count;

  pthread_mutex_t writing;     /* held through a commit; guards what follows */
  postgres_connection *writer; /* NULL: to be connected */
  merge *merge;
  page_images *images; /* page_images_offer needs no lock */
  array missing;       /* pages that the commit in hand has to ask for */
  bool doubtful;       /* whether the last commit was made is not known: the next one takes another lane first */
  bool alone;          /* it is sent again, and keeps others out from the beginning */
  int64_t generation;
  uint32_t careful, care; /* commits to be sent with care, this one included (merge.h); so many after the last lost one */
  bool *lost; /* of the batches in hand */
  size_t lost_capacity;

  _Atomic int64_t lane;
  _Atomic int64_t sequence;   /* commits made in the lane; the next one's number is one more */
  _Atomic int64_t own_before; /* commits made in lanes that this store has had before, which lane 0
                                 counts now */

  atomic_uint_fast64_t questions; /* store_stats */
  recent_writes *recent_writes; /* what this store has committed of late */
  hot_keys *hot_keys;  /* what steps ask for one by one */

  pthread_mutex_t looking; /* held while others' commits are counted */
  _Atomic int64_t looked_ns;
  _Atomic uint64_t foreign;
  atomic_bool news; /* others have said that they committed, and nobody has looked since */
  atomic_bool followed; /* somebody wants to know of them without waiting */

  postgres_clock clock;
  postgres_notice *notice;
} postgres_store;

extern const store_methods postgres_methods;

/* 0, or ORR_E_STATE in a child of fork. */
int postgres_check_usable(const postgres_store *s, orr_error *err);

/* A session that is ready for use, an idle one or a new one; a server that cannot be reached is
 * waited for, POSTGRES_PATIENCE_MS long. One that has stayed away for that long is tried now and
 * then, and nobody waits for it. An idle session may have been lost without anybody's noticing. */
int postgres_take(postgres_store *s, postgres_connection **out, orr_error *err);
/* The same without waiting for a server that is away, for what others do without. */
int postgres_take_at_once(postgres_store *s, postgres_connection **out);
/* Another one, after `c` was found lost: the idle ones are of the same age, and go too. */
int postgres_take_fresh(postgres_store *s, postgres_connection **c, orr_error *err);
/* Gives a session back: it rests for another use, or ends. NULL is fine. */
void postgres_give(postgres_store *s, postgres_connection *c);

/* The server was reached. */
void postgres_reached(postgres_store *s);

/* Rests between two tries. */
void postgres_wait_ms(int64_t ms);

/* Counts others' commits for those who do not wait for it, unless the server is away. */
int postgres_count_news(postgres_store *s);
/* Commits of others that a session's view, or the present, shows. */
int postgres_count_foreign(postgres_store *s, postgres_connection *c, uint64_t *out,
                           orr_error *err);

/* What the contract says of views and cursors (view.c): */
int postgres_view_open(store *base, store_snapshot **out, orr_error *err);
int postgres_view_renew(store_snapshot *base, orr_error *err);
void postgres_view_release(store_snapshot *base);
void postgres_view_close(store_snapshot *base);
void postgres_view_read_ahead(store_snapshot *base, const store_span *spans, size_t count);
int postgres_view_get(store_snapshot *base, store_bytes key, store_bytes *value, orr_error *err);
int postgres_view_scan(store_snapshot *base, const store_range *range, store_cursor **out,
                       orr_error *err);
int postgres_view_next(store_cursor *base, store_bytes *key, store_bytes *value, orr_error *err);
void postgres_cursor_close(store_cursor *base);
uint64_t postgres_view_foreign(store_snapshot *base);
void postgres_view_use(store_snapshot *base, store_prefetched *p);

/* What the contract says of what is fetched for several views (prefetch.c): */
store_prefetched *postgres_prefetch(store *base, const store_span *spans, size_t count);
/* As store_prefetched_young. */
bool postgres_prefetched_young(const store_prefetched *base);
/* One of those who use it does so no more; the last one frees it. */
void postgres_prefetched_release(store_prefetched *base);
/* One more uses it, and will release it. */
void postgres_prefetched_keep(store_prefetched *base);
/* As prefetched_rows_get; false, too, when it is too old, or this store has written there since. */
bool postgres_prefetched_get(const store_prefetched *base, store_bytes key, bool *found,
                             store_bytes *value);
/* The same as prefetched_rows_range. */
bool postgres_prefetched_range(const store_prefetched *base, store_bytes low, store_bytes high, row_span *out);

/* What the contract says of views that are open (readers.c). */
void postgres_readers(store *base, void (*visit)(void *ud, const store_reader *reader), void *ud);

/* What the contract says of a commit (commit.c). */
int postgres_commit(store *base, store_group *group, orr_error *err);
/* Takes a lane for a store that is being opened, or whose lane is gone. Answers as postgres_ask. */
int postgres_lane_open(postgres_store *s, postgres_connection *c, orr_error *err);
/* Gives it back, when the server is there. */
void postgres_lane_close(postgres_store *s);

#endif
