/* Commands on user tasks. */
#include "base/builder.h"
#include "base/null.h"
#include "base/value.h"
#include "command/guard_row.h"
#include "command/operands.h"
#include "command/operations.h"
#include "exec/task/standalone_task.h"
#include "query/results.h"
#include "uow/find.h"

/* The arguments of all of them; each uses some. */
typedef struct task_call {
  orr_id task;
  const orr_value *variables, *local, *transient;
  const char *user, *group, *type, *code, *text;
  orr_builder *out;
} task_call;

/* The task of a command that changes it. A task is suspended with its instance. */
static rec_task *changeable(context *c, const task_call *call) {
  rec_task *t = lookup_task(c, call->task);
  bool alone = t && !t->instance_id;
  return alone || (t && !refuse_suspended(c, t->instance_id)) ? t : NULL;
}

static int run_task_call(const char *name, orr_engine *engine, command_body body, task_call *call,
                         orr_error *err) { return command_run_as(name, engine, body, call, err); }

/* ---- For the log of users' operations -------------------------------------------------------- */

static int log_text_change(context *c, const user_operation *what, const char *property, rec_text before, rec_text after) {
  return rec_text_equal(before, after) ? 0 : user_operation_texts(c, what, property, before.data, after.data);
}

static int log_parent(context *c, const user_operation *what, orr_id before, orr_id after) {
  orr_value old = before ? value_of_id(c->arena, before) : orr_null(), new = after ? value_of_id(c->arena, after) : orr_null();
  return before == after ? 0 : user_operation_log(c, what, "parent_id", &old, &new);
}

/* A row for each field that an operation has changed. */
static int log_task_changes(context *c, const rec_task *before, const rec_task *t, const char *type) {
  user_operation what = operation_on_task(t, type);
  if (!user_operation_logged(c)) return 0;
  const struct { const char *name; rec_text before, after; } texts[] = {
      {"assignee", before->assignee, t->assignee}, {"owner", before->owner, t->owner},
      {"delegation", before->delegation, t->delegation}, {"name", before->name, t->name},
      {"description", before->description, t->description}, {"category", before->category, t->category}};
  int rc = 0;
  for (size_t i = 0; !rc && i < sizeof texts / sizeof *texts; i++)
    rc = log_text_change(c, &what, texts[i].name, texts[i].before, texts[i].after);
  if (!rc) rc = log_parent(c, &what, before->parent_id, t->parent_id);
  if (!rc && before->priority != t->priority) rc = user_operation_numbers(c, &what, "priority", before->priority, t->priority);
  if (!rc && before->due != t->due) rc = user_operation_times(c, &what, "due", before->due, t->due);
  if (rc || before->follow_up == t->follow_up) return rc;
  return user_operation_times(c, &what, "follow_up", before->follow_up, t->follow_up);
}

static int log_link(context *c, const rec_task *t, const task_call *call, const char *type) {
  user_operation what = operation_on_task(t, type);
  what.entity = "IdentityLink";
  return user_operation_texts(c, &what, call->type, NULL, call->user ? call->user : call->group);
}

/* ---- Tasks without a process ----------------------------------------------------------------- */

typedef struct creation {
  const orr_value *fields;
  orr_records **out;
} creation;

/* Is there a record with this own_id, but for those of the task that is being made? */
static int own_id_taken(context *c, const rec_task *t, bool ended, bool *out) {
  rec_key by = {.text = t->own_id};
  enum rec_index index = ended ? REC_INDEX_HISTORY_TASK_OWN_ID : REC_INDEX_TASK_OWN_ID;
  unit_found found;
  int rc = unit_find_index(c->u, index, &by, 1, 0, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_head *is = found.items[i];
    orr_id id = ended ? ((const rec_history_task *)is)->id : ((const rec_task *)is)->id;
    if (id != t->id) *out = true;
  }
  return rc;
}

/* If two take it at once, one loses. The own_id of an ended task is taken as long as history has
 * that task. */
static int refuse_taken_own_id(context *c, const rec_task *t) {
  bool taken = false;
  if (t->own_id.size == 0) return 0;
  int rc = guard_row_write(c, "task", (rec_text){0}, t->own_id.data);
  if (!rc) rc = own_id_taken(c, t, false, &taken);
  if (!rc && !taken) rc = own_id_taken(c, t, true, &taken);
  if (rc || !taken) return rc;
  return context_error(c, ORR_E_ARGUMENT, "there is a task with the own_id \"%s\" already",
                       t->own_id.data);
}

static int task_create_body(context *c, void *ud) {
  const creation *call = ud;
  int rc = operand_map(c, call->fields, "a task's fields");
  rec_task *t = rc ? NULL : standalone_task_create(c, call->fields);
  if (!t || refuse_taken_own_id(c, t)) return c->error.code;
  user_operation what = operation_on_task(t, "Create");
  rc = user_operation_log(c, &what, NULL, NULL, NULL);
  rec_head *made = &t->head;
  return rc ? rc : records_from(c, &rec_task_type, &made, 1, call->out, &c->error);
}

int orr_engine_task_create(orr_engine *engine, const orr_value *fields, orr_records **out, orr_error *err) {
  REQUIRE(fields);
  OUT_RECORDS(out);
  *out = NULL;
  int rc = command_run(engine, task_create_body, &(creation){fields, out}, err);
  if (!rc) return 0;
  orr_records_free(*out);
  *out = NULL;
  return rc;
}

/* ---- Completion ------------------------------------------------------------------------------ */

static int task_complete_body(context *c, void *ud) {
  const task_call *call = ud;
  int rc = operand_map(c, call->variables, "variables");
  if (!rc) rc = operand_map(c, call->local, "local_variables");
  if (!rc) rc = operand_map(c, call->transient, "transient");
  rec_task *t = rc ? NULL : changeable(c, call);
  if (!t) return c->error.code;
  user_operation what = operation_on_task(t, "Complete");
  rc = task_complete(c, t, call->variables, call->local, call->transient);
  return rc ? rc : user_operation_texts(c, &what, "delete", "false", "true");
}

int orr_engine_task_complete(orr_engine *engine, orr_id task, const orr_value *variables, const orr_value *local_variables,
                             const orr_value *transient, orr_error *err) {
  task_call call = {.task = task, .variables = variables, .local = local_variables, .transient = transient};
  return run_task_call(__func__, engine, task_complete_body, &call, err);
}

static int task_bpmn_error_body(context *c, void *ud) {
  const task_call *call = ud;
  int rc = operand_map(c, call->variables, "variables");
  rec_task *t = rc ? NULL : changeable(c, call);
  return t ? task_bpmn_error(c, t, call->code, call->text, call->variables) : c->error.code;
}

int orr_engine_task_bpmn_error(orr_engine *engine, orr_id task, const char *code, const char *message,
                               const orr_value *variables, orr_error *err) {
  REQUIRE(code);
  task_call call = {.task = task, .code = code, .text = message, .variables = variables};
  return run_task_call(__func__, engine, task_bpmn_error_body, &call, err);
}

static int escalation_body(context *c, void *ud) {
  const task_call *call = ud;
  int rc = operand_map(c, call->variables, "variables");
  rec_task *t = rc ? NULL : changeable(c, call);
  return t ? task_escalation(c, t, call->code, call->variables) : c->error.code;
}

int orr_engine_task_escalation(orr_engine *engine, orr_id task, const char *code, const orr_value *variables, orr_error *err) {
  REQUIRE(code);
  task_call call = {.task = task, .code = code, .variables = variables};
  return run_task_call(__func__, engine, escalation_body, &call, err);
}

/* Not through `changeable`: why it cannot be deleted does not depend on suspension. */
static int task_delete_body(context *c, void *ud) {
  const task_call *call = ud;
  rec_task *t = lookup_task(c, call->task);
  if (!t) return c->error.code;
  user_operation what = operation_on_task(t, "Delete");
  int rc = task_delete(c, t, call->text);
  return rc ? rc : user_operation_texts(c, &what, "delete", "false", "true");
}

int orr_engine_task_delete(orr_engine *engine, orr_id task, const char *reason, orr_error *err) {
  task_call call = {.task = task, .text = reason};
  return run_task_call(__func__, engine, task_delete_body, &call, err);
}

/* ---- Who does it ----------------------------------------------------------------------------- */

static int change_holders(context *c, rec_task *t, const task_call *call, const char *type,
                          int (*change)(context *c, rec_task *t, const char *user)) {
  rec_task before = *t;
  int rc = change(c, t, call->user);
  return rc ? rc : log_task_changes(c, &before, t, type);
}

static int claim_body(context *c, void *ud) {
  const task_call *call = ud;
  rec_task *t = changeable(c, call);
  return t ? change_holders(c, t, call, "Claim", task_claim) : c->error.code;
}

int orr_engine_task_claim(orr_engine *engine, orr_id task, const char *user, orr_error *err) {
  task_call call = {.task = task, .user = user};
  return run_task_call(__func__, engine, claim_body, &call, err);
}

static int assign_body(context *c, void *ud) {
  const task_call *call = ud;
  rec_task *t = changeable(c, call);
  return t ? change_holders(c, t, call, "Assign", task_assign) : c->error.code;
}

int orr_engine_task_assign(orr_engine *engine, orr_id task, const char *user, orr_error *err) {
  task_call call = {.task = task, .user = user};
  return run_task_call(__func__, engine, assign_body, &call, err);
}

static int delegate_body(context *c, void *ud) {
  const task_call *call = ud;
  rec_task *t = changeable(c, call);
  if (!t || operand_text(c, call->user, "the user to delegate to")) return c->error.code;
  return change_holders(c, t, call, "Delegate", task_delegate);
}

int orr_engine_task_delegate(orr_engine *engine, orr_id task, const char *user, orr_error *err) {
  REQUIRE(user);
  task_call call = {.task = task, .user = user};
  return run_task_call(__func__, engine, delegate_body, &call, err);
}

static int task_resolve_body(context *c, void *ud) {
  const task_call *call = ud;
  int rc = operand_map(c, call->variables, "variables");
  rec_task *t = rc ? NULL : changeable(c, call);
  if (!t) return c->error.code;
  rec_task before = *t;
  rc = task_resolve(c, t, call->variables);
  return rc ? rc : log_task_changes(c, &before, t, "Resolve");
}

int orr_engine_task_resolve(orr_engine *engine, orr_id task, const orr_value *variables, orr_error *err) {
  task_call call = {.task = task, .variables = variables};
  return run_task_call(__func__, engine, task_resolve_body, &call, err);
}

/* A suspended instance keeps the people of its tasks. Everything else that describes a task may
 * change where variables may. */
static rec_task *describable(context *c, const task_call *call) {
  rec_task *t = lookup_task(c, call->task);
  if (!t || !t->instance_id) return t;
  bool describes =
      orr_map_get(call->variables, "assignee").type == ORR_NIL && orr_map_get(call->variables, "owner").type == ORR_NIL;
  int rc = describes ? refuse_writing(c, t->instance_id) : refuse_suspended(c, t->instance_id);
  return rc ? NULL : t;
}

static int update_body(context *c, void *ud) {
  const task_call *call = ud;
  rec_task *t = describable(c, call);
  if (!t) return c->error.code;
  rec_task before = *t;
  int rc = task_update(c, t, call->variables);
  return rc ? rc : log_task_changes(c, &before, t, "Update");
}

int orr_engine_task_update(orr_engine *engine, orr_id task, const orr_value *changes, orr_error *err) {
  REQUIRE(changes);
  task_call call = {.task = task, .variables = changes};
  return run_task_call(__func__, engine, update_body, &call, err);
}

/* ---- Links ----------------------------------------------------------------------------------- */

static void add_link_text(orr_builder *b, const char *key, rec_text text) {
  if (text.size > 0) orr_builder_put(b, key, orr_bytes(text.data, text.size));
}

static void add_user_link(orr_builder *b, const char *type, rec_text user) {
  if (user.size == 0) return;
  orr_builder_map(b);
  orr_builder_put(b, "type", orr_string(type));
  add_link_text(b, "user", user);
  orr_builder_end(b);
}

/* By dialect assignee and owner are links, too; a task without a process has the engine's. */
static int links_hold(context *c, const rec_task *t, bool *out) {
  *out = c->engine->config.dialect == ORR_DIALECT_CAMUNDA && dialect_camunda.links_hold_assignee;
  if (!t->definition_id) return 0;
  const definition *d = context_definition(c, t->definition_id, &c->error);
  *out = d && d->dialect->links_hold_assignee;
  return c->error.code;
}

static int add_holders(context *c, orr_builder *b, const rec_task *t) {
  bool hold;
  int rc = links_hold(c, t, &hold);
  if (rc || !hold) return rc;
  add_user_link(b, "assignee", t->assignee);
  add_user_link(b, "owner", t->owner);
  return 0;
}

static int links_body(context *c, void *ud) {
  const task_call *call = ud;
  unit_found found;
  rec_key by = {.id = call->task};
  const rec_task *t = lookup_task(c, call->task);
  if (!t) return c->error.code;
  int rc = unit_find_keys(c->u, &rec_link_type, &by, 1, &found, &c->error);
  if (rc) return rc;
  orr_builder_array(call->out);
  for (size_t i = 0; i < found.count; i++) {
    const rec_link *link = (const rec_link *)found.items[i];
    orr_builder_map(call->out);
    add_link_text(call->out, "type", link->type);
    add_link_text(call->out, "user", link->user);
    add_link_text(call->out, "group", link->group);
    orr_builder_end(call->out);
  }
  rc = add_holders(c, call->out, t);
  orr_builder_end(call->out);
  return rc;
}

int orr_engine_task_links(orr_engine *engine, orr_id task, orr_builder *out, orr_error *err) {
  task_call call = {.task = task, .out = out};
  return command_read(engine, links_body, &call, err);
}

static int add_link_body(context *c, void *ud) {
  const task_call *call = ud;
  rec_task *t = changeable(c, call);
  int rc = t ? task_add_link(c, t, call->type, call->user, call->group) : c->error.code;
  return rc ? rc : log_link(c, t, call, call->user ? "AddUserLink" : "AddGroupLink");
}

int orr_engine_task_add_link(orr_engine *engine, orr_id task, const char *type, const char *user, const char *group,
                             orr_error *err) {
  REQUIRE(type);
  task_call call = {.task = task, .type = type, .user = user, .group = group};
  return run_task_call(__func__, engine, add_link_body, &call, err);
}

static int remove_link_body(context *c, void *ud) {
  const task_call *call = ud;
  rec_task *t = changeable(c, call);
  int rc = t ? task_remove_link(c, t, call->type, call->user, call->group) : c->error.code;
  return rc ? rc : log_link(c, t, call, call->user ? "DeleteUserLink" : "DeleteGroupLink");
}

int orr_engine_task_remove_link(orr_engine *engine, orr_id task, const char *type, const char *user, const char *group,
                                orr_error *err) {
  REQUIRE(type);
  task_call call = {.task = task, .type = type, .user = user, .group = group};
  return run_task_call(__func__, engine, remove_link_body, &call, err);
}
