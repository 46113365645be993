/* What a query may not ask for at once, and what it may not ask for alone. */
#include "server/mapping/clash.h"

#include <string.h>

#include "server/transport/scalars.h"

/* What `needs` is set asks for is refused without any of `others`, else with one of them. */
static const struct clash {
  const char *list, *asked;
  const char *others[9];
  bool needs;
  int status;
  const char *type, *message;
} clashes[] = {
    {"job", "timers", {"messages"}, false, 400, "InvalidRequestException",
     "Parameter timers cannot be used together with parameter messages."},
    {"deployment", "withoutSource", {"source"}, false, 400, "InvalidRequestException",
     "The query parameters \"withoutSource\" and \"source\" cannot be used in combination."},
    {"history_variable", "variableValue", {"variableName"}, true, 400, "InvalidRequestException",
     "Only a single variable value parameter specified: variable name and value are required to "
     "be able to query after a specific variable value."},
    {"task",
     "includeAssignedTasks",
     {"candidateUser", "candidateGroup", "candidateGroupLike", "candidateGroups",
      "withCandidateGroups", "withoutCandidateGroups", "withCandidateUsers",
      "withoutCandidateUsers"},
     true,
     500,
     "ProcessEngineException",
     "Invalid query usage: candidateUser, candidateGroup, candidateGroupLike, candidateGroupIn, "
     "withCandidateGroups, withoutCandidateGroups, withCandidateUsers, withoutCandidateUsers has "
     "to be called before 'includeAssignedTasks'."},
};

/* Given, and no flag that is off. */
static bool clash_asked(const request *q, const char *name, const json_t *body) {
  const json_t *member = json_object_get(body, name);
  const char *text = body ? NULL : request_argument(q, name);
  bool on = true;
  if (text) return *text && (!scalar_bool_of_text(text, &on) || on);
  if (json_is_array(member)) return json_array_size(member) > 0;
  if (json_is_string(member) && scalar_bool_of_text(json_string_value(member), &on)) return on;
  return member && !json_is_null(member) && !json_is_false(member);
}

bool clash_none(request *q, const char *list, const json_t *body) {
  for (size_t i = 0; i < sizeof clashes / sizeof clashes[0]; i++) {
    const struct clash *c = &clashes[i];
    if (strcmp(c->list, list) != 0 || !clash_asked(q, c->asked, body)) continue;
    bool any = false;
    for (size_t k = 0; c->others[k]; k++) any = any || clash_asked(q, c->others[k], body);
    if (any != c->needs) {
      request_fail(q, c->status, c->type, "%s", c->message);
      return false;
    }
  }
  return true;
}
