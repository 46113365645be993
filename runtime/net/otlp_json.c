/* Writing requests of OTLP. */
#include "net/otlp_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"

typedef struct writer {
  const orr_allocator *allocator;
  buffer *out;
  bool failed;
} writer;

static void otlp_put(writer *w, const char *text, size_t size) {
  if (!w->failed && !buffer_add(w->allocator, w->out, text, size)) w->failed = true;
}

static void otlp_put_raw(writer *w, const char *text) { otlp_put(w, text, strlen(text)); }

/* ---- Texts ----------------------------------------------------------------------------------- */

static void put_piece(void *w, const char *text, size_t size) { otlp_put(w, text, size); }

static void otlp_put_text(writer *w, const char *text) {
  json_put_string(&(json_sink){put_piece, w}, text, strlen(text), JSON_BYTES_REPLACED);
}

static void otlp_put_key(writer *w, const char *key) {
  otlp_put_raw(w, ",\"");
  otlp_put_raw(w, key);
  otlp_put_raw(w, "\":");
}

static void put_id(writer *w, const char *key, const uint8_t *id, size_t size) {
  char hex[2 * TRACE_ID_BYTES + 1];
  trace_hex(id, size, hex);
  otlp_put_key(w, key);
  otlp_put_text(w, hex);
}

static void otlp_put_number(writer *w, const char *key, int64_t number) {
  char text[32];
  snprintf(text, sizeof text, "\"%" PRId64 "\"", number);
  otlp_put_key(w, key);
  otlp_put_raw(w, text);
}

static void put_small(writer *w, const char *key, unsigned number) {
  char text[16];
  snprintf(text, sizeof text, "%u", number);
  otlp_put_key(w, key);
  otlp_put_raw(w, text);
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static void put_attribute(writer *w, const char *key, const char *text, int64_t number) {
  char digits[32];
  otlp_put_raw(w, "{\"key\":");
  otlp_put_text(w, key);
  otlp_put_raw(w, ",\"value\":{");
  if (text) {
    otlp_put_raw(w, "\"stringValue\":");
    otlp_put_text(w, text);
  } else {
    snprintf(digits, sizeof digits, "\"intValue\":\"%" PRId64 "\"", number);
    otlp_put_raw(w, digits);
  }
  otlp_put_raw(w, "}}");
}

bool otlp_json_begin(const orr_allocator *allocator, buffer *out, const char *const *resource,
                     size_t texts) {
  writer w = {allocator, out, false};
  otlp_put_raw(&w, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[");
  for (size_t i = 0; i + 1 < texts; i += 2) {
    if (i) otlp_put_raw(&w, ",");
    put_attribute(&w, resource[i], resource[i + 1], 0);
  }
  otlp_put_raw(&w, "]},\"scopeSpans\":[{\"scope\":{\"name\":\"orrery\",\"version\":\"" ORR_VERSION
                   "\"},\"spans\":[");
  return !w.failed;
}

/* ---- Spans ----------------------------------------------------------------------------------- */

static void put_attributes(writer *w, const trace_span *s) {
  otlp_put_raw(w, ",\"attributes\":[");
  for (size_t i = 0; i < s->n_attributes; i++) {
    if (i) otlp_put_raw(w, ",");
    put_attribute(w, s->attributes[i].key, s->attributes[i].text, s->attributes[i].number);
  }
  otlp_put_raw(w, "]");
  if (s->n_dropped) put_small(w, "droppedAttributesCount", (unsigned)s->n_dropped);
}

static void put_link(writer *w, const trace_span *s) {
  char trace[2 * TRACE_ID_BYTES + 1], span[2 * SPAN_ID_BYTES + 1], text[128];
  trace_hex(s->link_trace, sizeof s->link_trace, trace);
  trace_hex(s->link_span, sizeof s->link_span, span);
  snprintf(text, sizeof text, ",\"links\":[{\"traceId\":\"%s\",\"spanId\":\"%s\"}]", trace, span);
  otlp_put_raw(w, text);
}

static bool has_parent(const trace_span *s) {
  static const uint8_t none[SPAN_ID_BYTES];
  return memcmp(s->parent, none, sizeof none) != 0;
}

static void put_span(writer *w, const trace_span *s) {
  char trace[2 * TRACE_ID_BYTES + 1];
  trace_hex(s->context.trace, sizeof s->context.trace, trace);
  otlp_put_raw(w, "{\"traceId\":");
  otlp_put_text(w, trace);
  put_id(w, "spanId", s->context.span, sizeof s->context.span);
  if (has_parent(s)) put_id(w, "parentSpanId", s->parent, sizeof s->parent);
  if (s->context.state[0]) {
    otlp_put_key(w, "traceState");
    otlp_put_text(w, s->context.state);
  }
  put_small(w, "flags", s->context.flags);
  otlp_put_key(w, "name");
  otlp_put_text(w, s->name);
  put_small(w, "kind", (unsigned)s->kind);
  otlp_put_number(w, "startTimeUnixNano", s->began_ns);
  otlp_put_number(w, "endTimeUnixNano", s->ended_ns);
  put_attributes(w, s);
  if (s->linked) put_link(w, s);
  otlp_put_raw(w, s->failed ? ",\"status\":{\"code\":2}}" : ",\"status\":{}}");
}

bool otlp_json_spans(const orr_allocator *allocator, buffer *out, const trace_span *spans) {
  writer w = {allocator, out, false};
  for (const trace_span *s = spans; s; s = s->next) {
    if (s != spans) otlp_put_raw(&w, ",");
    put_span(&w, s);
  }
  otlp_put_raw(&w, "]}]}]}");
  return !w.failed;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* {"partialSuccess":{"rejectedSpans":"3","errorMessage":"..."}}: the number as a text, or not. The
 * answer's bytes end with a NUL. What is malformed has rejected nothing. */
uint64_t otlp_json_rejected(net_text answer) {
  static const char key[] = "\"rejectedSpans\"";
  const char *at = answer.size ? strstr(answer.bytes, key) : NULL;
  if (!at) return 0;
  at += sizeof key - 1;
  at += strspn(at, " \t\r\n:\"");
  return *at >= '0' && *at <= '9' ? strtoull(at, NULL, 10) : 0;
}
