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
  int rc = request_flag(q, "cascade") ? orr_engine_batch_delete(rest_engine(q), request_id(q), ORR_CASCADE, &err)
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
  int rc = orr_engine_batch_delete(rest_engine(q), request_id(q), ORR_ALONE, &err);
  if (rc != ORR_E_STATE) return rest_end(q, rc, &err);
  request_refuse(q, "Cannot delete historic batch '%s': it is running", q->path[0]);
  orr_error_clear(&err);
  return q->status;
}

/* ---- Making them ------------------------------------------------------------------------------ */

bool batch_open(request *q, batch_order *out, const char *action, const char *list, const char *key,
                const orr_value *ids) {
  bool of_failed = strcmp(key, "instance_id_in") == 0 && strcmp(action, "retry") == 0 && strcmp(list, "jobs") == 0;
  orr_builder *of = request_builder(q);
  if (!of) return false;
  orr_builder_map(of);
  orr_builder_put(of, key, *ids);
  if (of_failed) orr_builder_put(of, "no_retries", orr_bool(true));
  orr_builder_end(of);
  *out = (batch_order){.options = {.size = sizeof out->options, .action = action, .list = list, .job_size = 1}};
  out->options.filter = &out->filter;
  return rest_value(q, of, &out->filter);
}

bool batch_of_instances(request *q, batch_order *out, const char *action) {
  orr_value ids;
  return !q->status && selected_instances(q, "processInstanceIds", &ids) &&
         batch_open(q, out, action, "instances", "id_in", &ids);
}

int batch_close(request *q, const batch_order *b) { return batch_close_or(q, b, request_fail_engine); }

int batch_close_or(request *q, const batch_order *b, int (*fail)(request *q, orr_error *err)) {
  orr_records *made = NULL;
  orr_error err = {0};
  if (q->status) return q->status;
  if (orr_engine_batch_create(rest_engine(q), &b->options, &made, &err)) return fail(q, &err);
  dto_write(q, &dto_BatchDto, made, 0);
  orr_records_free(made);
  return request_done(q);
}

void batch_skips(request *q, batch_order *b) {
  b->options.skip_listeners = body_bool(q, "skipCustomListeners", false);
  b->options.skip_io_mappings = body_bool(q, "skipIoMappings", false);
}

/* ---- Retries ---------------------------------------------------------------------------------- */

bool rest_retries(request *q, int64_t *out) {
  *out = body_int(q, "retries", -1);
  if (!q->status && *out < 0) request_refuse(q, "The number of retries must be given, and not be negative");
  return !q->status;
}

int batch_retries(request *q, batch_order *b, int64_t retries) {
  b->options.due = body_time(q, "dueDate");
  b->options.retries = retries ? retries : -1; /* 0 is not given */
  return batch_close(q, b);
}

/* ---- Removal ---------------------------------------------------------------------------------- */

int batch_removal(request *q, batch_order *b, bool by_definition) {
  orr_time at = body_time(q, "absoluteRemovalTime");
  bool cleared = body_bool(q, "clearedRemovalTime", false), calculated = body_bool(q, "calculatedRemovalTime", false);
  if (!q->status && (at != 0) + cleared + calculated != 1)
    return request_refuse(
        q, "Either absoluteRemovalTime, clearedRemovalTime or calculatedRemovalTime must be set, and only one of them");
  b->options.calculated = calculated && by_definition;
  if (!b->options.calculated) b->options.at = at ? at : ORR_TIME_NONE;
  return batch_close(q, b);
}

/* Batches have no time to live of their own, so a calculated one is none. */
int rest_history_batch_removal_time(request *q) {
  orr_value ids;
  batch_order b;
  if (!selected_ids(q, "historicBatchIds", "historicBatchQuery", &query_history_batch, &ids) ||
      !batch_open(q, &b, "set_removal_time", "batches", "id_in", &ids))
    return q->status;
  return batch_removal(q, &b, false);
}
