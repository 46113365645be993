/* Records as rows of API fields. */
#include "query/row.h"

#include <pthread.h>
#include <string.h>

#include "base/builder.h"
#include "base/error.h"
#include "engine/engine.h"
#include "job/job.h"
#include "query/row_batch.h"
#include "query/row_related.h"
#include "query/row_variable.h"
#include "state/activity_instance.h"
#include "state/execution.h"
#include "state/history.h"

static orr_value row_text_value(rec_text t) { return t.data ? orr_bytes(t.data, t.size) : (orr_value){0}; }
static orr_value textz_value(const char *t) { return t ? orr_string(t) : (orr_value){0}; }
static orr_value row_id_value(orr_id id) { return id ? orr_int((int64_t)id) : (orr_value){0}; }

/* ---- Derived fields -------------------------------------------------------------------------- */

/* Records with an id have it right behind the head, as their key. */
static int derive_id(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  const rec_execution *any = (const rec_execution *)record;
  *out = row_id_value(any->id);
  return 0;
}

/* The row of an instance is the first of its rows. */
static int derive_first(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  (void)record;
  *out = orr_int(0);
  return 0;
}

static int derive_false(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  (void)record;
  *out = orr_bool(false);
  return 0;
}

/* A command that starts an instance shows it even if it has ended within the command. */
static bool instance_gone(const rec_head *record) { return record->state == REC_DELETED || record->state == REC_VOID; }

static int instance_ended(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  *out = orr_bool(instance_gone(record));
  return 0;
}

static int instance_ended_at(context *c, const rec_head *record, orr_value *out) {
  *out = instance_gone(record) ? orr_int(context_stamp(c)) : (orr_value){0};
  return 0;
}

static int instance_state(context *c, const rec_head *record, orr_value *out) {
  const rec_instance *i = (const rec_instance *)record;
  *out = orr_string(i->suspended ? "suspended" : "active");
  if (!instance_gone(record)) return 0;
  const rec_history_instance *row = NULL;
  if (history_records(c, ORR_HISTORY_ACTIVITY)) row = unit_history_instance(c->u, i->id, &c->error);
  *out = row ? row_text_value(row->state) : orr_string("completed");
  return c->error.code;
}

static int names_value(context *c, rec_texts names, orr_value *out) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_array(b);
  for (size_t i = 0; i < names.count; i++) {
    orr_value name = row_text_value(names.items[i]);
    orr_builder_add(b, &name);
  }
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

static int definition_starter_users(context *c, const rec_head *record, orr_value *out) {
  return names_value(c, ((const rec_definition *)record)->starter_users, out);
}

static int definition_starter_groups(context *c, const rec_head *record, orr_value *out) {
  return names_value(c, ((const rec_definition *)record)->starter_groups, out);
}

static int instance_starter(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  *out = row_text_value(((const rec_instance *)record)->initiator);
  return 0;
}

static int history_starter(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  *out = row_text_value(((const rec_history_instance *)record)->initiator);
  return 0;
}

static int instance_of_record(context *c, const rec_head *record, rec_instance **out) {
  *out = unit_instance(c->u, orr_id_instance(((const rec_execution *)record)->id), &c->error);
  return c->error.code;
}

static int execution_instance(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  *out = row_id_value(orr_id_instance(((const rec_execution *)record)->id));
  return 0;
}

static int execution_activity(context *c, const rec_head *record, orr_value *out) {
  const rec_execution *e = (const rec_execution *)record;
  const node *n = e->node ? execution_node(c, e) : NULL;
  *out = textz_value(n ? n->id : NULL);
  return c->error.code;
}

static int execution_activity_name(context *c, const rec_head *record, orr_value *out) {
  const rec_execution *e = (const rec_execution *)record;
  const node *n = e->node ? execution_node(c, e) : NULL;
  *out = textz_value(n ? n->name : NULL);
  return c->error.code;
}

#define EXECUTION_FROM_INSTANCE(name, expression)                                            \
  static int execution_##name(context *c, const rec_head *record, orr_value *out) {          \
    rec_instance *i;                                                                         \
    int rc = instance_of_record(c, record, &i);                                              \
    *out = (orr_value){0};                                                                   \
    if (!rc && i) *out = expression;                                                         \
    return rc;                                                                               \
  }
EXECUTION_FROM_INSTANCE(definition, row_id_value(i->definition_id))
EXECUTION_FROM_INSTANCE(definition_key, row_text_value(i->definition_key))
EXECUTION_FROM_INSTANCE(root, row_id_value(i->root_id))
EXECUTION_FROM_INSTANCE(suspended, orr_bool(i->suspended))
EXECUTION_FROM_INSTANCE(business_key, row_text_value(i->business_key))
EXECUTION_FROM_INSTANCE(tenant, row_text_value(i->tenant))

static int job_type(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  *out = orr_string(job_type_name(((const rec_job *)record)->kind));
  return 0;
}

static int job_handler(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  *out = orr_string(job_handler_name(((const rec_job *)record)->kind));
  return 0;
}

static int job_lock_owner(context *c, const rec_head *record, orr_value *out) {
  const rec_owner *owner = job_owner(c, (const rec_job *)record);
  *out = owner ? row_text_value(owner->name) : (orr_value){0};
  return c->error.code;
}

static int job_lock_expires(context *c, const rec_head *record, orr_value *out) {
  const rec_owner *owner = job_owner(c, (const rec_job *)record);
  *out = owner ? orr_int(owner->expires) : (orr_value){0};
  return c->error.code;
}

static int job_activity(context *c, const rec_head *record, orr_value *out) {
  const rec_job *job = (const rec_job *)record;
  *out = (orr_value){0};
  if (!job->node || !job->definition_id) return 0;
  definition *d = context_definition(c, job->definition_id, &c->error);
  if (!d) return c->error.code;
  if (job->node <= d->n_nodes) *out = textz_value(d->nodes[job->node - 1]->id);
  return 0;
}

static int job_definition_priority(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  const rec_job_definition *jd = (const rec_job_definition *)record;
  *out = jd->has_priority ? orr_int(jd->priority_override) : (orr_value){0};
  return 0;
}

static int history_ended(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  *out = orr_bool(((const rec_history_instance *)record)->ended_at != 0);
  return 0;
}

static int history_suspended(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  rec_text state = ((const rec_history_instance *)record)->state;
  *out = orr_bool(rec_text_is(state, "suspended"));
  return 0;
}

static int history_variable_type(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  *out = textz_value(orr_value_type_name(&((const rec_history_variable *)record)->value));
  return 0;
}

static int history_detail_type(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  *out = textz_value(orr_value_type_name(&((const rec_history_detail *)record)->value));
  return 0;
}

int row_value_info(context *c, const orr_value *value, orr_value *out) {
  orr_value told;
  orr_builder *b = builder_new(&c->engine->env.allocator);
  *out = (orr_value){0};
  if (!b) return context_memory(c);
  int rc = orr_builder_describe(b, value, &c->error);
  if (!rc) rc = builder_copy(b, c->arena, &told, &c->error);
  if (!rc) *out = orr_map_get(&told, "info");
  orr_builder_free(b);
  return rc;
}

static int history_variable_info(context *c, const rec_head *record, orr_value *out) {
  return row_value_info(c, &((const rec_history_variable *)record)->value, out);
}

static int history_detail_info(context *c, const rec_head *record, orr_value *out) {
  return row_value_info(c, &((const rec_history_detail *)record)->value, out);
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

static int task_record_state(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  *out = orr_string(((const rec_task *)record)->last_updated ? "updated" : "created");
  return 0;
}

/* The state of older rows, which have none, follows from how they ended. */
static int history_task_state(context *c, const rec_head *record, orr_value *out) {
  (void)c;
  const rec_history_task *row = (const rec_history_task *)record;
  bool deleted = row->delete_reason.size > 0 && !rec_text_is(row->delete_reason, "completed");
  const char *told = !row->ended_at ? "created" : deleted ? "deleted" : "completed";
  *out = row->state.size > 0 ? row_text_value(row->state) : orr_string(told);
  return 0;
}

/* ---- Activity instances ---------------------------------------------------------------------- */

static int execution_activity_instance(context *c, const rec_head *record, orr_value *out) {
  return activity_instance_of(c, ((const rec_execution *)record)->id, out);
}

static int task_activity_instance(context *c, const rec_head *record, orr_value *out) {
  return activity_instance_of(c, ((const rec_task *)record)->execution_id, out);
}

static int external_activity_instance(context *c, const rec_head *record, orr_value *out) {
  return activity_instance_of(c, ((const rec_external_task *)record)->execution_id, out);
}

static int history_activity_instance(context *c, const rec_head *record, orr_value *out) {
  const rec_history_activity *row = (const rec_history_activity *)record;
  *out = activity_instance_text(c, row->execution_id, row->sequence + 1);
  return c->error.code;
}

static int history_activity_parent(context *c, const rec_head *record, orr_value *out) {
  const rec_history_activity *row = (const rec_history_activity *)record;
  orr_id around = row->parent_execution ? row->parent_execution : row->instance_id;
  *out = activity_instance_text(c, around, row->parent_number);
  return c->error.code;
}

static int history_task_activity_instance(context *c, const rec_head *record, orr_value *out) {
  const rec_history_task *row = (const rec_history_task *)record;
  *out = activity_instance_text(c, row->execution_id, row->activity_number);
  return c->error.code;
}

static int history_variable_activity_instance(context *c, const rec_head *record, orr_value *out) {
  const rec_history_variable *row = (const rec_history_variable *)record;
  orr_id token = row->execution_id;
  *out = row->instance_id ? activity_instance_text(c, token, row->activity_number) : (orr_value){0};
  return c->error.code;
}

static int history_detail_activity_instance(context *c, const rec_head *record, orr_value *out) {
  const rec_history_detail *row = (const rec_history_detail *)record;
  *out = activity_instance_text(c, row->scope, row->activity_number);
  return c->error.code;
}

static int history_external_activity_instance(context *c, const rec_head *record, orr_value *out) {
  const rec_history_external *row = (const rec_history_external *)record;
  *out = activity_instance_text(c, row->execution_id, row->activity_number);
  return c->error.code;
}

static int seconds_between(orr_time from, orr_time until, orr_value *out) {
  *out = from && until ? orr_float((double)(until - from) / 1000.0) : (orr_value){0};
  return 0;
}

#define DURATION(type, begin)                                                                 \
  static int type##_duration(context *c, const rec_head *record, orr_value *out) {            \
    (void)c;                                                                                  \
    const rec_##type *r = (const rec_##type *)record;                                         \
    return seconds_between(r->begin, r->ended_at, out);                                       \
  }
DURATION(history_instance, started_at)
DURATION(history_activity, started_at)
DURATION(history_task, created)

static const struct derived {
  const rec_type *type;
  row_field column;
} derived_fields[] = {
    {&rec_definition_type, {"starter_users", ROW_VALUE, NULL, definition_starter_users}},
    {&rec_definition_type, {"starter_groups", ROW_VALUE, NULL, definition_starter_groups}},
    {&rec_instance_type, {"starter", ROW_TEXT, NULL, instance_starter}},
    {&rec_instance_type, {"state", ROW_TEXT, NULL, instance_state}},
    {&rec_instance_type, {"ended", ROW_BOOL, NULL, instance_ended}},
    {&rec_instance_type, {"ended_at", ROW_TIME, NULL, instance_ended_at}},
    {&rec_execution_type, {"instance_id", ROW_ID, NULL, execution_instance}},
    {&rec_execution_type, {"activity_id", ROW_TEXT, NULL, execution_activity}},
    {&rec_execution_type, {"activity_name", ROW_TEXT, NULL, execution_activity_name}},
    {&rec_execution_type, {"definition_id", ROW_ID, NULL, execution_definition}},
    {&rec_execution_type, {"definition_key", ROW_TEXT, NULL, execution_definition_key}},
    {&rec_execution_type, {"root_id", ROW_ID, NULL, execution_root}},
    {&rec_execution_type, {"suspended", ROW_BOOL, NULL, execution_suspended}},
    {&rec_execution_type, {"business_key", ROW_TEXT, NULL, execution_business_key}},
    {&rec_execution_type, {"tenant", ROW_TEXT, NULL, execution_tenant}},
    {&rec_execution_type, {"ended", ROW_BOOL, NULL, derive_false}},
    {&rec_job_type, {"type", ROW_TEXT, NULL, job_type}},
    {&rec_job_type, {"handler", ROW_TEXT, NULL, job_handler}},
    {&rec_job_type, {"activity_id", ROW_TEXT, NULL, job_activity}},
    {&rec_job_type, {"lock_owner", ROW_TEXT, NULL, job_lock_owner}},
    {&rec_job_type, {"lock_expires", ROW_TIME, NULL, job_lock_expires}},
    {&rec_job_definition_type, {"priority", ROW_INT, NULL, job_definition_priority}},
    {&rec_execution_type, {"activity_instance_id", ROW_TEXT, NULL, execution_activity_instance}},
    {&rec_task_type, {"state", ROW_TEXT, NULL, task_record_state}},
    {&rec_history_task_type, {"state", ROW_TEXT, NULL, history_task_state}},
    {&rec_task_type, {"activity_instance_id", ROW_TEXT, NULL, task_activity_instance}},
    {&rec_external_task_type, {"activity_instance_id", ROW_TEXT, NULL, external_activity_instance}},
    {&rec_history_activity_type, {"activity_instance_id", ROW_TEXT, NULL, history_activity_instance}},
    {&rec_history_activity_type, {"parent_activity_instance_id", ROW_TEXT, NULL, history_activity_parent}},
    {&rec_history_task_type, {"activity_instance_id", ROW_TEXT, NULL, history_task_activity_instance}},
    {&rec_history_variable_type, {"activity_instance_id", ROW_TEXT, NULL, history_variable_activity_instance}},
    {&rec_history_external_type, {"activity_instance_id", ROW_TEXT, NULL, history_external_activity_instance}},
    {&rec_history_detail_type, {"activity_instance_id", ROW_TEXT, NULL, history_detail_activity_instance}},
    {&rec_history_detail_type, {"type", ROW_TEXT, NULL, history_detail_type}},
    {&rec_history_detail_type, {"info", ROW_VALUE, NULL, history_detail_info}},
    {&rec_history_variable_type, {"type", ROW_TEXT, NULL, history_variable_type}},
    {&rec_history_variable_type, {"info", ROW_VALUE, NULL, history_variable_info}},
    {&rec_history_instance_type, {"sequence", ROW_INT, NULL, derive_first}},
    {&rec_history_instance_type, {"starter", ROW_TEXT, NULL, history_starter}},
    {&rec_history_instance_type, {"ended", ROW_BOOL, NULL, history_ended}},
    {&rec_history_instance_type, {"suspended", ROW_BOOL, NULL, history_suspended}},
    {&rec_history_instance_type, {"duration", ROW_INT, NULL, history_instance_duration}},
    {&rec_history_activity_type, {"duration", ROW_INT, NULL, history_activity_duration}},
    {&rec_history_task_type, {"duration", ROW_INT, NULL, history_task_duration}},
};

/* ---- Shapes ---------------------------------------------------------------------------------- */

static row_kind row_kind_of(uint8_t type) {
  switch (type) {
    case REC_ID: return ROW_ID;
    case REC_BOOL: return ROW_BOOL;
    case REC_INT: case REC_U8: case REC_NODE: return ROW_INT;
    case REC_TIME: return ROW_TIME;
    case REC_TEXT: return ROW_TEXT;
    default: return ROW_VALUE;
  }
}

static void add_row_field(row_type *out, row_field column) {
  if (out->n_fields < ROW_FIELDS_MAX) out->fields[out->n_fields++] = column;
}

void row_type_of(const rec_type *type, row_type *out) {
  out->record = type;
  out->n_fields = 0;
  if (!type->keyed) add_row_field(out, (row_field){"id", ROW_ID, NULL, derive_id});
  for (uint8_t i = 0; i < type->n_fields; i++) {
    const rec_field *f = &type->fields[i];
    if (f->api_name && strcmp(f->api_name, "id") != 0)
      add_row_field(out, (row_field){f->api_name, row_kind_of(f->type), f, NULL});
  }
  for (size_t i = 0; i < sizeof derived_fields / sizeof derived_fields[0]; i++)
    if (derived_fields[i].type == type) add_row_field(out, derived_fields[i].column);
  for (size_t i = 0; i < n_row_of_batches; i++)
    if (row_of_batches[i].type == type) add_row_field(out, row_of_batches[i].field);
  for (size_t i = 0; i < n_row_of_variables; i++)
    if (row_of_variables[i].type == type) add_row_field(out, row_of_variables[i].field);
  out->n_shown = out->n_fields;
  for (size_t i = 0; i < n_row_related; i++)
    if (row_related[i].type == type) add_row_field(out, row_related[i].field);
}

static row_type shown_types[REC_TYPE_COUNT];

static void fill_shown_types(void) {
  for (int i = 0; i < REC_TYPE_COUNT; i++) row_type_of(rec_types[i], &shown_types[i]);
}

const row_type *row_type_shown(const rec_type *type) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill_shown_types);
  return &shown_types[type->number];
}

const row_field *row_field_named(const row_type *type, const char *name, size_t size) {
  for (uint32_t i = 0; i < type->n_fields; i++)
    if (strlen(type->fields[i].name) == size && memcmp(type->fields[i].name, name, size) == 0) return &type->fields[i];
  return NULL;
}

static orr_value field_of_record(const rec_head *record, const rec_field *f) {
  const void *at = record_field(record, f);
  switch ((rec_field_type)f->type) {
    case REC_ID: return row_id_value(*(const orr_id *)at);
    case REC_BOOL: return orr_bool(*(const bool *)at);
    case REC_INT: return orr_int(*(const int64_t *)at);
    case REC_TIME: return *(const orr_time *)at ? orr_int(*(const orr_time *)at) : (orr_value){0};
    case REC_U8: return orr_int(*(const uint8_t *)at);
    case REC_NODE: return orr_int(*(const uint32_t *)at);
    case REC_TEXT: return row_text_value(*(const rec_text *)at);
    case REC_VALUE: return *(const orr_value *)at;
    default: return (orr_value){0};
  }
}

int row_value(context *c, const row_field *column, const rec_head *record, orr_value *out) {
  if (column->derive) return column->derive(c, record, out);
  *out = field_of_record(record, column->stored);
  return 0;
}
