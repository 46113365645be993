/* Calls over HTTP in traces, as OpenTelemetry's conventions for HTTP clients name things. Of an
 * address, the trace shows only where the call went: no user, no password, no query, nothing of
 * one that is a secret. */
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bindings/host/fiber.h"
#include "bindings/net/net_glue.h"
#include "bindings/net/net_trace.h"
#include "engine/engine.h"
#include "net/http.h"

/* The context of the code that calls; NULL: it is no part of a trace. */
static context *calling_context(lua_State *L) {
  const fiber *f = orrl_own_state(L)->running;
  context *c = f ? f->context : NULL;
  return c && c->engine->tracer && c->trace ? c : NULL;
}

/* ---- The address ----------------------------------------------------------------------------- */

/* Where the host of a URL begins, behind scheme and user; NULL: it has no scheme. */
static const char *url_host(const char *url) {
  const char *name = strstr(url, "://");
  if (!name) return NULL;
  name += 3;
  for (size_t n = strcspn(name, "/?#"), i = n; i > 0; i--)
    if (name[i - 1] == '@') return name + i;
  return name;
}

static size_t url_host_size(const char *name) {
  const char *end = name[0] == '[' ? strchr(name, ']') : NULL;
  return end ? (size_t)(end + 1 - name) : strcspn(name, ":/?#");
}

static int64_t url_port(const char *url, const char *after) {
  if (*after == ':') return strtoll(after + 1, NULL, 10);
  return strncasecmp(url, "https:", 6) == 0 ? 443 : 80;
}

static void describe_url(trace_span *s, const char *url) {
  const char *name = url_host(url);
  if (!name) return;
  size_t scheme = (size_t)(strstr(url, "://") + 3 - url), size = url_host_size(name),
         shown = strcspn(name, "?#");
  char full[256];
  span_bytes(s, "server.address", name, size);
  span_number(s, "server.port", url_port(url, name + size));
  if (scheme + shown >= sizeof full) return;
  memcpy(full, url, scheme);
  memcpy(full + scheme, name, shown);
  span_bytes(s, "url.full", full, scheme + shown);
}

/* ---- The headers ----------------------------------------------------------------------------- */

static bool header_named(const net_http_request *r, const char *name) {
  size_t size = strlen(name);
  for (size_t i = 0; i < r->header_count; i++)
    if (strncasecmp(r->headers[i], name, size) == 0 && r->headers[i][size] == ':') return true;
  return false;
}

/* In front: those at the end are secrets. What the caller says itself stays as it is. */
static void add_trace_headers(lua_State *L, net_http_request *r, const trace_context *trace) {
  char parent[TRACE_PARENT_BYTES + 1];
  if (header_named(r, "traceparent")) return;
  luaL_checkstack(L, 3, "the request has too many headers");
  size_t added = 1 + (trace->state[0] != '\0');
  const char **lines = lua_newuserdatauv(L, (r->header_count + added + 1) * sizeof *lines, 0);
  trace_write_parent(trace, parent);
  lines[0] = lua_pushfstring(L, "traceparent: %s", parent);
  if (added > 1) lines[1] = lua_pushfstring(L, "tracestate: %s", trace->state);
  for (size_t i = 0; i < r->header_count; i++) lines[added + i] = r->headers[i];
  r->headers = lines;
  r->header_count += added;
}

trace_span *net_trace_request(lua_State *L, net_http_request *r) {
  const context *c = calling_context(L);
  trace_context own;
  if (!c) return NULL;
  trace_span *s = span_begin(c->engine->tracer, SPAN_CLIENT, c->trace, &own);
  span_name(s, "%s", r->method);
  span_text(s, "http.request.method", r->method);
  if (s && !r->secret_url) describe_url(s, r->url);
  add_trace_headers(L, r, &own);
  return s;
}

void net_trace_answer(trace_span *s, int status, const char *error) {
  if (!s) return;
  if (status) span_number(s, "http.response.status_code", status);
  if (error) span_fail(s, error);
  char type[8];
  snprintf(type, sizeof type, "%d", status);
  if (!error && status >= 400) span_fail(s, type);
}
