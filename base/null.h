/* NULL from the caller of a public function: refused where the function needs something, and fine
 * for an `out` that is not wanted. These are the first lines of such a function. */
#ifndef ORR_BASE_NULL_H
#define ORR_BASE_NULL_H

#include "base/error.h"

#define error_null(err, name) error_set((err), ORR_E_ARGUMENT, "%s is NULL", (name))

/* Returns from the function, with ORR_E_ARGUMENT in its `err`, when the argument is NULL; `name` is
 * the header's. */
#define REQUIRE_AS(argument, name) \
  if (!(argument)) return error_null(err, name)
#define REQUIRE(argument) REQUIRE_AS(argument, #argument)

static inline void null_release(orr_records **unwanted) { orr_records_free(*unwanted); }

/* Gives `out` a place of the function's own when it is NULL; records that come there are freed as
 * the function returns. */
#define OUT_RECORDS(out)                                                     \
  __attribute__((cleanup(null_release))) orr_records *unwanted_##out = NULL; \
  if (!(out)) (out) = &unwanted_##out
#define OUT_PLAIN(type, out) \
  type unwanted_##out = 0;   \
  if (!(out)) (out) = &unwanted_##out

#endif
