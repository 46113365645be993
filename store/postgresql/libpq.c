/* libpq, loaded when a store in PostgreSQL is first named. */
#include "store/postgresql/libpq.h"

#include "base/library.h"

libpq_functions pq;

#define NAME(name) "PQ" #name,
static const char *const names[] = {LIBPQ_FUNCTIONS(NAME) NULL};

int libpq_load(orr_error *err) {
  static library libpq = {"libpq.so.5", names, &pq, NULL, false};
  return library_load(&libpq, err);
}
