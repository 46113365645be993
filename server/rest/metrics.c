/* What was counted, by names and intervals. */
#include <stdlib.h>
#include <string.h>

#include "rest_table.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/mapping/query.h"

enum { INTERVALS_MAX = 200, INTERVAL_SECONDS = 900 }; /* Camunda's bound, and its usual interval */

/* A request for the engine: what the operation's arguments filter by, and `name`. False: the request has failed. */
static bool metrics_request(request *q, const char *name, int64_t interval, orr_value *out) {
  const listing is = {.name = "metrics", .params = q->operation->arguments, .n_params = q->operation->n_arguments};
  orr_value filter, key, value;
  int64_t first = 0, most = INTERVALS_MAX;
  orr_builder *b = request_builder(q);
  if (!b || !query_filter(q, &is, NULL, false, &filter) || (interval && !rest_page(q, &first, &most))) return false;
  orr_builder_map(b);
  orr_iterator i = orr_iterate(&filter);
  while (filter.type == ORR_MAP && orr_next(&i, &key, &value)) {
    if (value.type == ORR_ARRAY) continue; /* conditions of filters, of which there are none */
    orr_builder_key(b, key.as.bytes, key.size);
    orr_builder_add(b, &value);
  }
  if (name) orr_builder_put(b, "name", orr_string(name));
  if (interval) {
    orr_builder_put(b, "interval", orr_int(interval));
    orr_builder_put(b, "by_reporter", orr_bool(request_flag(q, "aggregateByReporter")));
    orr_builder_put(b, "offset", orr_int(first));
    orr_builder_put(b, "limit", orr_int(most < INTERVALS_MAX ? most : INTERVALS_MAX));
  }
  orr_builder_end(b);
  return rest_value(q, b, out);
}

int rest_metrics_sum(request *q) {
  orr_value wanted, sums, name, sum;
  orr_error err = {0};
  if (!metrics_request(q, q->path[0], 0, &wanted)) return q->status;
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  if (orr_engine_metrics_stored(rest_engine(q), &wanted, b, &err)) return request_fail_engine(q, &err);
  if (!rest_value(q, b, &sums)) return q->status;
  orr_iterator i = orr_iterate(&sums);
  out_open(&q->out, '{');
  out_put_int(&q->out, "result", orr_next(&i, &name, &sum) ? sum.as.integer : 0);
  out_close(&q->out, '}');
  return request_done(q);
}

static void interval_write(request *q, const orr_value *one) {
  orr_value time = orr_map_get(one, "time"), name = orr_map_get(one, "name"), reporter = orr_map_get(one, "reporter");
  out_open(&q->out, '{');
  out_key(&q->out, "timestamp");
  out_time(&q->out, time_of_value(&time));
  out_key(&q->out, "name");
  out_value(&q->out, &name);
  out_key(&q->out, "reporter");
  out_value(&q->out, &reporter);
  out_put_int(&q->out, "value", orr_map_get(one, "value").as.integer);
  out_close(&q->out, '}');
}

/* 0: the request has failed. */
static int64_t interval_asked(request *q) {
  const char *text = request_argument(q, "interval");
  char *end;
  long long seconds = text ? strtoll(text, &end, 10) : INTERVAL_SECONDS;
  if (!text || (*text && !*end && seconds > 0 && seconds % INTERVAL_SECONDS == 0)) return seconds;
  request_refuse(q, "interval must be a number of seconds, a multiple of %d", INTERVAL_SECONDS);
  return 0;
}

int rest_metrics_intervals(request *q) {
  orr_value wanted, rows, one;
  orr_error err = {0};
  int64_t interval = interval_asked(q);
  if (!interval || !metrics_request(q, NULL, interval, &wanted)) return q->status;
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  if (orr_engine_metrics_stored(rest_engine(q), &wanted, b, &err)) return request_fail_engine(q, &err);
  if (!rest_value(q, b, &rows)) return q->status;
  orr_iterator i = orr_iterate(&rows);
  out_open(&q->out, '[');
  while (orr_next(&i, NULL, &one)) interval_write(q, &one);
  out_close(&q->out, ']');
  return request_done(q);
}

int rest_task_workers_delete(request *q) {
  const listing is = {.name = "metrics", .params = q->operation->arguments, .n_params = q->operation->n_arguments};
  orr_value filter, wanted, before;
  orr_error err = {0};
  int64_t n;
  orr_builder *b = request_builder(q);
  if (!b || !query_filter(q, &is, NULL, false, &filter)) return q->status;
  orr_builder_map(b);
  before = orr_map_get(&filter, "before");
  if (before.type != ORR_NIL) orr_builder_put(b, "before", before);
  orr_builder_put(b, "task_workers", orr_bool(true));
  orr_builder_end(b);
  if (!rest_value(q, b, &wanted)) return q->status;
  return rest_end(q, orr_engine_metrics_delete(rest_engine(q), &wanted, &n, &err), &err);
}
