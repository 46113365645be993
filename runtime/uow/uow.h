/* The unit of work: what one command or job read, and what it wants to change. Nothing else writes.
 *
 * Records are loaded lazily through a snapshot, remembered by key (identity map) with the revision
 * they had, and changed in memory. unit_commit turns the changes into one batch: every changed or
 * deleted record with the revision it was loaded with, the index rows that came and went, and
 * explicit checks. All memory is in the unit's arena and goes with it.
 *
 * Structs rec_<name> are generated from runtime/record/records.lua (build/gen/records.h). Read
 * fields freely; before the first change of a record call unit_touch, which marks it dirty and
 * keeps the old image for index upkeep.
 *
 * Not thread-safe: a unit belongs to one thread at a time, and may move between threads only while
 * nothing of it runs. */
#ifndef ORR_UOW_H
#define ORR_UOW_H

#include "records.h" /* generated: struct rec_*, enum rec_index, rec_type tables */
#include "store/store.h"

/* ---- Life ------------------------------------------------------------------------------------ */

typedef struct unit_source unit_source; /* what units of an engine share: store, id blocks, committer; uow/source.h */

/* Begins a unit with an open snapshot. NULL when memory is out or the store fails (err). While a
 * view is open the store's map cannot move, and a commit of any thread, or another view, may have
 * to wait for that. So a thread has at most one view open, and closes it (unit_pause) before it
 * waits or calls the host. */
unit *unit_begin(unit_source *source, orr_error *err);
/* The same, but reads through the view of `lender`, which another part of this thread reads, until
 * either of them is paused. Pause the borrower before the lender ends; it opens a view of its own
 * when it reads on. */
unit *unit_begin_beside(unit *lender, orr_error *err);
/* Reads through the lender's view from here on. */
void unit_borrow(unit *u, unit *lender);
/* Ends a unit without committing, at any point. */
void unit_end(unit *u);
/* Memory that lasts until the unit ends. */
orr_arena *unit_arena(unit *u);
/* Closes the store's read view while the unit waits. The next read opens a new one; revisions still
 * guard what was read. */
void unit_pause(unit *u);
/* The same for a moment, while the host's code has the thread: keeps the unit's place in the
 * store's table of readers. */
void unit_yield(unit *u);
/* Was the store unreachable while the unit read it, or did its view end with the connection? Then
 * that alone may be why the unit failed. */
bool unit_lost(const unit *u);
/* Does it have anything to commit? */
bool unit_changed(const unit *u);
/* A count of new, touched and deleted records, to tell whether anything changed between two
 * looks. */
uint64_t unit_writes(const unit *u);

/* unit_flush and store_commit in one, for callers without a committer: 0, ORR_E_CONFLICT, ORR_E_STORE, ORR_E_MEMORY. */
int unit_commit(unit *u, orr_error *err);
/* For a committer of what unit_flush made: a batch's answer as an error. */
int unit_batch_status(const store_batch *batch, orr_error *err);
/* Runs the unit's hooks, once: its batch is committed. */
void unit_committed(unit *u);
/* May the unit end once its batch is made? True: its only hooks are those that any thread may call,
 * and nothing counts on its end. */
bool unit_ends_with_batch(const unit *u);

/* `fn` will be called after a successful commit, in the order of these calls: for wake-ups, cache
 * changes, notifications. */
void unit_after_commit(unit *u, void (*fn)(void *ud), void *ud);
/* The same where any thread may call it after the unit has ended: with a copy of the `size` bytes
 * at `ud`. */
void unit_after_commit_anywhere(unit *u, void (*fn)(void *ud), const void *ud, size_t size);

typedef struct unit_hook unit_hook;
/* The bytes that those hooks take in memory of the caller, aligned as for pointers. */
size_t unit_hooks_size(const unit *u);
/* Copies them there. NULL: there are none. */
unit_hook *unit_hooks_pack(const unit *u, void *memory);
/* Calls them on any thread, once, after a successful commit, instead of unit_committed. NULL is
 * fine. */
void unit_hooks_run(const unit_hook *first);

/* ---- Records --------------------------------------------------------------------------------- */

/* The generated getters are thin: `rec_task *unit_task(unit *, orr_id, orr_error *)` and so on for
 * records with an id. NULL when the record does not exist, with `err` as it was, and when the store
 * failed, with `err` filled. A record deleted in this unit does not exist. */
void *unit_get(unit *u, const rec_type *type, orr_id id, orr_error *err);
/* For records with a key of their own: `key` is a record of that type with just the key fields set. */
void *unit_get_key(unit *u, const rec_type *type, const void *key, orr_error *err);

/* A stamp of the definitions and job definitions that a view shows: views with equal stamps show
 * the same ones. */
typedef struct catalog_stamp { uint64_t own, foreign; } catalog_stamp;
/* The stamp of this unit's view. False: there is none now, because definitions are being changed,
 * perhaps by this unit. */
bool unit_catalog(unit *u, catalog_stamp *out);
/* A record by its key and value in the store, for a caller that kept both and knows that they are
 * still the same. NULL: this unit has deleted it, or memory is out (err). */
void *unit_recall(unit *u, const rec_type *type, store_bytes key, store_bytes value, orr_error *err);
/* The bytes of a record in the view, whatever this unit has made of it; valid as long as the view.
 * ORR_E_NOT_FOUND: there are none (err stays empty). */
int unit_stored(unit *u, const void *record, store_bytes *value, orr_error *err);

/* A record that this unit has deleted, with its last values. NULL: it has not. */
void *unit_deleted(unit *u, const rec_type *type, orr_id id);

/* A new record with this id, all fields zero. NULL: out of memory. */
void *unit_new(unit *u, const rec_type *type, orr_id id);
/* A new record whose key fields are copied from `key`. It must not exist (checked at commit). */
void *unit_new_key(unit *u, const rec_type *type, const void *key);
/* To be called before a change: 0 or ORR_E_MEMORY. Costs nothing for new and dirty records. */
int unit_touch(unit *u, void *record);
/* The same before a change of a counter that siblings may change as well (uow/siblings.h). Without
 * siblings there is no difference. */
int unit_touch_counter(unit *u, void *record);
/* Says that such counters are all that was changed in a record that was new or clean before. */
void unit_changed_counter(unit *u, void *record);
/* Deletes the record with the commit. 0 or ORR_E_MEMORY. */
int unit_delete(unit *u, void *record);
/* The commit loses if the record has changed by then, though this unit does not change it. */
int unit_rely(unit *u, void *record);
/* The commit loses if the record is gone by then; others may change it. */
int unit_rely_exists(unit *u, void *record);

/* Reads a record of this unit again; the commit is then checked against the new revision. What this
 * unit has changed in it stays; an unchanged record gets the new values. Only for records whose
 * other fields nothing was copied from. ORR_E_CONFLICT: it is gone. */
int unit_refresh(unit *u, void *record, orr_error *err);

/* The next id in the group of `instance` (touches it); 0 and err on a full group. */
orr_id unit_next_id(unit *u, rec_instance *instance, orr_error *err);
/* The first of `n` numbers for the instance's history rows, one behind the other (touches it). -1: out of memory. */
int64_t unit_next_sequence(unit *u, rec_instance *instance, int64_t n);
/* A new group's first id (local 1). */
orr_id unit_new_group(unit *u, orr_error *err);

/* Copies into the unit's arena. A copy that fails gives {NULL, 0}, and unit_flush will refuse, so
 * small copies need no check of their own. */
rec_text unit_text(unit *u, const char *data, size_t size);
rec_text unit_textz(unit *u, const char *text); /* NULL gives {NULL, 0} */

/* The source that the unit belongs to. */
unit_source *unit_source_of(const unit *u);

#endif
