/* Tokens of an instance. */
#include "query/tokens.h"

#include <string.h>

#include "query/special.h"
#include "state/execution.h"
#include "uow/find.h"

static bool wanted_activity(const char *id, const orr_value *activity) {
  rec_text text = {id, strlen(id)};
  return activity->type == ORR_STRING ? special_text_is(text, activity) : special_text_among(text, activity);
}

int tokens_stand_at(context *c, orr_id instance, const orr_value *activity, bool *out) {
  unit_found found;
  int rc = unit_find_group(c->u, &rec_execution_type, orr_id_group(instance), &found, &c->error);
  *out = false;
  for (size_t i = 0; i < found.count && !rc && !*out; i++) {
    const rec_execution *e = (const rec_execution *)found.items[i];
    bool stands = e->kind != EXECUTION_EVENT_SCOPE && e->children == 0;
    const node *n = stands ? execution_node(c, e) : NULL;
    *out = n && wanted_activity(n->id, activity);
    rc = c->error.code;
  }
  return rc;
}
