/* Migration: plans, and instances that move to another version by them. */
#include <string.h>

#include "rest_table.h"
#include "server/mapping/operation.h"
#include "server/mapping/selection.h"
#include "server/mapping/values.h"
#include "server/rest/batch.h"
#include "server/transport/members.h"
#include "server/transport/scalars.h"

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
    orr_builder_put(b, "update_event_trigger",
                    orr_bool(scalar_is_true(json_object_get(item, "updateEventTrigger"))));
    orr_builder_end(b);
  }
  orr_builder_end(b);
  return true;
}

/* A plan as orr_engine_migration_check and orr_engine_instances_migrate take it. False: the request has failed. */
static const body_field plan_members[] = {
    {.name = "sourceProcessDefinitionId", .kind = MEMBER_ID},
    {.name = "targetProcessDefinitionId", .kind = MEMBER_ID},
    {.name = "variables", .kind = MEMBER_VARIABLES},
};

static bool migration_plan_read(request *q, const json_t *plan, orr_value *out) {
  size_t members = sizeof plan_members / sizeof plan_members[0];
  if (!members_read_of(q, (json_t *)(uintptr_t)plan, "A migration plan", plan_members, members))
    return false;
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
  values_write_plain(q, &variables);
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

/* The problems of a plan, by its instructions. */
static void plan_report(request *q, const orr_value *problems) {
  orr_value problem;
  orr_iterator i = orr_iterate(problems);
  out_open(&q->out, '{');
  out_key(&q->out, "instructionReports");
  out_open(&q->out, '[');
  for (size_t n = 0; orr_next(&i, NULL, &problem); n++) {
    orr_value activity = orr_map_get(&problem, "activity_id");
    if (!report_told(problems, n, &activity)) report_write(q, problems, &problem);
  }
  out_close(&q->out, ']');
  out_key(&q->out, "variableReports");
  out_open(&q->out, '{');
  out_close(&q->out, '}');
  out_close(&q->out, '}');
}

int rest_migration_validate(request *q) {
  orr_value plan, problems;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b || !migration_plan_read(q, q->json, &plan)) return q->status;
  if (orr_engine_migration_check(rest_engine(q), &plan, NULL, b, &err)) {
    request_fail_engine(q, &err);
    return q->status = 400;
  }
  if (!rest_value(q, b, &problems)) return q->status;
  plan_report(q, &problems);
  return request_done(q);
}

/* ---- What is refused ------------------------------------------------------------------------ */

static void activity_report(json_out *out, const orr_value *problem) {
  orr_value from = orr_map_get(problem, "activity_id"), to = orr_map_get(problem, "target_id");
  orr_value message = orr_map_get(problem, "message");
  out_open(out, '{');
  out_key(out, "migrationInstruction");
  if (to.type == ORR_STRING) {
    out_open(out, '{');
    plan_activity(out, "sourceActivityIds", &from);
    plan_activity(out, "targetActivityIds", &to);
    out_put_bool(out, "updateEventTrigger", false);
    out_close(out, '}');
  } else {
    out_null(out);
  }
  out_put_null(out, "activityInstanceId");
  out_key(out, "sourceScopeId");
  out_value(out, &from);
  plan_activity(out, "failures", &message);
  out_close(out, '}');
}

/* Problems of one instance: at its activities, or of itself. */
static void problems_of_instance(json_out *out, const orr_value *problems,
                                 const orr_value *instance, bool of_activities) {
  orr_iterator i = orr_iterate(problems);
  orr_value problem;
  out_open(out, '[');
  while (orr_next(&i, NULL, &problem)) {
    orr_value message = orr_map_get(&problem, "message");
    orr_value of = orr_map_get(&problem, "instance_id");
    if (!plan_value_same(&of, instance) ||
        (orr_map_get(&problem, "activity_id").type == ORR_STRING) != of_activities)
      continue;
    if (of_activities) activity_report(out, &problem);
    else out_value(out, &message);
  }
  out_close(out, ']');
}

static void instance_report(json_out *out, const orr_value *problems, const orr_value *instance) {
  out_open(out, '{');
  out_key(out, "processInstanceId");
  out_value(out, instance);
  out_key(out, "failures");
  problems_of_instance(out, problems, instance, false);
  out_key(out, "activityInstanceValidationReports");
  problems_of_instance(out, problems, instance, true);
  out_key(out, "transitionInstanceValidationReports");
  out_open(out, '[');
  out_close(out, ']');
  out_close(out, '}');
}

/* The id of the first instance that something stands against; ORR_NIL when something stands against
 * the plan itself. */
static orr_value instance_refused(const orr_value *problems) {
  orr_iterator i = orr_iterate(problems);
  orr_value problem, first = {0};
  while (orr_next(&i, NULL, &problem)) {
    orr_value id = orr_map_get(&problem, "instance_id");
    if (id.type == ORR_NIL) return id;
    if (first.type == ORR_NIL) first = id;
  }
  return first;
}

/* With a report of everything, as Camunda answers: of the plan, or of the first instance that does
 * not fit it. */
static int migration_refused(request *q, orr_error *err) {
  orr_value problems = err->details ? orr_map_get(err->details, "problems") : (orr_value){0};
  if (err->code != ORR_E_ARGUMENT || problems.type != ORR_ARRAY) {
    request_fail_engine(q, err);
    return q->status = q->status == 404 ? 400 : q->status;
  }
  orr_value instance = instance_refused(&problems);
  bool plan = instance.type == ORR_NIL;
  out_reset(&q->out);
  out_open(&q->out, '{');
  out_put_text(&q->out, "type", plan ? "MigrationPlanValidationException"
                                     : "MigratingProcessInstanceValidationException");
  out_put_text(&q->out, "message", err->message);
  out_put_int(&q->out, "code", 0);
  out_key(&q->out, "validationReport");
  if (plan) plan_report(q, &problems);
  else instance_report(&q->out, &problems, &instance);
  out_close(&q->out, '}');
  orr_error_clear(err);
  return q->status = 400;
}

int rest_migration_execute(request *q) {
  orr_value plan, ids;
  int64_t n;
  orr_error err = {0};
  const json_t *given = body_member(q, "migrationPlan");
  orr_migrate_options options = {.size = sizeof options, .instances = &ids,
                                 .skip_listeners = body_bool(q, "skipCustomListeners", false),
                                 .skip_io_mappings = body_bool(q, "skipIoMappings", false)};
  if (!given) return request_refuse(q, "The migration plan is null");
  if (q->status || !migration_plan_read(q, given, &plan) ||
      !selected_ids(q, "processInstanceIds", "processInstanceQuery", &query_instance, &ids))
    return q->status;
  if (!orr_engine_instances_migrate(rest_engine(q), &plan, &options, &n,
      &err)) return request_no_content(q);
  return migration_refused(q, &err);
}

int rest_migration_execute_async(request *q) {
  orr_value plan;
  const json_t *given = body_member(q, "migrationPlan");
  if (!given) return request_refuse(q, "The migration plan is null");
  if (!migration_plan_read(q, given, &plan)) return q->status;
  batch_order b;
  if (!batch_of_instances(q, &b, "migrate")) return q->status;
  b.options.plan = &plan;
  batch_skips(q, &b);
  return batch_close_or(q, &b, migration_refused);
}
