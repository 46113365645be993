/* Rows of variables. The first character of the name in the record tells the variables of branches,
 * and the runtime's own (state/variable.h). */
#include "query/row_variable.h"

#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "state/activity_instance.h"
#include "state/execution.h"
#include "state/variable.h"

static bool name_begins(const rec_variable *v, const char *mark) { return v->name.size && v->name.data[0] == mark[0]; }

bool row_variable_hidden(const rec_variable *v) { return name_begins(v, VARIABLE_HIDDEN); }

static rec_text plain_name(const rec_variable *v) {
  size_t mark = name_begins(v, VARIABLE_BRANCH) ? 1 : 0;
  return (rec_text){v->name.data + mark, v->name.size - mark};
}

static int variable_id(context *c, const rec_head *record, orr_value *out) {
  const rec_variable *v = (const rec_variable *)record;
  rec_text name = plain_name(v);
  char between = name_begins(v, VARIABLE_BRANCH) ? '~' : ':';
  const char *text = arena_printf(c->arena, "%" PRIu64 "%c%.*s", v->scope, between, (int)name.size, name.data);
  if (!text) return context_memory(c);
  *out = orr_string(text);
  return 0;
}

bool row_variable_key(context *c, const orr_value *id, rec_variable *out) {
  const char *text = id->type == ORR_STRING ? id->as.bytes : "";
  size_t size = id->type == ORR_STRING ? id->size : 0, digits = 0;
  while (digits < size && text[digits] >= '0' && text[digits] <= '9') digits++;
  orr_value number = orr_bytes(text, digits);
  if (digits == size || (text[digits] != ':' && text[digits] != '~') || size - digits - 1 > ORR_NAME_BYTES_MAX) return false;
  *out = (rec_variable){.scope = value_id(&number)};
  const char *mark = text[digits] == '~' ? VARIABLE_BRANCH : "";
  const char *name = arena_printf(c->arena, "%s%.*s", mark, (int)(size - digits - 1), text + digits + 1);
  if (name) out->name = (rec_text){name, strlen(name)};
  return name && out->scope;
}

static int variable_plain_name(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  rec_text name = plain_name((const rec_variable *)record);
  *out = orr_bytes(name.data, name.size);
  return 0;
}

static int variable_type(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  const char *name = orr_value_type_name(&((const rec_variable *)record)->value);
  *out = name ? orr_string(name) : (orr_value){0};
  return 0;
}

static int variable_info(context *c, const rec_head *record, orr_value *out) {
  return row_value_info(c, &((const rec_variable *)record)->value, out);
}

static orr_id variable_instance(const rec_head *record) { return orr_id_instance(((const rec_variable *)record)->scope); }

/* The task without a process that has it; NULL: an instance or a token has. Such a task is in a group without an instance. */
static const rec_task *variable_task_alone(context *c, const rec_head *record) {
  orr_id id = ((const rec_variable *)record)->scope;
  if (orr_id_local(id) == 1 || unit_instance(c->u, orr_id_instance(id), &c->error) || c->error.code) return NULL;
  return unit_task(c->u, id, &c->error);
}

static int variable_instance_id(context *c, const rec_head *record, orr_value *out) {
  *out = variable_task_alone(c, record) ? (orr_value){0} : orr_int((int64_t)variable_instance(record));
  return c->error.code;
}

static int variable_execution_id(context *c, const rec_head *record, orr_value *out) {
  *out = variable_task_alone(c, record) ? (orr_value){0} : orr_int((int64_t)((const rec_variable *)record)->scope);
  return c->error.code;
}

/* The token of the scope; NULL: the instance is the scope, or it is gone. */
static const rec_execution *variable_token(context *c, const rec_head *record) {
  orr_id id = ((const rec_variable *)record)->scope;
  return orr_id_local(id) == 1 ? NULL : unit_execution(c->u, id, &c->error);
}

/* A task's own variables are those of its token. */
static int variable_task_id(context *c, const rec_head *record, orr_value *out) {
  const rec_execution *e = variable_token(c, record);
  const rec_task *t = e && e->task_id ? unit_task(c->u, e->task_id, &c->error) : NULL;
  if (!e && !c->error.code) t = variable_task_alone(c, record);
  *out = t ? orr_int((int64_t)t->id) : (orr_value){0};
  return c->error.code;
}

static int variable_activity_instance(context *c, const rec_head *record, orr_value *out) {
  return activity_instance_of(c, ((const rec_variable *)record)->scope, out);
}

static int variable_activity(context *c, const rec_head *record, orr_value *out) {
  const rec_execution *e = variable_token(c, record);
  const node *n = e && e->node ? execution_node(c, e) : NULL;
  *out = n ? orr_string(n->id) : (orr_value){0};
  return c->error.code;
}

static int variable_tenant(context *c, const rec_head *record, orr_value *out) {
  const rec_instance *i = unit_instance(c->u, variable_instance(record), &c->error);
  const rec_task *t = i || c->error.code ? NULL : variable_task_alone(c, record);
  rec_text tenant = i ? i->tenant : t ? t->tenant : (rec_text){0};
  *out = tenant.data ? orr_bytes(tenant.data, tenant.size) : (orr_value){0};
  return c->error.code;
}

const row_relation row_of_variables[] = {
    {&rec_variable_type, {"id", ROW_TEXT, NULL, variable_id}},
    {&rec_variable_type, {"name", ROW_TEXT, NULL, variable_plain_name}},
    {&rec_variable_type, {"type", ROW_TEXT, NULL, variable_type}},
    {&rec_variable_type, {"info", ROW_VALUE, NULL, variable_info}},
    {&rec_variable_type, {"instance_id", ROW_ID, NULL, variable_instance_id}},
    {&rec_variable_type, {"execution_id", ROW_ID, NULL, variable_execution_id}},
    {&rec_variable_type, {"task_id", ROW_ID, NULL, variable_task_id}},
    {&rec_variable_type, {"activity_id", ROW_TEXT, NULL, variable_activity}},
    {&rec_variable_type, {"activity_instance_id", ROW_TEXT, NULL, variable_activity_instance}},
    {&rec_variable_type, {"tenant", ROW_TEXT, NULL, variable_tenant}},
};

const size_t n_row_of_variables = sizeof row_of_variables / sizeof row_of_variables[0];
