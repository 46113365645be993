/* How many user tasks have ended, by their names or by their processes. */
#include "server/mapping/task_counts.h"

#include <stdlib.h>
#include <string.h>

#include "server/mapping/operation.h"
#include "server/mapping/query.h"
#include "server/mapping/records.h"

/* Tasks of one name, or of any, in one process. */
typedef struct task_count {
  orr_value name, key, tenant;
  int64_t count;
} task_count;

/* What is not set comes last. */
static int text_order(const orr_value *a, const orr_value *b) {
  bool text_a = a->type == ORR_STRING, text_b = b->type == ORR_STRING;
  if (!text_a || !text_b) return (int)text_b - (int)text_a;
  int order = memcmp(a->as.bytes, b->as.bytes, a->size < b->size ? a->size : b->size);
  return order ? order : (a->size > b->size) - (a->size < b->size);
}

static int task_order(const void *left, const void *right) {
  const task_count *a = left, *b = right;
  int order = text_order(&a->name, &b->name);
  if (!order) order = text_order(&a->key, &b->key);
  return order ? order : text_order(&a->tenant, &b->tenant);
}

/* By name, the most frequent first. */
static int count_order(const void *left, const void *right) {
  const task_count *a = left, *b = right;
  int order = text_order(&a->name, &b->name);
  if (!order) order = (a->count < b->count) - (a->count > b->count);
  return order ? order : task_order(left, right);
}

/* One for each task that has ended, in a process and with what is asked for; then one for each
 * group. */
static size_t tasks_count(const orr_records *tasks, bool by_name, task_count *all) {
  size_t n = 0, groups = 0;
  for (size_t i = 0; i < orr_records_count(tasks); i++) {
    task_count one = {.key = orr_records_get(tasks, i, "definition_key"),
                      .tenant = orr_records_get(tasks, i, "tenant"),
                      .count = 1};
    orr_value ended = orr_records_get(tasks, i, "ended_at");
    if (by_name) one.name = orr_records_get(tasks, i, "name");
    bool named = !by_name || (one.name.type == ORR_STRING && one.name.size > 0);
    if (named && ended.type != ORR_NIL && one.key.type == ORR_STRING) all[n++] = one;
  }
  qsort(all, n, sizeof *all, task_order);
  for (size_t i = 0; i < n; i++) {
    if (groups > 0 && !task_order(&all[groups - 1], &all[i])) all[groups - 1].count++;
    else all[groups++] = all[i];
  }
  qsort(all, groups, sizeof *all, count_order);
  return groups;
}

static void count_put(request *q, const char *key, orr_value value) {
  out_key(&q->out, key);
  out_value(&q->out, &value);
}

/* By the latest version of its process; of one that is gone nothing is told. */
static void count_write(request *q, const task_count *one) {
  const key_value of[] = {
      {"key", one->key},
      {"tenant", one->tenant.type == ORR_STRING ? one->tenant : orr_null()},
      {"latest", orr_bool(true)}};
  orr_records *latest = records_first(q, "definitions", of, 3);
  if (!latest) return;
  out_open(&q->out, '{');
  count_put(q, "taskName", one->name);
  out_put_int(&q->out, "count", one->count);
  count_put(q, "processDefinitionKey", one->key);
  out_key(&q->out, "processDefinitionId");
  out_id(&q->out, orr_records_id(latest, 0));
  count_put(q, "processDefinitionName", orr_records_get(latest, 0, "name"));
  count_put(q, "tenantId", one->tenant);
  out_close(&q->out, '}');
  orr_records_free(latest);
}

static int counts_write_all(request *q, const orr_records *tasks, bool by_name) {
  task_count *all = calloc(orr_records_count(tasks) + 1, sizeof *all);
  if (!all) return request_fail_memory(q);
  size_t n = tasks_count(tasks, by_name, all);
  out_open(&q->out, '[');
  for (size_t i = 0; i < n && !q->status; i++) count_write(q, &all[i]);
  out_close(&q->out, ']');
  free(all);
  return q->status ? q->status : request_done(q);
}

int task_counts_answer(request *q, size_t first) {
  const listing is = {.name = "history_tasks",
                      .params = q->operation->arguments + first,
                      .n_params = q->operation->n_arguments - first};
  const char *by = request_argument(q, "groupBy");
  bool by_name = by && strcmp(by, "taskName") == 0;
  orr_value filter;
  if (!by) return request_refuse(q, "groupBy parameter is not set: taskName or processDefinition");
  if (!by_name && strcmp(by, "processDefinition") != 0)
    return request_refuse(q, "groupBy parameter has invalid value: %s", by);
  if (!query_filter(q, &is, NULL, false, &filter)) return q->status;
  orr_records *tasks = records_list(q, "history_tasks", &filter);
  if (!tasks) return q->status;
  int status = counts_write_all(q, tasks, by_name);
  orr_records_free(tasks);
  return status;
}
