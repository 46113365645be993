/* Traces of requests, as OpenTelemetry's conventions for HTTP servers name things. What users put
 * into a query string is left out. */
#include "server/transport/request_trace.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/trace.h"
#include "server/server_internal.h"

/* ---- What came with the request -------------------------------------------------------------- */

typedef struct trace_headers {
  const char *parent;
  size_t parents, parent_size;
  trace_context *context; /* once the parent is read: takes the state */
} trace_headers;

static enum MHD_Result trace_header(void *ud, enum MHD_ValueKind kind, const char *name,
                                    size_t name_size, const char *value, size_t size) {
  trace_headers *h = ud;
  (void)kind;
  (void)name_size;
  if (!value) return MHD_YES;
  if (!h->context && strcasecmp(name, "traceparent") == 0) {
    h->parent = value;
    h->parent_size = size;
    h->parents++;
  } else if (h->context && strcasecmp(name, "tracestate") == 0) {
    return trace_read_state(value, size, h->context) ? MHD_YES : MHD_NO;
  }
  return MHD_YES;
}

/* Two parents contradict each other: as if there were none. */
static void read_trace(request *q, struct MHD_Connection *mhd) {
  trace_headers h = {0};
  MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, trace_header, &h);
  if (h.parents != 1 || !trace_read_parent(h.parent, h.parent_size, &q->trace)) return;
  h.context = &q->trace;
  MHD_get_connection_values_n(mhd, MHD_HEADER_KIND, trace_header, &h);
}

/* ---- The span -------------------------------------------------------------------------------- */

static void describe_request(request *q, trace_span *s) {
  const char *route = q->operation->path;
  span_name(s, "%s /engine-rest%s", q->method, route);
  span_text(s, "http.request.method", q->method);
  char whole[256];
  snprintf(whole, sizeof whole, "/engine-rest%s", route);
  span_text(s, "http.route", whole);
  span_bytes(s, "url.path", q->uri, strcspn(q->uri, "?"));
  span_text(s, "url.scheme", q->server->config.certificate ? "https" : "http");
  if (!q->connection->from.local) span_text(s, "server.address", q->server->config.address);
  if (!q->connection->from.local) span_number(s, "server.port", q->server->port);
  span_text(s, "network.transport", q->connection->from.local ? "unix" : "tcp");
}

/* Without a tracer the trace is for the log of accesses alone. */
void request_trace_begin(request *q, struct MHD_Connection *mhd) {
  tracer *t = q->server->config.tracer;
  read_trace(q, mhd);
  if (!t || q->own) return;
  trace_context parent = q->trace;
  q->span = span_begin(t, SPAN_SERVER, trace_given(&parent) ? &parent : NULL, &q->trace);
  if (!q->span) return;
  describe_request(q, q->span);
  span_text(q->span, "user_agent.original",
            MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, MHD_HTTP_HEADER_USER_AGENT));
}

void request_trace_end(request *q, bool delivered) {
  char status[8];
  if (!q->span) return;
  if (q->status) span_number(q->span, "http.response.status_code", q->status);
  snprintf(status, sizeof status, "%d", q->status);
  if (q->status >= 500) span_fail(q->span, status);
  else if (!delivered) span_fail(q->span, "undelivered");
  span_end(q->span);
  q->span = NULL;
}

void request_trace_enter(orr_engine *engine, const request *q) {
  if (engine_tracer(engine))
    engine_set_trace(engine, q && trace_given(&q->trace) ? &q->trace : NULL);
}
