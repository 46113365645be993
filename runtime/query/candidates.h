/* The narrowest way to the records that a filter may find. */
#ifndef ORR_QUERY_CANDIDATES_H
#define ORR_QUERY_CANDIDATES_H

#include "query/filter.h"

/* Every record that fits is among them, once, and by ascending id or key. */
int candidates_find(context *c, const filter *f, unit_found *out);
/* The record with this id, as a list of one or none. */
int candidates_one(context *c, const rec_type *type, orr_id id, unit_found *out);

#endif
