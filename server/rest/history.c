/* History: what has no id of its own is found by its key. */
#include <stdlib.h>
#include <string.h>

#include "server/rest/rest.h"

enum { KEY_PARTS = 3 };

/* Cuts "instance:job:sequence" into numbers; false: it is no such key. */
static bool key_parts(const char *text, int64_t *out, size_t n) {
  for (size_t i = 0; i < n; i++) {
    char *end;
    if (*text < '0' || *text > '9') return false;
    out[i] = strtoll(text, &end, 10);
    if (*end != (i + 1 < n ? ':' : '\0')) return false;
    text = end + 1;
  }
  return true;
}

/* The record of a verb whose key fields are these; NULL: there is none, or the request has failed. */
static orr_records *record_by_key(request *q, const char *verb, const char *const *fields, size_t n) {
  int64_t parts[KEY_PARTS];
  key_value keys[KEY_PARTS];
  if (!key_parts(q->path[0], parts, n)) return NULL;
  for (size_t i = 0; i < n; i++) keys[i] = (key_value){fields[i], i > 0 || parts[i] ? orr_int(parts[i]) : orr_null()};
  return records_first(q, verb, keys, n);
}

int rest_history_activity_get(request *q) {
  const key_value key = {"activity_instance_id", orr_string(q->path[0])};
  return rest_answer_one(q, &dto_HistoricActivityInstanceDto, records_first(q, "history_activities", &key, 1));
}

int rest_history_job_get(request *q) {
  static const char *const key[] = {"instance_id", "job_id", "sequence"};
  return rest_answer_one(q, &dto_HistoricJobLogDto, record_by_key(q, "history_jobs", key, 3));
}

int rest_history_job_traceback(request *q) {
  static const char *const key[] = {"instance_id", "job_id", "sequence"};
  orr_records *found = record_by_key(q, "history_jobs", key, 3);
  if (!found) return q->status ? q->status : rest_missing(q);
  orr_value error = orr_records_get(found, 0, "error"), trace = orr_records_get(found, 0, "traceback");
  if (error.type == ORR_STRING) out_raw(&q->out, error.as.bytes, error.size);
  if (trace.type == ORR_STRING) {
    out_raw(&q->out, "\n", 1);
    out_raw(&q->out, trace.as.bytes, trace.size);
  }
  q->type = "text/plain";
  orr_records_free(found);
  return q->out.size > 0 ? request_done(q) : request_no_content(q);
}

int rest_history_decision_get(request *q) {
  static const char *const key[] = {"instance_id", "sequence"};
  return rest_answer_one(q, &dto_HistoricDecisionInstanceDto, record_by_key(q, "history_decisions", key, 2));
}

static const char *const external_key[] = {"instance_id", "task_id", "sequence"};

int rest_history_external_get(request *q) {
  return rest_answer_one(q, &dto_HistoricExternalTaskLogDto, record_by_key(q, "history_externals", external_key, 3));
}

int rest_history_external_details(request *q) {
  orr_records *found = record_by_key(q, "history_externals", external_key, 3);
  if (!found) return q->status ? q->status : rest_missing(q);
  orr_value details = orr_records_get(found, 0, "details");
  if (details.type == ORR_STRING) out_raw(&q->out, details.as.bytes, details.size);
  q->type = "text/plain";
  orr_records_free(found);
  return q->out.size > 0 ? request_done(q) : request_no_content(q);
}

/* scope:name, the scope's instance being in its id; 0: it is no such key. */
static int64_t variable_key(const request *q, const char **name) {
  char *end;
  int64_t scope = strtoll(q->path[0], &end, 10);
  *name = *end == ':' ? end + 1 : NULL;
  return *name && scope > 0 ? scope : 0;
}

/* NULL: there is none, or the request has failed. */
static orr_records *history_variable_record(request *q) {
  const char *name;
  int64_t scope = variable_key(q, &name);
  const key_value keys[] = {{"scope", orr_int(scope)}, {"name", orr_string(name)}};
  return scope ? records_first(q, "history_variables", keys, 2) : NULL;
}

int rest_history_variable_get(request *q) {
  return rest_answer_one(q, &dto_HistoricVariableInstanceDto, history_variable_record(q));
}

/* Of what runs. */
static orr_records *variable_record(request *q) {
  return records_first(q, "variables", &(key_value){"id", orr_string(q->path[0])}, 1);
}

int rest_variable_instance_get(request *q) { return rest_answer_one(q, &dto_VariableInstanceDto, variable_record(q)); }

static int variable_bytes(request *q, orr_records *found) {
  if (!found) return q->status ? q->status : rest_missing(q);
  orr_value value = orr_records_get(found, 0, "value"), described;
  if (values_describe(q, &value, &described)) values_data(q, &described);
  orr_records_free(found);
  return q->status;
}

int rest_variable_instance_data(request *q) { return variable_bytes(q, variable_record(q)); }

int rest_history_variable_data(request *q) { return variable_bytes(q, history_variable_record(q)); }

/* ---- Writings of variables --------------------------------------------------------------------- */

static orr_records *detail_of_path(request *q) {
  static const char *const key[] = {"instance_id", "sequence"};
  return record_by_key(q, "history_details", key, 2);
}

int rest_history_detail_get(request *q) { return rest_answer_one(q, &dto_HistoricDetailDto, detail_of_path(q)); }

int rest_history_detail_data(request *q) { return variable_bytes(q, detail_of_path(q)); }

/* ---- What is changed of it -------------------------------------------------------------------- */

int rest_history_delete(request *q) {
  orr_error err = {0};
  const char *fail = request_argument(q, "failIfNotExists");
  int rc = orr_engine_delete_history(rest_engine(q), request_id(q), &err);
  if (rc == ORR_E_STATE) { /* it runs */
    request_refuse(q, "Process instance is still running, cannot delete historic process instance: %s", q->path[0]);
    orr_error_clear(&err);
    return q->status;
  }
  if (rc == ORR_E_NOT_FOUND && fail && strcmp(fail, "false") == 0) {
    orr_error_clear(&err);
    rc = 0;
  }
  return rest_end(q, rc, &err);
}

int rest_history_variables_delete(request *q) {
  orr_error err = {0};
  int64_t deleted;
  return rest_end(q, orr_engine_delete_history_variables(rest_engine(q), request_id(q), NULL, &deleted, &err), &err);
}

int rest_history_variable_delete(request *q) {
  const char *name;
  orr_error err = {0};
  int64_t deleted, scope = variable_key(q, &name);
  if (!scope) return rest_missing(q);
  return rest_end(q, orr_engine_delete_history_variables(rest_engine(q), (orr_id)scope, name, &deleted, &err), &err);
}

int rest_operation_annotate(request *q) {
  orr_error err = {0};
  const char *text = body_text(q, "annotation");
  if (q->status) return q->status;
  return rest_end(q, orr_engine_annotate_operation(rest_engine(q), request_id(q), text, &err), &err);
}

int rest_operation_annotation_clear(request *q) {
  orr_error err = {0};
  return rest_end(q, orr_engine_annotate_operation(rest_engine(q), request_id(q), NULL, &err), &err);
}
