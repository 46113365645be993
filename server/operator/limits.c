/* Limits: how many jobs of a definition, a topic or a key run at once, and in a second. */
#include "rest_table.h"
#include "server/mapping/operation.h"
#include "server/mapping/records.h"
#include "server/operator/member.h"

int rest_limits(request *q) {
  orr_records *found = records_by(q, "limits", NULL, 0);
  if (!found) return q->status;
  out_open(&q->out, '[');
  for (size_t i = 0; i < orr_records_count(found); i++) {
    static const char *const fields[][2] = {
        {"topic", "topic"}, {"key", "key"}, {"perSecond", "per_second"}};
    static const char *const counts[] = {"max", "burst"};
    orr_value definition = orr_records_get(found, i, "job_definition_id");
    out_open(&q->out, '{');
    member_id(&q->out, "jobDefinitionId", definition.type == ORR_INT ? (orr_id)definition.as.integer : 0);
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
      orr_value value = orr_records_get(found, i, fields[f][1]);
      member_value(&q->out, fields[f][0], &value);
    }
    for (size_t f = 0; f < sizeof counts / sizeof *counts; f++) { /* 0 is no such bound */
      orr_value value = orr_records_get(found, i, counts[f]);
      if (value.type != ORR_INT || value.as.integer == 0) value = orr_null();
      member_value(&q->out, counts[f], &value);
    }
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
  orr_records_free(found);
  return request_done(q);
}

/* What the body limits: a map with one entry. */
static bool limit_of(request *q, orr_builder *b, orr_value *of) {
  const char *topic = body_text(q, "topic"), *key = body_text(q, "key"), *definition = body_text(q, "jobDefinitionId");
  if (q->status) return false;
  if (!topic + !key + !definition != 2) {
    request_refuse(q, "One of jobDefinitionId, topic and key says what is limited");
    return false;
  }
  orr_builder_map(b);
  if (definition) orr_builder_put(b, "job_definition", orr_int((int64_t)id_of_text(definition)));
  else orr_builder_put(b, topic ? "topic" : "key", orr_string(topic ? topic : key));
  orr_builder_end(b);
  return rest_value(q, b, of);
}

/* What the body says of how much may run: a map. */
static bool limit_bounds(request *q, orr_builder *b, orr_value *out) {
  const json_t *rate = body_member(q, "perSecond");
  if (rate && !json_is_null(rate) && !json_is_number(rate)) {
    request_refuse(q, "\"perSecond\" must be a number");
    return false;
  }
  orr_builder_map(b);
  if (body_given(q, "max")) orr_builder_put(b, "max", orr_int(body_int(q, "max", 0)));
  if (body_given(q, "perSecond")) orr_builder_put(b, "per_second", orr_float(json_number_value(rate)));
  if (body_given(q, "burst")) orr_builder_put(b, "burst", orr_int(body_int(q, "burst", 0)));
  orr_builder_end(b);
  return !q->status && rest_value(q, b, out);
}

int rest_limit_set(request *q) {
  orr_value of, limit;
  orr_error err = {0};
  orr_builder *b = request_builder(q), *l = request_builder(q);
  if (!b || !l || !limit_of(q, b, &of)) return q->status;
  if (!body_given(q, "max") && !body_given(q, "perSecond"))
    return rest_end(q, orr_engine_clear_limit(rest_engine(q), &of, &err), &err);
  if (!limit_bounds(q, l, &limit)) return q->status;
  return rest_end(q, orr_engine_set_limit(rest_engine(q), &of, &limit, &err), &err);
}
