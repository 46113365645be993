/* Instances that a filter of their records asks for: what an instance owns lies together, so that a condition on the
 * instance, or on what it belongs to, leaves few places to look at. */
#ifndef ORR_QUERY_GROUPS_H
#define ORR_QUERY_GROUPS_H

#include "query/filter.h"

typedef struct group_list {
  uint64_t *items; /* ascending, each once */
  size_t count, capacity;
} group_list;

/* The groups of all instances that own what fits; *found false: no condition of the filter tells. */
int groups_find(context *c, const filter *f, group_list *out, bool *found);

#endif
