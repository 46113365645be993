/* Writing what only the full level keeps. */
#include "state/history_full.h"

#include <string.h>

#include "engine/engine.h"
#include "state/history.h"
#include "state/numbers.h"
#include "state/user_operation.h"
#include "uow/find.h"

/* The variables that an instance begins with are set before its row exists. */
static int detail_initial(context *c, const rec_instance *i, bool *out) {
  *out = false;
  if (i->head.state != REC_NEW) return 0;
  const rec_history_instance *row = unit_history_instance(c->u, i->id, &c->error);
  *out = row && row->start_variables.type == ORR_NIL;
  return c->error.code;
}

/* A command logs after its change, so this detail may be the first that needs the id of the
 * operation. */
static int operation_of_detail(context *c, rec_instance *i, orr_id *out) {
  if (!c->operation_id && user_operation_logged(c)) c->operation_id = unit_next_id(c->u, i, &c->error);
  *out = c->operation_id;
  return c->error.code;
}

int history_detail(context *c, const rec_history_variable *row, bool removed) {
  if (!history_records(c, ORR_HISTORY_FULL)) return 0;
  rec_instance *i = unit_instance(c->u, row->instance_id, &c->error);
  if (!i) return c->error.code;
  rec_history_detail key = {.instance_id = i->id, .sequence = unit_next_sequence(c->u, i, 1)};
  rec_history_detail *detail = key.sequence < 0 ? NULL : unit_new_history_detail(c->u, &key);
  if (!detail) return context_memory(c);
  detail->name = row->name;
  detail->value = row->value;
  detail->time = context_stamp(c);
  detail->scope = row->scope;
  detail->activity_id = row->activity_id;
  detail->activity_number = row->activity_number;
  detail->revision = row->updates;
  detail->removed = removed;
  detail->user = unit_textz(c->u, c->user);
  detail->definition_id = i->definition_id;
  detail->definition_key = i->definition_key;
  detail->tenant = i->tenant;
  int rc = operation_of_detail(c, i, &detail->operation_id);
  return rc ? rc : detail_initial(c, i, &detail->initial);
}

int history_link(context *c, const rec_task *t, const char *change, const char *type, rec_text user, rec_text group) {
  if (!history_records(c, ORR_HISTORY_FULL)) return 0;
  rec_key by[2] = {{.id = t->instance_id}, {.id = t->id}};
  unit_found before;
  int rc = unit_find_keys(c->u, &rec_history_link_type, by, 2, &before, &c->error);
  if (rc) return rc;
  rec_history_link key = {.instance_id = t->instance_id, .task_id = t->id,
                          .number = (int64_t)before.count};
  rec_history_link *row = unit_new_history_link(c->u, &key);
  if (!row) return context_memory(c);
  row->operation = unit_textz(c->u, change);
  row->type = unit_textz(c->u, type);
  row->user = user;
  row->group = group;
  row->time = context_stamp(c);
  row->assigner = unit_textz(c->u, c->user);
  row->definition_id = t->definition_id;
  row->definition_key = t->definition_key;
  row->tenant = t->tenant;
  row->sequence = numbers_place(c, t->instance_id);
  return row->sequence < 0 ? c->error.code : 0;
}

int history_holder(context *c, const rec_task *t, const char *type, rec_text before, rec_text after) {
  static const rec_text none = {0};
  if (rec_text_equal(before, after)) return 0;
  int rc = before.size > 0 ? history_link(c, t, "delete", type, before, none) : 0;
  return !rc && after.size > 0 ? history_link(c, t, "add", type, after, none) : rc;
}

int history_flow(context *c, orr_id instance, const flow *f) {
  if (!history_records(c, ORR_HISTORY_FULL)) return 0;
  const rec_instance *i = unit_instance(c->u, instance, &c->error);
  if (!i) return c->error.code;
  rec_history_flow key = {.instance_id = instance, .flow_id = unit_textz(c->u, f->id)};
  rec_history_flow *row = unit_history_flow_key(c->u, &key, &c->error);
  if (c->error.code) return c->error.code;
  if (!row) {
    row = unit_new_history_flow(c->u, &key);
    if (!row) return context_memory(c);
    row->first_at = context_stamp(c);
    row->tenant = i->tenant;
    row->sequence = numbers_place(c, instance);
    if (row->sequence < 0) return c->error.code;
  } else if (context_touch(c, row)) {
    return c->error.code;
  }
  row->definition_id = i->definition_id;
  row->definition_key = i->definition_key;
  row->taken++;
  row->last_at = context_stamp(c);
  return 0;
}
