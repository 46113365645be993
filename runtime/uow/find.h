/* Finding records. Finds see the unit's own changes: a record changed or deleted here counts as it is here. The found array
 * lives in the arena. */
#ifndef ORR_UOW_FIND_H
#define ORR_UOW_FIND_H

#include "uow/uow.h"

typedef struct unit_found { rec_head **items; size_t count; } unit_found;

/* Records of `type` in the group of `id`, by ascending id. */
int unit_find_group(unit *u, const rec_type *type, uint64_t group, unit_found *out, orr_error *err);
/* Records whose index row begins with `fields` (the first n fields of the index; values by type: see rec_key). `limit` 0:
 * all. */
typedef struct rec_key { rec_text text; int64_t integer; uint64_t id; orr_value value; } rec_key;
/* Records by the first `n` fields of an index, `limit` of them at the most (0: all), in the
 * index's order. 0 or an error. */
int unit_find_index(unit *u, enum rec_index index, const rec_key *fields, size_t n, size_t limit, unit_found *out,
                    orr_error *err);
/* All of them, for whoever does something to each: the commit must find no row more and none less. */
int unit_find_every(unit *u, enum rec_index index, const rec_key *fields, size_t n, unit_found *out, orr_error *err);
/* Records with a key of their own whose key begins with the first n key fields. */
int unit_find_keys(unit *u, const rec_type *type, const rec_key *fields, size_t n, unit_found *out, orr_error *err);
/* The same as unit_find_every is to unit_find_index. */
int unit_find_every_key(unit *u, const rec_type *type, const rec_key *fields, size_t n, unit_found *out, orr_error *err);
/* Every record of a type: for lists without a better index. */
int unit_find_all(unit *u, const rec_type *type, unit_found *out, orr_error *err);

/* Where a walk goes: along an index, whose first fields are given; through a group; else along the keys of `type`, whose
 * first fields are given. */
typedef struct access_path {
  const rec_type *type;
  uint8_t index;  /* enum rec_index; 0: none */
  uint8_t n_fields;
  uint64_t group; /* 0: any */
  const rec_key *fields;
} access_path;
/* Calls `visit` for each record of a way, in the way's order, until that sets *stop or returns a code, which is then the
 * walk's. What the unit has not loaded yet is lent for the call: it is read where it lies in the store, and costs no memory
 * unless unit_keep takes it. While it walks, the store's view is open: `visit` must not wait, nor call the host. */
typedef int (*unit_visit)(void *ud, rec_head *record, bool *stop);
int unit_walk(unit *u, const access_path *way, unit_visit visit, void *ud, bool *stopped,
              orr_error *err); /* stopped: or NULL */
/* A record that a walk lends, as one of the unit's. NULL with err. */
rec_head *unit_keep(unit *u, const rec_head *lent, orr_error *err);
/* The same as unit_rely for a record that this unit need not read; `key` is a record of that type with just the key
 * fields set. */
int unit_rely_key(unit *u, const rec_type *type, const void *key);

#endif
