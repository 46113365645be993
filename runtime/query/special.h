/* Filter keys that are no fields: what they mean, and the indexes that answer them. */
#ifndef ORR_QUERY_SPECIAL_H
#define ORR_QUERY_SPECIAL_H

#include "query/filter.h"

const special *special_named(const rec_type *type, const char *name, size_t size);
/* Calls `fn` for every special key of a type; for the nearest known name. */
void special_names(const rec_type *type, void (*fn)(void *ud, const char *name), void *ud);

#endif
