/* Variables of an instance, an execution or a task. */
#include <string.h>

#include "rest_table.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/mapping/query.h"
#include "server/mapping/records.h"
#include "server/mapping/values.h"
#include "server/rest/batch.h"
#include "server/transport/multipart.h"

static orr_reach path_reach(const request *q) { return strstr(q->operation->path, "localVariables") ? ORR_LOCAL : ORR_VISIBLE; }

int rest_variables_get(request *q) {
  orr_value all;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  int rc = orr_engine_variables_get_typed(rest_engine(q), request_id(q), path_reach(q), b, &err);
  if (rc) return rest_end(q, rc, &err);
  if (!rest_value(q, b, &all)) return q->status;
  values_write_all(&q->out, &all);
  return request_done(q);
}

/* Of a task in a list: what it sees, or its own alone. */
void dto_task_variables(const row *r, json_out *out) {
  bool visible = rest_asked(r->request, "withTaskVariablesInReturn");
  const char *field = visible ? "fetched_variables" : "fetched_local_variables";
  if (dto_is_listed(r)) {
    orr_value listed = orr_records_get(r->records, r->index, field);
    values_write_plain(r->request, &listed);
    return;
  }
  orr_reach reach = visible ? ORR_VISIBLE : ORR_LOCAL;
  orr_builder *b = orr_builder_new();
  orr_value all = {0};
  orr_id id = orr_records_id(r->records, r->index);
  bool read = b && !orr_engine_variables_get_typed(rest_engine(r->request), id, reach, b, NULL);
  if (!read || orr_builder_value(b, &all, NULL)) out->failed = true;
  else values_write_all(out, &all);
  orr_builder_free(b);
}

/* False: there is none, or no scope, and the request has failed. */
static bool variable_of_path(request *q, orr_value *described) {
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return false;
  int rc = orr_engine_variable_get_typed(rest_engine(q), request_id(q), q->path[1], path_reach(q), b, &err);
  if (rc) {
    rest_end(q, rc, &err);
    return false;
  }
  rest_optional(b, described);
  if (described->type == ORR_MAP) return true;
  request_fail(q, 404, "InvalidRequestException", "%s variable with name %s does not exist",
               strncmp(q->operation->path, "/task", 5) == 0 ? "task" : "execution", q->path[1]);
  return false;
}

int rest_variable_get(request *q) {
  orr_value described;
  if (!variable_of_path(q, &described)) return q->status;
  values_write(&q->out, &described);
  return request_done(q);
}

int rest_variable_data(request *q) {
  orr_value described;
  return variable_of_path(q, &described) ? values_data(q, &described) : q->status;
}

static int variables_set(request *q, const orr_value *variables) {
  orr_error err = {0};
  return rest_end(q, orr_engine_variables_set(rest_engine(q), request_id(q), variables, path_reach(q), &err), &err);
}

int rest_variable_put(request *q) {
  orr_value variables;
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  orr_builder_map(b);
  if (!values_read_one(q, q->path[1], q->json, b)) return q->status;
  orr_builder_end(b);
  return rest_value(q, b, &variables) ? variables_set(q, &variables) : q->status;
}

int rest_variable_delete(request *q) {
  orr_error err = {0};
  return rest_end(q, orr_engine_variable_remove(rest_engine(q), request_id(q), q->path[1], path_reach(q), &err), &err);
}

/* What is set and what is deleted, in one transaction. */
int rest_variables_patch(request *q) {
  orr_engine *engine = rest_engine(q);
  orr_value variables;
  orr_error err = {0};
  const json_t *gone = body_member(q, "deletions");
  if (!rest_variables(q, "modifications", &variables)) return q->status;
  if (orr_engine_begin(engine, &err)) return request_fail_engine(q, &err);
  orr_builder *b = request_builder(q);
  int rc = b ? orr_engine_variables_get(engine, request_id(q), ORR_LOCAL, b, &err) : ORR_E_MEMORY; /* is there such a scope? */
  if (!rc && variables.type != ORR_NIL) rc = orr_engine_variables_set(engine, request_id(q), &variables, path_reach(q), &err);
  for (size_t i = 0; i < json_array_size(gone) && !rc; i++) {
    const char *name = json_string_value(json_array_get(gone, i));
    if (name) rc = orr_engine_variable_remove(engine, request_id(q), name, path_reach(q), &err);
  }
  if (rc) orr_engine_rollback(engine);
  else rc = orr_engine_commit(engine, &err);
  return rest_end(q, rc, &err);
}

/* A form with the bytes in the part `data`, and valueType File or Bytes. */
int rest_variable_data_put(request *q) {
  const part *data = multipart_part(q, "data"), *type = multipart_part(q, "valueType");
  orr_builder *b = request_builder(q), *about = request_builder(q);
  orr_value info, variables;
  orr_error err = {0};
  if (!b || !about) return q->status;
  if (!data) return request_refuse(q, "No part \"data\" found");
  const char *is = type && type->data ? type->data : data->filename ? "File" : "Bytes";
  orr_value bytes = orr_bytes(data->data ? data->data : "", data->size);
  orr_builder_map(about);
  if (data->filename) orr_builder_put(about, "filename", orr_string(data->filename));
  if (data->type) orr_builder_put(about, "mimetype", orr_string(data->type));
  orr_builder_end(about);
  orr_builder_map(b);
  orr_builder_key(b, q->path[1], strlen(q->path[1]));
  if (!rest_value(q, about, &info)) return q->status;
  if (orr_builder_typed(b, is, &bytes, &info, &err)) return request_fail_engine(q, &err);
  orr_builder_end(b);
  return rest_value(q, b, &variables) ? variables_set(q, &variables) : q->status;
}

int rest_variables_async(request *q) {
  orr_value variables;
  if (!rest_variables(q, "variables", &variables)) return q->status;
  if (orr_count(&variables) == 0) return request_refuse(q, "variables is empty");
  batch_order b;
  if (!batch_of_instances(q, &b, "set_variables")) return q->status;
  b.options.variables = &variables;
  return batch_close(q, &b);
}

/* ---- Across instances ------------------------------------------------------------------------- */

/* Of what runs. */
static orr_records *variable_record(request *q) {
  return records_first(q, "variables", &(key_value){"id", orr_string(q->path[0])}, 1);
}

int rest_variable_instance_get(request *q) { return rest_answer_one(q, &dto_VariableInstanceDto, variable_record(q)); }

int rest_variable_instance_data(request *q) { return values_data_of(q, variable_record(q)); }
