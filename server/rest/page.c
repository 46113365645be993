/* What the operator's page asks for beside Camunda's interface: why a job waits, who runs jobs and within what limits, how
 * much there is of everything, and what a deployment would say. The groups of what is broken: page_groups.c. */
#include "server/rest/page.h"

#include <string.h>

#include "server/multipart.h"
#include "server/series.h"

/* ---- Answers made of values -------------------------------------------------------------------- */

/* Answers with what a call of the engine, which answered `rc`, put into a builder. */
static int page_value(request *q, int rc, orr_builder *b, orr_error *err) {
  orr_value value;
  if (rc) return rest_end(q, rc, err);
  if (!rest_value(q, b, &value)) return q->status;
  out_value(&q->out, &value);
  return request_done(q);
}

void page_put(json_out *out, const char *key, const orr_value *value) {
  out_key(out, key);
  out_value(out, value);
}

void page_put_field(json_out *out, const char *key, const orr_records *of, const char *field) {
  orr_value value = of ? orr_records_get(of, 0, field) : orr_null();
  page_put(out, key, &value);
}

void page_put_id(json_out *out, const char *key, orr_id id) {
  out_key(out, key);
  if (id) out_id(out, id);
  else out_null(out);
}

/* ---- One job, executors, limits ------------------------------------------------------------------ */

int rest_why(request *q) {
  orr_error err = {0};
  const char *id = request_argument(q, "jobId");
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  if (!id) return request_refuse(q, "No jobId was supplied");
  int rc = orr_engine_why(rest_engine(q), id_of_text(id), b, &err);
  if (rc) return request_fail_missing(q, &err, q->operation->missing_status, q->operation->missing, id);
  return page_value(q, rc, b, &err);
}

int rest_executors(request *q) {
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  return page_value(q, orr_engine_executors(rest_engine(q), b, &err), b, &err);
}

int rest_nodes(request *q) {
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  return page_value(q, orr_engine_nodes(rest_engine(q), b, &err), b, &err);
}

/* Processes that do not answer are waited for as long as at the command. */
int rest_threads(request *q) {
  enum { WAIT_SECONDS = 2 };
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  return page_value(q, orr_engine_threads(rest_engine(q), WAIT_SECONDS, b, &err), b, &err);
}

int rest_limits(request *q) {
  orr_records *found = records_by(q, "limits", NULL, 0);
  if (!found) return q->status;
  out_open(&q->out, '[');
  for (size_t i = 0; i < orr_records_count(found); i++) {
    static const char *const fields[][2] = {
        {"topic", "topic"}, {"key", "key"}, {"perSecond", "per_second"}};
    static const char *const counts[] = {"max", "burst"};
    orr_value definition = orr_records_get(found, i, "job_definition_id");
    out_open(&q->out, '{');
    page_put_id(&q->out, "jobDefinitionId", definition.type == ORR_INT ? (orr_id)definition.as.integer : 0);
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
      orr_value value = orr_records_get(found, i, fields[f][1]);
      page_put(&q->out, fields[f][0], &value);
    }
    for (size_t f = 0; f < sizeof counts / sizeof *counts; f++) { /* 0 is no such bound */
      orr_value value = orr_records_get(found, i, counts[f]);
      if (value.type != ORR_INT || value.as.integer == 0) value = orr_null();
      page_put(&q->out, counts[f], &value);
    }
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
  orr_records_free(found);
  return request_done(q);
}

/* What the body limits: a map with one entry. */
static bool limit_of(request *q, orr_builder *b, orr_value *of) {
  const char *topic = body_text(q, "topic"), *key = body_text(q, "key"), *definition = body_text(q, "jobDefinitionId");
  if (q->status) return false;
  if (!topic + !key + !definition != 2) {
    request_refuse(q, "One of jobDefinitionId, topic and key says what is limited");
    return false;
  }
  orr_builder_map(b);
  if (definition) orr_builder_put(b, "job_definition", orr_int((int64_t)id_of_text(definition)));
  else orr_builder_put(b, topic ? "topic" : "key", orr_string(topic ? topic : key));
  orr_builder_end(b);
  return rest_value(q, b, of);
}

/* What the body says of how much may run: a map. */
static bool limit_bounds(request *q, orr_builder *b, orr_value *out) {
  const json_t *rate = body_member(q, "perSecond");
  if (rate && !json_is_null(rate) && !json_is_number(rate)) {
    request_refuse(q, "\"perSecond\" must be a number");
    return false;
  }
  orr_builder_map(b);
  if (body_given(q, "max")) orr_builder_put(b, "max", orr_int(body_int(q, "max", 0)));
  if (body_given(q, "perSecond")) orr_builder_put(b, "per_second", orr_float(json_number_value(rate)));
  if (body_given(q, "burst")) orr_builder_put(b, "burst", orr_int(body_int(q, "burst", 0)));
  orr_builder_end(b);
  return !q->status && rest_value(q, b, out);
}

int rest_limit_set(request *q) {
  orr_value of, limit;
  orr_error err = {0};
  orr_builder *b = request_builder(q), *l = request_builder(q);
  if (!b || !l || !limit_of(q, b, &of)) return q->status;
  if (!body_given(q, "max") && !body_given(q, "perSecond"))
    return rest_end(q, orr_engine_clear_limit(rest_engine(q), &of, &err), &err);
  if (!limit_bounds(q, l, &limit)) return q->status;
  return rest_end(q, orr_engine_set_limit(rest_engine(q), &of, &limit, &err), &err);
}

/* ---- Figures --------------------------------------------------------------------------------------- */

int rest_figures(request *q) {
  const key_value failed[] = {{"retries", orr_int(0)}}, due[] = {{"executable", orr_bool(true)}},
                  timers[] = {{"executable", orr_bool(false)}, {"retries_gt", orr_int(0)}};
  const struct {
    const char *name, *verb;
    const key_value *keys;
    size_t n;
  } figures[] = {
      {"instances", "instances", NULL, 0}, {"incidents", "incidents", NULL, 0}, {"failed_jobs", "jobs", failed, 1},
      {"due_jobs", "jobs", due, 1}, {"timers", "jobs", timers, 2}, {"tasks", "tasks", NULL, 0},
  };
  out_open(&q->out, '{');
  out_key(&q->out, "now");
  out_open(&q->out, '{');
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    int64_t n = records_total(q, figures[i].verb, figures[i].keys, figures[i].n);
    if (n < 0) return q->status;
    out_put_int(&q->out, figures[i].name, n);
  }
  out_close(&q->out, '}');
  out_key(&q->out, "series");
  series_write(&q->engine->series, &q->out);
  out_close(&q->out, '}');
  return request_done(q);
}

/* ---- The check of models ---------------------------------------------------------------------------- */

int rest_lint(request *q) {
  orr_value resources, problems, entry;
  orr_error err = {0};
  orr_builder *files = request_builder(q), *b = request_builder(q);
  if (!files || !b) return q->status;
  orr_builder_map(files);
  for (const part *p = q->parts; p; p = p->next)
    if (p->filename) orr_builder_put(files, p->filename, orr_bytes(p->data ? p->data : "", p->size));
  orr_builder_end(files);
  if (!rest_value(q, files, &resources)) return q->status;
  if (orr_engine_check(rest_engine(q), &resources, b, &err)) return request_fail_engine(q, &err);
  if (!rest_value(q, b, &problems)) return q->status;
  out_open(&q->out, '{');
  out_key(&q->out, "problems");
  out_open(&q->out, '[');
  orr_iterator at = orr_iterate(&problems);
  while (orr_next(&at, NULL, &entry)) {
    static const char *const fields[] = {"resource", "line", "column", "element", "message"};
    orr_value warning = orr_map_get(&entry, "warning");
    out_open(&q->out, '{');
    out_put_text(&q->out, "severity", warning.type == ORR_BOOL && warning.as.boolean ? "warning" : "error");
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
      orr_value value = orr_map_get(&entry, fields[f]);
      page_put(&q->out, fields[f], &value);
    }
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
  out_close(&q->out, '}');
  return request_done(q);
}
