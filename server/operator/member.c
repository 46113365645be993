/* Answers that are made of the engine's values as they are. */
#include "server/operator/member.h"

#include "rest_table.h"
#include "server/mapping/operation.h"

int answer_value(request *q, int rc, orr_builder *b, orr_error *err) {
  orr_value value;
  if (rc) return rest_end(q, rc, err);
  if (!rest_value(q, b, &value)) return q->status;
  out_value(&q->out, &value);
  return request_done(q);
}

void member_value(json_out *out, const char *key, const orr_value *value) {
  out_key(out, key);
  out_value(out, value);
}

void member_field(json_out *out, const char *key, const orr_records *of, const char *field) {
  orr_value value = of ? orr_records_get(of, 0, field) : orr_null();
  member_value(out, key, &value);
}

void member_id(json_out *out, const char *key, orr_id id) {
  out_key(out, key);
  if (id) out_id(out, id);
  else out_null(out);
}
