/* Rows of the log. Those about a running instance have ids of its group, so they lie together. */
#include "state/user_operation.h"

#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/value.h"
#include "engine/engine.h"
#include "state/history.h"
#include "state/numbers.h"
#include "time/iso8601.h"

bool user_operation_logged(const context *c) {
  return c->user && *c->user && c->command_depth == 1 && !c->job && history_records(c, ORR_HISTORY_FULL);
}

/* A value as a reader sees it: a text as it is, anything else as JSON. */
static int value_shown(context *c, const orr_value *value, rec_text *out) {
  orr_value text = *value;
  orr_builder *b = NULL;
  *out = (rec_text){0};
  if (value->type == ORR_NIL || value->type == ORR_NULL) return 0;
  if (value->type != ORR_STRING) {
    b = builder_new(&c->engine->env.allocator);
    if (!b) return context_memory(c);
    int rc = json_write(value, &c->engine->env.allocator, b, &c->error);
    if (!rc) rc = orr_builder_value(b, &text, &c->error);
    if (rc) text = (orr_value){0};
  }
  bool cut = text.size > ORR_OPERATION_VALUE_BYTES_MAX;
  if (text.type == ORR_STRING) *out = unit_text(c->u, text.as.bytes, cut ? ORR_OPERATION_VALUE_BYTES_MAX : text.size);
  orr_builder_free(b);
  return c->error.code;
}

/* Fills in what follows from the thing that it is about. */
static int place_operation(context *c, rec_history_operation *row) {
  const rec_instance *i = row->instance_id ? unit_instance(c->u, row->instance_id, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  if (i) {
    row->root_id = i->root_id;
    row->definition_id = i->definition_id;
    row->definition_key = i->definition_key;
    row->tenant = i->tenant;
    return 0;
  }
  const rec_definition *d = row->definition_id ? unit_definition(c->u, row->definition_id, &c->error) : NULL;
  if (!d) return c->error.code;
  row->definition_key = d->key;
  row->tenant = d->tenant;
  if (!row->deployment_id) row->deployment_id = d->deployment_id;
  return 0;
}

static rec_history_operation *operation_new(context *c, orr_id instance) {
  rec_instance *i = instance ? unit_instance(c->u, instance, &c->error) : NULL;
  if (c->error.code) return NULL;
  orr_id id = i ? unit_next_id(c->u, i, &c->error) : unit_new_group(c->u, &c->error);
  rec_history_operation *row = id ? unit_new_history_operation(c->u, id) : NULL;
  if (!row && !c->error.code) context_memory(c);
  return row;
}

int user_operation_log(context *c, const user_operation *what, const char *property, const orr_value *before,
                       const orr_value *after) {
  if (!user_operation_logged(c)) return 0;
  rec_history_operation *row = operation_new(c, what->instance);
  if (!row) return c->error.code;
  if (!c->operation_id) c->operation_id = row->id;
  row->operation_id = c->operation_id;
  row->user = unit_textz(c->u, c->user);
  row->time = context_stamp(c);
  row->type = unit_textz(c->u, what->type);
  row->entity = unit_textz(c->u, what->entity);
  row->category = unit_textz(c->u, what->category);
  row->property = unit_textz(c->u, property);
  row->instance_id = what->instance;
  row->execution_id = what->execution;
  row->task_id = what->task;
  row->job_id = what->job;
  row->job_definition_id = what->job_definition;
  row->external_task_id = what->external_task;
  row->batch_id = what->batch;
  row->deployment_id = what->deployment;
  row->definition_id = what->definition;
  row->sequence = numbers_place(c, what->instance);
  if (row->sequence < 0) return c->error.code;
  int rc = before ? value_shown(c, before, &row->old_value) : 0;
  if (!rc && after) rc = value_shown(c, after, &row->new_value);
  return rc ? rc : place_operation(c, row);
}

int user_operation_texts(context *c, const user_operation *what, const char *property, const char *before, const char *after) {
  orr_value old = before && *before ? orr_string(before) : orr_null(), new = after && *after ? orr_string(after) : orr_null();
  return user_operation_log(c, what, property, &old, &new);
}

int user_operation_numbers(context *c, const user_operation *what, const char *property, int64_t before, int64_t after) {
  orr_value old = orr_int(before), new = orr_int(after);
  return user_operation_log(c, what, property, &old, &new);
}

int user_operation_times(context *c, const user_operation *what, const char *property, orr_time before, orr_time after) {
  char old[ISO_TIME_TEXT] = "", new[ISO_TIME_TEXT] = "";
  if (before) iso_format_time(before, old);
  if (after) iso_format_time(after, new);
  return user_operation_texts(c, what, property, old, new);
}

int user_operation_suspension(context *c, const user_operation *what, bool suspended) {
  static const char *const states[] = {"active", "suspended"};
  return user_operation_texts(c, what, "suspensionState", states[!suspended], states[suspended]);
}
