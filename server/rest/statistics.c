/* Statistics of definitions and activities, one walk of the engine's each; reports of how long things took. */
#include <string.h>
#include <strings.h>

#include "rest_table.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/mapping/query.h"
#include "server/mapping/records.h"
#include "server/mapping/task_counts.h"
#include "server/rest/definition.h"

/* { incidentType, incidentCount } of a map of types and counts. */
static void incidents_write(json_out *out, const orr_value *counts) {
  orr_iterator i = orr_iterate(counts);
  orr_value type, n;
  out_key(out, "incidents");
  out_open(out, '[');
  while (orr_next(&i, &type, &n)) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)type.size, type.as.bytes);
    out_open(out, '{');
    out_put_text(out, "incidentType", names_theirs("incident_types", name));
    out_put_int(out, "incidentCount", n.type == ORR_INT ? n.as.integer : 0);
    out_close(out, '}');
  }
  out_close(out, ']');
}

static void counts_write(request *q, const orr_records *rows, size_t i, const char *id, const char *class) {
  orr_value instances = orr_records_get(rows, i, "instances"), failed = orr_records_get(rows, i, "failed_jobs");
  orr_value incidents = orr_records_get(rows, i, "incidents"), of = orr_records_get(rows, i, id);
  out_put_text(&q->out, "@class", class);
  out_key(&q->out, "id");
  if (of.type == ORR_INT) out_id(&q->out, (orr_id)of.as.integer);
  else out_value(&q->out, &of);
  out_put_int(&q->out, "instances", instances.type == ORR_INT ? instances.as.integer : 0);
  out_put_int(&q->out, "failedJobs", failed.type == ORR_INT ? failed.as.integer : 0);
  incidents_write(&q->out, &incidents);
}

/* The rows that the request's switches ask for; NULL: it has failed. */
static orr_records *statistics_ask(request *q, orr_id definition) {
  orr_builder *b = request_builder(q);
  const char *type = request_argument(q, "incidentsForType");
  orr_value wanted;
  orr_records *rows = NULL;
  orr_error err = {0};
  if (!b) return NULL;
  if (type && request_flag(q, "incidents")) {
    request_refuse(q, "Only one of the query parameter includeIncidents or includeIncidentsForType can be set.");
    return NULL;
  }
  orr_builder_map(b);
  if (definition) orr_builder_put(b, "definition", orr_int((int64_t)definition));
  orr_builder_put(b, "failed_jobs", orr_bool(request_flag(q, "failedJobs")));
  if (request_flag(q, "rootIncidents")) orr_builder_put(b, "root_incidents", orr_bool(true));
  orr_builder_put(b, "incidents", orr_bool(request_flag(q, "incidents") || type));
  if (type) orr_builder_put(b, "incident_type", orr_string(names_ours("incident_types", type)));
  orr_builder_end(b);
  if (rest_value(q, b, &wanted) && orr_engine_statistics(rest_engine(q), &wanted, &rows, &err)) request_fail_engine(q, &err);
  return rows;
}

int rest_definition_statistics(request *q) {
  orr_records *rows = statistics_ask(q, 0);
  if (!rows) return q->status;
  out_open(&q->out, '[');
  for (size_t i = 0; i < orr_records_count(rows); i++) {
    orr_value id = orr_records_get(rows, i, "definition_id");
    const orr_records *definition = records_definition(q, id.type == ORR_INT ? (orr_id)id.as.integer : 0);
    if (!definition) continue;
    out_open(&q->out, '{');
    counts_write(q, rows, i, "definition_id",
                 "org.camunda.bpm.engine.rest.dto.repository.ProcessDefinitionStatisticsResultDto");
    out_key(&q->out, "definition");
    dto_write(q, &dto_ProcessDefinitionDto, definition, 0);
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
  orr_records_free(rows);
  return q->status ? q->status : request_done(q);
}

int rest_activity_statistics(request *q) {
  orr_id id = rest_definition_of_path(q);
  orr_records *rows = id ? statistics_ask(q, id) : NULL;
  if (!rows) return q->status;
  out_open(&q->out, '[');
  for (size_t i = 0; i < orr_records_count(rows); i++) {
    out_open(&q->out, '{');
    counts_write(q, rows, i, "activity_id", "org.camunda.bpm.engine.rest.dto.repository.ActivityStatisticsResultDto");
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
  orr_records_free(rows);
  return request_done(q);
}

/* Tasks without a group come last, and have null as its name. */
int rest_task_groups(request *q) {
  orr_records *rows = NULL;
  orr_value wanted;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  orr_builder_map(b);
  orr_builder_put(b, "candidate_groups", orr_bool(true));
  orr_builder_end(b);
  if (!rest_value(q, b, &wanted)) return q->status;
  if (orr_engine_statistics(rest_engine(q), &wanted, &rows, &err))
    return request_fail_engine(q, &err);
  out_open(&q->out, '[');
  for (size_t i = 0; i < orr_records_count(rows); i++)
    dto_write(q, &dto_TaskCountByCandidateGroupResultDto, rows, i);
  out_close(&q->out, ']');
  orr_records_free(rows);
  return q->status ? q->status : request_done(q);
}

/* The arguments are those of a filter, but for the definition; rows come by activity. */
int rest_history_statistics(request *q) {
  const listing is = {.name = "history_statistics", .params = q->operation->arguments + 4, .n_params = 5};
  orr_value filter, key, value, wanted;
  orr_records *rows = NULL;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  const char *order = request_argument(q, "sortOrder");
  orr_id id = rest_definition_of_path(q);
  if (!b || !id || !query_filter(q, &is, NULL, false, &filter)) return q->status;
  orr_builder_map(b);
  orr_iterator i = orr_iterate(&filter);
  while (orr_next(&i, &key, &value)) {
    if (value.type == ORR_ARRAY && orr_count(&value) == 0) continue;
    orr_builder_key(b, key.as.bytes, key.size);
    orr_builder_add(b, &value);
  }
  orr_builder_put(b, "definition", orr_int((int64_t)id));
  orr_builder_put(b, "incidents", orr_bool(request_flag(q, "incidents")));
  orr_builder_end(b);
  if (!rest_value(q, b, &wanted)) return q->status;
  if (orr_engine_history_statistics(rest_engine(q), &wanted, &rows, &err)) return request_fail_engine(q, &err);
  size_t n = orr_records_count(rows);
  bool backwards = order && strcmp(order, "desc") == 0;
  out_open(&q->out, '[');
  for (size_t k = 0; k < n; k++) dto_write(q, &dto_HistoricActivityStatisticsDto, rows, backwards ? n - 1 - k : k);
  out_close(&q->out, ']');
  orr_records_free(rows);
  return q->status ? q->status : request_done(q);
}

/* ---- Reports: how long what has ended took ---------------------------------------------------- */

/* Camunda has milliseconds, too. */
static void put_duration(json_out *out, const char *key, orr_value seconds) {
  int64_t ms = orr_milliseconds(&seconds);
  out_put_int(out, key, ms == ORR_TIME_NONE ? 0 : ms);
}

static void period_write(json_out *out, const orr_value *one, const char *unit) {
  orr_value period = orr_map_get(one, "period");
  out_open(out, '{');
  out_put_int(out, "period", period.as.integer);
  out_put_text(out, "periodUnit", unit);
  put_duration(out, "minimum", orr_map_get(one, "minimum"));
  put_duration(out, "maximum", orr_map_get(one, "maximum"));
  put_duration(out, "average", orr_map_get(one, "average"));
  out_close(out, '}');
}

/* The arguments from `first` on are those of a list. */
static int durations_report(request *q, const char *verb, size_t first) {
  const listing is = {.name = verb,
                      .params = q->operation->arguments + first,
                      .n_params = q->operation->n_arguments - first};
  const char *type = request_argument(q, "reportType"), *unit = request_argument(q, "periodUnit");
  bool month = unit && strcasecmp(unit, "month") == 0, quarter = unit && strcasecmp(unit, "quarter") == 0;
  orr_value filter, rows, one;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!type || strcasecmp(type, "duration") != 0) return request_refuse(q, "reportType must be duration");
  if (!month && !quarter) return request_refuse(q, "periodUnit must be month or quarter");
  if (!b || !query_filter(q, &is, NULL, false, &filter)) return q->status;
  if (orr_engine_history_durations(rest_engine(q), verb, &filter, month ? "month" : "quarter", b,
      &err))
    return request_fail_engine(q, &err);
  if (!rest_value(q, b, &rows)) return q->status;
  orr_iterator i = orr_iterate(&rows);
  out_open(&q->out, '[');
  while (orr_next(&i, NULL, &one)) period_write(&q->out, &one, month ? "MONTH" : "QUARTER");
  out_close(&q->out, ']');
  return request_done(q);
}

int rest_instance_report(request *q) { return durations_report(q, "history_instances", 2); }

int rest_task_report(request *q) {
  const char *type = request_argument(q, "reportType");
  if (type && strcasecmp(type, "count") == 0) return task_counts_answer(q, 3);
  return durations_report(q, "history_tasks", 3);
}
