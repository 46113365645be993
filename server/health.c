/* Health and metrics. */
#include "server/health.h"

#include <string.h>

#include "rest_table.h"
#include "server/mapping/operation.h"
#include "server/server_internal.h"
#include "server/transport/dispatch.h"
#include "server/transport/stats.h"

/* Live: what it has open can work, now or when its database is back. It asks no store. */
static int health_live(request *q) {
  bool live = !server_failed(q->server);
  out_rawf(&q->out, "{\"status\":\"%s\"}", live ? "live" : "failed");
  return q->status = live ? 200 : 503;
}

/* Ready: it takes requests, and its stores can be read and written. */
static int health_ready(request *q) {
  int64_t n;
  orr_error err = {0};
  bool ready = !atomic_load(&q->server->draining) &&
               orr_engine_count(q->engine->engine, "deployments", NULL, &n, &err) == 0 &&
               strcmp(orr_engine_store_state(q->engine->engine), "well") == 0;
  orr_error_clear(&err);
  if (ready && !dispatch_is_last(q)) return 0;
  out_rawf(&q->out, "{\"status\":\"%s\"}", ready ? "ready" : "not ready");
  return q->status = ready ? 200 : 503;
}

static int health_metrics(request *q) {
  orr_value text;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  if (orr_engine_metrics_text(q->engine->engine, b, &err)) return request_fail_engine(q, &err);
  if (!rest_value(q, b, &text)) return q->status;
  if (text.type == ORR_STRING) out_raw(&q->out, text.as.bytes, text.size);
  if (!dispatch_is_last(q)) return 0;
  stats_write(q->server, &q->out);
  char traces[TRACE_METRICS_BYTES];
  tracer *t = q->server->config.tracer;
  if (t) out_raw(&q->out, traces, trace_metrics(t, traces));
  q->type = "text/plain; version=0.0.4; charset=utf-8";
  return request_done(q);
}

const operation health_operations[] = {
    {.method = "GET", .path = "/health/live", .handle = health_live},
    {.method = "GET", .path = "/health/ready", .each = true, .handle = health_ready},
    {.method = "GET",
     .path = "/metrics",
     .role = ROLE_READ,
     .each = true,
     .handle = health_metrics},
};
const size_t n_health_operations = sizeof health_operations / sizeof health_operations[0];
