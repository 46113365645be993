/* Batches: what there is of them, and what the operations that are done by one share. */
#include "server/rest/batch.h"

#include <string.h>

#include "rest_table.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/mapping/records.h"
#include "server/mapping/selection.h"

/* ---- One batch -------------------------------------------------------------------------------- */

/* One that has ended is history. */
int rest_batch_get(request *q) {
  orr_records *found = records_one(q, "batches", request_id(q));
  bool ended = found && orr_records_get(found, 0, "ended_at").type != ORR_NIL;
  if (!found || ended) {
    orr_records_free(found);
    return q->status ? q->status : rest_missing(q);
  }
  dto_write(q, &dto_BatchDto, found, 0);
  orr_records_free(found);
  return request_done(q);
}

int rest_batch_delete(request *q) {
  orr_error err = {0};
  int rc = request_flag(q, "cascade") ? orr_engine_delete_batch(rest_engine(q), request_id(q), ORR_CASCADE, &err)
                                      : orr_engine_batch_cancel(rest_engine(q), request_id(q), &err);
  if (rc != ORR_E_STATE) return rest_end(q, rc, &err);
  orr_error_clear(&err);
  return rest_missing(q);
}

int rest_batch_suspend(request *q) {
  orr_error err = {0};
  bool suspend;
  if (!rest_suspension(q, &suspend)) return q->status;
  int rc = suspend ? orr_engine_batch_suspend(rest_engine(q), request_id(q), &err)
                   : orr_engine_batch_activate(rest_engine(q), request_id(q), &err);
  if (rc != ORR_E_STATE) return rest_end(q, rc, &err);
  orr_error_clear(&err);
  return rest_missing(q);
}

int rest_history_batch_delete(request *q) {
  orr_error err = {0};
  int rc = orr_engine_delete_batch(rest_engine(q), request_id(q), ORR_ALONE, &err);
  if (rc != ORR_E_STATE) return rest_end(q, rc, &err);
  request_refuse(q, "Cannot delete historic batch '%s': it is running", q->path[0]);
  orr_error_clear(&err);
  return q->status;
}

/* ---- Making them ------------------------------------------------------------------------------ */

orr_builder *batch_open(request *q, const char *action, const char *list, const char *key, const orr_value *ids) {
  orr_value filter;
  orr_builder *b = request_builder(q), *of = request_builder(q);
  if (!b || !of) return NULL;
  orr_builder_map(of);
  orr_builder_put(of, key, *ids);
  if (strcmp(key, "instance_id_in") == 0 && strcmp(action, "retry") == 0 && strcmp(list, "jobs") == 0)
    orr_builder_put(of, "no_retries", orr_bool(true));
  orr_builder_end(of);
  if (!rest_value(q, of, &filter)) return NULL;
  orr_builder_map(b);
  orr_builder_put(b, "action", orr_string(action));
  orr_builder_put(b, "list", orr_string(list));
  orr_builder_put(b, "filter", filter);
  orr_builder_put(b, "size", orr_int(1));
  return b;
}

int batch_close(request *q, orr_builder *b) { return batch_close_or(q, b, request_fail_engine); }

int batch_close_or(request *q, orr_builder *b, int (*fail)(request *q, orr_error *err)) {
  orr_value wanted;
  orr_records *made = NULL;
  orr_error err = {0};
  if (!b || q->status) return q->status;
  orr_builder_end(b);
  if (!rest_value(q, b, &wanted)) return q->status;
  if (orr_engine_batch(rest_engine(q), &wanted, &made, &err)) return fail(q, &err);
  dto_write(q, &dto_BatchDto, made, 0);
  orr_records_free(made);
  return request_done(q);
}

orr_builder *batch_of_instances(request *q, const char *action) {
  orr_value ids;
  if (q->status || !selected_instances(q, "processInstanceIds", &ids)) return NULL;
  return batch_open(q, action, "instances", "id_in", &ids);
}

void batch_put_true(request *q, orr_builder *b, const char *theirs, const char *ours) {
  if (b && body_bool(q, theirs, false)) orr_builder_put(b, ours, orr_bool(true));
}

orr_builder *batch_skips(request *q, orr_builder *b) {
  batch_put_true(q, b, "skipCustomListeners", "skip_listeners");
  batch_put_true(q, b, "skipIoMappings", "skip_io_mappings");
  return b;
}

void batch_put_text(request *q, orr_builder *b, const char *theirs, const char *ours) {
  const char *text = body_text(q, theirs);
  if (b && text) orr_builder_put(b, ours, orr_string(text));
}

/* ---- Retries ---------------------------------------------------------------------------------- */

bool rest_retries(request *q, int64_t *out) {
  *out = body_int(q, "retries", -1);
  if (!q->status && *out < 0) request_refuse(q, "The number of retries must be given, and not be negative");
  return !q->status;
}

int batch_retries(request *q, orr_builder *b, int64_t retries) {
  orr_time due = body_time(q, "dueDate");
  if (!b || q->status) return q->status;
  orr_builder_put(b, "retries", orr_int(retries));
  if (due) orr_builder_put(b, "due", orr_float((double)due / 1000));
  return batch_close(q, b);
}

/* ---- Removal ---------------------------------------------------------------------------------- */

int batch_removal(request *q, orr_builder *b, bool by_definition) {
  orr_time at = body_time(q, "absoluteRemovalTime");
  bool cleared = body_bool(q, "clearedRemovalTime", false), calculated = body_bool(q, "calculatedRemovalTime", false);
  if (!q->status && (at != 0) + cleared + calculated != 1)
    request_refuse(
        q, "Either absoluteRemovalTime, clearedRemovalTime or calculatedRemovalTime must be set, and only one of them");
  if (!b || q->status) return q->status;
  if (calculated && by_definition) orr_builder_put(b, "calculated", orr_bool(true));
  else orr_builder_put(b, "at", at ? orr_float((double)at / 1000) : orr_null());
  return batch_close(q, b);
}

/* Batches have no time to live of their own, so a calculated one is none. */
int rest_history_batch_removal_time(request *q) {
  orr_value ids;
  if (!selected_ids(q, "historicBatchIds", "historicBatchQuery", &query_history_batch, &ids)) return q->status;
  return batch_removal(q, batch_open(q, "set_removal_time", "batches", "id_in", &ids), false);
}
