/* Variables by the id of an instance, an execution or a task. */
#include <inttypes.h>
#include <string.h>

#include "base/null.h"
#include "command/lookup.h"
#include "command/operations.h"
#include "exec/task/task.h"
#include "state/variable.h"

typedef struct variable_call {
  orr_id scope_id;
  const char *name;
  const orr_value *variables;
  bool local;
  orr_builder *out;
} variable_call;

/* Reading what does not exist is an error only when the scope does not. */
static int get_body(context *c, void *ud) {
  const variable_call *v = ud;
  orr_value value;
  int rc = v->local ? variable_get_local(c, v->scope_id, v->name, &value) : variable_get(c, v->scope_id, v->name, &value);
  if (!rc && value.type != ORR_NIL) orr_builder_add(v->out, &value);
  return rc;
}

int orr_engine_variable_get(orr_engine *engine, orr_id scope_id, const char *name, orr_reach reach, orr_builder *out,
                            orr_error *err) {
  REQUIRE(name);
  variable_call v = {.scope_id = scope_id, .name = name, .local = reach == ORR_LOCAL, .out = out};
  return command_read(engine, get_body, &v, err);
}

static int map_body(context *c, void *ud) {
  const variable_call *v = ud;
  orr_value map;
  int rc = variable_map(c, v->scope_id, v->local, &map);
  if (!rc) orr_builder_add(v->out, &map);
  return rc;
}

int orr_engine_variables_get(orr_engine *engine, orr_id scope_id, orr_reach reach, orr_builder *out, orr_error *err) {
  variable_call v = {.scope_id = scope_id, .local = reach == ORR_LOCAL, .out = out};
  return command_read(engine, map_body, &v, err);
}

/* Described with what is known of its place: whether it is transient. */
static int describe_variable(context *c, const variable_call *v, const char *name, size_t size, orr_value *value) {
  int rc = variable_is_transient(c, v->scope_id, name, size, &value->transient);
  return rc ? rc : orr_builder_describe(v->out, value, &c->error);
}

static int get_typed_body(context *c, void *ud) {
  const variable_call *v = ud;
  orr_value value;
  int rc = v->local ? variable_get_local(c, v->scope_id, v->name, &value) : variable_get(c, v->scope_id, v->name, &value);
  return rc || value.type == ORR_NIL ? rc : describe_variable(c, v, v->name, strlen(v->name), &value);
}

int orr_engine_variable_get_typed(orr_engine *engine, orr_id scope_id, const char *name, orr_reach reach, orr_builder *out,
                                  orr_error *err) {
  REQUIRE(name);
  variable_call v = {.scope_id = scope_id, .name = name, .local = reach == ORR_LOCAL, .out = out};
  return command_read(engine, get_typed_body, &v, err);
}

static int map_typed_body(context *c, void *ud) {
  const variable_call *v = ud;
  orr_value map, key, value;
  int rc = variable_map(c, v->scope_id, v->local, &map);
  orr_iterator it = orr_iterate(&map);
  orr_builder_map(v->out);
  while (!rc && orr_next(&it, &key, &value)) {
    orr_builder_key(v->out, key.as.bytes, key.size);
    rc = describe_variable(c, v, key.as.bytes, key.size, &value);
  }
  orr_builder_end(v->out);
  return rc;
}

int orr_engine_variables_get_typed(orr_engine *engine, orr_id scope_id, orr_reach reach, orr_builder *out, orr_error *err) {
  variable_call v = {.scope_id = scope_id, .local = reach == ORR_LOCAL, .out = out};
  return command_read(engine, map_typed_body, &v, err);
}

static int is_own(context *c, orr_id scope_id, const char *name, bool *own) {
  orr_value value;
  int rc = variable_get_local(c, scope_id, name, &value);
  *own = !rc && value.type != ORR_NIL;
  return rc;
}

/* Does this write to what a task has of its own? By name it does where the task is the nearest scope with such a variable. */
static int changes_task(context *c, const variable_call *v, bool *changes) {
  *changes = v->local;
  if (v->local || !unit_task(c->u, v->scope_id, &c->error)) return c->error.code;
  if (v->name) return is_own(c, v->scope_id, v->name, changes);
  orr_iterator it = orr_iterate(v->variables);
  orr_value key, value;
  int rc = 0;
  while (!rc && !*changes && orr_next(&it, &key, &value)) {
    const char *name = context_text(c, &key, "the name of a variable");
    rc = name ? is_own(c, v->scope_id, name, changes) : c->error.code;
  }
  return rc;
}

/* Local variables of a task are its own, so changing them is a change of the task. */
static int tell_task_of_variable(context *c, orr_id scope_id) {
  rec_task *t = unit_task(c->u, scope_id, &c->error);
  return t ? task_changed(c, t) : c->error.code;
}

static user_operation operation_on_variable(context *c, orr_id scope_id, const char *type) {
  const rec_task *t = orr_id_local(scope_id) == 1 ? NULL : unit_task(c->u, scope_id, &c->error);
  user_operation what = {.type = type, .entity = "Variable", .category = t ? OPERATION_BY_WORKER : OPERATION_BY_OPERATOR,
                         .instance = t ? t->instance_id : orr_id_instance(scope_id),
                         .execution = t ? t->execution_id : scope_id, .task = t ? t->id : 0};
  return what;
}

/* What the variables that are to be set hold now, by their names; NIL when nothing is logged. */
static int variables_before(context *c, const variable_call *v, orr_value *out) {
  *out = (orr_value){0};
  return user_operation_logged(c) ? variable_map(c, v->scope_id, v->local, out) : 0;
}

static int log_variables(context *c, const variable_call *v, const orr_value *before) {
  orr_value key, value;
  orr_iterator it = orr_iterate(v->variables);
  int rc = 0;
  if (!user_operation_logged(c)) return 0;
  user_operation what = operation_on_variable(c, v->scope_id, "SetVariable");
  while (!rc && orr_next(&it, &key, &value)) {
    const char *name = context_text(c, &key, "the name of a variable");
    if (!name) return c->error.code;
    orr_value old = orr_map_get(before, name);
    rc = user_operation_log(c, &what, name, &old, &value);
  }
  return rc;
}

/* A task without a process is never suspended. */
static int refuse_writing_scope(context *c, orr_id scope_id) {
  const rec_task *t = orr_id_local(scope_id) == 1 ? NULL : unit_task(c->u, scope_id, &c->error);
  if (c->error.code) return c->error.code;
  return t && !t->instance_id ? 0 : refuse_writing(c, scope_id);
}

static int variable_set_body(context *c, void *ud) {
  const variable_call *v = ud;
  if (!v->variables || v->variables->type != ORR_MAP)
    return context_error(c, ORR_E_ARGUMENT, "variables must be a map of names to values");
  bool task = false;
  orr_value before;
  int rc = refuse_writing_scope(c, v->scope_id);
  if (!rc) rc = changes_task(c, v, &task);
  if (!rc) rc = variables_before(c, v, &before);
  if (!rc) rc = variable_set_all(c, v->scope_id, v->variables, v->local);
  if (!rc) rc = log_variables(c, v, &before);
  return !rc && task ? tell_task_of_variable(c, v->scope_id) : rc;
}

int orr_engine_variables_set(orr_engine *engine, orr_id scope_id, const orr_value *variables, orr_reach reach, orr_error *err) {
  REQUIRE(variables);
  variable_call v = {.scope_id = scope_id, .variables = variables, .local = reach == ORR_LOCAL};
  return command_run(engine, variable_set_body, &v, err);
}

static int remove_body(context *c, void *ud) {
  const variable_call *v = ud;
  bool task = false;
  orr_value before;
  int rc = refuse_writing_scope(c, v->scope_id);
  if (!rc) rc = changes_task(c, v, &task);
  if (!rc) rc = variables_before(c, v, &before);
  if (!rc) rc = variable_remove(c, v->scope_id, v->name, v->local);
  if (!rc && before.type == ORR_MAP) {
    user_operation what = operation_on_variable(c, v->scope_id, "RemoveVariable");
    orr_value old = orr_map_get(&before, v->name);
    rc = user_operation_log(c, &what, v->name, &old, NULL);
  }
  return !rc && task ? tell_task_of_variable(c, v->scope_id) : rc;
}

int orr_engine_variable_remove(orr_engine *engine, orr_id scope_id, const char *name, orr_reach reach, orr_error *err) {
  REQUIRE(name);
  variable_call v = {.scope_id = scope_id, .name = name, .local = reach == ORR_LOCAL};
  return command_run(engine, remove_body, &v, err);
}
