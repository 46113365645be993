/* The time zone of the store. */
#include "rest_table.h"
#include "server/mapping/operation.h"
#include "server/operator/member.h"

int rest_time_zone(request *q) {
  orr_value zone;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  int rc = orr_engine_time_zone(rest_engine(q), b, &err);
  if (!rc) rc = orr_builder_value(b, &zone, &err);
  if (rc) return request_fail_engine(q, &err);
  out_open(&q->out, '{');
  member_value(&q->out, "timeZone", &zone);
  out_close(&q->out, '}');
  return request_done(q);
}
