/* Deployments. */
#include "server/rest/deployment.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rest_table.h"
#include "server/mapping/download.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/mapping/records.h"
#include "server/transport/multipart.h"

/* ---- Bringing --------------------------------------------------------------------------------- */

static const char *part_text(const request *q, const char *name) {
  const part *p = multipart_part(q, name);
  return p && p->data && p->size > 0 ? p->data : NULL;
}

static bool part_true(const request *q, const char *name) {
  const char *text = part_text(q, name);
  return text && strcmp(text, "true") == 0;
}

/* Every part with a file's name is a resource of that name; Camunda's clients name the part as the file. */
static bool deployment_resources_of(request *q, orr_value *out) {
  orr_builder *b = request_builder(q);
  size_t n = 0;
  if (!b) return false;
  orr_builder_map(b);
  for (const part *p = q->parts; p; p = p->next) {
    if (!p->filename) continue;
    orr_value bytes = orr_bytes(p->data ? p->data : "", p->size);
    orr_builder_put(b, p->filename, bytes);
    n++;
  }
  orr_builder_end(b);
  if (n > 0) return rest_value(q, b, out);
  request_refuse(q, "No deployment resources contained in the form upload.");
  return false;
}

static void deployed_definitions(request *q, const char *key, const char *verb, const dto *shape, orr_id deployment) {
  orr_records *found = records_by(q, verb, &(key_value){"deployment_id", orr_int((int64_t)deployment)}, 1);
  size_t n = found ? orr_records_count(found) : 0;
  out_key(&q->out, key);
  if (n == 0) {
    out_null(&q->out);
    orr_records_free(found);
    return;
  }
  out_open(&q->out, '{');
  for (size_t i = 0; i < n; i++) {
    char id[24];
    snprintf(id, sizeof id, "%" PRIu64, orr_records_id(found, i));
    out_key(&q->out, id);
    dto_write(q, shape, found, i);
  }
  out_close(&q->out, '}');
  orr_records_free(found);
}

static int deployment_answer(request *q, orr_records *made) {
  orr_id id = orr_records_id(made, 0);
  out_open(&q->out, '{');
  dto_write_fields(q, &dto_DeploymentDto, made, 0);
  deployed_definitions(q, "deployedProcessDefinitions", "definitions", &dto_ProcessDefinitionDto, id);
  deployed_definitions(q, "deployedDecisionDefinitions", "decisions", &dto_DecisionDefinitionDto, id);
  out_put_null(&q->out, "deployedCaseDefinitions");
  out_put_null(&q->out, "deployedDecisionRequirementsDefinitions");
  out_close(&q->out, '}');
  orr_records_free(made);
  return q->status ? q->status : request_done(q);
}

static void problem_write(json_out *out, const orr_value *problem) {
  orr_value message = orr_map_get(problem, "message"), element = orr_map_get(problem, "element");
  orr_value line = orr_map_get(problem, "line"), column = orr_map_get(problem, "column");
  out_open(out, '{');
  out_key(out, "message");
  out_value(out, &message);
  out_put_int(out, "line", line.type == ORR_INT ? line.as.integer : 0);
  out_put_int(out, "column", column.type == ORR_INT ? column.as.integer : 0);
  out_key(out, "mainElementId");
  out_value(out, &element);
  out_key(out, "elementIds");
  out_open(out, '[');
  if (element.type == ORR_STRING) out_value(out, &element);
  out_close(out, ']');
  out_close(out, '}');
}

static bool problem_of(const orr_value *problem, const orr_value *resource) {
  orr_value is = orr_map_get(problem, "resource");
  return is.type == ORR_STRING && is.size == resource->size && memcmp(is.as.bytes, resource->as.bytes, is.size) == 0;
}

static bool problem_warns(const orr_value *problem) {
  orr_value warning = orr_map_get(problem, "warning");
  return warning.type == ORR_BOOL && warning.as.boolean;
}

/* Those of a resource of one kind: errors, or warnings. */
static void problems_list(json_out *out, const char *key, const orr_value *problems, const orr_value *resource,
                          bool warnings) {
  orr_iterator i = orr_iterate(problems);
  orr_value problem;
  out_key(out, key);
  out_open(out, '[');
  while (orr_next(&i, NULL, &problem))
    if (problem_of(&problem, resource) && problem_warns(&problem) == warnings) problem_write(out, &problem);
  out_close(out, ']');
}

static bool problems_any(const orr_value *problems, const orr_value *resource) {
  orr_iterator i = orr_iterate(problems);
  orr_value problem;
  while (orr_next(&i, NULL, &problem))
    if (problem_of(&problem, resource)) return true;
  return false;
}

/* Camunda's report: by resource, errors and warnings. */
static void problems_report(json_out *out, const orr_value *problems, const orr_value *resources) {
  orr_iterator names = orr_iterate(resources);
  orr_value name, bytes;
  out_open(out, '{');
  while (orr_next(&names, &name, &bytes)) {
    if (!problems_any(problems, &name)) continue;
    out_key_bytes(out, name.as.bytes, name.size);
    out_open(out, '{');
    problems_list(out, "errors", problems, &name, false);
    problems_list(out, "warnings", problems, &name, true);
    out_close(out, '}');
  }
  out_close(out, '}');
}

/* The Modeler shows what begins with this code. */
static char *problems_message(const orr_value *problems, const orr_error *err) {
  json_out text = {0};
  orr_iterator i = orr_iterate(problems);
  orr_value problem;
  out_rawf(&text, "ENGINE-09005 Could not parse BPMN process. Errors: ");
  while (orr_next(&i, NULL, &problem)) {
    orr_value message = orr_map_get(&problem, "message"), resource = orr_map_get(&problem, "resource");
    orr_value line = orr_map_get(&problem, "line"), column = orr_map_get(&problem, "column");
    if (problem_warns(&problem)) continue;
    out_rawf(&text, "\n* %.*s | resource %.*s | line %" PRId64 " | column %" PRId64, (int)message.size,
             message.type == ORR_STRING ? message.as.bytes : "", (int)resource.size,
             resource.type == ORR_STRING ? resource.as.bytes : "", line.type == ORR_INT ? line.as.integer : 0,
             column.type == ORR_INT ? column.as.integer : 0);
  }
  if (orr_count(problems) == 0) out_rawf(&text, "\n* %s", err->message ? err->message : "");
  out_raw(&text, "", 1);
  if (!text.failed) return text.data;
  out_free(&text);
  return NULL;
}

static int deployment_refused(request *q, orr_error *err, const orr_value *resources) {
  if (err->code != ORR_E_DEPLOYMENT) return request_fail_engine(q, err);
  orr_value problems = err->details ? orr_map_get(err->details, "problems") : (orr_value){0};
  char *message = problems_message(&problems, err);
  out_reset(&q->out);
  out_open(&q->out, '{');
  out_put_text(&q->out, "type", "ParseException");
  out_put_text(&q->out, "message", message);
  out_put_int(&q->out, "code", 0);
  out_key(&q->out, "details");
  problems_report(&q->out, &problems, resources);
  out_close(&q->out, '}');
  free(message);
  orr_error_clear(err);
  return q->status = 400;
}

static int deployment_make(request *q, const orr_value *resources, const orr_deploy_options *options) {
  orr_records *made = NULL;
  orr_error err = {0};
  if (orr_engine_deploy(rest_engine(q), resources, options, &made, &err)) return deployment_refused(q, &err, resources);
  return deployment_answer(q, made);
}

int rest_deployment_create(request *q) {
  orr_value resources;
  orr_deploy_options options = {.size = sizeof options,
                                .name = part_text(q, "deployment-name"),
                                .source = part_text(q, "deployment-source"),
                                .tenant = part_text(q, "tenant-id")};
  const char *at = part_text(q, "deployment-activation-time");
  if (!deployment_resources_of(q, &resources)) return q->status;
  if (part_true(q, "enable-duplicate-filtering"))
    options.filter_duplicates = part_true(q, "deploy-changed-only") ? "changed" : "true";
  if (at && orr_time_parse(at, &options.activate_at, NULL)) return request_refuse(q, "\"%s\" is no date", at);
  return deployment_make(q, &resources, &options);
}

/* ---- Looking ---------------------------------------------------------------------------------- */

int rest_deployment_registered(request *q) {
  orr_error err = {0};
  orr_value ids, id;
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  if (orr_engine_deployments_registered(rest_engine(q), b, &err)) return request_fail_engine(q, &err);
  if (!rest_value(q, b, &ids)) return q->status;
  orr_iterator i = orr_iterate(&ids);
  out_open(&q->out, '[');
  while (orr_next(&i, NULL, &id)) out_id(&q->out, (orr_id)id.as.integer);
  out_close(&q->out, ']');
  return request_done(q);
}

int rest_deployment_delete(request *q) {
  orr_error err = {0};
  return rest_end(q, orr_engine_deployment_delete(rest_engine(q), request_id(q),
      rest_cascade_of(q), &err),
                  &err);
}

static bool deployment_names(request *q, orr_value *out) {
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return false;
  int rc = orr_engine_deployment_resources(rest_engine(q), request_id(q), b, &err);
  if (rc) rest_end(q, rc, &err);
  return !rc && rest_value(q, b, out);
}

/* A resource's id is its place in the deployment, whose resources never change. */
static void resource_write(request *q, const orr_value *name, size_t place) {
  char id[24];
  snprintf(id, sizeof id, "%zu", place + 1);
  out_open(&q->out, '{');
  out_put_text(&q->out, "id", id);
  out_key(&q->out, "name");
  out_value(&q->out, name);
  out_key(&q->out, "deploymentId");
  out_id(&q->out, request_id(q));
  out_close(&q->out, '}');
}

int rest_deployment_resources(request *q) {
  orr_value names, name;
  size_t n = 0;
  if (!deployment_names(q, &names)) return q->status;
  orr_iterator i = orr_iterate(&names);
  out_open(&q->out, '[');
  while (orr_next(&i, NULL, &name)) resource_write(q, &name, n++);
  out_close(&q->out, ']');
  return request_done(q);
}

/* The resource of the path's second id; false: there is none, and the request has failed. */
static bool resource_named(request *q, orr_value *out, size_t *place) {
  orr_value names;
  if (!deployment_names(q, &names)) return false;
  orr_iterator i = orr_iterate(&names);
  for (*place = 0; orr_next(&i, NULL, out); (*place)++)
    if (id_of_text(q->path[1]) == *place + 1) return true;
  request_fail(q, 404, "InvalidRequestException",
               "Deployment resource with resource id '%s' for deployment id '%s' does not exist.", q->path[1], q->path[0]);
  return false;
}

int rest_deployment_resource(request *q) {
  orr_value name;
  size_t place;
  if (!resource_named(q, &name, &place)) return q->status;
  resource_write(q, &name, place);
  return request_done(q);
}

bool rest_resource_bytes(request *q, orr_id deployment, const orr_value *name, orr_value *out) {
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  char *text = request_printf(q, "%.*s", (int)name->size, name->as.bytes);
  if (!b || !text) return false;
  int rc = orr_engine_deployment_resource(rest_engine(q), deployment, text, b, &err);
  if (rc) rest_end(q, rc, &err);
  return !rc && rest_value(q, b, out);
}

int rest_deployment_data(request *q) {
  orr_value name, bytes;
  size_t place;
  if (!resource_named(q, &name, &place) || !rest_resource_bytes(q, request_id(q), &name, &bytes)) return q->status;
  return download_answer(q, &(download){.name = name}, true, &bytes);
}

/* ---- Again ------------------------------------------------------------------------------------ */

static bool redeploy_wanted(request *q, const orr_value *name, size_t place) {
  const json_t *ids = body_member(q, "resourceIds"), *names = body_member(q, "resourceNames");
  if (!ids && !names) return true;
  for (size_t i = 0; i < json_array_size(ids); i++)
    if (id_of_text(json_string_value(json_array_get(ids, i))) == place + 1) return true;
  for (size_t i = 0; i < json_array_size(names); i++) {
    const char *wanted = json_string_value(json_array_get(names, i));
    if (wanted && strlen(wanted) == name->size && memcmp(wanted, name->as.bytes, name->size) == 0) return true;
  }
  return false;
}

int rest_deployment_redeploy(request *q) {
  orr_value names, name, bytes, resources;
  orr_records *old = records_one(q, "deployments", request_id(q));
  orr_builder *b = request_builder(q);
  if (!old) return q->status ? q->status : rest_missing(q);
  orr_value title = orr_records_get(old, 0, "name"), tenant = orr_records_get(old, 0, "tenant");
  orr_deploy_options options = {.size = sizeof options};
  if (title.type == ORR_STRING) options.name = request_printf(q, "%.*s", (int)title.size, title.as.bytes);
  if (tenant.type == ORR_STRING) options.tenant = request_printf(q, "%.*s", (int)tenant.size, tenant.as.bytes);
  orr_records_free(old);
  if (!b || q->status || !deployment_names(q, &names)) return q->status;
  orr_iterator i = orr_iterate(&names);
  orr_builder_map(b);
  size_t n = 0;
  for (size_t place = 0; orr_next(&i, NULL, &name); place++) {
    if (!redeploy_wanted(q, &name, place)) continue;
    if (!rest_resource_bytes(q, request_id(q), &name, &bytes)) return q->status;
    orr_builder_key(b, name.as.bytes, name.size);
    orr_builder_add(b, &bytes);
    n++;
  }
  orr_builder_end(b);
  if (n == 0)
    return request_fail(q, 404, "InvalidRequestException", "There are no such resources in deployment %s", q->path[0]);
  return rest_value(q, b, &resources) ? deployment_make(q, &resources, &options) : q->status;
}
