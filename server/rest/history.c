/* History: what has no id of its own is found by its key. */
#include <stdlib.h>
#include <string.h>

#include "rest_table.h"
#include "server/mapping/operation.h"
#include "server/mapping/query.h"
#include "server/mapping/records.h"
#include "server/mapping/selection.h"
#include "server/mapping/values.h"
#include "server/rest/batch.h"

int rest_history_activity_get(request *q) {
  const key_value key = {"activity_instance_id", orr_string(q->path[0])};
  return rest_answer_one(q, &dto_HistoricActivityInstanceDto, records_first(q, "history_activities", &key, 1));
}

int rest_history_job_get(request *q) {
  static const char *const key[] = {"instance_id", "job_id", "number"};
  return rest_answer_one(q, &dto_HistoricJobLogDto, records_with_key(q, "history_jobs", key, 3));
}

int rest_history_job_traceback(request *q) {
  static const char *const key[] = {"instance_id", "job_id", "number"};
  orr_records *found = records_with_key(q, "history_jobs", key, 3);
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

static const char *const external_key[] = {"instance_id", "task_id", "number"};

int rest_history_external_get(request *q) {
  return rest_answer_one(q, &dto_HistoricExternalTaskLogDto, records_with_key(q, "history_externals", external_key, 3));
}

int rest_history_external_details(request *q) {
  orr_records *found = records_with_key(q, "history_externals", external_key, 3);
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

int rest_history_variable_data(request *q) { return values_data_of(q, history_variable_record(q)); }

/* ---- Writings of variables -------------------------------------------------------------------- */

static orr_records *detail_of_path(request *q) {
  static const char *const key[] = {"instance_id", "sequence"};
  return records_with_key(q, "history_details", key, 2);
}

int rest_history_detail_get(request *q) { return rest_answer_one(q, &dto_HistoricDetailDto, detail_of_path(q)); }

int rest_history_detail_data(request *q) { return values_data_of(q, detail_of_path(q)); }

/* ---- What is changed of it -------------------------------------------------------------------- */

int rest_history_delete(request *q) {
  orr_error err = {0};
  const char *fail = request_argument(q, "failIfNotExists");
  int rc = orr_engine_history_delete(rest_engine(q), request_id(q), &err);
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
  return rest_end(q, orr_engine_history_delete_variables(rest_engine(q), request_id(q), NULL, &deleted, &err), &err);
}

int rest_history_variable_delete(request *q) {
  const char *name;
  orr_error err = {0};
  int64_t deleted, scope = variable_key(q, &name);
  if (!scope) return rest_missing(q);
  return rest_end(q, orr_engine_history_delete_variables(rest_engine(q), (orr_id)scope, name, &deleted, &err), &err);
}

int rest_operation_annotate(request *q) {
  orr_error err = {0};
  const char *text = body_text(q, "annotation");
  if (q->status) return q->status;
  return rest_end(q, orr_engine_operation_annotate(rest_engine(q), request_id(q), text, &err), &err);
}

int rest_operation_annotation_clear(request *q) {
  orr_error err = {0};
  return rest_end(q, orr_engine_operation_annotate(rest_engine(q), request_id(q), NULL, &err), &err);
}

/* ---- Many by a batch -------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Counts the different texts in a list of ids. False: out of memory, and the request has failed. */
static bool ids_named(request *q, const json_t *list, size_t *out) {
  size_t n = 0;
  const char **texts = calloc(json_array_size(list) + 1, sizeof *texts);
  *out = 0;
  if (!texts) {
    request_fail_memory(q);
    return false;
  }
  for (size_t i = 0; i < json_array_size(list); i++)
    if ((texts[n] = json_string_value(json_array_get(list, i)))) n++;
  qsort(texts, n, sizeof *texts, compare_texts);
  for (size_t i = 0; i < n; i++) *out += i == 0 || strcmp(texts[i], texts[i - 1]) != 0;
  free(texts);
  return true;
}

/* Are there all that are named by their ids? */
static bool history_there(request *q, const orr_value *ids) {
  size_t named;
  if (!ids_named(q, body_member(q, "historicProcessInstanceIds"), &named)) return false;
  int64_t there = records_total(q, "history_instances", &(key_value){"id_in", *ids}, 1);
  if (there >= 0 && (size_t)there < named)
    request_refuse(q, "No historic process instance found with one of the ids given");
  return !q->status;
}

int rest_history_delete_many(request *q) {
  orr_value ids;
  bool all = body_bool(q, "failIfNotExists", true);
  if (q->status ||
      !selected_ids(q, "historicProcessInstanceIds", "historicProcessInstanceQuery", &query_history_instance, &ids))
    return q->status;
  if (all && !history_there(q, &ids)) return q->status;
  batch_order b;
  if (!batch_open(q, &b, "delete_history", "history_instances", "id_in", &ids)) return q->status;
  return batch_close(q, &b);
}

int rest_history_removal_time(request *q) {
  orr_value ids;
  if (!selected_ids(q, "historicProcessInstanceIds", "historicProcessInstanceQuery", &query_history_instance, &ids))
    return q->status;
  batch_order b;
  if (!batch_open(q, &b, "set_removal_time", "history_instances", "id_in", &ids)) return q->status;
  b.options.hierarchical = body_bool(q, "hierarchical", false);
  return batch_removal(q, &b, true);
}
