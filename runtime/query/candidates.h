/* The narrowest access path to the records that a filter may find. */
#ifndef ORR_QUERY_CANDIDATES_H
#define ORR_QUERY_CANDIDATES_H

#include "query/filter.h"
#include "uow/find.h"

/* Paths to walk, one after the other; or, where their order is not that of ids, a list of what they
 * gave. */
typedef struct candidates {
  access_path *ways;
  size_t n_ways, ways_capacity;
  unit_found listed;
  bool is_listed;
} candidates;

/* Every record that fits is among them, once, in ascending order of id or key. */
int candidates_find(context *c, const filter *f, candidates *out);
/* Shows each to `visit`, as unit_walk does. */
int candidates_walk(context *c, const candidates *all, unit_visit visit, void *ud);
/* The record with this id, as a list of one or none. */
int candidates_one(context *c, const rec_type *type, orr_id id, unit_found *out);
#endif
