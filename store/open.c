/* Which kind of store a path names. */
#include "store/open.h"

#include "store/copy.h"
#include "store/lmdb/lmdb_open.h"
#include "store/postgresql/postgresql.h"
#include "store/postgresql/url.h"

int store_open(const store_options *options, store **out, orr_error *err) {
  bool url = postgres_is_url(options->path);
  int rc = url ? store_open_postgresql(options, out, err) : store_open_lmdb(options, out, err);
  if (!rc) rc = store_check_finished(*out, err);
  if (!rc) return 0;
  store_close(*out);
  *out = NULL;
  return rc;
}
