/* Traces as W3C and OpenTelemetry have them: the context that travels from caller to callee, spans,
 * and the tracer that decides about spans and takes them when they have ended. What becomes of them
 * then is the tracer's owner's business (net/otlp.h sends them to a collector).
 *
 * A trace is a tree of spans. A span's context (trace, span, flags) is what its children are told,
 * here or in another process. Whether a trace is recorded is decided where it begins and goes with
 * it, in the flags. */
#ifndef ORR_TRACE_H
#define ORR_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/env.h"

enum {
  TRACE_ID_BYTES = 16,
  SPAN_ID_BYTES = 8,
  TRACE_PARENT_BYTES = 55,     /* of a traceparent of version 00 */
  TRACE_STATE_BYTES_MAX = 512, /* what W3C asks to be passed on at least; members beyond go */
  TRACE_TEXT_BYTES = TRACE_PARENT_BYTES + 1 + TRACE_STATE_BYTES_MAX + 1,
};

#define TRACE_SAMPLED 0x01
#define TRACE_RANDOM 0x02 /* the trace's id was drawn at random */

typedef struct trace_context {
  uint8_t trace[TRACE_ID_BYTES], span[SPAN_ID_BYTES];
  uint8_t flags;
  char state[TRACE_STATE_BYTES_MAX + 1]; /* tracestate; "": none */
} trace_context;

/* Reads a traceparent; `size` bytes. False, and *out is not touched: it is malformed, and so there
 * is no trace. Versions that do not exist yet are read as far as W3C promises what they begin with.
 * The state is emptied. */
bool trace_read_parent(const char *text, size_t size, trace_context *out);
/* Appends the members of one tracestate header; several are one list. A list that is malformed is
 * forgotten as a whole, which false tells: the trace goes on without. */
bool trace_read_state(const char *text, size_t size, trace_context *context);
/* Writes a traceparent and its end: TRACE_PARENT_BYTES + 1 bytes. */
void trace_write_parent(const trace_context *context, char *out);
/* Both in one text, as records keep them: the parent and, when there is one, a space and the state.
 * Returns its length. */
size_t trace_write(const trace_context *context, char out[TRACE_TEXT_BYTES]);
/* Reads what trace_write wrote. */
bool trace_read(const char *text, size_t size, trace_context *out);
/* Lower-case digits and an end: 2 * size + 1 bytes. */
void trace_hex(const uint8_t *id, size_t size, char *out);
/* Is it a trace's, or has it been left empty? */
bool trace_given(const trace_context *context);
/* Do both belong to the same trace? */
bool trace_same(const trace_context *a, const trace_context *b);

/* ---- Spans ----------------------------------------------------------------------------------- */

typedef enum span_kind {
  SPAN_INTERNAL = 1,
  SPAN_SERVER,
  SPAN_CLIENT,
  SPAN_PRODUCER,
  SPAN_CONSUMER
} span_kind; /* as OTLP's */

enum { SPAN_ATTRIBUTES_MAX = 16, SPAN_TEXT_BYTES = 1024 };

typedef struct span_attribute {
  const char *key;  /* static */
  const char *text; /* in the span's own; NULL: a number */
  int64_t number;
} span_attribute;

typedef struct tracer tracer;

/* One span, from its beginning until the tracer's owner is done with it. It is used by one thread
 * at a time. */
typedef struct trace_span {
  tracer *tracer;
  struct trace_span *next; /* its holder's */
  trace_context context;
  uint8_t parent[SPAN_ID_BYTES]; /* all zero: none */
  bool linked;
  uint8_t link_trace[TRACE_ID_BYTES], link_span[SPAN_ID_BYTES]; /* that had a part in it */
  span_kind kind;
  bool failed;
  int64_t began_ns, ended_ns; /* since 1970 */
  const char *name;           /* in `texts` */
  span_attribute attributes[SPAN_ATTRIBUTES_MAX];
  size_t n_attributes, n_dropped; /* dropped: there was no room for them */
  size_t n_texts;
  char texts[SPAN_TEXT_BYTES];
} trace_span;

/* Which traces are recorded that begin here; those that came from elsewhere follow their flags when
 * it is parent-based. */
typedef struct sampler {
  bool parent_based;
  uint64_t below; /* of 2^63: the share of traces; 0: none, UINT64_MAX: all */
} sampler;

/* What became of spans since the tracer began. */
typedef struct trace_counts {
  uint64_t exported; /* they have arrived */
  uint64_t rejected; /* the collector did not want them */
  uint64_t dropped;  /* the queue was full */
  uint64_t failed;   /* given up after trying */
  uint64_t waiting;  /* in the queue now */
} trace_counts;

struct tracer {
  orr_env env; /* clocks and ids */
  sampler sampler;
  atomic_int_fast64_t offset_ns; /* from the monotonic clock to 1970 */
  void (*ended)(void *ud, trace_span *s); /* takes it; any thread; must not wait for anything */
  void (*count)(void *ud, trace_counts *out); /* any thread */
  void *ud;
};

enum { TRACE_METRICS_BYTES = 1024 };
/* The counts as Prometheus reads them. Returns how many bytes it wrote. */
size_t trace_metrics(tracer *t, char out[TRACE_METRICS_BYTES]);

/* The share of traces, 0 to 1, as a sampler has it. */
uint64_t sampler_share(double share);

/* Begins a span below `parent` (NULL: a trace of its own) and leaves in *own what its children are
 * told. NULL: it is not recorded, or memory is out; *own is good in any case, may be the parent,
 * and is empty where no trace ever begins here. */
trace_span *span_begin(tracer *t, span_kind kind, const trace_context *parent, trace_context *own);
/* Its name, formatted. NULL is fine for the span, here and below. */
void span_name(trace_span *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Attributes; `key` is a static text, `text` is copied, and NULL adds nothing. What finds no room
 * is counted. Secrets, and what users wrote into their data, do not go here: collectors are read by
 * others than stores are. */
void span_text(trace_span *s, const char *key, const char *text);
/* The same of so many bytes. */
void span_bytes(trace_span *s, const char *key, const char *text, size_t size);
/* The same with a number. */
void span_number(trace_span *s, const char *key, int64_t number);
/* What it was about has failed, with an `error.type`. */
void span_fail(trace_span *s, const char *type);
/* Another trace's span that had a part in it; nothing when it is the same trace. */
void span_link(trace_span *s, const trace_context *other);
/* Ends it: the tracer has it from now on. */
void span_end(trace_span *s);
/* Without the tracer. NULL is fine. */
void span_free(trace_span *s);

#endif
