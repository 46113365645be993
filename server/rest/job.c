/* Jobs and job definitions. */
#include <string.h>

#include "rest_table.h"
#include "server/mapping/operation.h"
#include "server/mapping/selection.h"
#include "server/rest/batch.h"

/* ---- One job ---------------------------------------------------------------------------------- */

int rest_job_delete(request *q) {
  orr_error err = {0};
  return rest_end(q, orr_engine_job_delete(rest_engine(q), request_id(q), &err), &err);
}

int rest_job_execute(request *q) {
  orr_error err = {0};
  return rest_end(q, orr_engine_job_execute(rest_engine(q), request_id(q), &err), &err);
}

int rest_job_traceback(request *q) {
  orr_value text;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  int rc = orr_engine_job_traceback(rest_engine(q), request_id(q), b, &err);
  if (rc) return rest_end(q, rc, &err);
  rest_optional(b, &text);
  q->type = "text/plain";
  if (text.type == ORR_STRING) out_raw(&q->out, text.as.bytes, text.size);
  return request_done(q);
}

int rest_job_retries(request *q) {
  orr_error err = {0};
  int64_t retries;
  orr_time due = body_time(q, "dueDate");
  if (q->status || !rest_retries(q, &retries)) return q->status;
  return rest_end(q, orr_engine_job_set_retries(rest_engine(q), request_id(q), retries, due, &err), &err);
}

int rest_job_due(request *q) {
  orr_error err = {0};
  orr_time due = body_time(q, "duedate");
  bool cascade = body_bool(q, "cascade", false);
  if (q->status) return q->status;
  int rc = orr_engine_job_set_due(rest_engine(q), request_id(q), due ? due : ORR_TIME_NONE,
                                  cascade ? ORR_CASCADE : ORR_ALONE, &err);
  return rest_end(q, rc, &err);
}

int rest_job_recalculate(request *q) {
  orr_error err = {0};
  const char *from = request_argument(q, "creationDateBased");
  bool now = from && strcmp(from, "false") == 0; /* Camunda's own word for nothing said is the creation */
  int rc = orr_engine_job_recalculate_due(rest_engine(q), request_id(q), now ? ORR_FROM_NOW : ORR_FROM_CREATION, &err);
  return rest_end(q, rc, &err);
}

static bool priority_wanted(request *q, int64_t *out) {
  *out = body_int(q, "priority", 0);
  if (!q->status && !body_given(q, "priority")) request_refuse(q, "Priority for job '%s' cannot be null.", q->path[0]);
  return !q->status;
}

int rest_job_priority(request *q) {
  orr_error err = {0};
  int64_t priority;
  if (!priority_wanted(q, &priority)) return q->status;
  return rest_end(q, orr_engine_job_set_priority(rest_engine(q), request_id(q), priority, &err), &err);
}

int rest_job_suspend(request *q) {
  orr_error err = {0};
  bool suspend;
  if (!rest_suspension(q, &suspend)) return q->status;
  int rc = suspend ? orr_engine_job_suspend(rest_engine(q), request_id(q), &err)
                   : orr_engine_job_activate(rest_engine(q), request_id(q), &err);
  return rest_end(q, rc, &err);
}

/* ---- Many jobs -------------------------------------------------------------------------------- */

static bool tenant_filter(request *q, orr_builder *b) {
  const char *tenant = body_text(q, "processDefinitionTenantId");
  if (tenant) orr_builder_put(b, "tenant", orr_string(tenant));
  else if (body_bool(q, "processDefinitionWithoutTenantId", false)) orr_builder_put(b, "tenant", orr_null());
  return !q->status;
}

/* Exactly one of these members says which jobs. */
static bool jobs_criterion(request *q, const char *const names[][2], size_t n, orr_builder *b) {
  const char *found = NULL;
  for (size_t i = 0; i < n; i++) {
    const char *text = body_text(q, names[i][0]);
    if (!text) continue;
    if (found) {
      request_refuse(q, "Only one of %s and %s must be set.", found, names[i][0]);
      return false;
    }
    found = names[i][0];
    bool id = strstr(names[i][1], "_id");
    orr_builder_put(b, names[i][1], id ? orr_int(id_of_text(text) ? (int64_t)id_of_text(text) : INT64_MAX) : orr_string(text));
  }
  if (!found && !q->status) request_refuse(q, "Either %s or another criterion must be set.", names[0][0]);
  return !q->status;
}

int rest_jobs_suspend(request *q) {
  static const char *const names[][2] = {{"jobDefinitionId", "job_definition_id"}, {"processDefinitionId", "definition_id"},
                                         {"processInstanceId", "instance_id"}, {"processDefinitionKey", "definition_key"}};
  orr_value filter;
  orr_error err = {0};
  bool suspend;
  orr_builder *b = request_builder(q);
  if (!b || !rest_suspension(q, &suspend)) return q->status;
  orr_builder_map(b);
  if (!jobs_criterion(q, names, 4, b) || !tenant_filter(q, b)) return q->status;
  orr_builder_end(b);
  if (!rest_value(q, b, &filter)) return q->status;
  int rc = suspend ? orr_engine_jobs_suspend(rest_engine(q), &filter, &err)
                   : orr_engine_jobs_activate(rest_engine(q), &filter, &err);
  return rest_end(q, rc, &err);
}

int rest_jobs_retry(request *q) {
  int64_t retries;
  orr_value ids;
  if (!rest_retries(q, &retries) || !selected_ids(q, "jobIds", "jobQuery", &query_job, &ids)) return q->status;
  batch_order b;
  if (!batch_open(q, &b, "retry", "jobs", "id_in", &ids)) return q->status;
  return batch_retries(q, &b, retries);
}

/* ---- Job definitions -------------------------------------------------------------------------- */

static int job_definition_set(request *q, orr_id id, bool suspend, orr_error *err) {
  orr_cascade jobs = body_bool(q, "includeJobs", false) ? ORR_CASCADE : ORR_ALONE;
  orr_time at = body_time(q, "executionDate");
  return suspend ? orr_engine_job_definition_suspend(rest_engine(q), id, jobs, at, err)
                 : orr_engine_job_definition_activate(rest_engine(q), id, jobs, at, err);
}

int rest_job_definition_suspend(request *q) {
  orr_error err = {0};
  bool suspend;
  body_time(q, "executionDate");
  body_bool(q, "includeJobs", false);
  if (q->status || !rest_suspension(q, &suspend)) return q->status;
  return rest_end(q, job_definition_set(q, request_id(q), suspend, &err), &err);
}

/* All of a process, in one transaction. */
int rest_job_definitions_suspend(request *q) {
  static const char *const names[][2] = {{"processDefinitionId", "definition_id"}, {"processDefinitionKey", "definition_key"}};
  orr_value filter;
  orr_error err = {0};
  orr_records *found = NULL;
  bool suspend;
  orr_builder *b = request_builder(q);
  body_time(q, "executionDate");
  if (!b || q->status || !rest_suspension(q, &suspend)) return q->status;
  orr_builder_map(b);
  if (!jobs_criterion(q, names, 2, b) || !tenant_filter(q, b)) return q->status;
  orr_builder_end(b);
  if (!rest_value(q, b, &filter)) return q->status;
  if (orr_engine_begin(rest_engine(q), &err)) return request_fail_engine(q, &err);
  int rc = orr_engine_list(rest_engine(q), "job_definitions", &filter, &found, &err);
  for (size_t i = 0; !rc && i < orr_records_count(found); i++)
    rc = job_definition_set(q, orr_records_id(found, i), suspend, &err);
  if (rc) orr_engine_rollback(rest_engine(q));
  else rc = orr_engine_commit(rest_engine(q), &err);
  orr_records_free(found);
  return rc ? request_fail_engine(q, &err) : request_no_content(q);
}

int rest_job_definition_retries(request *q) {
  orr_error err = {0};
  int64_t retries;
  orr_time due = body_time(q, "dueDate");
  if (q->status || !rest_retries(q, &retries)) return q->status;
  return rest_end(q, orr_engine_job_definition_set_retries(rest_engine(q), request_id(q), retries, due, &err), &err);
}

/* No priority takes the override back. */
int rest_job_definition_priority(request *q) {
  orr_error err = {0};
  bool jobs = body_bool(q, "includeJobs", false);
  int64_t priority = body_int(q, "priority", 0);
  if (q->status) return q->status;
  if (!body_given(q, "priority") && jobs)
    return request_refuse(q, "Cannot reset priority for job definition %s with includeJobs=true", q->path[0]);
  int rc = body_given(q, "priority") ? orr_engine_job_definition_set_priority(rest_engine(q), request_id(q), priority,
                                                                              jobs ? ORR_CASCADE : ORR_ALONE, &err)
                                     : orr_engine_job_definition_clear_priority(rest_engine(q), request_id(q), &err);
  return rest_end(q, rc, &err);
}
