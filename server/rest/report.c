/* Reports: how long what has ended took, by month or quarter. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "server/rest/rest.h"

/* In seconds; Camunda has milliseconds. */
static void put_duration(json_out *out, const char *key, orr_value seconds) {
  double s = seconds.type == ORR_INT ? (double)seconds.as.integer : seconds.type == ORR_FLOAT ? seconds.as.number : 0;
  out_put_int(out, key, llround(s * 1000));
}

static void period_write(json_out *out, const orr_value *one, const char *unit) {
  orr_value period = orr_map_get(one, "period");
  out_open(out, '{');
  out_put_int(out, "period", period.as.integer);
  out_put_text(out, "periodUnit", unit);
  put_duration(out, "minimum", orr_map_get(one, "minimum"));
  put_duration(out, "maximum", orr_map_get(one, "maximum"));
  put_duration(out, "average", orr_map_get(one, "average"));
  out_close(out, '}');
}

/* Both take a report type, a unit, and then what a list takes. */
static int durations_report(request *q, const char *verb) {
  const listing is = {.name = verb, .params = q->operation->arguments + 2, .n_params = q->operation->n_arguments - 2};
  const char *type = request_argument(q, "reportType"), *unit = request_argument(q, "periodUnit");
  bool month = unit && strcasecmp(unit, "month") == 0, quarter = unit && strcasecmp(unit, "quarter") == 0;
  orr_value filter, rows, one;
  orr_error err = {0};
  orr_builder *b = rest_builder(q);
  if (!type || strcasecmp(type, "duration") != 0)
    return request_fail(q, 400, "InvalidRequestException", "reportType must be duration");
  if (!month && !quarter) return request_fail(q, 400, "InvalidRequestException", "periodUnit must be month or quarter");
  if (!b || !query_filter(q, &is, NULL, false, &filter)) return q->status;
  if (orr_engine_durations(rest_engine(q), verb, &filter, month ? "month" : "quarter", b, &err))
    return request_fail_engine(q, &err);
  if (!rest_value(q, b, &rows)) return q->status;
  orr_iterator i = orr_iterate(&rows);
  out_open(&q->out, '[');
  while (orr_next(&i, NULL, &one)) period_write(&q->out, &one, month ? "MONTH" : "QUARTER");
  out_close(&q->out, ']');
  return request_done(q);
}

int rest_instance_report(request *q) { return durations_report(q, "history_instances"); }

int rest_task_report(request *q) { return durations_report(q, "history_tasks"); }
