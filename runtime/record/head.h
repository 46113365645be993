/* What every record has: its head, the types of its fields, and the lists that a unit of work keeps beside some of them.
 *
 * Structs rec_<name> are generated from records.lua (build/gen/records.h). Each begins with rec_head. Text fields are rec_text
 * (pointer and size, arena memory, NUL-terminated), ids uint64, times milliseconds. */
#ifndef ORR_RECORD_HEAD_H
#define ORR_RECORD_HEAD_H

#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/limits.h"
#include "record/states.h"
#include "store/bytes.h"

/* Ids: record/records.lua says how they are made. */
static inline uint64_t orr_id_group(orr_id id) { return id >> ORR_LOCAL_BITS; }
static inline uint32_t orr_id_local(orr_id id) { return (uint32_t)(id & ORR_LOCAL_MAX); }
static inline orr_id orr_id_make(uint64_t group, uint32_t local) { return group << ORR_LOCAL_BITS | local; }
static inline orr_id orr_id_instance(orr_id id) { return orr_id_make(orr_id_group(id), 1); }

typedef struct unit unit; /* uow/uow.h: what loads records and keeps their changes */

typedef struct rec_text {
  const char *data; /* NULL: not set */
  size_t size;
} rec_text;

static inline bool rec_text_equal(rec_text a, rec_text b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* `text` may be NULL, which is no text at all: not even the empty one. */
static inline bool rec_text_is(rec_text a, const char *text) {
  return text && rec_text_equal(a, (rec_text){text, strlen(text)});
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
  bool counts_only;              /* nothing but counters were changed, which siblings may change as well: uow/siblings.h */
  bool reviewed;                 /* ... and who concluded something from them looks at them again */
} rec_head;

/* Child lists that a unit keeps for loaded instances and executions: loaded from their index once, then kept up in memory. */
typedef enum unit_relation { UNIT_CHILDREN, UNIT_SUBSCRIPTIONS, UNIT_JOBS, UNIT_RELATIONS } unit_relation;
struct rec_relation {
  rec_head **items;
  uint32_t count, capacity;
  bool loaded;
};

/* The variables of a scope that this unit made, so that those of a new scope are found without looking at
 * all others; state/variable.c. */
struct rec_own {
  rec_head **items;
  uint32_t count, capacity;
};

/* What is left of a batch that runs; query/row_batch.c. Jobs that a seed is yet to make have no tries to run out of. */
typedef struct batch_left {
  int64_t things, failed_things; /* what it is about; failed: in jobs without tries left */
  int64_t jobs, failed_jobs;     /* those that there are */
} batch_left;

#endif
