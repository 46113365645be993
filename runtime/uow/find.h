/* Finding records. A find sees the unit's own changes: a record that the unit changed or deleted
 * counts as it is now. The array of what was found lives in the arena. */
#ifndef ORR_UOW_FIND_H
#define ORR_UOW_FIND_H

#include "uow/uow.h"

typedef struct unit_found { rec_head **items; size_t count; } unit_found;

/* Records of `type` in the group of `id`, by ascending id. */
int unit_find_group(unit *u, const rec_type *type, uint64_t group, unit_found *out, orr_error *err);
/* A field to look for; which member counts depends on its type. */
typedef struct rec_key { rec_text text; int64_t integer; uint64_t id; orr_value value; } rec_key;
/* Records whose row in an index begins with the first `n` fields, at most `limit` of them (0: all),
 * in the index's order. 0 or an error. */
int unit_find_index(unit *u, enum rec_index index, const rec_key *fields, size_t n, size_t limit, unit_found *out,
                    orr_error *err);
/* All of them, for a caller that does something to each: the commit loses if there is one more or
 * one fewer by then. */
int unit_find_every(unit *u, enum rec_index index, const rec_key *fields, size_t n, unit_found *out, orr_error *err);
/* Records with a key of their own that begins with the first `n` key fields. */
int unit_find_keys(unit *u, const rec_type *type, const rec_key *fields, size_t n, unit_found *out, orr_error *err);
/* As unit_find_every, by keys. */
int unit_find_every_key(unit *u, const rec_type *type, const rec_key *fields, size_t n, unit_found *out, orr_error *err);
/* Every record of a type: for lists without a better index. */
int unit_find_all(unit *u, const rec_type *type, unit_found *out, orr_error *err);

/* The records that a walk visits: those of an index that begin with some fields; of a group; or
 * those of `type` whose keys begin with some fields. */
typedef struct access_path {
  const rec_type *type;
  uint8_t index;  /* enum rec_index; 0: none */
  uint8_t n_fields;
  uint64_t group; /* 0: any */
  const rec_key *fields;
} access_path;
/* Called for each record of a path, in its order, until it sets *stop or returns a code, which the
 * walk then returns. A record that the unit has not loaded is only lent: it is read where it is in
 * the store, and costs no memory unless unit_keep takes it. The store's view is open meanwhile, so
 * `visit` must neither wait nor call the host. */
typedef int (*unit_visit)(void *ud, rec_head *record, bool *stop);
int unit_walk(unit *u, const access_path *way, unit_visit visit, void *ud, bool *stopped,
              orr_error *err); /* stopped: or NULL */
/* Makes a lent record one of the unit's. NULL with err. */
rec_head *unit_keep(unit *u, const rec_head *lent, orr_error *err);
/* As unit_rely, for a record that the unit need not read. `key` is a record of that type with only
 * the key fields set. */
int unit_rely_key(unit *u, const rec_type *type, const void *key);

#endif
