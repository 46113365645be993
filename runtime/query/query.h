/* Running a list verb ("tasks", "jobs", …). */
#ifndef ORR_QUERY_H
#define ORR_QUERY_H

#include "state/context.h"

/* Puts what `filter` (a map; NULL: everything) finds into `*out`, which the caller frees, and its
 * number into `*count`; either may be NULL. ORR_E_ARGUMENT: there is no such verb or filter key. */
int query_run(context *c, const char *verb, const orr_value *filter, orr_records **out, int64_t *count, orr_error *err);

/* The one record with this id, as a list of one or none. Errors as query_run's. */
int query_one(context *c, const char *verb, orr_id id, orr_records **out, orr_error *err);

#endif
