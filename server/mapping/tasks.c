/* Tasks by the ids that clients gave them. */
#include "server/mapping/tasks.h"

#include <inttypes.h>
#include <string.h>

#include "rest_table.h"
#include "server/mapping/records.h"

/* Ids of the engine's are larger: nothing that clients chose is asked for by these. */
#define SMALLEST_ID ((UINT64_C(1) << 23) + 1)

/* ---- In ------------------------------------------------------------------------------------- */

/* 0: none has it, or the request has failed. */
static orr_id task_by_own_id(request *q, const char *verb, const char *id) {
  orr_records *found = records_first(q, verb, &(key_value){"own_id", orr_string(id)}, 1);
  orr_id is = found ? orr_records_id(found, 0) : 0;
  orr_records_free(found);
  return is;
}

const char *task_id_text(request *q, const char *id) {
  if (id_of_text(id) >= SMALLEST_ID || !*id) return id;
  orr_id is = task_by_own_id(q, "tasks", id);
  if (!is && !q->status) is = task_by_own_id(q, "history_tasks", id);
  if (q->status) return NULL;
  return is ? request_printf(q, "%" PRIu64, is) : id;
}

orr_id task_id_number(request *q, const char *id) {
  const char *text = task_id_text(q, id);
  orr_id is = text ? id_of_text(text) : 0;
  return is ? is : INT64_MAX;
}

bool rest_prepare_task(request *q) {
  orr_id is = task_id_number(q, q->path[0]);
  if (is != INT64_MAX) q->path_id = is;
  return !q->status;
}

/* ---- Out ------------------------------------------------------------------------------------ */

void dto_task_id(const row *r, json_out *out) {
  orr_value own = orr_records_get(r->records, r->index, "own_id");
  if (own.type == ORR_STRING) out_value(out, &own);
  else out_id(out, orr_records_id(r->records, r->index));
}

/* Of a task without an instance, running or ended; false: it has none. */
static bool own_id_written(request *q, const char *verb, orr_id id, json_out *out) {
  orr_records *found = records_one(q, verb, id);
  orr_value own = found ? orr_records_get(found, 0, "own_id") : (orr_value){0};
  bool has = own.type == ORR_STRING;
  if (has) out_value(out, &own);
  orr_records_free(found);
  return has;
}

static void task_named(const row *r, const char *field, json_out *out) {
  orr_value of = orr_records_get(r->records, r->index, field);
  orr_id id = of.type == ORR_INT ? (orr_id)of.as.integer : 0;
  if (!id) out_null(out);
  else if (!own_id_written(r->request, "tasks", id, out) &&
           !own_id_written(r->request, "history_tasks", id, out))
    out_id(out, id);
}

void dto_task_parent(const row *r, json_out *out) { task_named(r, "parent_id", out); }

/* Tasks of an instance have no id but the engine's, so most rows ask for nothing. */
void dto_task_of(const row *r, json_out *out) {
  orr_value instance = orr_records_get(r->records, r->index, "instance_id");
  orr_value of = orr_records_get(r->records, r->index, "task_id");
  bool alone = instance.type != ORR_INT ||
               (of.type == ORR_INT && instance.as.integer == of.as.integer);
  if (alone) task_named(r, "task_id", out);
  else out_id(out, of.type == ORR_INT ? (orr_id)of.as.integer : 0);
}
