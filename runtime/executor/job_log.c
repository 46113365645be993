/* The log of jobs. */
#include "executor/job_log.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "engine/metrics.h"
#include "time/iso8601.h"

static int print_time(char *at, size_t room, const event_field *f) {
  char text[ISO_TIME_TEXT];
  iso_format_time((orr_time)llround(f->value.as.number * 1000), text);
  return snprintf(at, room, " %s=%s", f->name, text);
}

static size_t print_field(char *at, size_t room, const event_field *f) {
  int n = 0;
  if (f->value.type == ORR_INT) n = snprintf(at, room, " %s=%" PRId64, f->name, f->value.as.integer);
  else if (f->value.type == ORR_STRING) n = snprintf(at, room, " %s=%.*s", f->name, (int)f->value.size, f->value.as.bytes);
  else if (f->value.type == ORR_BOOL) n = snprintf(at, room, " %s=%s", f->name, f->value.as.boolean ? "true" : "false");
  else if (f->value.type == ORR_FLOAT) n = print_time(at, room, f);
  return n > 0 && (size_t)n < room ? (size_t)n : 0;
}

/* The log function may get the map late, and on another thread: so the map says when and where the event was. */
static void build(orr_engine *engine, orr_builder *b, const char *event, const event_field *fields, size_t count,
                  const char *text) {
  char thread[ENV_THREAD_NAME_BYTES];
  env_thread_name(thread);
  orr_builder_map(b);
  orr_builder_put(b, "event", orr_string(event));
  orr_builder_put(b, "time", event_time(engine_now(engine)));
  orr_builder_put(b, "thread", orr_string(thread));
  if (text) orr_builder_put(b, "text", orr_string(text));
  for (size_t i = 0; i < count; i++) {
    if (fields[i].value.type == ORR_NIL) continue;
    orr_builder_put(b, fields[i].name, fields[i].value);
  }
  orr_builder_end(b);
}

void job_log(orr_engine *engine, orr_log_level level, const char *event, const event_field *fields, size_t count,
             const char *text) {
  if (!engine_logs(engine, level)) return;
  orr_builder *b = orr_builder_new();
  if (!b) return;
  char line[ORR_ERROR_MESSAGE_MAX];
  size_t size = 0;
  line[0] = '\0';
  for (size_t i = 0; i < count; i++) size += print_field(line + size, sizeof line - size, &fields[i]);
  line[size] = '\0';
  orr_value map;
  build(engine, b, event, fields, count, text);
  if (!orr_builder_value(b, &map, NULL))
    engine_log(engine, level, &map, "%s%s%s%s", event, line, text ? ": " : "", text ? text : "");
  orr_builder_free(b);
}

orr_value event_time(orr_time time) { return orr_float((double)time / 1000); }

static orr_value id_or_nil(orr_id id) { return id ? orr_int((int64_t)id) : (orr_value){0}; }

static orr_value activity_of(context *c, const rec_job *job) {
  if (job->failed_activity_id.size) return orr_bytes(job->failed_activity_id.data, job->failed_activity_id.size);
  const definition *d = job->definition_id && job->node ? context_definition(c, job->definition_id, NULL) : NULL;
  return d ? orr_string(d->nodes[job->node - 1]->id) : (orr_value){0};
}

void log_started(context *c, const rec_job *job) {
  orr_time since = job->due > job->created ? job->due : job->created, waited = c->now > since ? c->now - since : 0;
  metrics_count(c->engine, METRIC_JOB_WAITED, (uint64_t)waited);
  if (!engine_logs(c->engine, ORR_LOG_DEBUG)) return;
  const event_field fields[] = {
      {"job", id_or_nil(job->id)}, {"handler", orr_string(job_handler_name(job->kind))},
          {"instance", id_or_nil(job->instance_id)},
      {"activity", activity_of(c, job)}, {"attempt", orr_int(job->attempts)},
          {"waited_ms", orr_int(waited)}};
  job_log(c->engine, ORR_LOG_DEBUG, "job started", fields, sizeof fields / sizeof *fields, NULL);
}

void log_succeeded(orr_engine *engine, orr_id job, orr_time began, orr_time ended) {
  if (!engine_logs(engine, ORR_LOG_DEBUG)) return;
  orr_time took = (ended ? ended : engine_now(engine)) - began;
  const event_field fields[] = {{"job", id_or_nil(job)}, {"duration_ms", orr_int(took)}};
  job_log(engine, ORR_LOG_DEBUG, "job succeeded", fields, sizeof fields / sizeof *fields, NULL);
}

void log_conflict(orr_engine *engine, orr_id job, uint32_t conflicts, int64_t wait_ms) {
  const event_field fields[] = {{"job", id_or_nil(job)}, {"conflicts", orr_int(conflicts)}, {"wait_ms", orr_int(wait_ms)}};
  job_log(engine, ORR_LOG_DEBUG, "job conflict", fields, sizeof fields / sizeof *fields, NULL);
}

void log_interrupted(orr_engine *engine, orr_id job, int64_t wait_ms, const orr_error *why) {
  const event_field fields[] = {{"job", id_or_nil(job)}, {"wait_ms", orr_int(wait_ms)}};
  job_log(engine, ORR_LOG_DEBUG, "job interrupted", fields, sizeof fields / sizeof *fields,
          why->message ? why->message : orr_strerror(why->code));
}

void log_held(context *c, const rec_job *job) {
  const event_field fields[] = {{"job", id_or_nil(job->id)}, {"instance", id_or_nil(job->instance_id)},
                                {"by", id_or_nil(job->held_by)}};
  job_log(c->engine, ORR_LOG_INFO, "job held", fields, sizeof fields / sizeof *fields, NULL);
}

void log_absent(context *c, const rec_job *job, const char *name, bool elsewhere) {
  const event_field fields[] = {{"job", id_or_nil(job->id)},
                                {"delegate", orr_string(name)},
                                {"reason",
                                 orr_string(elsewhere ? "it lives on the thread that registered it" : "it is not here")},
                                {"instance", id_or_nil(job->instance_id)},
                                {"activity", activity_of(c, job)}};
  job_log(c->engine, elsewhere ? ORR_LOG_INFO : ORR_LOG_WARNING, "job waits for a delegate", fields,
          sizeof fields / sizeof *fields, NULL);
}

void log_failed(context *c, const rec_job *job, const char *message) {
  if (!engine_logs(c->engine, ORR_LOG_WARNING)) return;
  bool again = job->retries > 0;
  const event_field fields[] = {
      {"job", id_or_nil(job->id)}, {"retries", orr_int(job->retries)},
          {"due", again && job->due ? event_time(job->due) : (orr_value){0}},
      {"instance", id_or_nil(job->instance_id)}, {"activity", activity_of(c, job)}};
  job_log(c->engine, ORR_LOG_WARNING, "job failed", fields, sizeof fields / sizeof *fields, message);
  const event_field incident[] = {{"job", fields[0].value}, {"instance", fields[3].value}, {"activity", fields[4].value}};
  if (!again)
    job_log(c->engine, ORR_LOG_WARNING, "job incident", incident, sizeof incident / sizeof *incident, "no retries are left");
}
