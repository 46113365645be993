/* Sub-processes, event sub-processes, transactions. */
#include "exec/node/behavior.h"
#include "exec/node/pass_through.h"
#include "exec/token.h"

/* A sub-process without a start event (some dialects allow it) begins at every node that no flow leads to. */
static bool begins_here(const node *n) {
  return n->n_incoming == 0 && !n->attached_to && !n->for_compensation && n->type != NODE_EVENT_SUB_PROCESS &&
         n->type != NODE_START_EVENT;
}

static int start_inside(context *c, rec_execution *e, const node *n) {
  scope own = {.record = &e->head, .execution = e, .id = e->id, .node = n};
  if (n->start) return plan_token(c, &own, n->start, NULL);
  bool any = false;
  for (uint32_t i = 0; i < n->n_children; i++) {
    if (!begins_here(n->children[i])) continue;
    any = true;
    int rc = plan_token(c, &own, n->children[i], NULL);
    if (rc) return rc;
  }
  return any ? 0 : plan_leave(c, e, n);
}

/* Which start event it was: catch_event left it in the token's data. */
static int event_sub_process_execute(context *c, rec_execution *e, const node *n) {
  definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  const node *start = e->data.type == ORR_INT ? d->nodes[e->data.as.integer] : n->start;
  if (context_touch(c, e)) return c->error.code;
  e->data = (orr_value){0};
  if (!start) return start_inside(c, e, n);
  scope own = {.record = &e->head, .execution = e, .id = e->id, .node = n};
  return plan_token(c, &own, start, NULL);
}

static int scope_completed(context *c, rec_execution *e, const node *n) { return plan_leave(c, e, n); }

const behavior behavior_sub_process = {.execute = start_inside, .trigger = behavior_no_trigger, .completed = scope_completed};
const behavior behavior_transaction = {.execute = start_inside, .trigger = behavior_no_trigger, .completed = scope_completed};
const behavior behavior_event_sub_process = {
    .execute = event_sub_process_execute, .trigger = behavior_no_trigger, .completed = scope_completed};
