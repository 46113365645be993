/* The instances whose records a filter may find. What an instance owns lies together in the store,
 * so a condition on the instance, or on what it belongs to, leaves few places to look at. */
#ifndef ORR_QUERY_GROUPS_H
#define ORR_QUERY_GROUPS_H

#include "query/filter.h"

typedef struct group_list {
  uint64_t *items; /* ascending, each once */
  size_t count, capacity;
} group_list;

/* The groups of all instances that own what fits. *found is false when no condition of the filter
 * tells. */
int groups_find(context *c, const filter *f, group_list *out, bool *found);

#endif
