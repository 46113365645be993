/* Process definitions. */
#include "server/rest/definition.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rest_table.h"
#include "server/auth/auth.h"
#include "server/mapping/download.h"
#include "server/mapping/dto.h"
#include "server/mapping/forms.h"
#include "server/mapping/operation.h"
#include "server/mapping/query.h"
#include "server/mapping/records.h"
#include "server/mapping/selection.h"
#include "server/mapping/values.h"
#include "server/rest/batch.h"
#include "server/rest/deployment.h"
#include "server/rest/modification.h"
#include "server/transport/dispatch.h"

static bool path_has_key(const request *q) { return strstr(q->operation->path, "/key/"); }

/* The tenant that a path names with its key; without one those of none are meant. */
static orr_value tenant_of_path(const request *q) { return q->path[1] ? orr_string(q->path[1]) : orr_null(); }

/* The definition of the path: by id, or the latest of a key, of a tenant or of none. 0: there is none, the request has
 * failed. */
orr_id rest_definition_of_path(request *q) {
  const key_value latest[] = {{"key", orr_string(q->path[0])}, {"latest", orr_bool(true)}, {"tenant", tenant_of_path(q)}};
  orr_records *found =
      path_has_key(q) ? records_by(q, "definitions", latest, 3) : records_one(q, "definitions", request_id(q));
  orr_id id = found ? orr_records_id(found, 0) : 0;
  orr_records_free(found);
  if (!id && !q->status) rest_missing(q);
  return id;
}

int rest_definition_get(request *q) {
  orr_id id = rest_definition_of_path(q);
  return id ? rest_find_one(q, "definitions", &dto_ProcessDefinitionDto, id) : q->status;
}

static orr_value definition_field(request *q, orr_id id, const char *field) {
  const orr_records *d = records_definition(q, id);
  return d ? orr_records_get(d, 0, field) : (orr_value){0};
}

static bool definition_resource(request *q, orr_id id, orr_value *out) {
  orr_value name = definition_field(q, id, "resource"), deployment = definition_field(q, id, "deployment_id");
  return rest_resource_bytes(q, (orr_id)deployment.as.integer, &name, out);
}

int rest_definition_xml(request *q) {
  orr_value xml;
  orr_id id = rest_definition_of_path(q);
  if (!id || !definition_resource(q, id, &xml)) return q->status;
  out_open(&q->out, '{');
  out_key(&q->out, "id");
  out_id(&q->out, id);
  out_key(&q->out, "bpmn20Xml");
  out_value(&q->out, &xml);
  out_close(&q->out, '}');
  return request_done(q);
}

/* The drawing is within the model; pictures are not deployed beside it. */
int rest_definition_diagram(request *q) { return rest_definition_of_path(q) ? request_no_content(q) : q->status; }

/* ---- Starting --------------------------------------------------------------------------------- */

/* One that has ended has its variables in history alone. */
static void ended_variables(request *q, orr_id instance) {
  const key_value of[] = {{"instance_id", orr_int((int64_t)instance)},
                          {"execution_id", orr_int((int64_t)instance)}};
  orr_records *rows = records_by(q, "history_variables", of, 2);
  out_open(&q->out, '{');
  for (size_t i = 0; rows && i < orr_records_count(rows); i++) {
    orr_value name = orr_records_get(rows, i, "name"), value = orr_records_get(rows, i, "value");
    orr_value described;
    if (!values_describe(q, &value, &described)) break;
    out_key_bytes(&q->out, name.as.bytes, name.size);
    values_write(&q->out, &described);
  }
  out_close(&q->out, '}');
  orr_records_free(rows);
}

void rest_instance_variables(request *q, orr_id instance) {
  orr_value all = {0};
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return;
  int rc = orr_engine_variables_get_typed(rest_engine(q), instance, ORR_VISIBLE, b, &err);
  if (rc == ORR_E_NOT_FOUND) {
    orr_error_clear(&err);
    ended_variables(q, instance);
  } else if (rc) {
    request_fail_engine(q, &err);
  } else if (rest_value(q, b, &all)) {
    values_write_all(&q->out, &all);
  }
}

/* The engine finds the definition by itself; when it says that something is not there, it may be that. */
static int start_failed(request *q, orr_error *err) {
  if (!request_lacks(err) || rest_definition_of_path(q)) return request_fail_engine(q, err);
  orr_error_clear(err);
  return q->status;
}

static int start_form_refused(request *q, orr_error *err) {
  request_fail(q, 400, "RestException", "Cannot instantiate process definition %s: %s", q->path[0],
               err->message);
  orr_error_clear(err);
  return q->status;
}

/* With variables, or with what the start form says. */
static int start_definition(request *q, bool with_variables) {
  orr_records *started = NULL;
  orr_error err = {0};
  orr_value variables, instructions = {0};
  orr_start_options options = {.size = sizeof options, .business_key = body_text(q, "businessKey"),
                               .skip_listeners = body_bool(q, "skipCustomListeners", false),
                               .skip_io_mappings = body_bool(q, "skipIoMappings", false)};
  bool described = with_variables && body_bool(q, "withVariablesInReturn", false);
  if (path_has_key(q)) options.key = q->path[0], options.tenant = q->path[1];
  else options.definition = request_id(q);
  options.initiator = q->user ? q->user->name : NULL;
  if (q->status || !rest_variables(q, "variables", &variables)) return q->status;
  if (json_array_size(body_member(q, "startInstructions")) > 0 &&
      !modification_instructions(q, "startInstructions", &instructions))
    return q->status;
  if (variables.type != ORR_NIL) options.variables = &variables;
  if (instructions.type != ORR_NIL) options.instructions = &instructions;
  if (described) dispatch_wait(q);
  int rc = with_variables ? orr_engine_instance_start(rest_engine(q), &options, &started, &err)
                          : orr_engine_start_form_submit(rest_engine(q), &options, &started, &err);
  if (rc == ORR_E_ARGUMENT && !with_variables) return start_form_refused(q, &err);
  if (rc) return start_failed(q, &err);
  out_open(&q->out, '{');
  dto_write_fields(q, &dto_ProcessInstanceDto, started, 0);
  if (described) {
    out_key(&q->out, "variables");
    rest_instance_variables(q, orr_records_id(started, 0));
  }
  out_close(&q->out, '}');
  orr_records_free(started);
  return q->status ? q->status : request_done(q);
}

int rest_definition_start(request *q) { return start_definition(q, true); }

int rest_definition_submit(request *q) { return start_definition(q, false); }

/* Without any Camunda restarts nothing. False: the request has failed. */
static bool restart_instructions(request *q, orr_value *out) {
  if (json_array_size(body_member(q, "instructions")) > 0)
    return modification_instructions(q, "instructions", out);
  request_refuse(q, "Restart instructions cannot be empty: instructions is empty");
  return false;
}

int rest_definition_restart(request *q) {
  orr_value ids, instructions;
  orr_records *started = NULL;
  orr_error err = {0};
  orr_id id = rest_definition_of_path(q);
  orr_restart_options options = {.size = sizeof options, .initial_variables = body_bool(q, "initialVariables", false),
                                 .without_business_key = body_bool(q, "withoutBusinessKey", false),
                                 .skip_listeners = body_bool(q, "skipCustomListeners", false),
                                 .skip_io_mappings = body_bool(q, "skipIoMappings", false)};
  if (!id || q->status || !restart_instructions(q, &instructions) ||
      !selected_ids(q, "processInstanceIds", "historicProcessInstanceQuery",
                    &query_history_instance, &ids))
    return q->status;
  options.instances = &ids;
  options.instructions = &instructions;
  int rc = orr_engine_instances_restart(rest_engine(q), id, &options, &started, &err);
  orr_records_free(started);
  if (!rc) return request_no_content(q);
  request_fail_engine(q, &err);
  return q->status = q->status == 404 ? 400 : q->status; /* an instance of the body: the definition was found */
}

int rest_definition_restart_async(request *q) {
  orr_value ids, instructions;
  orr_id id = rest_definition_of_path(q);
  if (!id || !restart_instructions(q, &instructions) ||
      !selected_ids(q, "processInstanceIds", "historicProcessInstanceQuery",
                    &query_history_instance, &ids))
    return q->status;
  batch_order b;
  if (!batch_open(q, &b, "restart", "history_instances", "id_in", &ids)) return q->status;
  b.options.definition = id;
  b.options.instructions = &instructions;
  b.options.initial_variables = body_bool(q, "initialVariables", false);
  b.options.without_business_key = body_bool(q, "withoutBusinessKey", false);
  batch_skips(q, &b);
  return batch_close(q, &b);
}

/* ---- Suspending, deleting --------------------------------------------------------------------- */

static int definition_set_suspended(request *q, orr_suspend_options *options) {
  orr_error err = {0};
  bool suspend = body_bool(q, "suspended", false);
  if (!body_given(q, "suspended")) return request_refuse(q, "\"suspended\" is expected");
  options->size = sizeof *options;
  options->instances = body_bool(q, "includeProcessInstances", false);
  options->at = body_time(q, "executionDate");
  if (q->status) return q->status;
  int rc = suspend ? orr_engine_definition_suspend(rest_engine(q), options, &err)
                   : orr_engine_definition_activate(rest_engine(q), options, &err);
  return rest_end(q, rc, &err);
}

int rest_definition_suspend(request *q) {
  orr_suspend_options options = {0};
  if (strstr(q->operation->path, "/key/")) options.key = q->path[0], options.tenant = q->path[1] ? q->path[1] : "";
  else options.definition = request_id(q);
  return definition_set_suspended(q, &options);
}

int rest_definitions_suspend(request *q) {
  const char *key = body_text(q, "processDefinitionKey");
  orr_suspend_options options = {.key = key};
  if (q->status) return q->status;
  if (body_text(q, "processDefinitionId"))
    return request_refuse(
        q, "Only processDefinitionKey can be set to update the suspension state.");
  if (!key)
    return request_refuse(q, "Either processDefinitionId or processDefinitionKey must be set.");
  return definition_set_suspended(q, &options);
}

int rest_definition_delete(request *q) {
  orr_error err = {0};
  return rest_end(
      q, orr_engine_definition_delete(rest_engine(q), request_id(q), rest_cascade_of(q), &err),
      &err);
}

static orr_records *versions_of_path(request *q) {
  const key_value keys[] = {{"key", orr_string(q->path[0])}, {"tenant", tenant_of_path(q)}};
  return records_by(q, "definitions", keys, 2);
}

/* Every version, in one transaction. */
int rest_definition_delete_key(request *q) {
  orr_engine *engine = rest_engine(q);
  orr_error err = {0};
  if (orr_engine_begin(engine, &err)) return request_fail_engine(q, &err);
  orr_records *all = versions_of_path(q);
  int rc = 0;
  size_t n = all ? orr_records_count(all) : 0;
  for (size_t i = 0; i < n && !rc; i++)
    rc = orr_engine_definition_delete(engine, orr_records_id(all, i), rest_cascade_of(q), &err);
  orr_records_free(all);
  if (rc || n == 0) {
    orr_engine_rollback(engine);
    return rc ? request_fail_engine(q, &err) : q->status ? q->status : rest_missing(q);
  }
  return rest_end(q, orr_engine_commit(engine, &err), &err);
}

/* ---- Time to live, and what it calls ---------------------------------------------------------- */

int rest_definition_time_to_live(request *q) {
  orr_error err = {0};
  char days[24];
  orr_id id = rest_definition_of_path(q);
  int64_t n = body_int(q, "historyTimeToLive", -1);
  if (!id || q->status) return q->status;
  if (!body_given(q, "historyTimeToLive") || n < 0)
    return request_refuse(q, "historyTimeToLive must be a number of days, 0 or more");
  snprintf(days, sizeof days, "%" PRId64, n);
  return rest_end(q, orr_engine_definition_set_time_to_live(rest_engine(q), id, days, &err), &err);
}

/* How the definition in the path calls the one that is being written: a value of a builder of the request's. */
static void called_drop(void *note) { (void)note; }

static orr_value *called_how(request *q) { return request_note(q, sizeof(orr_value), called_drop); }

/* The activities of the definition in the path that call the row's. */
void dto_calling_activities(const row *r, json_out *out) {
  orr_value *how = called_how(r->request), ids = how ? orr_map_get(how, "activity_ids") : orr_null();
  out_value(out, &ids);
}

void dto_calling_definition(const row *r, json_out *out) { out_id(out, request_id(r->request)); }

int rest_definition_called(request *q) {
  orr_value all;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  orr_value *how = called_how(q);
  if (!b || !how) return q->status;
  int rc = orr_engine_definition_calls(rest_engine(q), request_id(q), b, &err);
  if (rc) return rest_end(q, rc, &err);
  if (!rest_value(q, b, &all)) return q->status;
  orr_iterator i = orr_iterate(&all);
  out_open(&q->out, '[');
  while (orr_next(&i, NULL, how)) {
    orr_value id = orr_map_get(how, "definition_id");
    const orr_records *called = records_definition(q, (orr_id)id.as.integer);
    if (called) dto_write(q, &dto_CalledProcessDefinitionDto, called, 0);
  }
  out_close(&q->out, ']');
  return q->status ? q->status : request_done(q);
}

/* ---- Forms ------------------------------------------------------------------------------------ */

int rest_start_form(request *q) {
  orr_value form;
  orr_id id = rest_definition_of_path(q);
  if (!id || !forms_of_start(q, id, &form)) return q->status;
  char *rendered = request_printf(q, "process-definition/%" PRIu64, id);
  return rendered ? forms_write_key(q, &form, rendered) : q->status;
}

int rest_form_deployed(request *q, const orr_value *form) {
  orr_id deployment;
  orr_value name, bytes;
  if (!forms_resource(q, form, &deployment, &name)) return q->status;
  if (!rest_resource_bytes(q, deployment, &name, &bytes)) return q->status;
  bool json = name.size > 5 && memcmp(name.as.bytes + name.size - 5, ".form", 5) == 0;
  orr_value type = orr_string(json ? "application/json" : "application/xhtml+xml");
  return download_answer(q, &(download){.name = name, .type = type}, true, &bytes);
}

int rest_start_form_variables(request *q) {
  orr_value form;
  orr_id id = rest_definition_of_path(q);
  return id && forms_of_start(q, id, &form) ? forms_write_variables(q, &form, NULL) : q->status;
}

int rest_start_form_rendered(request *q) {
  orr_value form;
  orr_id id = rest_definition_of_path(q);
  if (!id || !forms_of_start(q, id, &form)) return q->status;
  static const char why[] =
      "No matching rendered start form for process definition with the id %s found.";
  char *missing = request_printf(q, why, q->path[0]);
  return missing ? forms_render(q, &form, missing) : q->status;
}

int rest_deployed_start_form(request *q) {
  orr_value form;
  orr_id id = rest_definition_of_path(q);
  return id && forms_of_start(q, id, &form) ? rest_form_deployed(q, &form) : q->status;
}
