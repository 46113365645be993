/* Messages, signals, conditions. */
#include <string.h>

#include "rest_table.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/mapping/records.h"
#include "server/mapping/values.h"
#include "server/rest/batch.h"

static const orr_value *if_given(const orr_value *value) { return value->type == ORR_NIL ? NULL : value; }

/* The tenant of the body: "" when it asks for none. False: it asks for both, and the request has
 * failed. */
static bool tenant_read(request *q, const char **out) {
  bool without = body_bool(q, "withoutTenantId", false);
  *out = body_text(q, "tenantId");
  if (!q->status && without && *out)
    request_refuse(q, "Parameter 'tenantId' cannot be used together with parameter "
                      "'withoutTenantId'.");
  if (without) *out = "";
  return !q->status;
}

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
  *o = (orr_message_options){.size = sizeof *o, .business_key = body_text(q, "businessKey"),
                             .match = if_given(&v->match), .local_match = if_given(&v->local_match),
                             .variables = if_given(&v->variables), .local_variables = if_given(&v->local),
                             .triggered_variables = if_given(&v->triggered), .all = body_bool(q, "all", false)};
  o->return_variables = body_bool(q, "variablesInResultEnabled", false);
  o->match_waiting = true;
  if (instance) o->instance = id_of_text(instance) ? id_of_text(instance) : INT64_MAX;
  return read && !q->status && tenant_read(q, &o->tenant);
}

static void message_result(request *q, const orr_value *result, bool variables) {
  orr_value type = orr_map_get(result, "type"), instance = orr_map_get(result, "instance_id");
  orr_value execution = orr_map_get(result, "execution_id"), all = orr_map_get(result, "variables");
  bool waited = values_text_is(&type, "execution"); /* else it is "definition" */
  orr_records *started =
      instance.type == ORR_INT && !waited ? records_one(q, "history_instances", (orr_id)instance.as.integer) : NULL;
  orr_records *waiting =
      waited && execution.type == ORR_INT ? records_one(q, "executions", (orr_id)execution.as.integer) : NULL;
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
    out_key(&q->out, "variables");
    values_write_plain(q, &all);
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

/* Camunda tells its exception's class in the text, and clients look for it there. */
static int message_failed(request *q, const char *name, orr_error *err) {
  if (err->code != ORR_E_CORRELATION) return request_fail_engine(q, err);
  request_fail(q, 400, "RestException",
               "org.camunda.bpm.engine.MismatchingMessageCorrelationException: "
               "Cannot correlate message '%s': %s",
               name ? name : "null", err->message ? err->message : "");
  orr_error_clear(err);
  return q->status;
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
  if (orr_engine_message(rest_engine(q), name, &options, b, &err))
    return message_failed(q, name, &err);
  if (!answer) return request_no_content(q);
  return rest_value(q, b, &results) ? message_answer(q, &results, options.all, options.return_variables) : q->status;
}

int rest_messages_async(request *q) {
  orr_value variables;
  if (!rest_variables(q, "variables", &variables)) return q->status;
  batch_order b;
  if (!batch_of_instances(q, &b, "correlate_message")) return q->status;
  b.options.message = body_text(q, "messageName");
  b.options.variables = &variables;
  return batch_close(q, &b);
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
  if (!request_lacks(&err)) return rest_end(q, rc, &err);
  orr_error_clear(&err);
  return request_fail(q, 500, "ProcessEngineException",
                      "Cannot find execution with id '%s' that waits for signal '%s'",
                      execution ? execution : "", name);
}

int rest_condition(request *q) {
  orr_value variables;
  orr_records *started = NULL;
  orr_error err = {0};
  const char *definition = body_text(q, "processDefinitionId");
  orr_condition_options options = {.size = sizeof options,
                                   .business_key = body_text(q, "businessKey")};
  if (!tenant_read(q, &options.tenant) || !rest_variables(q, "variables", &variables))
    return q->status;
  if (!body_given(q, "variables")) return request_refuse(q, "No variables found");
  if (definition) options.definition = id_of_text(definition) ? id_of_text(definition) : INT64_MAX;
  options.variables = if_given(&variables);
  if (orr_engine_conditions_evaluate(rest_engine(q), &options, &started, &err)) return request_fail_engine(q, &err);
  out_open(&q->out, '[');
  for (size_t i = 0; i < orr_records_count(started); i++) dto_write(q, &dto_ProcessInstanceDto, started, i);
  out_close(&q->out, ']');
  orr_records_free(started);
  return request_done(q);
}
