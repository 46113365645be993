/* Deleting the history of an instance, and the job log of a definition. */
#include "command/instance/purge.h"

static int delete_history_rows(context *c, const unit_found *found) {
  for (size_t i = 0; i < found->count; i++)
    if (unit_delete(c->u, found->items[i]) != 0) return context_memory(c);
  return 0;
}

int purge_instance(context *c, orr_id instance) {
  static const rec_type *const keyed[] = {&rec_history_activity_type, &rec_history_variable_type, &rec_history_job_type,
                                          &rec_history_external_type, &rec_history_decision_type, &rec_history_detail_type,
                                          &rec_history_link_type, &rec_history_flow_type};
  static const rec_type *const grouped[] = {&rec_history_instance_type, &rec_history_task_type, &rec_history_incident_type};
  rec_key by = {.id = instance};
  unit_found found;
  int rc = 0;
  for (size_t i = 0; !rc && i < sizeof keyed / sizeof *keyed; i++) {
    rc = unit_find_keys(c->u, keyed[i], &by, 1, &found, &c->error);
    if (!rc) rc = delete_history_rows(c, &found);
  }
  for (size_t i = 0; !rc && i < sizeof grouped / sizeof *grouped; i++) {
    rc = unit_find_group(c->u, grouped[i], orr_id_group(instance), &found, &c->error);
    if (!rc) rc = delete_history_rows(c, &found);
  }
  if (!rc) rc = unit_find_index(c->u, REC_INDEX_HISTORY_OPERATION_INSTANCE, &by, 1, 0, &found, &c->error);
  return rc ? rc : delete_history_rows(c, &found);
}

/* The log of jobs that belonged to no instance is kept under instance 0. */
static int purge_job_log(context *c, orr_id definition_id) {
  rec_key by = {.id = 0};
  unit_found found;
  int rc = unit_find_keys(c->u, &rec_history_job_type, &by, 1, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_history_job *row = (const rec_history_job *)found.items[i];
    if (row->definition_id == definition_id && unit_delete(c->u, found.items[i]) != 0) rc = context_memory(c);
  }
  return rc;
}

int purge_definition(context *c, orr_id definition_id) {
  unit_found found;
  int rc = unit_find_all(c->u, &rec_history_instance_type, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_history_instance *row = (const rec_history_instance *)found.items[i];
    if (row->definition_id == definition_id) rc = purge_instance(c, row->id);
  }
  return rc ? rc : purge_job_log(c, definition_id);
}
