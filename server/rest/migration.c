/* Messages, signals, conditions; migration and modification of many. */
#include <string.h>

#include "server/rest/rest.h"

static const orr_value *if_given(const orr_value *value) { return value->type == ORR_NIL ? NULL : value; }

/* ---- Messages --------------------------------------------------------------------------------- */

/* Camunda's body as our options; the values must outlive the call. */
typedef struct message_values {
  orr_value match, local_match, variables, local, triggered;
} message_values;

static bool message_read(request *q, message_values *v, orr_message_options *o) {
  bool read = rest_variables(q, "correlationKeys", &v->match) && rest_variables(q, "localCorrelationKeys", &v->local_match) &&
              rest_variables(q, "processVariables", &v->variables) && rest_variables(q, "processVariablesLocal", &v->local) &&
              rest_variables(q, "processVariablesToTriggeredScope", &v->triggered);
  const char *instance = body_text(q, "processInstanceId");
  *o = (orr_message_options){.size = sizeof *o, .business_key = body_text(q, "businessKey"), .tenant = body_text(q, "tenantId"),
                             .match = if_given(&v->match), .local_match = if_given(&v->local_match),
                             .variables = if_given(&v->variables), .local_variables = if_given(&v->local),
                             .triggered_variables = if_given(&v->triggered), .all = body_bool(q, "all", false)};
  o->return_variables = body_bool(q, "variablesInResultEnabled", false);
  if (instance) o->instance = id_of_text(instance) ? id_of_text(instance) : INT64_MAX;
  if (!q->status && body_bool(q, "withoutTenantId", false)) o->tenant = "";
  return read && !q->status;
}

static void message_result(request *q, const orr_value *result, bool variables) {
  orr_value type = orr_map_get(result, "type"), instance = orr_map_get(result, "instance_id");
  orr_value execution = orr_map_get(result, "execution_id"), all = orr_map_get(result, "variables");
  bool waited = type.type == ORR_STRING && type.size == 9; /* execution, or definition */
  orr_records *started =
      instance.type == ORR_INT && !waited ? records_one(q, "history_instances", (orr_id)instance.as.integer) : NULL;
  orr_records *waiting = waited && execution.type == ORR_INT ? records_one(q, "executions", (orr_id)execution.as.integer)
      : NULL;
  out_open(&q->out, '{');
  out_put_text(&q->out, "resultType", waited ? "Execution" : "ProcessDefinition");
  out_key(&q->out, "execution");
  if (waited) {
    orr_value tenant = waiting ? orr_records_get(waiting, 0, "tenant") : (orr_value){0};
    out_open(&q->out, '{');
    out_key(&q->out, "id");
    out_id(&q->out, (orr_id)execution.as.integer);
    out_key(&q->out, "processInstanceId");
    out_id(&q->out, (orr_id)instance.as.integer);
    out_put_bool(&q->out, "ended", !waiting);
    out_key(&q->out, "tenantId");
    out_value(&q->out, &tenant);
    out_close(&q->out, '}');
  } else {
    out_null(&q->out);
  }
  out_key(&q->out, "processInstance");
  if (started) dto_write(q, &dto_ProcessInstanceDto, started, 0);
  else out_null(&q->out);
  if (variables) {
    orr_iterator i = orr_iterate(&all);
    orr_value name, value, described;
    out_key(&q->out, "variables");
    out_open(&q->out, '{');
    while (orr_next(&i, &name, &value) && values_describe(q, &value, &described)) {
      out_key_bytes(&q->out, name.as.bytes, name.size);
      values_write(&q->out, &described);
    }
    out_close(&q->out, '}');
  }
  out_close(&q->out, '}');
  orr_records_free(started);
  orr_records_free(waiting);
}

static int message_answer(request *q, const orr_value *results, bool all, bool variables) {
  orr_iterator i = orr_iterate(results);
  orr_value one;
  out_open(&q->out, '[');
  if (!all) message_result(q, results, variables);
  while (all && orr_next(&i, NULL, &one)) message_result(q, &one, variables);
  out_close(&q->out, ']');
  return q->status ? q->status : request_done(q);
}

int rest_message(request *q) {
  message_values values;
  orr_message_options options;
  orr_value results;
  orr_error err = {0};
  const char *name = body_text(q, "messageName");
  bool answer = body_bool(q, "resultEnabled", false);
  orr_builder *b = request_builder(q);
  if (!b || q->status || !message_read(q, &values, &options)) return q->status;
  if (!name && !options.business_key && !options.match && !options.local_match && !options.instance)
    return request_refuse(q, "No message name supplied");
  if (options.return_variables && !answer)
    return request_refuse(q, "Parameter 'variablesInResultEnabled' cannot be used if 'resultEnabled' is set to 'false'.");
  if (orr_engine_message(rest_engine(q), name, &options, b, &err)) return request_fail_engine(q, &err);
  if (!answer) return request_no_content(q);
  return rest_value(q, b, &results) ? message_answer(q, &results, options.all, options.return_variables) : q->status;
}

/* ---- Signals and conditions ------------------------------------------------------------------- */

int rest_signal(request *q) {
  orr_value variables;
  orr_error err = {0};
  const char *name = body_text(q, "name"), *execution = body_text(q, "executionId");
  orr_signal_options options = {.size = sizeof options, .tenant = body_text(q, "tenantId")};
  if (body_bool(q, "withoutTenantId", false)) options.tenant = "";
  if (q->status || !rest_variables(q, "variables", &variables)) return q->status;
  if (!name) return request_refuse(q, "No signal name given");
  if (execution) options.execution = id_of_text(execution) ? id_of_text(execution) : INT64_MAX;
  options.variables = if_given(&variables);
  int rc = orr_engine_signal(rest_engine(q), name, &options, &err);
  if (rc != ORR_E_NOT_FOUND) return rest_end(q, rc, &err);
  orr_error_clear(&err);
  return request_refuse(q, "Cannot find execution with id '%s'", execution ? execution : "");
}

int rest_condition(request *q) {
  orr_value variables;
  orr_records *started = NULL;
  orr_error err = {0};
  const char *definition = body_text(q, "processDefinitionId");
  orr_condition_options options = {.size = sizeof options, .business_key = body_text(q, "businessKey"),
      .tenant = body_text(q, "tenantId")};
  if (q->status || !rest_variables(q, "variables", &variables)) return q->status;
  if (!body_given(q, "variables")) return request_refuse(q, "No variables found");
  if (definition) options.definition = id_of_text(definition) ? id_of_text(definition) : INT64_MAX;
  options.variables = if_given(&variables);
  if (orr_engine_evaluate_conditions(rest_engine(q), &options, &started, &err)) return request_fail_engine(q, &err);
  out_open(&q->out, '[');
  for (size_t i = 0; i < orr_records_count(started); i++) dto_write(q, &dto_ProcessInstanceDto, started, i);
  out_close(&q->out, ']');
  orr_records_free(started);
  return request_done(q);
}

/* ---- Migration -------------------------------------------------------------------------------- */

static const char *instruction_end(const json_t *item, const char *name) {
  return json_string_value(json_array_get(json_object_get(item, name), 0));
}

/* Camunda's instructions as ours: { from, to, update_event_trigger }. */
static bool plan_instructions(request *q, const json_t *list, orr_builder *b) {
  orr_builder_key(b, "instructions", strlen("instructions"));
  orr_builder_array(b);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    const char *from = instruction_end(item, "sourceActivityIds"), *to = instruction_end(item, "targetActivityIds");
    if (!from || !to || json_array_size(json_object_get(item, "sourceActivityIds")) > 1) {
      request_refuse(q, "Migration instruction %zu: one source and one target activity expected", i + 1);
      return false;
    }
    orr_builder_map(b);
    orr_builder_put(b, "from", orr_string(from));
    orr_builder_put(b, "to", orr_string(to));
    orr_builder_put(b, "update_event_trigger", orr_bool(json_is_true(json_object_get(item, "updateEventTrigger"))));
    orr_builder_end(b);
  }
  orr_builder_end(b);
  return true;
}

bool rest_migration_plan(request *q, const json_t *plan, orr_value *out) {
  const char *source = json_string_value(json_object_get(plan, "sourceProcessDefinitionId"));
  const char *target = json_string_value(json_object_get(plan, "targetProcessDefinitionId"));
  const json_t *variables = json_object_get(plan, "variables");
  orr_value set = {0};
  orr_builder *b = request_builder(q);
  if (!b) return false;
  if (!id_of_text(source) || !id_of_text(target)) {
    request_refuse(q, "%s process definition id is %s", id_of_text(source) ? "Target" : "Source",
                   source && target ? "no id" : "null");
    return false;
  }
  if (json_is_object(variables) && !values_read(q, variables, &set)) return false;
  orr_builder_map(b);
  orr_builder_put(b, "source_definition_id", orr_int((int64_t)id_of_text(source)));
  orr_builder_put(b, "target_definition_id", orr_int((int64_t)id_of_text(target)));
  if (!plan_instructions(q, json_object_get(plan, "instructions"), b)) return false;
  orr_builder_put(b, "variables", set);
  orr_builder_end(b);
  return rest_value(q, b, out);
}

static void plan_activity(json_out *out, const char *key, const orr_value *id) {
  out_key(out, key);
  out_open(out, '[');
  out_value(out, id);
  out_close(out, ']');
}

static void plan_instruction_write(json_out *out, const orr_value *instruction) {
  orr_value from = orr_map_get(instruction, "from"), to = orr_map_get(instruction, "to");
  orr_value update = orr_map_get(instruction, "update_event_trigger");
  out_open(out, '{');
  plan_activity(out, "sourceActivityIds", &from);
  plan_activity(out, "targetActivityIds", &to);
  out_put_bool(out, "updateEventTrigger", update.type == ORR_BOOL && update.as.boolean);
  out_close(out, '}');
}

int rest_migration_generate(request *q) {
  orr_value plan, variables, instruction;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  orr_migration_options options = {.size = sizeof options, .source = id_of_text(body_text(q, "sourceProcessDefinitionId")),
                                   .target = id_of_text(body_text(q, "targetProcessDefinitionId")),
                                   .update_event_triggers = body_bool(q, "updateEventTriggers", false)};
  if (!b || q->status || !rest_variables(q, "variables", &variables)) return q->status;
  if (!options.source || !options.target)
    return request_refuse(q, "%s process definition does not exist", options.source ? "Target" : "Source");
  if (orr_engine_migration_plan(rest_engine(q), &options, b, &err)) {
    request_fail_engine(q, &err);
    return q->status = 400;
  }
  if (!rest_value(q, b, &plan)) return q->status;
  orr_value instructions = orr_map_get(&plan, "instructions");
  orr_iterator i = orr_iterate(&instructions);
  out_open(&q->out, '{');
  out_key(&q->out, "sourceProcessDefinitionId");
  out_id(&q->out, options.source);
  out_key(&q->out, "targetProcessDefinitionId");
  out_id(&q->out, options.target);
  out_key(&q->out, "instructions");
  out_open(&q->out, '[');
  while (orr_next(&i, NULL, &instruction)) plan_instruction_write(&q->out, &instruction);
  out_close(&q->out, ']');
  out_key(&q->out, "variables");
  orr_iterator each = orr_iterate(&variables);
  orr_value name, value, described;
  out_open(&q->out, '{');
  while (orr_next(&each, &name, &value) && values_describe(q, &value, &described)) {
    out_key_bytes(&q->out, name.as.bytes, name.size);
    values_write(&q->out, &described);
  }
  out_close(&q->out, '}');
  out_close(&q->out, '}');
  return request_done(q);
}

static bool plan_value_same(const orr_value *a, const orr_value *b) {
  return a->type == b->type && a->size == b->size && (a->type != ORR_STRING || memcmp(a->as.bytes, b->as.bytes, a->size) == 0);
}

/* The problems of one instruction; those before it of the same activity have told them already. */
static void report_write(request *q, const orr_value *problems, const orr_value *first) {
  orr_value from = orr_map_get(first, "activity_id"), to = orr_map_get(first, "target_id"), problem;
  orr_iterator i = orr_iterate(problems);
  out_open(&q->out, '{');
  out_key(&q->out, "instruction");
  out_open(&q->out, '{');
  plan_activity(&q->out, "sourceActivityIds", &from);
  plan_activity(&q->out, "targetActivityIds", &to);
  out_put_bool(&q->out, "updateEventTrigger", false);
  out_close(&q->out, '}');
  out_key(&q->out, "failures");
  out_open(&q->out, '[');
  while (orr_next(&i, NULL, &problem)) {
    orr_value of = orr_map_get(&problem, "activity_id"), message = orr_map_get(&problem, "message");
    if (plan_value_same(&of, &from)) out_value(&q->out, &message);
  }
  out_close(&q->out, ']');
  out_close(&q->out, '}');
}

static bool report_told(const orr_value *problems, size_t before, const orr_value *activity) {
  orr_iterator i = orr_iterate(problems);
  orr_value problem;
  for (size_t n = 0; n < before && orr_next(&i, NULL, &problem); n++) {
    orr_value of = orr_map_get(&problem, "activity_id");
    if (plan_value_same(&of, activity)) return true;
  }
  return false;
}

int rest_migration_validate(request *q) {
  orr_value plan, problems, problem;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b || !rest_migration_plan(q, q->json, &plan)) return q->status;
  if (orr_engine_check_migration(rest_engine(q), &plan, NULL, b, &err)) {
    request_fail_engine(q, &err);
    return q->status = 400;
  }
  if (!rest_value(q, b, &problems)) return q->status;
  orr_iterator i = orr_iterate(&problems);
  out_open(&q->out, '{');
  out_key(&q->out, "instructionReports");
  out_open(&q->out, '[');
  for (size_t n = 0; orr_next(&i, NULL, &problem); n++) {
    orr_value activity = orr_map_get(&problem, "activity_id");
    if (!report_told(&problems, n, &activity)) report_write(q, &problems, &problem);
  }
  out_close(&q->out, ']');
  out_key(&q->out, "variableReports");
  out_open(&q->out, '{');
  out_close(&q->out, '}');
  out_close(&q->out, '}');
  return request_done(q);
}

int rest_migration_execute(request *q) {
  orr_value plan, ids;
  int64_t n;
  orr_error err = {0};
  const json_t *given = body_member(q, "migrationPlan");
  orr_migrate_options options = {.size = sizeof options, .instances = &ids, .skip_listeners = body_bool(q,
      "skipCustomListeners", false),
                                 .skip_io_mappings = body_bool(q, "skipIoMappings", false)};
  if (!given) return request_refuse(q, "The migration plan is null");
  if (q->status || !rest_migration_plan(q, given, &plan) ||
      !many_ids(q, "processInstanceIds", "processInstanceQuery", &query_instance, &ids))
    return q->status;
  if (!orr_engine_migrate(rest_engine(q), &plan, &options, &n, &err)) return request_no_content(q);
  request_fail_engine(q, &err);
  return q->status = q->status == 404 ? 400 : q->status;
}

/* ---- One modification for many ---------------------------------------------------------------- */

int rest_modification_execute(request *q) {
  orr_value ids, instructions;
  int64_t n;
  orr_error err = {0};
  orr_modify_instances_options options = {.size = sizeof options, .instances = &ids,
                                          .skip_listeners = body_bool(q, "skipCustomListeners", false),
                                          .skip_io_mappings = body_bool(q, "skipIoMappings", false)};
  if (!body_given(q, "processDefinitionId")) return request_refuse(q, "processDefinitionId is null");
  if (q->status || !many_instructions(q, "instructions", &instructions) ||
      !many_ids(q, "processInstanceIds", "processInstanceQuery", &query_instance, &ids))
    return q->status;
  if (!orr_engine_modify_instances(rest_engine(q), &instructions, &options, &n, &err)) return request_no_content(q);
  request_fail_engine(q, &err);
  return q->status = q->status == 404 ? 400 : q->status;
}
