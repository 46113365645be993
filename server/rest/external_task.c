/* External tasks, as workers and operators handle them. */
#include <stdlib.h>
#include <string.h>

#include "rest_table.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/mapping/records.h"
#include "server/mapping/selection.h"
#include "server/mapping/values.h"
#include "server/rest/batch.h"
#include "server/server_internal.h"
#include "server/transport/dispatch.h"
#include "server/transport/json_in.h"
#include "server/transport/members.h"
#include "server/transport/parked.h"

enum { TOPICS_MAX = 64, FETCH_MAX = 10000 };

/* ---- Fetching --------------------------------------------------------------------------------- */

static void topic_text(const json_t *topic, const char *theirs, const char *ours, orr_builder *b) {
  const char *text = json_string_value(json_object_get(topic, theirs));
  if (text) orr_builder_put(b, ours, orr_string(text));
}

static void topic_variables(const json_t *topic, orr_builder *b) {
  const json_t *names = json_object_get(topic, "variables");
  if (json_is_array(names)) {
    orr_builder_key(b, "variables", strlen("variables"));
    body_to_value(names, b);
  }
  const json_t *match = json_object_get(topic, "processVariables");
  if (json_is_object(match) && json_object_size(match) > 0) {
    orr_builder_key(b, "match", strlen("match"));
    body_to_value(match, b);
  }
}

/* What several values are given for: the engine takes one of each in an entry, so there is an entry for each combination. */
typedef struct topic_choice {
  const char *definition, *key, *tenant; /* NULL: any */
} topic_choice;

static void topic_entry(const json_t *topic, const topic_choice *of, orr_builder *b) {
  json_int_t lock = json_integer_value(json_object_get(topic, "lockDuration"));
  orr_builder_map(b);
  topic_text(topic, "topicName", "name", b);
  orr_builder_put(b, "lock", orr_seconds(lock));
  topic_text(topic, "businessKey", "business_key", b);
  topic_text(topic, "processDefinitionVersionTag", "version_tag", b);
  if (of->key) orr_builder_put(b, "definition_key", orr_string(of->key));
  if (of->definition) {
    orr_id id = id_of_text(of->definition);
    orr_builder_put(b, "definition_id", orr_int(id ? (int64_t)id : INT64_MAX));
  }
  if (of->tenant) orr_builder_put(b, "tenant", orr_string(of->tenant));
  orr_builder_put(b, "local_variables", orr_bool(json_is_true(json_object_get(topic, "localVariables"))));
  orr_builder_put(b, "extension_properties", orr_bool(json_is_true(json_object_get(topic, "includeExtensionProperties"))));
  topic_variables(topic, b);
  orr_builder_end(b);
}

/* The `i`th value of a list, or of the member for one; *n is how many there are, at least 1 (NULL). */
static const char *topic_choice_at(const json_t *topic, const char *list, const char *one, size_t i, size_t *n) {
  const json_t *all = json_object_get(topic, list);
  const char *single = one ? json_string_value(json_object_get(topic, one)) : NULL;
  *n = json_array_size(all) > 0 ? json_array_size(all) : 1;
  return json_array_size(all) > 0 ? json_string_value(json_array_get(all, i)) : single;
}

static const body_field topic_members[] = {
    {.name = "topicName", .kind = MEMBER_TEXT},
    {.name = "lockDuration", .kind = MEMBER_INT},
    {.name = "businessKey", .kind = MEMBER_TEXT},
    {.name = "processDefinitionId", .kind = MEMBER_ID},
    {.name = "processDefinitionIdIn", .kind = MEMBER_IDS},
    {.name = "processDefinitionKey", .kind = MEMBER_TEXT},
    {.name = "processDefinitionKeyIn", .kind = MEMBER_TEXTS},
    {.name = "processDefinitionVersionTag", .kind = MEMBER_TEXT},
    {.name = "tenantIdIn", .kind = MEMBER_TEXTS},
    {.name = "withoutTenantId", .kind = MEMBER_BOOL},
    {.name = "variables", .kind = MEMBER_TEXTS},
    {.name = "processVariables", .kind = MEMBER_MAP},
    {.name = "localVariables", .kind = MEMBER_BOOL},
    {.name = "deserializeValues", .kind = MEMBER_BOOL},
    {.name = "includeExtensionProperties", .kind = MEMBER_BOOL},
};

static bool topic_sound(request *q, json_t *topic) {
  size_t n = sizeof topic_members / sizeof topic_members[0];
  if (!members_read_of(q, topic, "A topic", topic_members, n)) return false;
  const char *name = json_string_value(json_object_get(topic, "topicName"));
  const char *problem = !name || !*name ? "topicName is null" : NULL;
  if (!problem && json_integer_value(json_object_get(topic, "lockDuration")) <= 0) problem = "lockTime is not greater than 0";
  if (!problem && json_is_true(json_object_get(topic, "withoutTenantId"))) problem = "withoutTenantId of a topic is not built";
  if (problem) request_refuse(q, "%s", problem);
  return !problem;
}

static bool topic_read(request *q, json_t *topic, orr_builder *b) {
  size_t ids = 1, keys = 1, tenants = 1;
  if (!topic_sound(q, topic)) return false;
  for (size_t i = 0; i < ids; i++)
    for (size_t k = 0; k < keys; k++)
      for (size_t t = 0; t < tenants; t++) {
        topic_choice of = {topic_choice_at(topic, "processDefinitionIdIn", "processDefinitionId", i, &ids),
                           topic_choice_at(topic, "processDefinitionKeyIn", "processDefinitionKey", k, &keys),
                           topic_choice_at(topic, "tenantIdIn", NULL, t, &tenants)};
        if (ids * keys * tenants > TOPICS_MAX) {
          request_refuse(q, "at most %d definitions and tenants of a topic", TOPICS_MAX);
          return false;
        }
        topic_entry(topic, &of, b);
      }
  return true;
}

static bool fetch_order(request *q, orr_builder *b) {
  const json_t *sorting = body_member(q, "sorting");
  if (json_array_size(sorting) == 0) return true;
  orr_builder_key(b, "order_by", strlen("order_by"));
  orr_builder_array(b);
  for (size_t i = 0; i < json_array_size(sorting); i++) {
    const json_t *item = json_array_get(sorting, i);
    const char *by = json_string_value(json_object_get(item, "sortBy")),
               *order = json_string_value(json_object_get(item, "sortOrder"));
    if (!by || strcmp(by, "createTime") != 0 || !order || (strcmp(order, "asc") != 0 && strcmp(order, "desc") != 0)) {
      request_refuse(q, "Cannot set query sortBy parameter to value %s", by ? by : "null");
      return false;
    }
    orr_value field = orr_string("created"), direction = orr_string(order);
    orr_builder_array(b);
    orr_builder_add(b, &field);
    orr_builder_add(b, &direction);
    orr_builder_end(b);
  }
  orr_builder_end(b);
  return true;
}

static bool fetch_read(request *q, orr_value *out) {
  const char *worker = body_text(q, "workerId");
  int64_t max = body_int(q, "maxTasks", 0), timeout = body_int(q, "asyncResponseTimeout", 0);
  const json_t *topics = body_member(q, "topics");
  orr_builder *b = request_builder(q);
  if (!b || q->status) return false;
  if (!worker) request_refuse(q, "workerId is null");
  else if (max < 0 || max > FETCH_MAX) request_refuse(q, "maxTasks is 0 to %d", FETCH_MAX);
  else if (timeout < 0 || timeout > PARKED_MAX_MS)
    request_refuse(q,
                   "The asynchronous response timeout cannot be set to a value greater than %d "
                   "milliseconds",
                   PARKED_MAX_MS);
  else if (json_array_size(topics) > TOPICS_MAX) request_refuse(q, "at most %d topics", TOPICS_MAX);
  if (q->status) return false;
  orr_builder_map(b);
  orr_builder_put(b, "worker", orr_string(worker));
  orr_builder_put(b, "max", orr_int(max));
  orr_builder_put(b, "use_priority", orr_bool(body_bool(q, "usePriority", false)));
  if (!fetch_order(q, b)) return false;
  orr_builder_key(b, "topics", strlen("topics"));
  orr_builder_array(b);
  for (size_t i = 0; i < json_array_size(topics); i++)
    if (!topic_read(q, json_array_get(topics, i), b)) return false;
  orr_builder_end(b);
  orr_builder_end(b);
  return !q->status && rest_value(q, b, out);
}

/* Each name once. */
static size_t fetch_topics(const request *q, const char **names) {
  const json_t *topics = body_member(q, "topics");
  size_t n = 0;
  for (size_t i = 0; i < json_array_size(topics); i++) {
    const char *name = json_string_value(json_object_get(json_array_get(topics, i), "topicName"));
    size_t k = 0;
    while (k < n && strcmp(names[k], name) != 0) k++;
    if (k == n) names[n++] = name;
  }
  return n;
}

static bool fetch_parks(request *q, uint64_t generation) {
  const char *names[TOPICS_MAX];
  int64_t timeout = body_int(q, "asyncResponseTimeout", 0), deadline = q->begun_ns + timeout * 1000000;
  if (timeout <= 0 || body_int(q, "maxTasks", 0) == 0) return false;
  size_t n = fetch_topics(q, names);
  return n > 0 && parked_wait(q->engine->parked, q, names, n, deadline, generation, dispatch_command);
}

/* What the client is about to get is its: should it be gone, the locks are given back. */
static void fetch_remember(request *q, const orr_records *tasks) {
  size_t n = orr_records_count(tasks);
  q->locked = malloc(n * sizeof *q->locked);
  for (; q->locked && q->n_locked < n; q->n_locked++) q->locked[q->n_locked] = orr_records_id(tasks, q->n_locked);
}

int rest_fetch_and_lock(request *q) {
  orr_value wanted;
  orr_records *tasks = NULL;
  orr_error err = {0};
  uint64_t generation = parked_generation(q->engine->parked);
  if (!fetch_read(q, &wanted)) return q->status;
  if (json_array_size(body_member(q, "topics")) > 0 && body_int(q, "maxTasks", 0) > 0 &&
      orr_engine_externals_fetch_and_lock(rest_engine(q), &wanted, &tasks, &err))
    return request_fail_engine(q, &err);
  size_t n = tasks ? orr_records_count(tasks) : 0;
  if (n == 0) {
    orr_records_free(tasks);
    request_settle(q); /* it may wait for long, and try again */
    if (fetch_parks(q, generation)) return REQUEST_PARKED;
    tasks = NULL;
  } else {
    fetch_remember(q, tasks);
  }
  out_open(&q->out, '[');
  for (size_t i = 0; i < n; i++) dto_write(q, &dto_LockedExternalTaskDto, tasks, i);
  out_close(&q->out, ']');
  orr_records_free(tasks);
  return q->status ? q->status : request_done(q);
}

/* ---- What workers say ------------------------------------------------------------------------- */

/* NULL: it is not said, and the request has failed. */
static const char *worker_of_body(request *q) {
  const char *worker = body_text(q, "workerId");
  if (!worker && !q->status) request_refuse(q, "workerId is null");
  return worker;
}

/* The worker does not hold the task: Camunda's answer is 400, not a failure of the server. */
static int external_end(request *q, int rc, orr_error *err) {
  if (rc != ORR_E_STATE) return rest_end(q, rc, err);
  request_fail(q, 400, "RestException", "External Task %s cannot be changed by the worker '%s': %s", q->path[0],
               json_string_value(body_member(q, "workerId")) ? json_string_value(body_member(q, "workerId")) : "",
               err->message ? err->message : "");
  orr_error_clear(err);
  return q->status;
}

static const orr_value *value_given(const orr_value *value) { return value->type == ORR_NIL ? NULL : value; }

int rest_external_complete(request *q) {
  orr_value variables, local;
  orr_error err = {0};
  const char *worker = worker_of_body(q);
  if (!worker || !rest_variables(q, "variables", &variables) || !rest_variables(q, "localVariables", &local)) return q->status;
  int rc = orr_engine_external_complete(rest_engine(q), request_id(q), worker, value_given(&variables), value_given(&local),
                                        &err);
  return external_end(q, rc, &err);
}

int rest_external_failure(request *q) {
  orr_value variables, local, failure;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  const char *worker = worker_of_body(q), *message = body_text(q, "errorMessage"), *details = body_text(q, "errorDetails");
  int64_t retries = body_int(q, "retries", 0), timeout = body_int(q, "retryTimeout", 0);
  if (!b || q->status || !rest_variables(q, "variables", &variables) || !rest_variables(q, "localVariables", &local))
    return q->status;
  if (retries < 0 || timeout < 0) return request_refuse(q, "%s is negative", retries < 0 ? "retries" : "retryTimeout");
  orr_builder_map(b);
  if (message) orr_builder_put(b, "message", orr_string(message));
  if (details) orr_builder_put(b, "details", orr_string(details));
  orr_builder_put(b, "retries", orr_int(retries));
  if (timeout > 0) orr_builder_put(b, "retry_timeout", orr_seconds(timeout));
  orr_builder_put(b, "variables", variables);
  orr_builder_put(b, "local_variables", local);
  orr_builder_end(b);
  if (!rest_value(q, b, &failure)) return q->status;
  return external_end(q, orr_engine_external_fail(rest_engine(q), request_id(q), worker, &failure, &err), &err);
}

int rest_external_bpmn_error(request *q) {
  orr_value variables;
  orr_error err = {0};
  const char *worker = worker_of_body(q), *code = body_text(q, "errorCode"), *message = body_text(q, "errorMessage");
  if (!worker || q->status || !rest_variables(q, "variables", &variables)) return q->status;
  if (!code) return request_refuse(q, "errorCode is null");
  int rc = orr_engine_external_bpmn_error(rest_engine(q), request_id(q), worker, code, message, value_given(&variables), &err);
  return external_end(q, rc, &err);
}

static bool lock_duration(request *q, const char *member, orr_duration *out) {
  *out = body_int(q, member, 0);
  if (!q->status && *out <= 0) request_refuse(q, "%s is not greater than 0", member);
  return !q->status;
}

int rest_external_extend(request *q) {
  orr_error err = {0};
  orr_duration duration;
  const char *worker = worker_of_body(q);
  if (!worker || !lock_duration(q, "newDuration", &duration)) return q->status;
  return external_end(q, orr_engine_external_extend_lock(rest_engine(q), request_id(q), worker, duration, &err), &err);
}

int rest_external_lock(request *q) {
  orr_error err = {0};
  orr_duration duration;
  const char *worker = worker_of_body(q);
  if (!worker || !lock_duration(q, "lockDuration", &duration)) return q->status;
  return external_end(q, orr_engine_external_lock(rest_engine(q), request_id(q), worker, duration, &err), &err);
}

int rest_external_unlock(request *q) {
  orr_error err = {0};
  return rest_end(q, orr_engine_external_unlock(rest_engine(q), request_id(q), &err), &err);
}

/* ---- What operators do ------------------------------------------------------------------------ */

int rest_external_retries(request *q) {
  orr_error err = {0};
  int64_t retries;
  if (!rest_retries(q, &retries)) return q->status;
  return rest_end(q, orr_engine_external_set_retries(rest_engine(q), request_id(q), retries, &err), &err);
}

int rest_external_priority(request *q) {
  orr_error err = {0};
  int64_t priority = body_int(q, "priority", 0);
  if (!q->status && !body_given(q, "priority")) return request_refuse(q, "\"priority\" is expected");
  if (q->status) return q->status;
  return rest_end(q, orr_engine_external_set_priority(rest_engine(q), request_id(q), priority, &err), &err);
}

/* Tasks of the instances that are named, beside tasks by their own ids. */
static bool externals_of_instances(request *q, orr_value *out) {
  orr_value instances, filter;
  orr_builder *b = request_builder(q);
  if (!b || !selected_ids(q, "processInstanceIds", "processInstanceQuery", &query_instance, &instances)) return false;
  orr_builder_map(b);
  orr_builder_put(b, "instance_id_in", instances);
  orr_builder_end(b);
  if (!rest_value(q, b, &filter)) return false;
  *out = filter;
  return true;
}

static int externals_set(request *q, const orr_records *tasks, const orr_value *ids, int64_t retries, orr_error *err) {
  orr_iterator i = orr_iterate(ids);
  orr_value id;
  int rc = 0;
  for (size_t k = 0; tasks && k < orr_records_count(tasks) && !rc; k++)
    rc = orr_engine_external_set_retries(rest_engine(q), orr_records_id(tasks, k), retries, err);
  while (!rc && orr_next(&i, NULL, &id))
    rc = orr_engine_external_set_retries(rest_engine(q), (orr_id)id.as.integer, retries, err);
  return rc;
}

/* All of them, or none. */
int rest_externals_retry(request *q) {
  orr_value ids = {0}, filter = {0};
  orr_records *tasks = NULL;
  orr_error err = {0};
  int64_t retries;
  bool of_instances = body_given(q, "processInstanceIds") || body_given(q, "processInstanceQuery");
  if (body_given(q, "historicProcessInstanceQuery"))
    return request_refuse(q, "historicProcessInstanceQuery is not built here");
  if (!rest_retries(q, &retries)) return q->status;
  if (of_instances && !externals_of_instances(q, &filter)) return q->status;
  if ((!of_instances || body_given(q, "externalTaskIds") || body_given(q, "externalTaskQuery")) &&
      !selected_ids(q, "externalTaskIds", "externalTaskQuery", &query_external_task, &ids))
    return q->status;
  if (orr_engine_begin(rest_engine(q), &err)) return request_fail_engine(q, &err);
  int rc = of_instances ? orr_engine_list(rest_engine(q), "external_tasks", &filter, &tasks, &err) : 0;
  if (!rc) rc = externals_set(q, tasks, &ids, retries, &err);
  if (rc) orr_engine_rollback(rest_engine(q));
  else rc = orr_engine_commit(rest_engine(q), &err);
  orr_records_free(tasks);
  return rc ? request_fail_engine(q, &err) : request_no_content(q);
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
  if (of ? !selected_instances(q, "processInstanceIds", &ids)
         : !selected_ids(q, "externalTaskIds", "externalTaskQuery", &query_external_task, &ids))
    return q->status;
  batch_order b;
  if (!batch_open(q, &b, "retry", "external_tasks", of ? "instance_id_in" : "id_in", &ids)) return q->status;
  return batch_retries(q, &b, retries);
}

int rest_topic_names(request *q) {
  bool locked = request_flag(q, "withLockedTasks"), unlocked = request_flag(q, "withUnlockedTasks");
  const key_value keys[] = {{"locked", locked || unlocked ? orr_bool(!unlocked) : (orr_value){0}},
                            {"no_retries", request_flag(q, "withRetriesLeft") ? orr_bool(false) : (orr_value){0}}};
  orr_records *found = records_by(q, "external_topics", keys, 2);
  if (!found) return q->status;
  out_open(&q->out, '[');
  for (size_t i = 0; i < orr_records_count(found); i++) {
    orr_value topic = orr_records_get(found, i, "name");
    out_value(&q->out, &topic);
  }
  out_close(&q->out, ']');
  orr_records_free(found);
  return request_done(q);
}

/* The text of the last failure as the whole answer; 204: there is none. */
int rest_external_details(request *q) {
  orr_records *found = records_one(q, "external_tasks", request_id(q));
  if (!found) return q->status ? q->status : rest_missing(q);
  orr_value text = orr_records_get(found, 0, "details");
  if (text.type == ORR_STRING) out_raw(&q->out, text.as.bytes, text.size);
  q->type = "text/plain";
  orr_records_free(found);
  return q->out.size > 0 ? request_done(q) : request_no_content(q);
}
