/* Clean-up of history: its jobs, and what it would find. */
#include <stdlib.h>
#include <string.h>

#include "rest_table.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/mapping/query.h"
#include "server/mapping/records.h"

/* ---- The jobs --------------------------------------------------------------------------------- */

/* NULL: the request has failed. */
static orr_records *cleanup_jobs(request *q) {
  return records_by(q, "jobs", &(key_value){"handler", orr_string("clean-history")}, 1);
}

int rest_cleanup_jobs(request *q) {
  orr_records *jobs = cleanup_jobs(q);
  if (!jobs) return q->status;
  out_open(&q->out, '[');
  for (size_t i = 0; i < orr_records_count(jobs); i++) dto_write(q, &dto_JobDto, jobs, i);
  out_close(&q->out, ']');
  orr_records_free(jobs);
  return q->status ? q->status : request_done(q);
}

/* The first of them as the answer. */
static int cleanup_answer(request *q) {
  orr_records *jobs = cleanup_jobs(q);
  if (!jobs) return q->status;
  if (orr_records_count(jobs) > 0) dto_write(q, &dto_JobDto, jobs, 0);
  else out_null(&q->out);
  orr_records_free(jobs);
  return q->status ? q->status : request_done(q);
}

int rest_cleanup_job(request *q) {
  orr_records *jobs = cleanup_jobs(q);
  if (!jobs) return q->status;
  bool none = orr_records_count(jobs) == 0;
  orr_records_free(jobs);
  return none ? request_fail(q, 404, "RestException", "History cleanup job does not exist") : cleanup_answer(q);
}

/* A schedule that there is comes at once, and goes on as it was; without one history is cleaned
 * once. */
static int cleanup_come(request *q, orr_error *err) {
  orr_value once;
  orr_records *jobs = cleanup_jobs(q);
  orr_builder *b = jobs ? request_builder(q) : NULL;
  orr_id job = jobs && orr_records_count(jobs) > 0 ? orr_records_id(jobs, 0) : 0;
  orr_records_free(jobs);
  if (!b) return 0;
  if (job) return orr_engine_job_set_due(rest_engine(q), job, ORR_TIME_NONE, ORR_ALONE, err);
  orr_builder_map(b);
  orr_builder_end(b);
  return rest_value(q, b, &once) ? orr_engine_history_schedule_clean(rest_engine(q), &once, err)
                                 : 0;
}

/* The job is shown as it is before it can have run. */
int rest_cleanup_start(request *q) {
  orr_error err = {0};
  if (orr_engine_begin(rest_engine(q), &err)) return request_fail_engine(q, &err);
  int rc = cleanup_come(q, &err);
  if (!rc && !q->status) cleanup_answer(q);
  if (rc || q->status != 200) orr_engine_rollback(rest_engine(q));
  else rc = orr_engine_commit(rest_engine(q), &err);
  return rc ? request_fail_engine(q, &err) : q->status;
}

/* There are no hours of the day for it. */
int rest_cleanup_configuration(request *q) {
  out_open(&q->out, '{');
  out_put_null(&q->out, "batchWindowStartTime");
  out_put_null(&q->out, "batchWindowEndTime");
  out_put_bool(&q->out, "enabled", true);
  out_close(&q->out, '}');
  return request_done(q);
}

/* ---- Reports ---------------------------------------------------------------------------------- */

/* What a report is about: things of history by a field, which may go by their time of removal. */
typedef struct cleanable {
  const char *verb, *by;
  const char *ended;             /* the key of a field that is set in what has ended */
  const char *of;                /* what they are counted for: a list */
  const char *prefix, *finished, *cleanable;
} cleanable;

static const cleanable of_instances = {"history_instances", "definition_id", "ended_at_ne", "definitions", "processDefinition",
                                       "finishedProcessInstanceCount", "cleanableProcessInstanceCount"};
static const cleanable of_decisions = {"history_decisions", "decision_id", NULL, "decisions", "decisionDefinition",
                                       "finishedDecisionInstanceCount", "cleanableDecisionInstanceCount"};

/* -1: the request has failed. */
static int64_t count_things(request *q, const cleanable *what, orr_id id, bool removable) {
  orr_value now = orr_seconds(orr_engine_now(rest_engine(q)));
  const key_value keys[] = {{what->by, orr_int((int64_t)id)},
                            {"remove_at_le", removable ? now : (orr_value){0}},
                            {what->ended, orr_null()}};
  return records_total(q, what->verb, keys, what->ended ? 3 : 2);
}

typedef struct report_row {
  size_t at; /* in the list */
  int64_t finished, cleanable;
} report_row;

static int fewer_first(const void *a, const void *b) {
  const report_row *x = a, *y = b;
  if (x->finished != y->finished) return x->finished < y->finished ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* Rows of what the request asks for, in its order; `*count` of them. NULL: the request has failed. The caller frees. */
static report_row *report_rows(request *q, const cleanable *what, const orr_records *list, size_t *count) {
  size_t n = orr_records_count(list);
  report_row *rows = calloc(n + 1, sizeof *rows);
  bool compact = request_flag(q, "compact");
  *count = 0;
  if (!rows) request_fail_memory(q);
  for (size_t i = 0; rows && !q->status && i < n; i++) {
    report_row r = {.at = i, .finished = count_things(q, what, orr_records_id(list, i), false)};
    if (r.finished > 0) r.cleanable = count_things(q, what, orr_records_id(list, i), true);
    if (r.finished > 0 || !compact) rows[(*count)++] = r;
  }
  if (rows && !q->status && request_argument(q, "sortBy")) qsort(rows, *count, sizeof *rows, fewer_first);
  return rows;
}

static void put_of_definition(request *q, const cleanable *what, const char *suffix, orr_value value) {
  char key[64];
  snprintf(key, sizeof key, "%s%s", what->prefix, suffix);
  out_key(&q->out, key);
  if (strcmp(suffix, "Id") == 0) out_id(&q->out, (orr_id)value.as.integer);
  else out_value(&q->out, &value);
}

static void cleanable_write(request *q, const cleanable *what, const orr_records *list, const report_row *r) {
  const row of = {.request = q, .records = list, .index = r->at};
  orr_value tenant = orr_records_get(list, r->at, "tenant");
  out_open(&q->out, '{');
  put_of_definition(q, what, "Id", orr_int((int64_t)orr_records_id(list, r->at)));
  put_of_definition(q, what, "Key", orr_records_get(list, r->at, "key"));
  put_of_definition(q, what, "Name", orr_records_get(list, r->at, "name"));
  put_of_definition(q, what, "Version", orr_records_get(list, r->at, "version"));
  out_key(&q->out, "historyTimeToLive");
  dto_time_to_live(&of, &q->out);
  out_put_int(&q->out, what->finished, r->finished);
  out_put_int(&q->out, what->cleanable, r->cleanable);
  out_key(&q->out, "tenantId");
  out_value(&q->out, &tenant);
  out_close(&q->out, '}');
}

/* Only by what has finished may it be sorted. */
static bool report_order(request *q, bool *backwards) {
  const char *by = request_argument(q, "sortBy"), *order = request_argument(q, "sortOrder");
  *backwards = order && strcmp(order, "desc") == 0;
  if ((!by || strcmp(by, "finished") == 0) && !by == !order) return true;
  request_refuse(q, "sortBy is finished, and sortOrder asc or desc with it");
  return false;
}

static orr_records *report_list(request *q, const cleanable *what) {
  const listing is = {.name = what->of, .params = q->operation->arguments, .n_params = q->operation->n_arguments};
  orr_value filter;
  return query_filter(q, &is, NULL, false, &filter) ? records_list(q, what->of, &filter) : NULL;
}

static int cleanable_report(request *q, const cleanable *what, bool counts) {
  int64_t first = 0, most = INT64_MAX;
  size_t n = 0;
  bool backwards;
  if (!report_order(q, &backwards) || (!counts && !rest_page(q, &first, &most))) return q->status;
  orr_records *list = report_list(q, what);
  report_row *rows = list ? report_rows(q, what, list, &n) : NULL;
  out_open(&q->out, counts ? '{' : '[');
  if (counts) out_put_int(&q->out, "count", (int64_t)n);
  for (size_t i = (size_t)first; !counts && !q->status && i < n && (int64_t)i - first < most; i++)
    cleanable_write(q, what, list, &rows[backwards ? n - 1 - i : i]);
  out_close(&q->out, counts ? '}' : ']');
  free(rows);
  orr_records_free(list);
  return q->status ? q->status : request_done(q);
}

int rest_cleanable_instances(request *q) { return cleanable_report(q, &of_instances, false); }
int rest_cleanable_instances_count(request *q) { return cleanable_report(q, &of_instances, true); }
int rest_cleanable_decisions(request *q) { return cleanable_report(q, &of_decisions, false); }
int rest_cleanable_decisions_count(request *q) { return cleanable_report(q, &of_decisions, true); }

/* ---- Batches -------------------------------------------------------------------------------- */

/* Batches of one type. They have no time to live: when one may go is set for it, or never. */
typedef struct batch_row {
  orr_value type;
  int64_t finished, cleanable;
} batch_row;

static int by_finished(const void *a, const void *b) {
  const batch_row *x = a, *y = b;
  return x->finished < y->finished ? -1 : x->finished > y->finished;
}

/* The row of a type; a new one when there is none. */
static batch_row *batch_row_of(batch_row *rows, size_t *n, orr_value type) {
  for (size_t i = 0; i < *n; i++) {
    const orr_value *is = &rows[i].type;
    if (is->size == type.size && memcmp(is->as.bytes, type.as.bytes, type.size) == 0)
      return &rows[i];
  }
  rows[*n] = (batch_row){.type = type};
  return &rows[(*n)++];
}

/* Of ended batches, by their types; texts are those of `ended`. NULL: the request has failed. The
 * caller frees. */
static batch_row *batch_rows(request *q, const orr_records *ended, size_t *n) {
  orr_time now = orr_engine_now(rest_engine(q));
  size_t count = orr_records_count(ended);
  batch_row *rows = calloc(count + 1, sizeof *rows);
  *n = 0;
  if (!rows) request_fail_memory(q);
  for (size_t i = 0; rows && i < count; i++) {
    orr_value type = orr_records_get(ended, i, "type"), at = orr_records_get(ended, i, "remove_at");
    if (type.type != ORR_STRING) type = orr_records_get(ended, i, "action");
    batch_row *of = batch_row_of(rows, n, type);
    of->finished++;
    if (at.type != ORR_NIL && time_of_value(&at) <= now) of->cleanable++;
  }
  if (rows && request_argument(q, "sortBy")) qsort(rows, *n, sizeof *rows, by_finished);
  return rows;
}

static void batch_row_write(json_out *out, const batch_row *of) {
  out_open(out, '{');
  out_key(out, "batchType");
  out_value(out, &of->type);
  out_put_null(out, "historyTimeToLive");
  out_put_int(out, "finishedBatchesCount", of->finished);
  out_put_int(out, "cleanableBatchesCount", of->cleanable);
  out_close(out, '}');
}

static int batch_report(request *q, bool counts) {
  const key_value ended[] = {{"ended_at_ne", orr_null()}};
  int64_t first = 0, most = INT64_MAX;
  size_t n = 0;
  bool backwards;
  if (!report_order(q, &backwards) || (!counts && !rest_page(q, &first, &most))) return q->status;
  orr_records *found = records_by(q, "batches", ended, 1);
  batch_row *rows = found ? batch_rows(q, found, &n) : NULL;
  out_open(&q->out, counts ? '{' : '[');
  if (counts) out_put_int(&q->out, "count", (int64_t)n);
  for (size_t i = (size_t)first; !counts && rows && i < n && (int64_t)i - first < most; i++)
    batch_row_write(&q->out, &rows[backwards ? n - 1 - i : i]);
  out_close(&q->out, counts ? '}' : ']');
  free(rows);
  orr_records_free(found);
  return q->status ? q->status : request_done(q);
}

int rest_cleanable_batches(request *q) { return batch_report(q, false); }
int rest_cleanable_batches_count(request *q) { return batch_report(q, true); }
