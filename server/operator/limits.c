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

/* What the body limits. */
static bool limit_target(request *q, orr_limit_target *out) {
  const char *definition = body_text(q, "jobDefinitionId");
  *out = (orr_limit_target){.size = sizeof *out, .topic = body_text(q, "topic"), .key = body_text(q, "key")};
  if (q->status) return false;
  if (!out->topic + !out->key + !definition != 2) {
    request_refuse(q, "One of jobDefinitionId, topic and key says what is limited");
    return false;
  }
  if (definition) out->job_definition = id_of_text(definition);
  if (!definition || out->job_definition) return true;
  request_refuse(q, "jobDefinitionId must be an id");
  return false;
}

/* A bound of the body: 0 when it is not given. */
static int64_t limit_count(request *q, const char *name) {
  int64_t n = body_given(q, name) ? body_int(q, name, 0) : 0;
  if (!q->status && body_given(q, name) && n <= 0) request_refuse(q, "%s must be a positive integer", name);
  return n;
}

/* What the body says of how much may run. */
static bool limit_bounds(request *q, orr_limit_options *out) {
  const json_t *rate = body_member(q, "perSecond");
  bool given = body_given(q, "perSecond");
  *out = (orr_limit_options){.size = sizeof *out, .max = limit_count(q, "max"), .burst = limit_count(q, "burst")};
  if (rate && !json_is_null(rate) && !json_is_number(rate)) request_refuse(q, "\"perSecond\" must be a number");
  if (!q->status && given) out->per_second = json_number_value(rate);
  if (!q->status && given && out->per_second == 0) request_refuse(q, "perSecond must be a number above 0");
  return !q->status;
}

int rest_limit_set(request *q) {
  orr_limit_target target;
  orr_limit_options limit;
  orr_error err = {0};
  if (!limit_target(q, &target)) return q->status;
  if (!body_given(q, "max") && !body_given(q, "perSecond"))
    return rest_end(q, orr_engine_limit_clear(rest_engine(q), &target, &err), &err);
  if (!limit_bounds(q, &limit)) return q->status;
  return rest_end(q, orr_engine_limit_set(rest_engine(q), &target, &limit, &err), &err);
}
