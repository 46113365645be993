/* Modification: instructions that cancel and start activities, in one instance or in many. */
#include "server/rest/modification.h"

#include <inttypes.h>
#include <string.h>

#include "rest_table.h"
#include "server/mapping/operation.h"
#include "server/mapping/records.h"
#include "server/mapping/selection.h"
#include "server/mapping/values.h"
#include "server/rest/batch.h"
#include "server/transport/members.h"
#include "server/transport/scalars.h"

/* ---- Instructions ----------------------------------------------------------------------------- */

/* What the instructions of each type must name. */
static const struct instruction_type {
  const char *name, *names, *ours;
} instruction_types[] = {
    {"startBeforeActivity", "activityId", "start_before"},
    {"startAfterActivity", "activityId", "start_after"},
    {"startTransition", "transitionId", "transition"},
};

static const char *instruction_text(const json_t *item, const char *name) {
  return json_string_value(json_object_get(item, name));
}

/* Variables of an instruction may be local to what it starts. */
static bool instruction_variables(request *q, const json_t *item, bool local, const char *ours, orr_builder *b) {
  const json_t *variables = json_object_get(item, "variables");
  size_t n = 0;
  for (void *at = json_object_iter((json_t *)variables); at; at = json_object_iter_next((json_t *)variables, at))
    n += scalar_is_true(json_object_get(json_object_iter_value(at), "local")) == local;
  if (n == 0) return true;
  orr_builder_key(b, ours, strlen(ours));
  orr_builder_map(b);
  for (void *at = json_object_iter((json_t *)variables); at; at = json_object_iter_next((json_t *)variables, at)) {
    const json_t *value = json_object_iter_value(at);
    if (scalar_is_true(json_object_get(value, "local")) != local) continue;
    if (!values_read_one(q, json_object_iter_key(at), value, b)) return false;
  }
  orr_builder_end(b);
  return true;
}

static bool instruction_cancel(request *q, const json_t *item, orr_builder *b) {
  const char *activity = instruction_text(item, "activityId");
  const char *instance = instruction_text(item, "activityInstanceId");
  const char *transition = instruction_text(item, "transitionInstanceId");
  if (!activity + !instance + !transition != 2) {
    request_refuse(q, "For instruction type 'cancel': exactly one, 'activityId', "
                      "'activityInstanceId', or 'transitionInstanceId', is required");
    return false;
  }
  if (activity) orr_builder_put(b, "cancel", orr_string(activity));
  else orr_builder_put(b, "cancel_instance", orr_string(instance ? instance : transition));
  return true;
}

static const body_field instruction_members[] = {
    {.name = "type", .kind = MEMBER_TEXT},
    {.name = "activityId", .kind = MEMBER_TEXT},
    {.name = "transitionId", .kind = MEMBER_TEXT},
    {.name = "activityInstanceId", .kind = MEMBER_ID},
    {.name = "transitionInstanceId", .kind = MEMBER_ID},
    {.name = "variables", .kind = MEMBER_VARIABLES},
    {.name = "ancestorActivityInstanceId", .kind = MEMBER_ID},
};

static bool instruction_start(request *q, const char *type, const json_t *item, orr_builder *b) {
  const size_t n = sizeof instruction_types / sizeof instruction_types[0];
  for (size_t i = 0; i < n; i++) {
    const struct instruction_type *is = &instruction_types[i];
    if (strcmp(type, is->name) != 0) continue;
    const char *text = instruction_text(item, is->names);
    if (text) orr_builder_put(b, is->ours, orr_string(text));
    else request_refuse(q, "For instruction type '%s': '%s' must be set", type, is->names);
    return text;
  }
  request_refuse(q, "The type of an instruction is cancel, startBeforeActivity, "
                    "startAfterActivity or startTransition");
  return false;
}

static bool instruction_read(request *q, json_t *item, orr_builder *b) {
  size_t members = sizeof instruction_members / sizeof instruction_members[0];
  if (!members_read_of(q, item, "An instruction", instruction_members, members)) return false;
  const char *type = instruction_text(item, "type");
  const char *ancestor = instruction_text(item, "ancestorActivityInstanceId");
  bool cancels = type && strcmp(type, "cancel") == 0;
  orr_builder_map(b);
  if (cancels ? !instruction_cancel(q, item, b) : !instruction_start(q, type ? type : "", item, b))
    return false;
  if (ancestor) orr_builder_put(b, "ancestor", orr_string(ancestor));
  if (!instruction_variables(q, item, false, "variables", b) || !instruction_variables(q, item, true, "local_variables", b))
    return false;
  orr_builder_end(b);
  return true;
}

bool modification_instructions(request *q, const char *member, orr_value *out) {
  const json_t *list = body_member(q, member);
  orr_builder *b = request_builder(q);
  if (!b) return false;
  if (json_array_size(list) == 0) {
    request_refuse(q, "\"%s\": at least one instruction is expected", member);
    return false;
  }
  orr_builder_array(b);
  for (size_t i = 0; i < json_array_size(list); i++)
    if (!instruction_read(q, json_array_get(list, i), b)) return false;
  orr_builder_end(b);
  return rest_value(q, b, out);
}

/* ---- Carrying them out ------------------------------------------------------------------------ */

int rest_instance_modify(request *q) {
  orr_value instructions;
  orr_error err = {0};
  orr_modify_options options = {.size = sizeof options, .skip_listeners = body_bool(q, "skipCustomListeners", false),
                                .skip_io_mappings = body_bool(q, "skipIoMappings", false)};
  if (q->status || !modification_instructions(q, "instructions", &instructions)) return q->status;
  return rest_end(q, orr_engine_instance_modify(rest_engine(q), request_id(q), &instructions, &options, &err), &err);
}

/* A client that names a definition means only its instances. False: the request has failed. */
static bool instances_are_of(request *q, const orr_value *ids, orr_id definition) {
  orr_records *found = records_by(q, "instances", &(key_value){"id_in", *ids}, 1);
  for (size_t i = 0; !q->status && i < orr_records_count(found); i++) {
    orr_value of = orr_records_get(found, i, "definition_id");
    if ((orr_id)of.as.integer == definition) continue;
    request_fail(q, 500, "ProcessEngineException",
                 "The process definition '%" PRIu64 "' of the process instance '%" PRIu64
                 "' and process definition '%" PRIu64 "' of modification do not match",
                 (orr_id)of.as.integer, orr_records_id(found, i), definition);
  }
  orr_records_free(found);
  return !q->status;
}

int rest_modification_execute(request *q) {
  orr_value ids, instructions;
  int64_t n;
  orr_error err = {0};
  orr_modify_instances_options options = {.size = sizeof options, .instances = &ids,
                                          .skip_listeners = body_bool(q, "skipCustomListeners", false),
                                          .skip_io_mappings = body_bool(q, "skipIoMappings", false)};
  if (!body_given(q, "processDefinitionId")) return request_refuse(q, "processDefinitionId is null");
  if (q->status || !modification_instructions(q, "instructions", &instructions) ||
      !selected_ids(q, "processInstanceIds", "processInstanceQuery", &query_instance, &ids) ||
      !instances_are_of(q, &ids, id_of_text(body_text(q, "processDefinitionId"))))
    return q->status;
  if (!orr_engine_instances_modify(rest_engine(q), &instructions, &options, &n, &err)) return request_no_content(q);
  request_fail_engine(q, &err);
  return q->status = q->status == 404 ? 400 : q->status;
}

/* ---- The same by a batch ---------------------------------------------------------------------- */

static int batch_modification(request *q, batch_order *b, const orr_value *instructions) {
  b->options.instructions = instructions;
  batch_skips(q, b);
  return batch_close(q, b);
}

int rest_instance_modify_async(request *q) {
  orr_value instructions, ids;
  orr_builder *of = request_builder(q);
  if (!of || !modification_instructions(q, "instructions", &instructions)) return q->status;
  orr_records *is = records_one(q, "instances", request_id(q));
  if (!is) return q->status ? q->status : rest_missing(q);
  orr_value id = orr_int((int64_t)orr_records_id(is, 0));
  orr_records_free(is);
  orr_builder_array(of);
  orr_builder_add(of, &id);
  orr_builder_end(of);
  if (!rest_value(q, of, &ids)) return q->status;
  batch_order b;
  if (!batch_open(q, &b, "modify", "instances", "id_in", &ids)) return q->status;
  return batch_modification(q, &b, &instructions);
}

int rest_modification_execute_async(request *q) {
  orr_value instructions;
  const char *definition = body_text(q, "processDefinitionId");
  if (!q->status && !definition) request_refuse(q, "processDefinitionId is null");
  if (q->status || !modification_instructions(q, "instructions", &instructions)) return q->status;
  batch_order b;
  if (!batch_of_instances(q, &b, "modify")) return q->status;
  b.options.definition = id_of_text(definition) ? id_of_text(definition) : INT64_MAX;
  batch_modification(q, &b, &instructions);
  return q->status = q->status == 404 ? 400 : q->status;
}
