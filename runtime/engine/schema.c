/* What of a store in PostgreSQL is there before an engine is: its schema. */
#include "base/error.h"
#include "base/null.h"
#include "store/postgresql/postgresql.h"
#include "store/postgresql/schema.h"
#include "store/postgresql/url.h"

bool orr_store_is_url(const char *path) {
  if (!path) return false;
  return postgres_is_url(path);
}

int orr_store_make_schema(const char *url, const char *grant, orr_error *err) {
  REQUIRE(url);
  orr_env env;
  env_system(&env);
  if (!postgres_is_url(url))
    return error_set(err, ORR_E_ARGUMENT,
                     "a schema is made in a PostgreSQL database: "
                     "postgresql://USER@HOST:PORT/DATABASE, or service=NAME");
  return postgres_schema_make(&(store_options){.env = &env, .path = url}, grant, err);
}
