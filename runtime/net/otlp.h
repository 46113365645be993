/* Spans on their way to a collector: OTLP over HTTP, in JSON (opentelemetry-proto's mapping of
 * ExportTraceServiceRequest).
 *
 * One thread of its own, with a loop and a client, sends batches; spans come from any thread
 * through a bounded queue that never makes anybody wait: what finds it full is dropped, and
 * counted. A collector that answers 429, 502, 503 or 504, or not at all, is asked again: when its
 * Retry-After says, else after pauses that grow; in the meantime the queue fills. */
#ifndef ORR_NET_OTLP_H
#define ORR_NET_OTLP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/trace.h"

typedef struct otlp otlp;

/* Texts are copied. */
typedef struct otlp_options {
  const char *url;            /* whole, with /v1/traces */
  const char *const *headers; /* "Name: value"; may be secrets */
  size_t header_count;
  const char *const *resource; /* key, value, key, value, ... */
  size_t resource_count;       /* of texts */
  const char *ca_file, *client_cert, *client_key;
  int64_t timeout_ms;          /* of one request */
  int64_t delay_ms;            /* between two batches, unless one is full before */
  int64_t give_up_ms;          /* how long a batch is tried again */
  size_t queue_max, batch_max; /* spans */
  sampler sampler;
  const orr_env *env; /* NULL: the system's */
  /* Told when sending begins to fail, with a reason that shows no secret, and (NULL) when it works
   * again; on the thread of the exporter. May be NULL. */
  void (*told)(void *ud, const char *problem);
  void *told_ud;
} otlp_options;

/* NULL with `err`. */
otlp *otlp_open(const otlp_options *options, orr_error *err);
/* What engines and servers are given; it lives as long as the exporter. */
tracer *otlp_tracer(otlp *o);
/* Sends what waits, each batch once and all within `timeout_ms` of one request, and ends. Nothing
 * may use the tracer any more. NULL is fine. */
void otlp_close(otlp *o);

#endif
