/* What a URL says, and what of it may be shown. */
#include "store/postgresql/url.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "store/postgresql/libpq.h"

bool postgres_is_url(const char *path) {
  static const char *const beginnings[] = {"postgresql://", "postgres://", "service=", "host=",
                                           "hostaddr=",     "port=",       "dbname=",  "user="};
  for (size_t i = 0; path && i < sizeof beginnings / sizeof *beginnings; i++) {
    if (strncmp(path, beginnings[i], strlen(beginnings[i])) == 0) return true;
  }
  return false;
}

/* libpq quotes what it cannot read, and that may be the password: only what stands before the first
 * quote is shown. */
static int url_refused(const char *said, orr_error *err) {
  size_t size = said ? strcspn(said, "\"\n") : 0;
  while (size > 0 && said[size - 1] == ' ') size--;
  return error_set(
      err, ORR_E_ARGUMENT,
      "the store's URL cannot be read (%.*s): it is postgresql://USER@HOST:PORT/DATABASE, "
      "or service=NAME",
      (int)size, said ? said : "");
}

static const char *option_value(const PQconninfoOption *options, const char *keyword) {
  for (const PQconninfoOption *o = options; o->keyword; o++) {
    if (strcmp(o->keyword, keyword) == 0) return o->val && o->val[0] ? o->val : NULL;
  }
  return NULL;
}

static char *describe_options(const orr_allocator *allocator, const PQconninfoOption *options,
                              orr_error *err) {
  const char *service = option_value(options, "service"), *host = option_value(options, "host");
  const char *port = option_value(options, "port"), *database = option_value(options, "dbname");
  if (!host) host = option_value(options, "hostaddr");
  char text[512];
  if (service && !host)
    snprintf(text, sizeof text, "the PostgreSQL service %s", service);
  else
    snprintf(text, sizeof text, "PostgreSQL at %s%s%s%s%s", host ? host : "this machine",
             port ? ":" : "", port ? port : "", database ? "/" : "", database ? database : "");
  char *copy = env_strdup(allocator, text);
  if (!copy) error_memory(err);
  return copy;
}

char *postgres_describe_url(const orr_allocator *allocator, const char *url, orr_error *err) {
  if (libpq_load(err)) return NULL;
  char *said = NULL;
  PQconninfoOption *options = pq.conninfoParse(url, &said);
  char *text = NULL;
  if (options)
    text = describe_options(allocator, options, err);
  else
    url_refused(said, err);
  pq.conninfoFree(options);
  pq.freemem(said);
  return text;
}
