/* Running a list verb ("tasks", "jobs", …) for whoever needs what it finds. */
#ifndef ORR_QUERY_H
#define ORR_QUERY_H

#include "state/context.h"

/* What `filter` (a map, NULL: everything) finds, in `*out` (the caller frees it) and as a number in `*count`; either may
 * be NULL. ORR_E_ARGUMENT: no such verb or filter key. */
int query_run(context *c, const char *verb, const orr_value *filter, orr_records **out, int64_t *count, orr_error *err);

/* The one record with this id, as a list of one or none. Errors as query_run's. */
int query_one(context *c, const char *verb, orr_id id, orr_records **out, orr_error *err);

#endif
