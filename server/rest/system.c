/* What clients ask about the server itself: its engines, its version, what it reports (nothing). */
#include <string.h>

#include "rest_table.h"
#include "server/mapping/operation.h"
#include "server/server_internal.h"

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

/* ---- Telemetry: nothing is reported, which is what this says ---------------------------------- */

int rest_telemetry_configuration(request *q) {
  out_open(&q->out, '{');
  out_put_bool(&q->out, "enableTelemetry", false);
  out_close(&q->out, '}');
  return request_done(q);
}

int rest_telemetry_data(request *q) {
  static const char *const unknown[] = {"database", "application-server", "license-key", "camunda-integration", "commands",
                                        "metrics", "webapps", "jdk", "data-collection-start-date"};
  out_open(&q->out, '{');
  out_put_null(&q->out, "installation");
  out_key(&q->out, "product");
  out_open(&q->out, '{');
  out_put_text(&q->out, "name", "Orrery");
  out_put_text(&q->out, "version", ORR_VERSION);
  out_put_text(&q->out, "edition", "community");
  out_key(&q->out, "internals");
  out_open(&q->out, '{');
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) out_put_null(&q->out, unknown[i]);
  out_close(&q->out, '}');
  out_close(&q->out, '}');
  out_close(&q->out, '}');
  return request_done(q);
}

int rest_telemetry_set(request *q) {
  bool wanted = body_bool(q, "enableTelemetry", false);
  if (q->status) return q->status;
  if (wanted) return request_refuse(q, "Nothing is reported to anybody, and nothing can be made to be");
  return request_no_content(q);
}

/* ---- What the server does not keep ------------------------------------------------------------------------- */

/* For what Camunda keeps and the engine does not. */
int rest_none_such(request *q) { return rest_missing(q); }

int rest_forbidden(request *q) {
  return request_fail(q, 403, "AuthorizationException", "Users, groups, tenants and filters are not kept by the engine");
}

int rest_nothing(request *q) {
  out_open(&q->out, '[');
  out_close(&q->out, ']');
  return request_done(q);
}

int rest_zero(request *q) {
  out_open(&q->out, '{');
  out_put_int(&q->out, "count", 0);
  out_close(&q->out, '}');
  return request_done(q);
}

/* ---- What one may do there --------------------------------------------------------------------- */

/* What Camunda's answers to OPTIONS may offer: of a resource of many, of one, and of who belongs to
 * one. What is at `path` below the resource is called `rel`. */
typedef struct offer {
  const char *method, *path, *rel;
} offer;

static const offer of_many[] = {{"GET", "", "list"},
                                {"GET", "/count", "count"},
                                {"POST", "/create", "create"},
                                {0}};
static const offer of_one[] = {{"GET", "", "self"},
                               {"GET", "/profile", "self"},
                               {"GET", "/singleResult", "singleResult"},
                               {"POST", "/singleResult", "singleResult"},
                               {"GET", "/list", "list"},
                               {"POST", "/list", "list"},
                               {"GET", "/count", "count"},
                               {"POST", "/count", "count"},
                               {"DELETE", "", "delete"},
                               {"PUT", "", "update"},
                               {"PUT", "/profile", "update"},
                               {0}};
static const offer of_members[] = {
    {"PUT", "/{userId}", "create"}, {"DELETE", "/{userId}", "delete"},
    {"PUT", "/{groupId}", "create"}, {"DELETE", "/{groupId}", "delete"}, {0}};

static const offer *offers_of(const char *path) {
  const char *end = strrchr(path, '/');
  return end && strcmp(end, "/{id}") == 0 ? of_one : strstr(path, "/{id}/") ? of_members : of_many;
}

/* May this user do it? Operations that no role may do are not offered. */
static bool option_open(const request *q, const offer *o) {
  const char *path = q->operation->path;
  size_t size = strlen(path);
  for (size_t i = 0; i < n_operations; i++) {
    const operation *is = &operations[i];
    if (strcmp(is->method, o->method) != 0 || strncmp(is->path, path, size) != 0) continue;
    if (strcmp(is->path + size, o->path) != 0) continue;
    return !is->unbuilt && is->handle != rest_forbidden &&
           (is->role == ROLE_NONE || request_may(q, is->role));
  }
  return false;
}

static void option_write(request *q, const offer *o) {
  int size = (int)strcspn(q->uri, "?");
  out_open(&q->out, '{');
  out_put_text(&q->out, "method", o->method);
  out_put_text(&q->out, "href", request_printf(q, "%.*s%s", size, q->uri, o->path));
  out_put_text(&q->out, "rel", o->rel);
  out_close(&q->out, '}');
}

/* What writes users, groups and the like is refused to everybody: the server's file of users has
 * them. */
int rest_options(request *q) {
  out_open(&q->out, '{');
  out_key(&q->out, "links");
  out_open(&q->out, '[');
  for (const offer *o = offers_of(q->operation->path); o->method; o++)
    if (option_open(q, o)) option_write(q, o);
  out_close(&q->out, ']');
  out_close(&q->out, '}');
  return request_done(q);
}
