/* The inside of a unit of work, for the files of this folder. */
#ifndef ORR_UOW_UNIT_H
#define ORR_UOW_UNIT_H

#include "record/key.h"
#include "uow/siblings.h"
#include "uow/source.h"
#include "uow/uow.h"

#define UNIT_SLOTS_INLINE 64 /* of the identity map; it grows when it is half full */

struct unit_hook {
  struct unit_hook *next;
  void (*fn)(void *ud);
  void *ud;
  size_t size; /* of what `ud` points at, where any thread may call it; 0: it belongs to the unit's thread */
};

typedef struct live_runs live_runs; /* live.c: where the records of each group stand */

/* Rows of which there must be as many at the commit. */
typedef struct counted_rows {
  struct counted_rows *next;
  store_bytes prefix;
  uint32_t count;
} counted_rows;

/* A unit is recycled: it keeps its arena's first chunk and its inline slots. The snapshot goes back to the source whenever
 * the unit waits, because every open snapshot occupies one of the store's few reader places. */
struct unit {
  unit_source *source;
  orr_arena *arena;
  store_snapshot *snapshot; /* NULL while paused */
  bool yielded;             /* the snapshot is released, and renewed when it is read again */
  uint64_t catalog;         /* the catalog's count before the view was opened */
  unit *lender;             /* whose view this unit reads through; NULL: its own */
  unit *next_idle;

  /* Identity map: open addressing by key hash; records are never taken out, deleted ones stay as the answer 'gone'. */
  rec_head **slots;
  uint32_t slot_mask, slots_used;
  rec_head *last[REC_TYPE_COUNT]; /* what unit_get found last of each type: mostly it is asked for again */

  rec_head *changed, **changed_tail; /* in order of first change */
  rec_head *live[REC_TYPE_COUNT];    /* new and dirty records by type */
  live_runs *runs[REC_TYPE_COUNT];   /* NULL: so few that nobody asked */
  uint32_t changed_count;
  uint64_t writes; /* see unit_writes */

  rec_head **relied;
  uint32_t relied_count, relied_capacity;

  counted_rows *counted;
  uint32_t counted_count;

  struct unit_rows *rows; /* of a list that is looked at (rows.h); NULL: of none */
  const rec_head *lent;   /* what a walk shows at the moment, and where it was read; NULL: nothing */
  store_bytes lent_value;

  unit_hook *hooks, **hooks_tail;
  int failure; /* the first failure nobody could be told of: flush answers with it */
  bool flushed;
  bool lost; /* a view of its was lost (store_snapshot_lost), or could not be had */
  bool changes_catalog, holds_catalog; /* writes some of the catalog; and its batch may be on its way */
  siblings_place siblings;  /* siblings.h */
  bool alone;               /* though it has a place, there are none */
  bool caught_up;           /* what it has changed was brought up to date under way */
  bool settled;             /* the siblings' shelf is locked */
  bool outdated;            /* ... and what this unit changes does not fit what they have left */
  bool relies_on_orders; /* ready.h: its commit must find the record of the orders as it is, or absent as it is */
  rec_head *slots_inline[UNIT_SLOTS_INLINE];
};

/* The open snapshot; opens one when the unit was paused. */
store_snapshot *unit_snapshot(unit *u, orr_error *err);
/* A cursor over the open snapshot. 0, or an ORR_E_* code with err; *out is NULL then. */
int unit_scan(unit *u, const store_range *range, store_cursor **out, orr_error *err);

/* The record with this key if it is in the unit, whatever its state. */
rec_head *unit_known(const unit *u, const uint8_t *key, size_t size, uint32_t hash);
/* Takes a record that was read from the store into the unit. The key must not be known yet. */
rec_head *unit_adopt(unit *u, const rec_type *type, store_bytes key, uint32_t hash, store_bytes value, orr_error *err);

/* The store is about to be asked for this key, while the unit looks at rows of a list. */
void unit_rows_note(unit *u, store_bytes key);

/* The record with this key, known or from the store; NULL with err, or without when there is none. */
rec_head *unit_load(unit *u, const rec_type *type, const uint8_t *key, size_t size, orr_error *err);

/* What `value` says of a record that the unit has, in a record of its own, which the unit does not know. NULL: out of
 * memory, or damaged. */
rec_head *unit_decode_apart(unit *u, const rec_head *head, store_bytes value, orr_error *err);
/* A field of a record into another of the same type; what it points to must live as long. */
void unit_copy_field(rec_head *to, const rec_head *from, const rec_field *field);
/* The child lists of a scope are loaded again when they are asked for. */
void unit_forget_relations(rec_head *head);
/* A record of zeros; NULL: out of memory. */
rec_head *unit_blank(unit *u, const rec_type *type);

/* A walk over new and dirty records, in no order; none is added or removed meanwhile. */
typedef struct live_walk {
  rec_head *next;
  uint64_t group;
  bool within; /* those of `group` alone */
} live_walk;

/* A record that was made, or is changed for the first time: finds look at it. */
void live_add(unit *u, rec_head *head);
/* One that is deleted. */
void live_remove(unit *u, rec_head *head);
/* Those of a type. */
live_walk live_all(const unit *u, const rec_type *type);
/* Those of a group, and perhaps others. The type's key begins with an id; where that is 0 and another
 * follows, it is the one that tells the group. */
live_walk live_of_group(unit *u, const rec_type *type, uint64_t group);
/* NULL at the end. */
rec_head *live_next(live_walk *walk);

/* Remembers a failure; returns NULL for convenience. */
void *unit_fail(unit *u, int code);

/* The id of a record that has one lies right behind its head. */
static inline orr_id record_id(const rec_head *head) { return ((const rec_execution *)(const void *)head)->id; }

static inline bool record_exists(const rec_head *head) { return head->state != REC_DELETED && head->state != REC_VOID; }

/* For source.c: a unit's memory without a snapshot. */
unit *unit_make(unit_source *source, const orr_allocator *allocator);
/* Frees a unit that is not in use. */
void unit_unmake(unit *u, const orr_allocator *allocator);

/* The catalog is what the store has of definitions and job definitions. Its count, which no two states of it share as far
 * as this process changes it, and whether a batch that changes it is on its way. */
uint64_t source_catalog(const unit_source *source);
static inline bool source_catalog_changing(uint64_t catalog) { return catalog & UINT32_MAX; }
/* A batch that changes definitions is about to be committed. */
void source_catalog_begin(unit_source *source);
/* It has been answered, whether it succeeded or not. */
void source_catalog_end(unit_source *source);

/* Siblings: siblings.c keeps them, the source has them. */
typedef struct siblings_shelves siblings_shelves;
siblings_shelves *siblings_shelves_new(const orr_allocator *allocator);
/* All units have ended. NULL is fine. */
void siblings_shelves_free(siblings_shelves *shelves);
/* The source's, for as long as it is there. */
siblings_shelves *source_siblings(unit_source *source);
/* Is that the group of their instance? */
bool siblings_are_of(const siblings *s, uint64_t group);
/* Will this unit publish the record? Then others may build on it before it is committed. */
bool siblings_will_see(const unit *u, const rec_head *head);
/* A local id that no sibling has, from `floor` on: what the instance's record says. Any thread. */
int64_t siblings_deal_local(siblings *s, int64_t floor);
/* The same for `n` numbers of history rows, one behind the other: the first. */
int64_t siblings_deal_sequence(siblings *s, int64_t floor, int64_t n);

/* The source's pools. `source_put_*` take NULL. */
unit *source_take_unit(unit_source *source, orr_error *err);
/* Gives an ended unit back, or frees it when enough are idle. */
void source_put_unit(unit_source *source, unit *u);
/* A view of the store as it is now. NULL with `err`. */
store_snapshot *source_take_snapshot(unit_source *source, orr_error *err);
/* Lets go of a view; NULL is fine. */
void source_put_snapshot(unit_source *source, store_snapshot *snapshot);
/* A revision that no record has had, and that none comes to by being written a few thousand times.
 *
 * A new record with a key of its own begins with one. Ids are never used again, but such a key may be deleted and
 * created anew; were it to begin with 1 each time, a unit that read the first life could overwrite the second without
 * noticing. What siblings build on before it is committed has one each time it is written: if it is lost, whoever else has
 * written the record in its place has not come to the same number. */
uint32_t source_first_revision(unit_source *source);

/* A whole index row into `out`: its size, 0 when the record has none, KEY_TOO_LONG. The record's key is taken from `head`,
 * as old images share it. */
#define KEY_TOO_LONG SIZE_MAX
/* The row of a record into `out`: its size, 0 when the index does not hold it, KEY_TOO_LONG. */
size_t index_row(const rec_index_type *index, const void *record, const rec_head *head, uint8_t out[STORE_KEY_MAX]);
/* The record's key behind the fields of an index row; ORR_E_STORE when the row is damaged. */
int index_row_key(const rec_index_type *index, store_bytes row, store_bytes *out);

#endif
