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

static int purge_rows(context *c, orr_id instance) {
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

/* ---- With what it called --------------------------------------------------------------------- */

/* Rows of call activities, which say what was called; only those are loaded. */
typedef struct called_rows {
  context *c;
  unit_found rows;
  size_t capacity;
  int64_t most;
} called_rows;

static int look_at_called(void *ud, rec_head *record, bool *stop) {
  called_rows *k = ud;
  if (!((const rec_history_activity *)record)->called_instance_id) return 0;
  if (!ARENA_ROOM(k->c->arena, k->rows.items, k->rows.count, k->capacity, 16))
    return context_memory(k->c);
  rec_head *kept = unit_keep(k->c->u, record, &k->c->error);
  if (!kept) return k->c->error.code;
  k->rows.items[k->rows.count++] = kept;
  *stop = (int64_t)k->rows.count >= k->most;
  return 0;
}

/* A running instance keeps its history. */
static bool runs_no_more(context *c, orr_id instance) {
  return unit_history_instance(c->u, instance, &c->error) &&
         !unit_instance(c->u, instance, &c->error);
}

/* Deletes the row of the call, too, so the next step need not look at it again. */
static int purge_call(context *c, rec_history_activity *row, int64_t *left, bool *whole) {
  *whole = true;
  int rc = runs_no_more(c, row->called_instance_id)
               ? purge_tree(c, row->called_instance_id, left, whole)
               : c->error.code;
  if (rc || !*whole) return rc;
  return unit_delete(c->u, row) ? context_memory(c) : 0;
}

/* As many calls as there may be instances, and whether there are more. */
static int purge_calls(context *c, orr_id instance, int64_t *left, bool *whole, bool *more) {
  rec_key by = {.id = instance};
  const access_path way = {.type = &rec_history_activity_type, .fields = &by, .n_fields = 1};
  called_rows k = {.c = c, .most = *left};
  int rc = unit_walk(c->u, &way, look_at_called, &k, more, &c->error);
  for (size_t i = 0; !rc && *whole && i < k.rows.count; i++)
    rc = purge_call(c, (rec_history_activity *)k.rows.items[i], left, whole);
  return rc;
}

int purge_tree(context *c, orr_id instance, int64_t *left, bool *whole) {
  bool more = true, gone = true;
  int rc = 0;
  *whole = false;
  while (!rc && gone && more && *left > 0) rc = purge_calls(c, instance, left, &gone, &more);
  if (rc || !gone || more || *left <= 0) return rc;
  *whole = true;
  (*left)--;
  return purge_rows(c, instance);
}

int purge_instance(context *c, orr_id instance) {
  int64_t left = INT64_MAX;
  bool whole;
  return purge_tree(c, instance, &left, &whole);
}

int purge_variable(context *c, rec_history_variable *row) {
  rec_key by = {.id = row->instance_id};
  unit_found found;
  int rc = row->instance_id ? unit_find_keys(c->u, &rec_history_detail_type, &by, 1, &found, &c->error) : 0;
  for (size_t i = 0; row->instance_id && !rc && i < found.count; i++) {
    rec_history_detail *written = (rec_history_detail *)found.items[i];
    bool of_row = written->scope == row->execution_id && rec_text_equal(written->name, row->name) &&
                  written->activity_number == row->activity_number &&
                  rec_text_equal(written->activity_id, row->activity_id);
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
