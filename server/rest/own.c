/* Engines, version, metrics, the users of the server's file. */
#include <string.h>

#include "server/rest/rest.h"

int rest_engines(request *q) {
  out_open(&q->out, '[');
  for (size_t i = 0; i < q->server->n_engines; i++) {
    out_open(&q->out, '{');
    out_put_text(&q->out, "name", q->server->engines[i].name);
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
  return request_done(q);
}

/* Clients ask for the version of the interface, and go by it; it is Camunda's 7.24. */
int rest_version(request *q) {
  out_open(&q->out, '{');
  out_put_text(&q->out, "version", "7.24.0");
  out_close(&q->out, '}');
  return request_done(q);
}

int rest_metrics_sum(request *q) {
  orr_value counters;
  orr_error err = {0};
  orr_builder *b = rest_builder(q);
  if (!b) return q->status;
  if (orr_engine_metrics(rest_engine(q), b, &err)) return request_fail_engine(q, &err);
  if (!rest_value(q, b, &counters)) return q->status;
  orr_value n = orr_map_get(&counters, q->path[0]);
  if (n.type != ORR_INT)
    return request_fail(q, 400, "InvalidRequestException", "There is no counter \"%s\" here", q->path[0]);
  out_open(&q->out, '{');
  out_put_int(&q->out, "result", n.as.integer);
  out_close(&q->out, '}');
  return request_done(q);
}

/* ---- Users ------------------------------------------------------------------------------------ */

static void user_write(request *q, const account *u) {
  out_open(&q->out, '{');
  out_put_text(&q->out, "id", u->name);
  out_put_text(&q->out, "firstName", u->name);
  out_put_text(&q->out, "lastName", "");
  out_put_null(&q->out, "email");
  out_close(&q->out, '}');
}

static bool user_wanted(const request *q, const account *u) {
  const char *id = request_argument(q, "id");
  return !id || strcmp(id, u->name) == 0;
}

int rest_users(request *q) {
  const account *u;
  int64_t first, most, n = 0;
  if (!rest_page(q, &first, &most)) return q->status;
  out_open(&q->out, '[');
  for (size_t i = 0; (u = auth_user(q->server->auth, i)); i++)
    if (user_wanted(q, u) && n++ >= first && most-- > 0) user_write(q, u);
  out_close(&q->out, ']');
  return request_done(q);
}

int rest_users_count(request *q) {
  const account *u;
  int64_t n = 0;
  for (size_t i = 0; (u = auth_user(q->server->auth, i)); i++) n += user_wanted(q, u);
  out_open(&q->out, '{');
  out_put_int(&q->out, "count", n);
  out_close(&q->out, '}');
  return request_done(q);
}

static const account *user_named(const request *q, const char *name) {
  const account *u;
  for (size_t i = 0; name && (u = auth_user(q->server->auth, i)); i++)
    if (strcmp(u->name, name) == 0) return u;
  return NULL;
}

int rest_user_profile(request *q) {
  const account *u = user_named(q, q->path[0]);
  if (!u) return rest_missing(q);
  user_write(q, u);
  return request_done(q);
}

static bool user_in(const account *u, const char *group, size_t size) {
  for (const char *at = u->groups; *at; at += strcspn(at, ","), at += *at == ',')
    if (strcspn(at, ",") == size && memcmp(at, group, size) == 0) return true;
  return false;
}

static void groups_write(request *q, const account *u) {
  out_open(&q->out, '[');
  for (const char *at = u->groups; *at; at += strcspn(at, ","), at += *at == ',') {
    size_t size = strcspn(at, ",");
    out_open(&q->out, '{');
    out_key(&q->out, "id");
    out_bytes(&q->out, at, size);
    out_key(&q->out, "name");
    out_bytes(&q->out, at, size);
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
}

/* The groups of a user, and the users that share one. */
int rest_user_groups(request *q) {
  const char *id = request_argument(q, "userId");
  const account *asked = user_named(q, id), *u;
  if (!id) return request_fail(q, 400, "InvalidRequestException", "No user id was supplied");
  out_open(&q->out, '{');
  out_key(&q->out, "groups");
  if (asked) groups_write(q, asked);
  else out_open(&q->out, '['), out_close(&q->out, ']');
  out_key(&q->out, "groupUsers");
  out_open(&q->out, '[');
  for (size_t i = 0; asked && (u = auth_user(q->server->auth, i)); i++) {
    bool shares = false;
    for (const char *at = asked->groups; *at && !shares; at += strcspn(at, ","), at += *at == ',')
      shares = user_in(u, at, strcspn(at, ","));
    if (!shares || u == asked) continue;
    out_open(&q->out, '{');
    out_put_text(&q->out, "id", u->name);
    out_put_text(&q->out, "firstName", u->name);
    out_put_text(&q->out, "lastName", "");
    out_put_text(&q->out, "displayName", u->name);
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
  out_close(&q->out, '}');
  return request_done(q);
}
