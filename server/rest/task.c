/* User tasks. */
#include <string.h>

#include "rest_table.h"
#include "server/mapping/forms.h"
#include "server/mapping/operation.h"
#include "server/mapping/records.h"
#include "server/mapping/tasks.h"
#include "server/mapping/values.h"
#include "server/rest/definition.h"
#include "server/transport/dispatch.h"

/* ---- Changing --------------------------------------------------------------------------------- */

/* PUT sets everything: what is not given is cleared, as in Camunda. */
static void update_text(request *q, const char *theirs, const char *ours, orr_builder *b) {
  const char *text = body_text(q, theirs);
  orr_builder_put(b, ours, text ? orr_string(text) : orr_null());
}

static void update_time(request *q, const char *theirs, const char *ours, orr_builder *b) {
  orr_time time = body_time(q, theirs);
  orr_builder_put(b, ours, time ? orr_seconds(time) : orr_null());
}

/* What is no id is none that there is. */
static orr_value named_parent(request *q, const char *text) {
  return orr_int((int64_t)task_id_number(q, text));
}

static void put_delegation(request *q, orr_builder *b) {
  const char *state = body_text(q, "delegationState");
  if (!state) return;
  const char *ours = strcmp(state, "PENDING") == 0 ? "pending" : strcmp(state, "RESOLVED") == 0 ? "resolved" : NULL;
  if (ours) orr_builder_put(b, "delegation", orr_string(ours));
  else request_refuse(q, "\"%s\" is no delegationState: PENDING or RESOLVED", state);
}

int rest_task_update(request *q) {
  orr_value changes;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  int64_t priority = body_int(q, "priority", INT64_MIN);
  const char *parent = body_text(q, "parentTaskId");
  orr_builder_map(b);
  update_text(q, "name", "name", b);
  update_text(q, "description", "description", b);
  update_text(q, "assignee", "assignee", b);
  update_text(q, "owner", "owner", b);
  update_time(q, "due", "due", b);
  update_time(q, "followUp", "follow_up", b);
  put_delegation(q, b);
  orr_builder_put(b, "parent_id", parent ? named_parent(q, parent) : orr_null());
  if (priority != INT64_MIN) orr_builder_put(b, "priority", orr_int(priority));
  orr_builder_end(b);
  if (q->status || !rest_value(q, b, &changes)) return q->status;
  int rc = orr_engine_task_update(rest_engine(q), request_id(q), &changes, &err);
  if (rc != ORR_E_STATE || !parent) return rest_end(q, rc, &err);
  request_refuse(q, "%s", err.message);
  orr_error_clear(&err);
  return q->status;
}

static void create_text(request *q, const char *theirs, const char *ours, orr_builder *b) {
  const char *text = body_text(q, theirs);
  if (text) orr_builder_put(b, ours, orr_string(text));
}

static void create_time(request *q, const char *theirs, const char *ours, orr_builder *b) {
  orr_time time = body_time(q, theirs);
  if (time) orr_builder_put(b, ours, orr_seconds(time));
}

int rest_task_create(request *q) {
  orr_value fields;
  orr_records *made = NULL;
  orr_error err = {0};
  const char *parent = body_text(q, "parentTaskId");
  int64_t priority = body_int(q, "priority", INT64_MIN);
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  orr_builder_map(b);
  create_text(q, "id", "own_id", b);
  create_text(q, "name", "name", b);
  create_text(q, "description", "description", b);
  create_text(q, "assignee", "assignee", b);
  create_text(q, "owner", "owner", b);
  create_text(q, "tenantId", "tenant", b);
  create_time(q, "due", "due", b);
  create_time(q, "followUp", "follow_up", b);
  put_delegation(q, b);
  if (parent) orr_builder_put(b, "parent_id", named_parent(q, parent));
  if (priority != INT64_MIN) orr_builder_put(b, "priority", orr_int(priority));
  orr_builder_end(b);
  if (q->status || !rest_value(q, b, &fields)) return q->status;
  int rc = orr_engine_task_create(rest_engine(q), &fields, &made, &err);
  orr_records_free(made);
  if (!request_lacks(&err)) return rest_end(q, rc, &err);
  orr_error_clear(&err);
  return request_refuse(q, "Parent task with id %s does not exist", parent);
}

int rest_task_delete(request *q) {
  orr_error err = {0};
  return rest_end(q, orr_engine_task_delete(rest_engine(q), request_id(q), NULL, &err), &err);
}

int rest_task_assign(request *q) {
  orr_error err = {0};
  const char *user = body_text(q, "userId");
  if (q->status) return q->status;
  return rest_end(q, orr_engine_task_assign(rest_engine(q), request_id(q), user, &err), &err);
}

int rest_task_unclaim(request *q) {
  orr_error err = {0};
  return rest_end(q, orr_engine_task_assign(rest_engine(q), request_id(q), NULL, &err), &err);
}

int rest_task_claim(request *q) {
  orr_error err = {0};
  const char *user = body_text(q, "userId");
  if (q->status) return q->status;
  int rc = orr_engine_task_claim(rest_engine(q), request_id(q), user, &err);
  if (rc != ORR_E_STATE || request_raised_inside(&err)) return rest_end(q, rc, &err);
  request_fail(q, 500, "TaskAlreadyClaimedException", "%s", err.message);
  orr_error_clear(&err);
  return q->status;
}

int rest_task_delegate(request *q) {
  orr_error err = {0};
  const char *user = body_text(q, "userId");
  if (q->status) return q->status;
  if (!user) return request_refuse(q, "\"userId\" is expected");
  return rest_end(q, orr_engine_task_delegate(rest_engine(q), request_id(q), user, &err), &err);
}

int rest_task_resolve(request *q) {
  orr_error err = {0};
  orr_value variables;
  if (!rest_variables(q, "variables", &variables)) return q->status;
  const orr_value *given = variables.type == ORR_NIL ? NULL : &variables;
  return rest_end(q, orr_engine_task_resolve(rest_engine(q), request_id(q), given, &err), &err);
}

/* ---- Completing ------------------------------------------------------------------------------- */

static int task_form_refused(request *q, orr_error *err) {
  request_fail(q, 400, "RestException", "Cannot submit task form %s: %s", q->path[0], err->message);
  orr_error_clear(err);
  return q->status;
}

/* With its variables, or with what its form says. */
static int complete(request *q, bool by_form) {
  orr_value variables;
  orr_error err = {0};
  bool wanted = body_bool(q, "withVariablesInReturn", false);
  if (q->status || !rest_variables(q, "variables", &variables)) return q->status;
  orr_records *task = wanted ? records_one(q, "tasks", request_id(q)) : NULL;
  orr_value instance = task ? orr_records_get(task, 0, "instance_id") : (orr_value){0};
  orr_records_free(task);
  const orr_value *given = variables.type == ORR_NIL ? NULL : &variables;
  if (wanted) dispatch_wait(q);
  if (q->status) return q->status;
  orr_engine *engine = rest_engine(q);
  int rc = by_form ? orr_engine_task_submit_form(engine, request_id(q), given, &err)
                   : orr_engine_task_complete(engine, request_id(q), given, NULL, NULL, &err);
  if (rc == ORR_E_ARGUMENT && by_form) return task_form_refused(q, &err);
  if (rc || !wanted) return rest_end(q, rc, &err);
  /* of the instance as they are once the task is done; one without a process has none */
  if (instance.type == ORR_INT) rest_instance_variables(q, (orr_id)instance.as.integer);
  else out_rawf(&q->out, "{}");
  return q->status ? q->status : request_done(q);
}

int rest_task_complete(request *q) { return complete(q, false); }

int rest_task_submit_form(request *q) { return complete(q, true); }

int rest_task_bpmn_error(request *q) {
  orr_value variables;
  orr_error err = {0};
  const char *code = body_text(q, "errorCode"), *message = body_text(q, "errorMessage");
  if (q->status || !rest_variables(q, "variables", &variables)) return q->status;
  if (!code || !*code) return request_refuse(q, "errorCode is empty");
  const orr_value *given = variables.type == ORR_NIL ? NULL : &variables;
  return rest_end(q, orr_engine_task_bpmn_error(rest_engine(q), request_id(q), code, message, given, &err), &err);
}

int rest_task_escalation(request *q) {
  orr_value variables;
  orr_error err = {0};
  const char *code = body_text(q, "escalationCode");
  if (q->status || !rest_variables(q, "variables", &variables)) return q->status;
  if (!code || !*code) return request_refuse(q, "escalationCode is empty");
  const orr_value *given = variables.type == ORR_NIL ? NULL : &variables;
  return rest_end(q, orr_engine_task_escalation(rest_engine(q), request_id(q), code, given, &err), &err);
}

/* ---- Identity links --------------------------------------------------------------------------- */

static void link_write(request *q, const char *type, orr_value user, orr_value group) {
  const char *wanted = request_argument(q, "type");
  if (wanted && strcmp(wanted, type) != 0) return;
  out_open(&q->out, '{');
  out_key(&q->out, "userId");
  out_value(&q->out, &user);
  out_key(&q->out, "groupId");
  out_value(&q->out, &group);
  out_put_text(&q->out, "type", type);
  out_close(&q->out, '}');
}

/* Assignee and owner are links to Camunda, fields to us. */
int rest_task_links(request *q) {
  orr_value links, link;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  orr_records *task = b ? records_one(q, "tasks", request_id(q)) : NULL;
  if (!task) return q->status ? q->status : rest_missing(q);
  int rc = orr_engine_task_links(rest_engine(q), request_id(q), b, &err);
  if (rc) rest_end(q, rc, &err);
  orr_value assignee = orr_records_get(task, 0, "assignee"), owner = orr_records_get(task, 0, "owner");
  out_open(&q->out, '[');
  if (!rc && rest_value(q, b, &links)) {
    if (assignee.type == ORR_STRING) link_write(q, "assignee", assignee, orr_null());
    if (owner.type == ORR_STRING) link_write(q, "owner", owner, orr_null());
    orr_iterator i = orr_iterate(&links);
    while (orr_next(&i, NULL, &link)) {
      orr_value type = orr_map_get(&link, "type");
      char *name = type.type == ORR_STRING ? request_printf(q, "%.*s", (int)type.size, type.as.bytes) : NULL;
      if (name) link_write(q, name, orr_map_get(&link, "user"), orr_map_get(&link, "group"));
    }
  }
  out_close(&q->out, ']');
  orr_records_free(task);
  return q->status ? q->status : request_done(q);
}

static bool link_of_body(request *q, const char **user, const char **group, const char **type) {
  *user = body_text(q, "userId");
  *group = body_text(q, "groupId");
  *type = body_text(q, "type");
  if (!q->status && (!*user == !*group || !*type))
    request_refuse(q, "Identity Link requires a type, and userId or groupId, but not both.");
  return !q->status;
}

int rest_task_link_add(request *q) {
  const char *user, *group, *type;
  orr_error err = {0};
  if (!link_of_body(q, &user, &group, &type)) return q->status;
  if (user && strcmp(type, "assignee") == 0)
    return rest_end(q, orr_engine_task_assign(rest_engine(q), request_id(q), user, &err), &err);
  return rest_end(q, orr_engine_task_add_link(rest_engine(q), request_id(q), type, user, group, &err), &err);
}

int rest_task_link_delete(request *q) {
  const char *user, *group, *type;
  orr_error err = {0};
  if (!link_of_body(q, &user, &group, &type)) return q->status;
  return rest_end(q, orr_engine_task_remove_link(rest_engine(q), request_id(q), type, user, group, &err), &err);
}

/* ---- Forms ------------------------------------------------------------------------------------ */

int rest_task_form(request *q) {
  orr_value form;
  if (!forms_of_task(q, request_id(q), &form)) return q->status;
  char *rendered = request_printf(q, "task/%s", q->path[0]);
  return rendered ? forms_write_key(q, &form, rendered) : q->status;
}

/* Its fields, and every variable that the task sees. */
int rest_task_form_variables(request *q) {
  orr_value form, all;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b || !forms_of_task(q, request_id(q), &form)) return q->status;
  int rc = orr_engine_variables_get_typed(rest_engine(q), request_id(q), ORR_VISIBLE, b, &err);
  if (rc) return rest_end(q, rc, &err);
  return rest_value(q, b, &all) ? forms_write_variables(q, &form, &all) : q->status;
}

int rest_task_form_rendered(request *q) {
  orr_value form;
  if (!forms_of_task(q, request_id(q), &form)) return q->status;
  static const char why[] = "No matching rendered form for task with the id %s found.";
  char *missing = request_printf(q, why, q->path[0]);
  return missing ? forms_render(q, &form, missing) : q->status;
}

int rest_task_deployed_form(request *q) {
  orr_value form;
  return forms_of_task(q, request_id(q), &form) ? rest_form_deployed(q, &form) : q->status;
}
