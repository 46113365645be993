/* Which trace things belong to, and the spans of commands, jobs and instances. */
#include "state/tracing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"

void tracing_open(context *c, const trace_context *trace) {
  trace_context *own = ARENA_NEW(c->arena, trace_context);
  if (own) *own = *trace;
  c->trace = c->own_trace = own;
}

/* ---- What is kept ---------------------------------------------------------------------------- */

static bool kept_trace(rec_text text, trace_context *out) {
  return text.size > 0 && trace_read(text.data, text.size, out);
}

/* No text if this context has deleted the instance, or it is another engine's. */
static rec_text trace_of_instance(context *c, orr_id id) {
  orr_error ignored = {0};
  const rec_instance *i = id ? unit_instance(c->u, id, &ignored) : NULL;
  orr_error_clear(&ignored);
  return i ? i->trace : (rec_text){0};
}

static rec_text text_of_trace(context *c, const trace_context *trace) {
  char text[TRACE_TEXT_BYTES];
  size_t size = trace ? trace_write(trace, text) : 0;
  return size ? unit_text(c->u, text, size) : (rec_text){0};
}

/* What runs in the instance's trace is below what made it. What came from elsewhere leaves the
 * instance in its own trace. */
rec_text tracing_kept(context *c, orr_id instance) {
  trace_context own;
  if (!c->engine->tracer) return (rec_text){0};
  rec_text kept = trace_of_instance(c, instance);
  if (!kept_trace(kept, &own) || (c->trace && trace_same(c->trace, &own)))
    return text_of_trace(c, c->trace);
  return c->joined_trace && trace_same(c->joined_trace, &own) ? text_of_trace(c, c->joined_trace) : kept;
}

/* ---- Spans ----------------------------------------------------------------------------------- */

/* Spans that may wait for one commit: one signal may reach any number of instances. */
enum { TRACING_SPANS_MAX = 200 };

static void keep_span(context *c, trace_span *s) {
  if (!s) return;
  s->next = c->spans;
  c->spans = s;
  c->n_spans++;
}

/* Begins a span. *at becomes the parent of the spans below it, and is unchanged where there is no
 * trace. */
static trace_span *enter_span(context *c, span_kind kind, const trace_context *parent,
                              const trace_context **at) {
  bool room = c->n_spans < TRACING_SPANS_MAX;
  trace_context *own = room ? ARENA_NEW(c->arena, trace_context) : NULL;
  if (!own) return NULL;
  trace_span *s = span_begin(c->engine->tracer, kind, parent, own);
  keep_span(c, s);
  if (trace_given(own)) *at = own;
  span_text(s, "orrery.engine", c->engine->config.name);
  return s;
}

static void span_id(trace_span *s, const char *key, orr_id id) {
  char text[24];
  if (!s || !id) return;
  snprintf(text, sizeof text, "%" PRIu64, id);
  span_text(s, key, text);
}

void tracing_command(context *c, const char *function) {
  static const char prefix[] = "orr_engine_";
  if (!c->engine->tracer) return;
  bool named = strncmp(function, prefix, sizeof prefix - 1) == 0;
  trace_span *s = enter_span(c, SPAN_INTERNAL, c->trace, &c->trace);
  span_name(s, "%s", named ? function + sizeof prefix - 1 : "command");
  c->own_trace = c->trace;
}

static void describe_job(context *c, trace_span *s, const rec_job *job) {
  const char *handler = job_handler_name(job->kind);
  const definition *d = job->definition_id ? context_definition(c, job->definition_id, NULL) : NULL;
  const node *n = d && job->node ? d->nodes[job->node - 1] : NULL;
  span_name(s, "%s%s%s", handler, n ? " " : "", n ? n->id : "");
  span_text(s, "orrery.job.handler", handler);
  span_id(s, "orrery.job.id", job->id);
  span_id(s, "orrery.instance.id", job->instance_id);
  if (d) span_text(s, "orrery.process.key", d->key);
  if (n) span_text(s, "orrery.activity.id", n->id);
  span_number(s, "orrery.job.attempt", job->attempts);
}

void tracing_job(context *c, const rec_job *job) {
  trace_context parent;
  if (!c->engine->tracer) return;
  bool given = kept_trace(job->trace, &parent) ||
               kept_trace(trace_of_instance(c, job->instance_id), &parent);
  trace_span *s = enter_span(c, SPAN_CONSUMER, given ? &parent : NULL, &c->trace);
  if (s) describe_job(c, s, job);
  c->own_trace = c->trace;
}

void tracing_join(context *c, const char *what, const char *name, rec_text kept, orr_id instance) {
  trace_context parent;
  if (!c->engine->tracer ||
      (!kept_trace(kept, &parent) && !kept_trace(trace_of_instance(c, instance), &parent)))
    return;
  if (c->trace && trace_same(c->trace, &parent)) return;
  /* a job, or a command that has found its instance, only touches other instances */
  bool continues_there = !c->job && c->trace == c->own_trace;
  trace_span *s = enter_span(c, SPAN_CONSUMER, &parent, continues_there ? &c->trace : &c->joined_trace);
  span_name(s, "%s%s%s", what, name ? " " : "", name ? name : "");
  span_id(s, "orrery.instance.id", instance);
  if (s && c->own_trace) span_link(s, c->own_trace);
}

void tracing_touch(context *c, const char *what, const rec_external_task *t) {
  const trace_context *before = c->trace;
  if (!c->engine->tracer) return;
  tracing_join(c, what, t->topic.data, t->trace, t->instance_id);
  c->trace = before;
}

trace_span *tracing_take(context *c) {
  trace_span *s = c->spans;
  c->spans = NULL;
  return s;
}

void tracing_end(trace_span *spans, const char *failure) {
  for (trace_span *next; spans; spans = next) {
    next = spans->next;
    if (failure) span_fail(spans, failure);
    span_end(spans);
  }
}
