/* What names many: ids, and queries that find them. */
#include "server/mapping/selection.h"

#include <string.h>

#include "rest_table.h"
#include "server/mapping/operation.h"
#include "server/mapping/query.h"
#include "server/mapping/records.h"

enum { SELECTION_MAX = 100000 }; /* ids that one request may name or find: as many as a batch's first step can hold */

static bool selection_add(request *q, const json_t *list, orr_builder *b, size_t *n) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    orr_id id = id_of_text(json_string_value(json_array_get(list, i)));
    if (!id) {
      request_refuse(q, "Number %zu of the ids is none", i + 1);
      return false;
    }
    orr_value value = orr_int((int64_t)id);
    orr_builder_add(b, &value);
    (*n)++;
  }
  return true;
}

bool selection_names_none(const json_t *body, const listing *is) {
  for (size_t i = 0; i < is->n_params; i++) {
    const json_t *list = json_object_get(body, is->params[i].name);
    bool own = is->params[i].kind == PARAM_ROWS ||
               (is->params[i].key && strcmp(is->params[i].key, "id_in") == 0);
    if (own && json_is_array(list) && json_array_size(list) == 0) return true;
  }
  return false;
}

static bool selection_find(request *q, const json_t *body, const listing *is, orr_builder *b, size_t *n) {
  orr_value filter;
  if (selection_names_none(body, is)) return true;
  if (!query_filter(q, is, body, false, &filter)) return false;
  orr_records *found = records_list(q, is->verb, &filter);
  if (!found) return false;
  for (size_t i = 0; i < orr_records_count(found); i++) {
    orr_value value = orr_int((int64_t)orr_records_id(found, i));
    orr_builder_add(b, &value);
    (*n)++;
  }
  orr_records_free(found);
  return true;
}

/* Ends the array. */
static bool selection_end(request *q, orr_builder *b, const char *ids, size_t n, orr_value *out) {
  orr_builder_end(b);
  if (n == 0) request_refuse(q, "%s is empty: nothing is named and nothing was found", ids);
  if (n > SELECTION_MAX) request_refuse(q, "%zu are too many at once: at most %d", n, SELECTION_MAX);
  return !q->status && rest_value(q, b, out);
}

bool selected_ids(request *q, const char *ids, const char *member, const listing *is, orr_value *out) {
  const json_t *list = body_member(q, ids), *body = member ? body_member(q, member) : NULL;
  orr_builder *b = request_builder(q);
  size_t n = 0;
  if (!b) return false;
  orr_builder_array(b);
  if (!selection_add(q, list, b, &n) || (body && !selection_find(q, body, is, b, &n))) return false;
  return selection_end(q, b, ids, n, out);
}

bool selected_instances(request *q, const char *ids, orr_value *out) {
  const json_t *running = body_member(q, "processInstanceQuery"), *past = body_member(q, "historicProcessInstanceQuery");
  orr_builder *b = request_builder(q);
  size_t n = 0;
  if (!b) return false;
  orr_builder_array(b);
  if (!selection_add(q, body_member(q, ids), b, &n) || (running && !selection_find(q, running, &query_instance, b, &n)) ||
      (past && !selection_find(q, past, &query_history_instance, b, &n)))
    return false;
  return selection_end(q, b, ids, n, out);
}
