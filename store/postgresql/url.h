/* Which paths of stores are URLs, and what of a URL may be shown. */
#ifndef ORR_STORE_POSTGRESQL_URL_H
#define ORR_STORE_POSTGRESQL_URL_H

#include <stdbool.h>

#include "base/env.h"

/* Whether a store's path names a server instead of a folder: postgresql://…, postgres://…,
 * service=…, or key=value pairs that begin with host=, hostaddr=, port=, dbname= or user=. */
bool postgres_is_url(const char *path);

/* The URL without what is secret, for messages: whom one talks to, as libpq understood it. Free
 * with env_free, size strlen + 1. NULL: `err` says what cannot be understood, or that memory is
 * out, or libpq missing. Loads libpq for all that comes after it. */
char *postgres_describe_url(const orr_allocator *allocator, const char *url, orr_error *err);

#endif
