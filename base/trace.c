/* The grammar of W3C's trace context, sampling, and spans as they are made. */
#include "base/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- traceparent ----------------------------------------------------------------------------- */

enum { TRACE_AT = 3, SPAN_AT = 36, FLAGS_AT = 53 }; /* version "-" trace "-" span "-" flags */

static const char trace_digits[] = "0123456789abcdef";

/* Upper case is malformed. */
static int trace_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(const char *text, uint8_t *out, size_t size) {
  for (size_t i = 0; i < size; i++) {
    int high = trace_digit(text[2 * i]), low = high < 0 ? -1 : trace_digit(text[2 * i + 1]);
    if (low < 0) return false;
    out[i] = (uint8_t)(high << 4 | low);
  }
  return true;
}

static bool id_given(const uint8_t *id, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (id[i]) return true;
  return false;
}

void trace_hex(const uint8_t *id, size_t size, char *out) {
  for (size_t i = 0; i < size; i++) {
    *out++ = trace_digits[id[i] >> 4];
    *out++ = trace_digits[id[i] & 15];
  }
  *out = '\0';
}

/* Later versions may only add behind a further dash; ff is none. */
static bool parent_shaped(const char *text, size_t size, uint8_t version) {
  bool longer = size > TRACE_PARENT_BYTES;
  if (version == 0xff || (longer && (version == 0 || text[TRACE_PARENT_BYTES] != '-')))
    return false;
  return text[TRACE_AT - 1] == '-' && text[SPAN_AT - 1] == '-' && text[FLAGS_AT - 1] == '-';
}

bool trace_read_parent(const char *text, size_t size, trace_context *out) {
  trace_context c = {.flags = 0};
  uint8_t version;
  if (size < TRACE_PARENT_BYTES || !read_hex(text, &version, 1) ||
      !parent_shaped(text, size, version))
    return false;
  bool sound = read_hex(text + TRACE_AT, c.trace, sizeof c.trace) &&
               read_hex(text + SPAN_AT, c.span, sizeof c.span) &&
               read_hex(text + FLAGS_AT, &c.flags, 1) && id_given(c.trace, sizeof c.trace) &&
               id_given(c.span, sizeof c.span);
  if (!sound) return false;
  c.flags &= version == 0 ? TRACE_SAMPLED | TRACE_RANDOM
                          : TRACE_SAMPLED; /* others mean what is not known here */
  *out = c;
  return true;
}

void trace_write_parent(const trace_context *context, char *out) {
  memcpy(out, "00-", 3);
  trace_hex(context->trace, sizeof context->trace, out + TRACE_AT);
  out[SPAN_AT - 1] = '-';
  trace_hex(context->span, sizeof context->span, out + SPAN_AT);
  out[FLAGS_AT - 1] = '-';
  trace_hex(&context->flags, 1, out + FLAGS_AT);
}

/* ---- tracestate ------------------------------------------------------------------------------ */

enum {
  STATE_MEMBERS_MAX = 32, STATE_KEY_MAX = 256, STATE_TENANT_MAX = 241, STATE_SYSTEM_MAX = 14,
  STATE_VALUE_MAX = 256,
};

static bool state_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool state_digit(char c) { return c >= '0' && c <= '9'; }

/* One side of a key: it begins with a letter (a tenant with a digit as well). */
static bool key_part(const char *text, size_t size, size_t max, bool digit_first) {
  if (size == 0 || size > max || !(state_lower(text[0]) || (digit_first && state_digit(text[0]))))
    return false;
  for (size_t i = 1; i < size; i++)
    if (!state_lower(text[i]) && !state_digit(text[i]) && !memchr("_-*/", text[i], 4)) return false;
  return true;
}

static bool state_key_sound(const char *text, size_t size) {
  const char *at = memchr(text, '@', size);
  if (!at) return key_part(text, size, STATE_KEY_MAX, false);
  size_t tenant = (size_t)(at - text);
  return key_part(text, tenant, STATE_TENANT_MAX, true) &&
         key_part(at + 1, size - tenant - 1, STATE_SYSTEM_MAX, false);
}

static bool state_value_sound(const char *text, size_t size) {
  if (size == 0 || size > STATE_VALUE_MAX) return false;
  for (size_t i = 0; i < size; i++)
    if (text[i] < 0x20 || text[i] > 0x7e || text[i] == '=') return false; /* no comma comes here */
  return true;
}

static bool state_member_sound(const char *text, size_t size, size_t *key) {
  const char *equals = memchr(text, '=', size);
  if (!equals) return false;
  *key = (size_t)(equals - text);
  return state_key_sound(text, *key) && state_value_sound(equals + 1, size - *key - 1);
}

/* How many members the list has; -1: one of them has this key. */
static int count_members(const char *list, const char *key, size_t size) {
  int n = 0;
  for (const char *at = list; *at; n++) {
    if (strncmp(at, key, size) == 0 && at[size] == '=') return -1;
    const char *next = strchr(at, ',');
    if (!next) return n + 1;
    at = next + 1;
  }
  return n;
}

/* The first members are the newest: those that find no room go. */
static bool add_state_member(trace_context *c, const char *text, size_t size) {
  size_t key, used = strlen(c->state);
  if (!state_member_sound(text, size, &key)) return false;
  int members = count_members(c->state, text, key);
  if (members < 0 || members == STATE_MEMBERS_MAX) return false;
  if (used + (used > 0) + size > TRACE_STATE_BYTES_MAX) return true;
  if (used) c->state[used++] = ',';
  memcpy(c->state + used, text, size);
  c->state[used + size] = '\0';
  return true;
}

static bool state_blank(char c) { return c == ' ' || c == '\t'; }

bool trace_read_state(const char *text, size_t size, trace_context *context) {
  const char *end = text + size;
  for (const char *at = text; at <= end;) {
    const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end,
               *next = stop + 1;
    while (at < stop && state_blank(*at)) at++;
    while (stop > at && state_blank(stop[-1])) stop--;
    if (stop > at && !add_state_member(context, at, (size_t)(stop - at))) {
      context->state[0] = '\0';
      return false;
    }
    at = next;
  }
  return true;
}

size_t trace_write(const trace_context *context, char out[TRACE_TEXT_BYTES]) {
  trace_write_parent(context, out);
  if (!context->state[0]) return TRACE_PARENT_BYTES;
  return (size_t)snprintf(out + TRACE_PARENT_BYTES, TRACE_TEXT_BYTES - TRACE_PARENT_BYTES, " %s",
                          context->state) +
         TRACE_PARENT_BYTES;
}

bool trace_read(const char *text, size_t size, trace_context *out) {
  bool stated = size > TRACE_PARENT_BYTES;
  if (stated && text[TRACE_PARENT_BYTES] != ' ') return false;
  if (!trace_read_parent(text, stated ? TRACE_PARENT_BYTES : size, out)) return false;
  if (stated) trace_read_state(text + TRACE_PARENT_BYTES + 1, size - TRACE_PARENT_BYTES - 1, out);
  return true;
}

bool trace_given(const trace_context *context) {
  return id_given(context->trace, sizeof context->trace);
}

bool trace_same(const trace_context *a, const trace_context *b) {
  return memcmp(a->trace, b->trace, sizeof a->trace) == 0;
}

/* ---- Sampling -------------------------------------------------------------------------------- */

uint64_t sampler_share(double share) {
  if (!(share > 0)) return 0;
  return share >= 1 ? UINT64_MAX : (uint64_t)(share * 9223372036854775808.0);
}

/* By the last bits of the trace's id, so that every service with the same share chooses the same
 * traces. */
static bool trace_chosen(const sampler *s, const trace_context *c) {
  uint64_t number = 0;
  for (size_t i = TRACE_ID_BYTES - 8; i < TRACE_ID_BYTES; i++) number = number << 8 | c->trace[i];
  return number >> 1 < s->below;
}

static bool trace_sampled(const sampler *s, const trace_context *parent, const trace_context *own) {
  return parent && s->parent_based ? parent->flags & TRACE_SAMPLED : trace_chosen(s, own);
}

/* ---- Spans ----------------------------------------------------------------------------------- */

/* Fine steps from the monotonic clock, and never far from the wall clock, which may be set. */
static int64_t tracer_now(tracer *t) {
  const orr_env *env = &t->env;
  int64_t wall = env->wall_ms(env->ud) * 1000000, mono = env->mono_ns(env->ud);
  int64_t now = mono + atomic_load_explicit(&t->offset_ns, memory_order_relaxed);
  if (now >= wall - 1000000 && now < wall + 2000000) return now;
  atomic_store_explicit(&t->offset_ns, wall - mono, memory_order_relaxed);
  return wall;
}

static void draw_id(tracer *t, uint8_t *id, size_t size) {
  do {
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
      uint64_t number = t->env.random(t->env.ud);
      memcpy(id + i, &number, sizeof number);
    }
  } while (!id_given(id, size));
}

/* The context of a new trace; empty: none is ever recorded that begins here, so that nobody need be
 * told of one. */
static trace_context trace_root(tracer *t) {
  trace_context c = {.flags = TRACE_RANDOM};
  if (t->sampler.below) draw_id(t, c.trace, sizeof c.trace);
  return c;
}

trace_span *span_begin(tracer *t, span_kind kind, const trace_context *parent, trace_context *own) {
  trace_context c = parent ? *parent : trace_root(t);
  bool sampled = trace_given(&c) && trace_sampled(&t->sampler, parent, &c);
  trace_span *s = sampled ? env_alloc(&t->env.allocator, sizeof *s) : NULL;
  if (s || (!parent && trace_given(&c)))
    draw_id(t, c.span, sizeof c.span); /* unrecorded: its children hang below the parent */
  c.flags = (uint8_t)((c.flags & ~TRACE_SAMPLED) | (sampled ? TRACE_SAMPLED : 0));
  if (s) {
    memset(s, 0, offsetof(trace_span, attributes));
    s->tracer = t;
    s->kind = kind;
    s->context = c;
    s->name = "";
    s->n_attributes = s->n_dropped = s->n_texts = 0;
    if (parent) memcpy(s->parent, parent->span, sizeof s->parent);
    s->began_ns = tracer_now(t);
  }
  *own = c;
  return s;
}

/* NULL: there is no room. */
static const char *span_keep(trace_span *s, const char *text, size_t size) {
  if (size >= SPAN_TEXT_BYTES - s->n_texts) return NULL;
  char *kept = s->texts + s->n_texts;
  memcpy(kept, text, size);
  kept[size] = '\0';
  s->n_texts += size + 1;
  return kept;
}

void span_name(trace_span *s, const char *format, ...) {
  char name[256];
  va_list args;
  if (!s) return;
  va_start(args, format);
  vsnprintf(name, sizeof name, format, args);
  va_end(args);
  const char *kept = span_keep(s, name, strlen(name));
  if (kept) s->name = kept;
}

static span_attribute *add_attribute(trace_span *s, const char *key) {
  if (s->n_attributes == SPAN_ATTRIBUTES_MAX) return NULL;
  span_attribute *a = &s->attributes[s->n_attributes++];
  *a = (span_attribute){.key = key};
  return a;
}

void span_bytes(trace_span *s, const char *key, const char *text, size_t size) {
  if (!s || !text) return;
  const char *kept = s->n_attributes < SPAN_ATTRIBUTES_MAX ? span_keep(s, text, size) : NULL;
  if (kept) add_attribute(s, key)->text = kept;
  else s->n_dropped++;
}

void span_text(trace_span *s, const char *key, const char *text) {
  span_bytes(s, key, text, text ? strlen(text) : 0);
}

void span_number(trace_span *s, const char *key, int64_t number) {
  span_attribute *a = s ? add_attribute(s, key) : NULL;
  if (a) a->number = number;
  else if (s) s->n_dropped++;
}

void span_fail(trace_span *s, const char *type) {
  if (!s || s->failed) return;
  s->failed = true;
  span_text(s, "error.type", type);
}

void span_link(trace_span *s, const trace_context *other) {
  if (!s || trace_same(&s->context, other)) return;
  s->linked = true;
  memcpy(s->link_trace, other->trace, sizeof s->link_trace);
  memcpy(s->link_span, other->span, sizeof s->link_span);
}

void span_end(trace_span *s) {
  if (!s) return;
  s->ended_ns = tracer_now(s->tracer);
  s->tracer->ended(s->tracer->ud, s);
}

size_t trace_metrics(tracer *t, char out[TRACE_METRICS_BYTES]) {
  trace_counts n;
  t->count(t->ud, &n);
  int size = snprintf(out, TRACE_METRICS_BYTES,
                      "# HELP orrery_trace_spans_total Spans that ended, by what became of them.\n"
                      "# TYPE orrery_trace_spans_total counter\n"
                      "orrery_trace_spans_total{outcome=\"exported\"} %" PRIu64
                      "\n"
                      "orrery_trace_spans_total{outcome=\"rejected\"} %" PRIu64
                      "\n"
                      "orrery_trace_spans_total{outcome=\"dropped\"} %" PRIu64
                      "\n"
                      "orrery_trace_spans_total{outcome=\"failed\"} %" PRIu64
                      "\n"
                      "# HELP orrery_trace_spans_waiting Spans that wait to be sent.\n"
                      "# TYPE orrery_trace_spans_waiting gauge\n"
                      "orrery_trace_spans_waiting %" PRIu64 "\n",
                      n.exported, n.rejected, n.dropped, n.failed, n.waiting);
  return size > 0 && size < TRACE_METRICS_BYTES ? (size_t)size : 0;
}

void span_free(trace_span *s) {
  if (s) env_free(&s->tracer->env.allocator, s, sizeof *s);
}
