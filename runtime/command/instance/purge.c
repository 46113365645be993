/* Deleting the history of an instance, and the job log of a definition. */
#include "command/instance/purge.h"

#include <stdlib.h>

#include "uow/find.h"

static int delete_history_rows(context *c, const unit_found *found) {
  for (size_t i = 0; i < found->count; i++)
    if (unit_delete(c->u, found->items[i])) return context_memory(c);
  return 0;
}

/* What is listed by the three indexes of an instance or a task: comments, operations, and at last attachments. */
static int purge_remarks(context *c, const rec_key *by, const uint8_t indexes[3]) {
  unit_found found;
  int rc = 0;
  for (int i = 0; !rc && i < 3; i++) {
    rc = unit_find_index(c->u, indexes[i], by, 1, 0, &found, &c->error);
    for (size_t k = 0; !rc && i == 2 && k < found.count; k++) {
      rec_attachment_content key = {.attachment_id = ((const rec_attachment *)found.items[k])->id};
      rec_attachment_content *content = unit_attachment_content_key(c->u, &key, &c->error);
      if (c->error.code || (content && unit_delete(c->u, content))) rc = c->error.code ? c->error.code : context_memory(c);
    }
    if (!rc) rc = delete_history_rows(c, &found);
  }
  return rc;
}

int purge_instance(context *c, orr_id instance) {
  static const uint8_t of_instance[] = {REC_INDEX_COMMENT_INSTANCE, REC_INDEX_HISTORY_OPERATION_INSTANCE,
                                        REC_INDEX_ATTACHMENT_INSTANCE};
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
  return rc ? rc : purge_remarks(c, &by, of_instance);
}

int purge_variable(context *c, rec_history_variable *row) {
  rec_key by = {.id = row->instance_id};
  unit_found found;
  int rc = row->instance_id ? unit_find_keys(c->u, &rec_history_detail_type, &by, 1, &found, &c->error) : 0;
  for (size_t i = 0; row->instance_id && !rc && i < found.count; i++) {
    rec_history_detail *written = (rec_history_detail *)found.items[i];
    bool of_row = written->scope == row->scope && rec_text_equal(written->name, row->name);
    if (of_row && unit_delete(c->u, written)) rc = context_memory(c);
  }
  if (rc) return rc;
  return unit_delete(c->u, row) ? context_memory(c) : 0;
}

int purge_task(context *c, orr_id task) {
  static const rec_type *const keyed[] = {&rec_history_variable_type, &rec_history_link_type};
  static const uint8_t of_task[] = {REC_INDEX_COMMENT_TASK, REC_INDEX_HISTORY_OPERATION_TASK, REC_INDEX_ATTACHMENT_TASK};
  rec_key by = {.id = task}, under[2] = {{.id = 0}, {.id = task}};
  unit_found found;
  int rc = 0;
  for (size_t i = 0; !rc && i < sizeof keyed / sizeof *keyed; i++) {
    rc = unit_find_keys(c->u, keyed[i], under, 2, &found, &c->error);
    if (!rc) rc = delete_history_rows(c, &found);
  }
  rec_history_task *row = rc ? NULL : unit_history_task(c->u, task, &c->error);
  if (row && unit_delete(c->u, row)) return context_memory(c);
  return c->error.code ? c->error.code : purge_remarks(c, &by, of_task);
}

static int compare_definitions(const void *id, const void *item) {
  orr_id a = *(const orr_id *)id, b = ((const rec_definition *)*(rec_head *const *)item)->id;
  return (a > b) - (a < b);
}

static bool logged_for(const rec_history_job *row, const unit_found *definitions_found) {
  return bsearch(&row->definition_id, definitions_found->items, definitions_found->count,
                 sizeof *definitions_found->items, compare_definitions);
}

/* The log of jobs that belonged to no instance is kept under instance 0, of all definitions: it is read
 * once for those that go together. */
int purge_job_log(context *c, const unit_found *definitions_found) {
  rec_key by = {.id = 0};
  unit_found found;
  int rc = unit_find_keys(c->u, &rec_history_job_type, &by, 1, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    bool gone = logged_for((const rec_history_job *)found.items[i], definitions_found);
    if (gone && unit_delete(c->u, found.items[i])) rc = context_memory(c);
  }
  return rc;
}

int purge_definition(context *c, orr_id definition_id) {
  rec_key by = {.id = definition_id};
  unit_found found;
  int rc = unit_find_index(c->u, REC_INDEX_HISTORY_DEFINITION, &by, 1, 0, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++)
    rc = purge_instance(c, ((const rec_history_instance *)found.items[i])->id);
  return rc;
}
