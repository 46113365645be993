/* Process instances and executions. */
#include <string.h>

#include "rest_table.h"
#include "server/mapping/operation.h"
#include "server/mapping/query.h"
#include "server/mapping/records.h"
#include "server/mapping/selection.h"
#include "server/mapping/values.h"
#include "server/transport/scalars.h"
#include "server/rest/batch.h"

int rest_instance_delete(request *q) {
  orr_error err = {0};
  const char *fail = request_argument(q, "failIfNotExists");
  bool must = true;
  orr_delete_options options = {.size = sizeof options,
                                .skip_listeners = request_flag(q, "skipCustomListeners"),
                                .skip_io_mappings = request_flag(q, "skipIoMappings"),
                                .keep_called = request_flag(q, "skipSubprocesses")};
  int rc = orr_engine_instance_delete(rest_engine(q), request_id(q), NULL, &options, &err);
  if (request_lacks(&err) && fail && scalar_bool_of_text(fail, &must) && !must) {
    orr_error_clear(&err);
    rc = 0;
  }
  return rest_end(q, rc, &err);
}

/* ---- The tree --------------------------------------------------------------------------------- */

static orr_id tree_id(const orr_value *node, const char *field) {
  orr_value id = orr_map_get(node, field);
  return id.type == ORR_INT ? (orr_id)id.as.integer : 0;
}

/* An activity instance's id is a text; the root's is the instance's. */
static void tree_instance(json_out *out, const orr_value *id) {
  if (id->type == ORR_INT) out_id(out, (orr_id)id->as.integer);
  else out_value(out, id);
}

/* The incidents of an execution, out of all of the instance's. */
static void tree_incidents(request *q, const orr_records *incidents, orr_id execution, bool ids) {
  out_key(&q->out, ids ? "incidentIds" : "incidents");
  out_open(&q->out, '[');
  for (size_t i = 0; i < orr_records_count(incidents); i++) {
    orr_value of = orr_records_get(incidents, i, "execution_id"), activity = orr_records_get(incidents, i, "activity_id");
    if (of.type != ORR_INT || (orr_id)of.as.integer != execution) continue;
    if (ids) {
      out_id(&q->out, orr_records_id(incidents, i));
      continue;
    }
    out_open(&q->out, '{');
    out_key(&q->out, "id");
    out_id(&q->out, orr_records_id(incidents, i));
    out_key(&q->out, "activityId");
    out_value(&q->out, &activity);
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
}

typedef struct tree_of {
  request *q;
  const orr_records *incidents;
  orr_id instance, definition;
  orr_value key; /* of the definition, which the root is named by */
} tree_of;

static void tree_head(const tree_of *t, const orr_value *node, const orr_value *parent) {
  json_out *out = &t->q->out;
  orr_value activity = orr_map_get(node, "activity_id"), type = orr_map_get(node, "type"), name = orr_map_get(node, "name");
  orr_value id = orr_map_get(node, "id");
  out_key(out, "id");
  tree_instance(out, &id);
  out_key(out, "parentActivityInstanceId");
  tree_instance(out, parent);
  out_key(out, "activityId");
  out_value(out, &activity);
  if (values_text_is(&type, "process")) type = orr_string("processDefinition");
  out_key(out, "activityType");
  out_value(out, &type);
  out_key(out, "activityName");
  out_value(out, &name);
  out_key(out, "processInstanceId");
  out_id(out, t->instance);
  out_key(out, "processDefinitionId");
  out_id(out, t->definition);
}

/* Does a token wait here for a job that begins the activity, or leaves it? */
static bool tree_waits(const orr_value *node) {
  orr_value waits = orr_map_get(node, "transition");
  return waits.type == ORR_BOOL && waits.as.boolean;
}

static void transition_write(const tree_of *t, const orr_value *node, const orr_value *parent) {
  json_out *out = &t->q->out;
  orr_id execution = tree_id(node, "execution_id");
  out_open(out, '{');
  tree_head(t, node, parent);
  out_key(out, "executionId");
  out_id(out, execution);
  tree_incidents(t->q, t->incidents, execution, true);
  tree_incidents(t->q, t->incidents, execution, false);
  out_close(out, '}');
}

static void tree_write(const tree_of *t, const orr_value *node, const orr_value *parent);

/* The children that wait for a job, or the others. */
static void children_write(const tree_of *t, const orr_value *node, const char *key, bool waiting) {
  json_out *out = &t->q->out;
  orr_value children = orr_map_get(node, "children"), id = orr_map_get(node, "id"), child;
  orr_iterator i = orr_iterate(&children);
  out_key(out, key);
  out_open(out, '[');
  while (orr_next(&i, NULL, &child))
    if (tree_waits(&child) == waiting) (waiting ? transition_write : tree_write)(t, &child, &id);
  out_close(out, ']');
}

/* As deep as the scopes of a model are nested. */
static void tree_write(const tree_of *t, const orr_value *node, const orr_value *parent) {
  json_out *out = &t->q->out;
  orr_value name = orr_map_get(node, "name");
  out_open(out, '{');
  tree_head(t, node, parent);
  out_key(out, "name");
  out_value(out, &name);
  children_write(t, node, "childActivityInstances", false);
  children_write(t, node, "childTransitionInstances", true);
  out_key(out, "executionIds");
  out_open(out, '[');
  out_id(out, tree_id(node, "execution_id"));
  out_close(out, ']');
  tree_incidents(t->q, t->incidents, tree_id(node, "execution_id"), true);
  tree_incidents(t->q, t->incidents, tree_id(node, "execution_id"), false);
  out_close(out, '}');
}

int rest_instance_tree(request *q) {
  orr_value root;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  int rc = orr_engine_instance_tree(rest_engine(q), request_id(q), b, &err);
  if (rc) return rest_end(q, rc, &err);
  orr_records *instance = records_one(q, "instances", request_id(q));
  orr_records *incidents = records_by(q, "incidents", &(key_value){"instance_id", orr_int((int64_t)request_id(q))}, 1);
  orr_value definition = instance ? orr_records_get(instance, 0, "definition_id") : (orr_value){0};
  if (rest_value(q, b, &root) && incidents) {
    tree_of t = {.q = q, .incidents = incidents, .instance = request_id(q), .definition = (orr_id)definition.as.integer};
    tree_write(&t, &root, &(orr_value){0});
  }
  orr_records_free(instance);
  orr_records_free(incidents);
  return q->status ? q->status : request_done(q);
}

/* ---- Suspending ------------------------------------------------------------------------------- */

/* Suspends or activates what a filter finds. */
static int instances_set_suspended(request *q, const orr_value *filter, bool suspend) {
  bool one = orr_map_get(filter, "id").type != ORR_NIL;
  orr_error err = {0};
  int rc = suspend ? orr_engine_instances_suspend(rest_engine(q), filter, &err)
                   : orr_engine_instances_activate(rest_engine(q), filter, &err);
  if (rc != ORR_E_NOT_FOUND || one) return rest_end(q, rc, &err);
  orr_error_clear(&err); /* a definition that there is not has no instances: so Camunda takes it */
  return request_no_content(q);
}

int rest_instance_suspend(request *q) {
  orr_value filter;
  bool suspend;
  orr_builder *b = request_builder(q);
  if (!b || !rest_suspension(q, &suspend)) return q->status;
  orr_records *is = records_one(q, "instances", request_id(q));
  if (!is) return q->status ? q->status : rest_missing(q);
  orr_records_free(is);
  orr_builder_map(b);
  orr_builder_put(b, "id", orr_int((int64_t)request_id(q)));
  orr_builder_end(b);
  return rest_value(q, b, &filter) ? instances_set_suspended(q, &filter, suspend) : q->status;
}

static bool instances_filter(request *q, orr_value *out) {
  const char *id = body_text(q, "processDefinitionId"), *key = body_text(q, "processDefinitionKey");
  orr_builder *b = request_builder(q);
  orr_value ids = {0};
  if (!b || q->status) return false;
  if (!!id + !!key + (body_given(q, "processInstanceIds") || body_given(q, "processInstanceQuery") ||
                      body_given(q, "historicProcessInstanceQuery")) != 1) {
    request_refuse(q,
                   "Either processInstanceIds and queries, or processDefinitionId, or processDefinitionKey must be set.");
    return false;
  }
  const char *member = body_given(q, "historicProcessInstanceQuery") ? "historicProcessInstanceQuery" : "processInstanceQuery";
  const listing *is = member[0] == 'h' ? &query_history_instance : &query_instance;
  if (!id && !key && !selected_ids(q, "processInstanceIds", member, is, &ids)) return false;
  orr_builder_map(b);
  if (id) orr_builder_put(b, "definition_id", orr_int((int64_t)id_of_text(id)));
  if (key) orr_builder_put(b, "definition_key", orr_string(key));
  if (ids.type != ORR_NIL) orr_builder_put(b, "id_in", ids);
  const char *tenant = body_text(q, "processDefinitionTenantId");
  if (tenant) orr_builder_put(b, "tenant", orr_string(tenant));
  else if (body_bool(q, "processDefinitionWithoutTenantId", false)) orr_builder_put(b, "tenant", orr_null());
  orr_builder_end(b);
  return !q->status && rest_value(q, b, out);
}

int rest_instances_suspend(request *q) {
  orr_value filter;
  bool suspend;
  if (!rest_suspension(q, &suspend) || !instances_filter(q, &filter)) return q->status;
  return instances_set_suspended(q, &filter, suspend);
}

/* ---- Many by a batch -------------------------------------------------------------------------- */

int rest_instances_suspend_async(request *q) {
  bool suspend;
  if (!rest_suspension(q, &suspend)) return q->status;
  batch_order b;
  if (!batch_of_instances(q, &b, suspend ? "suspend" : "activate")) return q->status;
  return batch_close(q, &b);
}

int rest_instances_delete(request *q) {
  batch_order b;
  if (!batch_of_instances(q, &b, "cancel")) return q->status;
  batch_skips(q, &b);
  b.options.reason = body_text(q, "deleteReason");
  b.options.keep_called = body_bool(q, "skipSubprocesses", false);
  return batch_close(q, &b);
}

int rest_instances_retry(request *q) {
  int64_t retries;
  orr_value ids;
  if (!rest_retries(q, &retries) || !selected_instances(q, "processInstances", &ids)) return q->status;
  batch_order b;
  if (!batch_open(q, &b, "retry", "jobs", "instance_id_in", &ids)) return q->status;
  return batch_retries(q, &b, retries);
}

/* ---- Executions ------------------------------------------------------------------------------- */

static void execution_of_instance(request *q, const orr_records *instance) {
  orr_value tenant = orr_records_get(instance, 0, "tenant");
  out_open(&q->out, '{');
  out_key(&q->out, "id");
  out_id(&q->out, orr_records_id(instance, 0));
  out_key(&q->out, "processInstanceId");
  out_id(&q->out, orr_records_id(instance, 0));
  out_put_bool(&q->out, "ended", false);
  out_key(&q->out, "tenantId");
  out_value(&q->out, &tenant);
  out_close(&q->out, '}');
}

int rest_execution_get(request *q) {
  orr_records *instance = records_one(q, "instances", request_id(q));
  if (!instance) return q->status ? q->status : rest_find_one(q, "executions", &dto_ExecutionDto, request_id(q));
  execution_of_instance(q, instance);
  orr_records_free(instance);
  return request_done(q);
}

int rest_execution_signal(request *q) {
  orr_value variables;
  orr_error err = {0};
  if (!rest_variables(q, "variables", &variables)) return q->status;
  const orr_value *given = variables.type == ORR_NIL ? NULL : &variables;
  int rc = orr_engine_execution_trigger(rest_engine(q), request_id(q), given, NULL, &err);
  if (request_lacks(&err)) {
    orr_error_clear(&err);
    return request_fail(q, 400, "RestException", "Cannot signal execution %s: execution %s doesn't exist", q->path[0],
                        q->path[0]);
  }
  return rest_end(q, rc, &err);
}

int rest_execution_message(request *q) {
  const key_value keys[] = {{"type", orr_string("message")},
                            {"name", orr_string(q->path[1])},
                            {"execution_id", orr_int((int64_t)request_id(q))}};
  return rest_answer_one(q, &dto_EventSubscriptionDto, records_first(q, "subscriptions", keys, 3));
}

int rest_execution_message_trigger(request *q) {
  orr_value variables;
  orr_error err = {0};
  if (!rest_variables(q, "variables", &variables)) return q->status;
  orr_message_options options = {.size = sizeof options, .execution = request_id(q), .start = ORR_OFF,
                                 .variables = variables.type == ORR_NIL ? NULL : &variables};
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  int rc = orr_engine_message(rest_engine(q), q->path[1], &options, b, &err);
  if (rc != ORR_E_NOT_FOUND && rc != ORR_E_CORRELATION) return rest_end(q, rc, &err);
  request_fail(q, 500, "RestException", "Cannot trigger message %s for execution %s: %s",
               q->path[1], q->path[0], err.message ? err.message : "");
  orr_error_clear(&err);
  return q->status;
}
