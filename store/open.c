/* Which kind of store a path names. */
#include "store/postgresql/postgresql.h"
#include "store/postgresql/url.h"

int store_open(const store_options *options, store **out, orr_error *err) {
  if (postgres_is_url(options->path)) return store_open_postgresql(options, out, err);
  return store_open_lmdb(options, out, err);
}
