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

/* ---- What is kept by nobody ------------------------------------------------------------------------- */

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

/* Does the table build a GET of this path? */
static bool can_get(const char *path, const char *more) {
  size_t size = strlen(path);
  for (size_t i = 0; i < n_operations; i++) {
    const operation *o = &operations[i];
    if (strcmp(o->method, "GET") != 0 || o->unbuilt || strncmp(o->path, path, size) != 0) continue;
    if (strcmp(o->path + size, more) == 0) return true;
  }
  return false;
}

static void option_write(request *q, const char *more, const char *rel) {
  if (!can_get(q->operation->path, more)) return;
  out_open(&q->out, '{');
  out_put_text(&q->out, "method", "GET");
  out_put_text(&q->out, "href", request_printf(q, "%.*s%s", (int)strcspn(q->uri, "?"), q->uri, more));
  out_put_text(&q->out, "rel", rel);
  out_close(&q->out, '}');
}

/* What writes users, groups and the like is refused to everybody, so that only looking is offered. */
int rest_options(request *q) {
  out_open(&q->out, '{');
  out_key(&q->out, "links");
  out_open(&q->out, '[');
  option_write(q, "", "self");
  option_write(q, "/count", "count");
  out_close(&q->out, ']');
  out_close(&q->out, '}');
  return request_done(q);
}
