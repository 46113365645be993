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

typedef struct live_runs live_runs; /* live.c: where each group's records are */

/* Rows that the commit counts: it loses if their number has changed. */
typedef struct counted_rows {
  struct counted_rows *next;
  store_bytes prefix;
  uint32_t count;
} counted_rows;

/* Units are recycled: one keeps its arena's first chunk and its inline slots. Its snapshot goes back to
 * the source whenever it waits, because every open snapshot takes one of the store's few places for
 * readers. */
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
  rec_head *last[REC_TYPE_COUNT]; /* what unit_get found last of each type, because it is mostly asked for again */

  rec_head *changed, **changed_tail; /* in order of first change */
  rec_head *live[REC_TYPE_COUNT];    /* new and dirty records by type */
  live_runs *runs[REC_TYPE_COUNT];   /* NULL: not needed yet */
  uint32_t changed_count;
  uint64_t writes; /* see unit_writes */

  rec_head **relied;
  uint32_t relied_count, relied_capacity;

  counted_rows *counted;
  uint32_t counted_count;

  struct unit_rows *rows; /* of the list that is being looked at (rows.h), or NULL */
  const rec_head *lent;   /* what a walk lends now, or NULL; and where it was read: */
  store_bytes lent_value;

  unit_hook *hooks, **hooks_tail;
  int failure; /* the first failure that no call could return: unit_flush returns it */
  bool flushed;
  bool lost; /* a view was lost (store_snapshot_lost), or could not be opened */
  bool changes_catalog, holds_catalog; /* it writes some of the catalog; and its batch may be on its way */
  siblings_place siblings;  /* siblings.h */
  bool alone;               /* it has a place, but no siblings */
  bool caught_up;           /* unit_catch_up has brought what it changed up to date */
  bool settled;             /* it has locked what the siblings share */
  bool outdated;            /* ... and its changes do not fit theirs */
  bool relies_on_orders; /* ready.h: its commit must find the record of the orders as it is, or absent as it is */
  rec_head *slots_inline[UNIT_SLOTS_INLINE];
};

/* The open snapshot; opens one when the unit was paused. */
store_snapshot *unit_snapshot(unit *u, orr_error *err);
/* A cursor over the open snapshot. 0, or an ORR_E_* code with err; *out is NULL then. */
int unit_scan(unit *u, const store_range *range, store_cursor **out, orr_error *err);

/* The record with this key if it is in the unit, whatever its state. */
rec_head *unit_known(const unit *u, const uint8_t *key, size_t size, uint32_t hash);
/* Takes a record that was read from the store into the unit, which must not know the key yet. */
rec_head *unit_adopt(unit *u, const rec_type *type, store_bytes key, uint32_t hash, store_bytes value, orr_error *err);

/* Notes that the store is about to be asked for this key, for the rows of the list that is being
 * looked at. */
void unit_rows_note(unit *u, store_bytes key);

/* The record with this key, known or from the store. NULL with err; without: there is none. */
rec_head *unit_load(unit *u, const rec_type *type, const uint8_t *key, size_t size, orr_error *err);

/* A record of its own, which the unit does not know, with the values that `value` has for a record
 * of the unit. NULL: out of memory, or damaged. */
rec_head *unit_decode_apart(unit *u, const rec_head *head, store_bytes value, orr_error *err);
/* Copies a field into another record of the same type. What it points to must live as long. */
void unit_copy_field(rec_head *to, const rec_head *from, const rec_field *field);
/* Has the child lists of a scope loaded again when they are needed. */
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
/* Those of a group, and perhaps others. The type's key begins with an id; where that is 0 and
 * another id follows, that one has the group. */
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

/* The catalog is the store's definitions and job definitions. Its count is different for each of
 * its states, as far as this process changes it, and says whether a batch that changes it is on its
 * way. */
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
/* The source's, which lives as long as the source. */
siblings_shelves *source_siblings(unit_source *source);
/* Is this the group of their instance? */
bool siblings_are_of(const siblings *s, uint64_t group);
/* Will this unit publish the record? Then others may build on it before it is committed. */
bool siblings_will_see(const unit *u, const rec_head *head);
/* A local id that no sibling has, from `floor` on, which the instance's record says. Any thread. */
int64_t siblings_deal_local(siblings *s, int64_t floor);
/* The same for `n` consecutive numbers of history rows: the first. */
int64_t siblings_deal_sequence(siblings *s, int64_t floor, int64_t n);

/* The source's pools. `source_put_*` take NULL. */
unit *source_take_unit(unit_source *source, orr_error *err);
/* Gives an ended unit back, or frees it when enough are idle. */
void source_put_unit(unit_source *source, unit *u);
/* A view of the store as it is now. NULL with `err`. */
store_snapshot *source_take_snapshot(unit_source *source, orr_error *err);
/* Lets go of a view; NULL is fine. */
void source_put_snapshot(unit_source *source, store_snapshot *snapshot);
/* A revision that no record has had, and that none reaches by being written a few thousand times.
 *
 * A new record with a key of its own begins with one. Ids are never used again, but such a key may
 * be deleted and created anew. If it began with 1 each time, a unit that had read the first record
 * could overwrite the second without noticing. Records that siblings build on before they are
 * committed get a new one at each write: if such a write is lost, whoever writes the record instead
 * does not arrive at the same number. */
uint32_t source_first_revision(unit_source *source);

/* A whole index row, into `out`: its size, 0 when the record has none, or KEY_TOO_LONG. The
 * record's key is taken from `head`, which old images share. */
#define KEY_TOO_LONG SIZE_MAX
/* The row of a record into `out`: its size, 0 when the index does not hold it, KEY_TOO_LONG. */
size_t index_row(const rec_index_type *index, const void *record, const rec_head *head, uint8_t out[STORE_KEY_MAX]);
/* The record's key behind the fields of an index row; ORR_E_STORE when the row is damaged. */
int index_row_key(const rec_index_type *index, store_bytes row, store_bytes *out);

#endif
