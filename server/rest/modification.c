/* Modification: instructions that cancel and start activities, in one instance or in many. */
#include "server/rest/modification.h"

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

static void instruction_text(const json_t *item, const char *theirs, const char *ours, orr_builder *b) {
  const char *text = json_string_value(json_object_get(item, theirs));
  if (text) orr_builder_put(b, ours, orr_string(text));
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

static bool instruction_cancel(const json_t *item, orr_builder *b) {
  const char *instance = json_string_value(json_object_get(item, "activityInstanceId"));
  if (!instance) instance = json_string_value(json_object_get(item, "transitionInstanceId"));
  if (!instance) {
    instruction_text(item, "activityId", "cancel", b);
    return true;
  }
  orr_builder_put(b, "cancel_instance", orr_string(instance));
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

static bool instruction_read(request *q, json_t *item, orr_builder *b) {
  size_t members = sizeof instruction_members / sizeof instruction_members[0];
  if (!members_read_of(q, item, "An instruction", instruction_members, members)) return false;
  const char *type = json_string_value(json_object_get(item, "type"));
  const char *ancestor = json_string_value(json_object_get(item, "ancestorActivityInstanceId"));
  orr_builder_map(b);
  if (type && strcmp(type, "cancel") == 0) {
    if (!instruction_cancel(item, b)) return false;
  } else if (type && strcmp(type, "startBeforeActivity") == 0) {
    instruction_text(item, "activityId", "start_before", b);
  } else if (type && strcmp(type, "startAfterActivity") == 0) {
    instruction_text(item, "activityId", "start_after", b);
  } else if (type && strcmp(type, "startTransition") == 0) {
    instruction_text(item, "transitionId", "transition", b);
  } else {
    request_refuse(q, "The type of an instruction is cancel, startBeforeActivity, startAfterActivity or startTransition");
    return false;
  }
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
  return rest_end(q, orr_engine_modify(rest_engine(q), request_id(q), &instructions, &options, &err), &err);
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
      !selected_ids(q, "processInstanceIds", "processInstanceQuery", &query_instance, &ids))
    return q->status;
  if (!orr_engine_modify_instances(rest_engine(q), &instructions, &options, &n, &err)) return request_no_content(q);
  request_fail_engine(q, &err);
  return q->status = q->status == 404 ? 400 : q->status;
}

/* ---- The same by a batch ---------------------------------------------------------------------- */

static int batch_modification(request *q, orr_builder *b, const orr_value *instructions) {
  if (b) orr_builder_put(b, "instructions", *instructions);
  return batch_close(q, batch_skips(q, b));
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
  return batch_modification(q, batch_open(q, "modify", "instances", "id_in", &ids), &instructions);
}

int rest_modification_execute_async(request *q) {
  orr_value instructions;
  const char *definition = body_text(q, "processDefinitionId");
  if (!q->status && !definition) request_refuse(q, "processDefinitionId is null");
  if (q->status || !modification_instructions(q, "instructions", &instructions)) return q->status;
  orr_builder *b = batch_of_instances(q, "modify");
  if (b) orr_builder_put(b, "definition_id", orr_int(id_of_text(definition) ? (int64_t)id_of_text(definition) : INT64_MAX));
  batch_modification(q, b, &instructions);
  return q->status = q->status == 404 ? 400 : q->status;
}
