/* The unit of work: what one command or job read, and what it wants to change. Nothing else writes.
 *
 * Records are loaded lazily through a snapshot, remembered by key (identity map) with the revision they had, and changed in memory.
 * unit_commit turns the changes into one batch: every changed or deleted record with the revision it was loaded with, the index rows
 * that came and went, and explicit checks. All memory is in the unit's arena and goes with it.
 *
 * Structs rec_<name> are generated from store/records.lua (build/gen/records.h). Each begins with rec_head. Text fields are `rec_text`
 * (pointer + size, arena memory, NUL-terminated), ids uint64, times ms. Read fields freely; before the first change of a record call
 * unit_touch, which marks it dirty and keeps the old image for index upkeep.
 *
 * Not thread-safe: a unit belongs to one thread at a time, and may move between threads only while nothing of it runs. */
#ifndef ORR_UOW_H
#define ORR_UOW_H

#include <string.h>

#include "../../store/store.h"
#include "../arena.h"
#include "../error.h"
#include "../limits.h"

typedef struct unit unit;

/* Ids: store/records.lua says how they are made. */
static inline uint64_t orr_id_group(orr_id id) { return id >> ORR_LOCAL_BITS; }
static inline uint32_t orr_id_local(orr_id id) { return (uint32_t)(id & ORR_LOCAL_MAX); }
static inline orr_id orr_id_make(uint64_t group, uint32_t local) { return group << ORR_LOCAL_BITS | local; }
static inline orr_id orr_id_instance(orr_id id) { return orr_id_make(orr_id_group(id), 1); }

typedef struct rec_text {
  const char *data; /* NULL: not set */
  size_t size;
} rec_text;

static inline bool rec_text_equal(rec_text a, rec_text b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}
/* FNV-1a; index rows keep it, so it never changes. Equal hashes do not make equal texts. */
uint64_t rec_text_hash(rec_text text);

/* `text` may be NULL, which is no text at all: not even the empty one. */
static inline bool rec_text_is(rec_text a, const char *text) {
  return text != NULL && rec_text_equal(a, (rec_text){text, strlen(text)});
}

typedef struct rec_ids { const orr_id *items; size_t count; } rec_ids;
typedef struct rec_texts { const rec_text *items; size_t count; } rec_texts;

typedef enum rec_state { REC_CLEAN, REC_NEW, REC_DIRTY, REC_DELETED, REC_VOID /* new and deleted again */ } rec_state;

/* What the commit must find of a record that is not changed. */
typedef enum rec_reliance { RELIED_NOT, RELIED_EXISTENCE, RELIED_REVISION } rec_reliance;

typedef struct rec_type rec_type; /* the generated description of a kind of record */

typedef struct rec_head {
  const rec_type *type;
  struct rec_head *next_changed; /* unit's list of everything not clean, in order of first change */
  struct rec_head *next_live, *prev_live; /* unit's new and dirty records of this type, for finds */
  void *old;                     /* image at load, for index upkeep; NULL when new or clean, or when the type has no index */
  const uint8_t *key;            /* as in the store; its fields in the record must not be changed */
  uint32_t revision;             /* as loaded; 0 when new */
  uint32_t hash;                 /* of the key */
  uint16_t key_size;
  uint8_t state;                 /* rec_state */
  uint8_t relied;                /* rec_reliance */
} rec_head;

/* Child lists that a unit keeps for loaded instances and executions: loaded from their index once, then kept up in memory. */
typedef enum unit_relation { UNIT_CHILDREN, UNIT_SUBSCRIPTIONS, UNIT_JOBS, UNIT_RELATIONS } unit_relation;
struct rec_relation {
  rec_head **items;
  uint32_t count, capacity;
  bool loaded;
};

/* The variables of a scope that this unit made, so that those of a new scope are found without looking at all others; exec/variables.c. */
struct rec_own {
  rec_head **items;
  uint32_t count, capacity;
};

#include "records.h" /* generated: struct rec_*, enum rec_index, rec_type tables */

/* ---- Life -------------------------------------------------------------------------------------------------------------- */

typedef struct unit_source unit_source; /* what units of an engine share: store, id blocks, committer; uow/source.h */

/* A unit begins with an open snapshot. NULL when memory is out or the store fails (err). */
unit *unit_begin(unit_source *source, orr_error *err);
/* Ends a unit without committing. Fine at any point. */
void unit_end(unit *u);
orr_arena *unit_arena(unit *u);
/* Lets go of the store's read view while the unit waits; the next read opens a new one (revisions still guard what was read). */
void unit_pause(unit *u);
bool unit_changed(const unit *u);
/* Counts new, touched and deleted records: has anything been changed since an earlier look? */
uint64_t unit_writes(const unit *u);

/* Makes the batch from the changes. The batch lives in the unit's arena. Nothing may be changed in the unit afterwards. */
int unit_flush(unit *u, store_batch **out, orr_error *err);
/* unit_flush and store_commit in one, for callers without a committer: 0, ORR_E_CONFLICT, ORR_E_STORE, ORR_E_MEMORY. */
int unit_commit(unit *u, orr_error *err);
/* For a committer, which commits what unit_flush made: the answer of a batch as an error, and the hooks after a success. */
int unit_batch_status(const store_batch *batch, orr_error *err);
void unit_committed(unit *u);

/* Called after a successful commit, in the order added: wake-ups, cache changes, notifications. */
void unit_after_commit(unit *u, void (*fn)(void *ud), void *ud);

/* ---- Records ------------------------------------------------------------------------------------------------------------ */

/* The generated getters are thin: `rec_task *unit_task(unit *, orr_id, orr_error *)` and so on for records with an id;
 * NULL with err->code ORR_E_NOT_FOUND absent silently: err stays empty when the record does not exist, and is filled when the store
 * failed. A record deleted in this unit does not exist. */
void *unit_get(unit *u, const rec_type *type, orr_id id, orr_error *err);
/* For records with a key of their own: `key` is a record of that type with just the key fields set. */
void *unit_get_key(unit *u, const rec_type *type, const void *key, orr_error *err);

/* A new record with this id, all fields zero. NULL: out of memory. */
void *unit_new(unit *u, const rec_type *type, orr_id id);
/* A new record whose key fields are copied from `key`. It must not exist (checked at commit). */
void *unit_new_key(unit *u, const rec_type *type, const void *key);
/* Before changing: 0 or ORR_E_MEMORY. Free for new and dirty records. */
int unit_touch(unit *u, void *record);
int unit_delete(unit *u, void *record);
/* The commit must find the record as it was read, though this unit does not change it. */
int unit_rely(unit *u, void *record);
/* The commit must find the record, whatever others have made of it. */
int unit_rely_exists(unit *u, void *record);

/* Reads a record of this unit again, as others have left it since: with it the commit is checked against the new revision. What this unit
 * changed in it stays; an unchanged one gets the new values. For records that nobody else's fields are copied into. ORR_E_CONFLICT:
 * gone. */
int unit_refresh(unit *u, void *record, orr_error *err);

/* The next id in the group of `instance` (touches it); 0 and err on a full group. */
orr_id unit_next_id(unit *u, rec_instance *instance, orr_error *err);
/* A new group's first id (local 1). */
orr_id unit_new_group(unit *u, orr_error *err);

/* Copies into the unit's arena. A copy that fails gives {NULL, 0} and is remembered: unit_flush refuses then, so small copies need no
 * check of their own. */
rec_text unit_text(unit *u, const char *data, size_t size);
rec_text unit_textz(unit *u, const char *text); /* NULL gives {NULL, 0} */

/* ---- Finding --------------------------------------------------------------------------------------------------------------
 * Finds see the unit's own changes: a record changed or deleted here counts as it is here. The found array lives in the arena. */

typedef struct unit_found { rec_head **items; size_t count; } unit_found;

/* Records of `type` in the group of `id`, by ascending id. */
int unit_find_group(unit *u, const rec_type *type, uint64_t group, unit_found *out, orr_error *err);
/* Records whose index row begins with `fields` (the first n fields of the index; values by type: see rec_key). `limit` 0: all. */
typedef struct rec_key { rec_text text; int64_t integer; uint64_t id; } rec_key;
int unit_find_index(unit *u, enum rec_index index, const rec_key *fields, size_t n, size_t limit, unit_found *out, orr_error *err);
/* All of them, for whoever does something to each: the commit must find no row more and none less. */
int unit_find_every(unit *u, enum rec_index index, const rec_key *fields, size_t n, unit_found *out, orr_error *err);
/* Records with a key of their own whose key begins with the first n key fields. */
int unit_find_keys(unit *u, const rec_type *type, const rec_key *fields, size_t n, unit_found *out, orr_error *err);
/* The same as unit_find_every is to unit_find_index. */
int unit_find_every_key(unit *u, const rec_type *type, const rec_key *fields, size_t n, unit_found *out, orr_error *err);
/* Every record of a type: for lists without a better index. */
int unit_find_all(unit *u, const rec_type *type, unit_found *out, orr_error *err);

/* The child list of an instance or execution; NULL on failure. Stays valid; new and deleted records come and go in it. */
struct rec_relation *unit_relation_of(unit *u, void *scope, unit_relation relation, orr_error *err);
/* Puts a new execution, subscription or job into its scope's list: call it once `parent` or `execution_id` is set. Does nothing when the
 * scope is not in the unit or its list is not loaded (a later load finds the record). Deleted records leave their list by themselves. */
int unit_attach(unit *u, void *record);
/* Before `parent` or `execution_id` of a record is changed; unit_attach afterwards. */
void unit_detach(unit *u, void *record);

#endif
