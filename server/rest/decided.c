/* What was decided, deleted and given a time to go by batches; and how long it is kept. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "server/rest/rest.h"

/* A row's number in "instance:number", which is the store's alone; 0: it is no such text. */
static int64_t decided_number(const char *text) {
  const char *colon = text ? strchr(text, ':') : NULL;
  return colon && strspn(text, "0123456789") == (size_t)(colon - text) ? (int64_t)id_of_text(colon + 1) : 0;
}

static bool decided_add(request *q, const json_t *list, orr_builder *b, size_t *n) {
  for (size_t i = 0; i < json_array_size(list); i++, (*n)++) {
    orr_value number = orr_int(decided_number(json_string_value(json_array_get(list, i))));
    if (number.as.integer == 0) {
      request_refuse(q, "Number %zu of the ids is none", i + 1);
      return false;
    }
    orr_builder_add(b, &number);
  }
  return true;
}

static bool decided_find(request *q, const json_t *body, orr_builder *b, size_t *n) {
  orr_value filter;
  if (!body) return true;
  if (!query_filter(q, &query_history_decision, body, false, &filter)) return false;
  orr_records *found = records_list(q, "history_decisions", &filter);
  if (!found) return false;
  for (size_t i = 0; i < orr_records_count(found); i++, (*n)++) {
    orr_value number = orr_records_get(found, i, "sequence");
    orr_builder_add(b, &number);
  }
  orr_records_free(found);
  return true;
}

/* The rows that a body names, by their numbers. False: the request has failed. */
static bool decided_rows(request *q, orr_value *out) {
  orr_builder *b = request_builder(q);
  size_t n = 0;
  if (!b) return false;
  orr_builder_array(b);
  if (!decided_add(q, body_member(q, "historicDecisionInstanceIds"), b, &n) ||
      !decided_find(q, body_member(q, "historicDecisionInstanceQuery"), b, &n))
    return false;
  orr_builder_end(b);
  if (n == 0) {
    request_refuse(q, "historicDecisionInstanceIds is empty: nothing is named and nothing was found");
    return false;
  }
  return rest_value(q, b, out);
}

int rest_decided_delete(request *q) {
  orr_value numbers;
  if (!decided_rows(q, &numbers)) return q->status;
  return batch_close(q, batch_open(q, "delete_history", "history_decisions", "sequence_in", &numbers));
}

int rest_decided_removal_time(request *q) {
  orr_value numbers;
  if (!decided_rows(q, &numbers)) return q->status;
  orr_builder *b = batch_open(q, "set_removal_time", "history_decisions", "sequence_in", &numbers);
  if (b && body_bool(q, "hierarchical", false)) orr_builder_put(b, "hierarchical", orr_bool(true));
  return batch_removal(q, b, true);
}

int rest_decision_time_to_live(request *q) {
  orr_error err = {0};
  char days[24];
  int64_t n = body_int(q, "historyTimeToLive", -1);
  bool given = body_given(q, "historyTimeToLive");
  orr_records *found = q->status ? NULL : decision_of_path(q);
  if (!found) return q->status;
  orr_id id = orr_records_id(found, 0);
  orr_records_free(found);
  if (given && n < 0) return request_refuse(q, "historyTimeToLive must be a number of days, 0 or more, or null");
  snprintf(days, sizeof days, "%" PRId64, n);
  return rest_end(q, orr_engine_set_decision_time_to_live(rest_engine(q), id, given ? days : NULL, &err), &err);
}
