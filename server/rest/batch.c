/* Batches: what there is of them, and the forms of operations that are done by one. */
#include <stdlib.h>
#include <string.h>

#include "server/rest/rest.h"

/* ---- One batch -------------------------------------------------------------------------------- */

/* One that has ended is history. */
int rest_batch_get(request *q) {
  orr_records *found = records_one(q, "batches", request_id(q));
  bool ended = found && orr_records_get(found, 0, "ended_at").type != ORR_NIL;
  if (!found || ended) {
    orr_records_free(found);
    return q->status ? q->status : rest_missing(q);
  }
  dto_write(q, &dto_BatchDto, found, 0);
  orr_records_free(found);
  return request_done(q);
}

int rest_batch_delete(request *q) {
  orr_error err = {0};
  int rc = request_flag(q, "cascade") ? orr_engine_delete_batch(rest_engine(q), request_id(q), ORR_CASCADE, &err)
                                      : orr_engine_batch_cancel(rest_engine(q), request_id(q), &err);
  if (rc != ORR_E_STATE) return rest_end(q, rc, &err);
  orr_error_clear(&err);
  return rest_missing(q);
}

int rest_batch_suspend(request *q) {
  orr_error err = {0};
  bool suspend = body_bool(q, "suspended", false);
  if (!q->status && !body_given(q, "suspended")) request_refuse(q, "\"suspended\" is expected");
  if (q->status) return q->status;
  int rc = suspend ? orr_engine_batch_suspend(rest_engine(q), request_id(q), &err)
                   : orr_engine_batch_activate(rest_engine(q), request_id(q), &err);
  if (rc != ORR_E_STATE) return rest_end(q, rc, &err);
  orr_error_clear(&err);
  return rest_missing(q);
}

int rest_history_batch_delete(request *q) {
  orr_error err = {0};
  int rc = orr_engine_delete_batch(rest_engine(q), request_id(q), ORR_ALONE, &err);
  if (rc != ORR_E_STATE) return rest_end(q, rc, &err);
  request_refuse(q, "Cannot delete historic batch '%s': it is running", q->path[0]);
  orr_error_clear(&err);
  return q->status;
}

/* ---- Making them ------------------------------------------------------------------------------ */

orr_builder *batch_open(request *q, const char *action, const char *list, const char *key, const orr_value *ids) {
  orr_value filter;
  orr_builder *b = request_builder(q), *of = request_builder(q);
  if (!b || !of) return NULL;
  orr_builder_map(of);
  orr_builder_put(of, key, *ids);
  if (strcmp(key, "instance_id_in") == 0 && strcmp(action, "retry") == 0 && strcmp(list, "jobs") == 0)
    orr_builder_put(of, "no_retries", orr_bool(true));
  orr_builder_end(of);
  if (!rest_value(q, of, &filter)) return NULL;
  orr_builder_map(b);
  orr_builder_put(b, "action", orr_string(action));
  orr_builder_put(b, "list", orr_string(list));
  orr_builder_put(b, "filter", filter);
  orr_builder_put(b, "size", orr_int(1));
  return b;
}

int batch_close(request *q, orr_builder *b) {
  orr_value wanted;
  orr_records *made = NULL;
  orr_error err = {0};
  if (!b || q->status) return q->status;
  orr_builder_end(b);
  if (!rest_value(q, b, &wanted)) return q->status;
  if (orr_engine_batch(rest_engine(q), &wanted, &made, &err)) return request_fail_engine(q, &err);
  dto_write(q, &dto_BatchDto, made, 0);
  orr_records_free(made);
  return request_done(q);
}

/* Over running instances. */
static orr_builder *batch_of_instances(request *q, const char *action) {
  orr_value ids;
  if (q->status || !many_instances(q, "processInstanceIds", &ids)) return NULL;
  return batch_open(q, action, "instances", "id_in", &ids);
}

static void body_to_flag(request *q, orr_builder *b, const char *theirs, const char *ours) {
  if (b && body_bool(q, theirs, false)) orr_builder_put(b, ours, orr_bool(true));
}

static orr_builder *batch_skips(request *q, orr_builder *b) {
  body_to_flag(q, b, "skipCustomListeners", "skip_listeners");
  body_to_flag(q, b, "skipIoMappings", "skip_io_mappings");
  return b;
}

static void body_to_text(request *q, orr_builder *b, const char *theirs, const char *ours) {
  const char *text = body_text(q, theirs);
  if (b && text) orr_builder_put(b, ours, orr_string(text));
}

/* ---- Instances -------------------------------------------------------------------------------- */

int rest_instances_suspend_async(request *q) {
  bool suspend = body_bool(q, "suspended", false);
  if (!q->status && !body_given(q, "suspended")) request_refuse(q, "\"suspended\" is expected");
  return batch_close(q, batch_of_instances(q, suspend ? "suspend" : "activate"));
}

int rest_instances_delete(request *q) {
  orr_builder *b = batch_skips(q, batch_of_instances(q, "cancel"));
  body_to_text(q, b, "deleteReason", "reason");
  return batch_close(q, b);
}

int rest_messages_async(request *q) {
  orr_value variables;
  if (!rest_variables(q, "variables", &variables)) return q->status;
  orr_builder *b = batch_of_instances(q, "correlate_message");
  body_to_text(q, b, "messageName", "message");
  if (b) orr_builder_put(b, "variables", variables);
  return batch_close(q, b);
}

int rest_variables_async(request *q) {
  orr_value variables;
  if (!rest_variables(q, "variables", &variables)) return q->status;
  if (orr_count(&variables) == 0) return request_refuse(q, "variables is empty");
  orr_builder *b = batch_of_instances(q, "set_variables");
  if (b) orr_builder_put(b, "variables", variables);
  return batch_close(q, b);
}

/* ---- Tokens ----------------------------------------------------------------------------------- */

static int batch_modification(request *q, orr_builder *b, const orr_value *instructions) {
  if (b) orr_builder_put(b, "instructions", *instructions);
  return batch_close(q, batch_skips(q, b));
}

int rest_instance_modify_async(request *q) {
  orr_value instructions, ids;
  orr_builder *of = request_builder(q);
  if (!of || !many_instructions(q, "instructions", &instructions)) return q->status;
  orr_records *is = records_one(q, "instances", request_id(q));
  if (!is) return q->status ? q->status : rest_missing(q);
  orr_value id = orr_int((int64_t)orr_records_id(is, 0));
  orr_records_free(is);
  orr_builder_array(of);
  orr_builder_add(of, &id);
  orr_builder_end(of);
  if (!rest_value(q, of, &ids)) return q->status;
  return batch_modification(q, batch_open(q, "modify", "instances", "id_in", &ids), &instructions);
}

int rest_modification_execute_async(request *q) {
  orr_value instructions;
  const char *definition = body_text(q, "processDefinitionId");
  if (!q->status && !definition) request_refuse(q, "processDefinitionId is null");
  if (q->status || !many_instructions(q, "instructions", &instructions)) return q->status;
  orr_builder *b = batch_of_instances(q, "modify");
  if (b) orr_builder_put(b, "definition_id", orr_int(id_of_text(definition) ? (int64_t)id_of_text(definition) : INT64_MAX));
  batch_modification(q, b, &instructions);
  return q->status = q->status == 404 ? 400 : q->status;
}

int rest_migration_execute_async(request *q) {
  orr_value plan;
  const json_t *given = body_member(q, "migrationPlan");
  if (!given) return request_refuse(q, "The migration plan is null");
  if (!rest_migration_plan(q, given, &plan)) return q->status;
  orr_builder *b = batch_of_instances(q, "migrate");
  if (b) orr_builder_put(b, "plan", plan);
  batch_close(q, batch_skips(q, b));
  return q->status = q->status == 404 ? 400 : q->status;
}

int rest_definition_restart_async(request *q) {
  orr_value ids, instructions = {0};
  orr_id id = rest_definition_of_path(q);
  if (!id || !many_ids(q, "processInstanceIds", "historicProcessInstanceQuery", &query_history_instance, &ids))
    return q->status;
  if (json_array_size(body_member(q, "instructions")) > 0 && !many_instructions(q, "instructions", &instructions))
    return q->status;
  orr_builder *b = batch_open(q, "restart", "history_instances", "id_in", &ids);
  if (b) orr_builder_put(b, "definition_id", orr_int((int64_t)id));
  if (b && instructions.type != ORR_NIL) orr_builder_put(b, "instructions", instructions);
  body_to_flag(q, b, "initialVariables", "initial_variables");
  body_to_flag(q, b, "withoutBusinessKey", "without_business_key");
  return batch_close(q, batch_skips(q, b));
}

/* ---- Retries ---------------------------------------------------------------------------------- */

bool rest_retries(request *q, int64_t *out) {
  *out = body_int(q, "retries", -1);
  if (!q->status && *out < 0) request_refuse(q, "The number of retries must be given, and not be negative");
  return !q->status;
}

static int batch_retries(request *q, orr_builder *b, int64_t retries) {
  orr_time due = body_time(q, "dueDate");
  if (!b || q->status) return q->status;
  orr_builder_put(b, "retries", orr_int(retries));
  if (due) orr_builder_put(b, "due", orr_float((double)due / 1000));
  return batch_close(q, b);
}

int rest_instances_retry(request *q) {
  int64_t retries;
  orr_value ids;
  if (!rest_retries(q, &retries) || !many_instances(q, "processInstances", &ids)) return q->status;
  return batch_retries(q, batch_open(q, "retry", "jobs", "instance_id_in", &ids), retries);
}

int rest_jobs_retry(request *q) {
  int64_t retries;
  orr_value ids;
  if (!rest_retries(q, &retries) || !many_ids(q, "jobIds", "jobQuery", &query_job, &ids)) return q->status;
  return batch_retries(q, batch_open(q, "retry", "jobs", "id_in", &ids), retries);
}

/* Tasks by their own ids, or those of instances: not both, because one filter finds them. */
int rest_externals_retry_async(request *q) {
  int64_t retries;
  orr_value ids;
  bool own = body_given(q, "externalTaskIds") || body_given(q, "externalTaskQuery");
  bool of = body_given(q, "processInstanceIds") || body_given(q, "processInstanceQuery") ||
            body_given(q, "historicProcessInstanceQuery");
  if (!rest_retries(q, &retries)) return q->status;
  if (own && of) return request_refuse(q, "Either external tasks or process instances must be named, not both");
  if (of ? !many_instances(q, "processInstanceIds", &ids)
         : !many_ids(q, "externalTaskIds", "externalTaskQuery", &query_external_task, &ids))
    return q->status;
  return batch_retries(q, batch_open(q, "retry", "external_tasks", of ? "instance_id_in" : "id_in", &ids), retries);
}

/* ---- History ---------------------------------------------------------------------------------- */

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
  if (q->status || !many_ids(q, "historicProcessInstanceIds", "historicProcessInstanceQuery", &query_history_instance, &ids))
    return q->status;
  if (all && !history_there(q, &ids)) return q->status;
  return batch_close(q, batch_open(q, "delete_history", "history_instances", "id_in", &ids));
}

int batch_removal(request *q, orr_builder *b, bool by_definition) {
  orr_time at = body_time(q, "absoluteRemovalTime");
  bool cleared = body_bool(q, "clearedRemovalTime", false), calculated = body_bool(q, "calculatedRemovalTime", false);
  if (!q->status && (at != 0) + cleared + calculated != 1)
    request_refuse(
        q, "Either absoluteRemovalTime, clearedRemovalTime or calculatedRemovalTime must be set, and only one of them");
  if (!b || q->status) return q->status;
  if (calculated && by_definition) orr_builder_put(b, "calculated", orr_bool(true));
  else orr_builder_put(b, "at", at ? orr_float((double)at / 1000) : orr_null());
  return batch_close(q, b);
}

int rest_history_removal_time(request *q) {
  orr_value ids;
  if (!many_ids(q, "historicProcessInstanceIds", "historicProcessInstanceQuery", &query_history_instance, &ids))
    return q->status;
  orr_builder *b = batch_open(q, "set_removal_time", "history_instances", "id_in", &ids);
  body_to_flag(q, b, "hierarchical", "hierarchical");
  return batch_removal(q, b, true);
}

/* Batches have no time to live of their own, so a calculated one is none. */
int rest_history_batch_removal_time(request *q) {
  orr_value ids;
  if (!many_ids(q, "historicBatchIds", "historicBatchQuery", &query_history_batch, &ids)) return q->status;
  return batch_removal(q, batch_open(q, "set_removal_time", "batches", "id_in", &ids), false);
}
