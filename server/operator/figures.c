/* How much there is of everything, and an hour of counts by the minute. */
#include "rest_table.h"
#include "server/mapping/records.h"
#include "server/operator/member.h"
#include "server/server_internal.h"
#include "server/transport/series.h"

int rest_figures(request *q) {
  const key_value failed[] = {{"retries", orr_int(0)}}, due[] = {{"executable", orr_bool(true)}},
                  timers[] = {{"executable", orr_bool(false)}, {"retries_gt", orr_int(0)}};
  const struct {
    const char *name, *verb;
    const key_value *keys;
    size_t n;
  } figures[] = {
      {"instances", "instances", NULL, 0}, {"incidents", "incidents", NULL, 0}, {"failed_jobs", "jobs", failed, 1},
      {"due_jobs", "jobs", due, 1}, {"timers", "jobs", timers, 2}, {"tasks", "tasks", NULL, 0},
  };
  out_open(&q->out, '{');
  out_key(&q->out, "now");
  out_open(&q->out, '{');
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    int64_t n = records_total(q, figures[i].verb, figures[i].keys, figures[i].n);
    if (n < 0) return q->status;
    out_put_int(&q->out, figures[i].name, n);
  }
  out_close(&q->out, '}');
  out_key(&q->out, "series");
  series_write(&q->engine->series, &q->out);
  out_close(&q->out, '}');
  return request_done(q);
}
