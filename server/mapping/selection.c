/* What names many, and what is to be done to tokens. */
#include <string.h>

#include "server/rest/rest.h"

enum { MANY_MAX = 100000 }; /* ids that one request may name or find: as many as a batch's first step can hold */

static bool many_add(request *q, const json_t *list, orr_builder *b, size_t *n) {
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

static bool many_find(request *q, const json_t *body, const listing *is, orr_builder *b, size_t *n) {
  orr_value filter;
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
static bool many_end(request *q, orr_builder *b, const char *ids, size_t n, orr_value *out) {
  orr_builder_end(b);
  if (n == 0) request_refuse(q, "%s is empty: nothing is named and nothing was found", ids);
  if (n > MANY_MAX) request_refuse(q, "%zu are too many at once: at most %d", n, MANY_MAX);
  return !q->status && rest_value(q, b, out);
}

bool many_ids(request *q, const char *ids, const char *member, const listing *is, orr_value *out) {
  const json_t *list = body_member(q, ids), *body = member ? body_member(q, member) : NULL;
  orr_builder *b = request_builder(q);
  size_t n = 0;
  if (!b) return false;
  orr_builder_array(b);
  if (!many_add(q, list, b, &n) || (body && !many_find(q, body, is, b, &n))) return false;
  return many_end(q, b, ids, n, out);
}

bool many_instances(request *q, const char *ids, orr_value *out) {
  const json_t *running = body_member(q, "processInstanceQuery"), *past = body_member(q, "historicProcessInstanceQuery");
  orr_builder *b = request_builder(q);
  size_t n = 0;
  if (!b) return false;
  orr_builder_array(b);
  if (!many_add(q, body_member(q, ids), b, &n) || (running && !many_find(q, running, &query_instance, b, &n)) ||
      (past && !many_find(q, past, &query_history_instance, b, &n)))
    return false;
  return many_end(q, b, ids, n, out);
}

/* ---- Instructions ----------------------------------------------------------------------------- */

static void instruction_text(const json_t *item, const char *theirs, const char *ours, orr_builder *b) {
  const char *text = json_string_value(json_object_get(item, theirs));
  if (text) orr_builder_put(b, ours, orr_string(text));
}

/* Variables of an instruction may be local to what it starts. */
static bool instruction_variables(request *q, const json_t *item, bool local, const char *ours, orr_builder *b) {
  const json_t *variables = json_object_get(item, "variables");
  size_t n = 0;
  for (void *at = json_object_iter((json_t *)variables); at; at = json_object_iter_next((json_t *)variables, at))
    n += json_is_true(json_object_get(json_object_iter_value(at), "local")) == local;
  if (n == 0) return true;
  orr_builder_key(b, ours, strlen(ours));
  orr_builder_map(b);
  for (void *at = json_object_iter((json_t *)variables); at; at = json_object_iter_next((json_t *)variables, at)) {
    const json_t *value = json_object_iter_value(at);
    if (json_is_true(json_object_get(value, "local")) != local) continue;
    if (!values_read_one(q, json_object_iter_key(at), value, b)) return false;
  }
  orr_builder_end(b);
  return true;
}

static bool instruction_cancel(const json_t *item, orr_builder *b) {
  const char *instance = json_string_value(json_object_get(item, "activityInstanceId"));
  if (!instance) instance = json_string_value(json_object_get(item, "transitionInstanceId"));
  if (!instance) {
    instruction_text(item, "activityId", "cancel", b);
    return true;
  }
  orr_builder_put(b, "cancel_instance", orr_string(instance));
  return true;
}

static bool instruction_read(request *q, const json_t *item, orr_builder *b) {
  const char *type = json_string_value(json_object_get(item, "type"));
  const char *ancestor = json_string_value(json_object_get(item, "ancestorActivityInstanceId"));
  orr_builder_map(b);
  if (type && strcmp(type, "cancel") == 0) {
    if (!instruction_cancel(item, b)) return false;
  } else if (type && strcmp(type, "startBeforeActivity") == 0) {
    instruction_text(item, "activityId", "start_before", b);
  } else if (type && strcmp(type, "startAfterActivity") == 0) {
    instruction_text(item, "activityId", "start_after", b);
  } else if (type && strcmp(type, "startTransition") == 0) {
    instruction_text(item, "transitionId", "transition", b);
  } else {
    request_refuse(q, "The type of an instruction is cancel, startBeforeActivity, startAfterActivity or startTransition");
    return false;
  }
  if (ancestor) orr_builder_put(b, "ancestor", orr_string(ancestor));
  if (!instruction_variables(q, item, false, "variables", b) || !instruction_variables(q, item, true, "local_variables", b))
    return false;
  orr_builder_end(b);
  return true;
}

bool many_instructions(request *q, const char *member, orr_value *out) {
  const json_t *list = body_member(q, member);
  orr_builder *b = request_builder(q);
  if (!b) return false;
  if (json_array_size(list) == 0) {
    request_refuse(q, "\"%s\": at least one instruction is expected", member);
    return false;
  }
  orr_builder_array(b);
  for (size_t i = 0; i < json_array_size(list); i++)
    if (!instruction_read(q, json_array_get(list, i), b)) return false;
  orr_builder_end(b);
  return rest_value(q, b, out);
}
