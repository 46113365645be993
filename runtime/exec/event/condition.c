/* Conditional events. */
#include "exec/event/condition.h"

#include <string.h>

#include "state/expression.h"
#include "state/notices.h"
#include "state/variable.h"
#include "uow/find.h"

int conditions_entered(context *c, orr_id scope_id) {
  for (const struct variable_change *change = c->lists.changes; change; change = change->next)
    if (!change->name && change->scope == scope_id) return 0;
  return notice_variable(c, scope_id, NULL, NULL);
}

void conditions_forget(context *c, orr_id scope_id) {
  struct variable_change **at = &c->lists.changes;
  while (*at) {
    if ((*at)->scope == scope_id) *at = (*at)->next;
    else at = &(*at)->next;
  }
  c->lists.changes_tail = at;
}

/* ---- Who can see a change -------------------------------------------------------------------- */

/* A change is visible in its scope and in every scope below. */
static bool sees(context *c, orr_id from, orr_id changed) {
  orr_id root = orr_id_instance(changed);
  while (from != changed && from != root) {
    rec_execution *e = unit_execution(c->u, from, &c->error);
    if (!e) return false;
    from = e->parent;
  }
  return from == changed;
}

static bool condition_asks_for(const node *n, const struct variable_change *change) {
  const event_definition *event = &n->event;
  if (event->condition_variable && strcmp(event->condition_variable, change->name) != 0) return false;
  if (!event->n_condition_events || !change->event) return true;
  for (uint32_t i = 0; i < event->n_condition_events; i++)
    if (strcmp(event->condition_events[i], change->event) == 0) return true;
  return false;
}

static bool condition_concerns(context *c, const definition *d, const rec_subscription *s,
                               const struct variable_change *change) {
  return change->name && condition_asks_for(d->nodes[s->node - 1], change) && sees(c, s->execution_id, change->scope);
}

/* Entering a scope counts once, together with the changes made on the way in. */
static bool entered_only(context *c, const definition *d, const rec_subscription *s, const struct variable_change *all) {
  for (const struct variable_change *change = all; change; change = change->next)
    if (condition_concerns(c, d, s, change)) return false;
  return true;
}

/* ---- Evaluating ------------------------------------------------------------------------------ */

static int op_condition(context *c, operation *op) {
  rec_subscription *s = unit_subscription(c->u, op->other, &c->error);
  if (!s) return c->error.code;
  definition *d = context_definition_of(c, s->instance_id, &c->error);
  if (!d) return c->error.code;
  const node *event = d->nodes[s->node - 1];
  bool holds;
  int rc = expr_condition(c, &event->event.condition, s->execution_id, event, &holds);
  if (rc || !holds) return rc;
  if (instance_held(c->last.instance))
    return context_error(c, ORR_E_SUSPENDED, "conditional event \"%s\" cannot start: its process instance is suspended",
                         event->id);
  return subscription_deliver(c, s, &(delivery){0});
}

static int plan_condition(context *c, const rec_subscription *s) {
  operation *op = agenda_plan(c, op_condition, s->execution_id);
  if (!op) return c->error.code;
  op->other = s->id;
  return 0;
}

static const rec_subscription *subscription_at(const unit_found *found, size_t i) {
  return (const rec_subscription *)(const void *)found->items[i];
}

static bool of_same_activity(const definition *d, const rec_subscription *a,
                             const rec_subscription *b) {
  bool boundary = b->node && d->nodes[b->node - 1]->type == NODE_BOUNDARY_EVENT;
  return boundary && a->execution_id == b->execution_id;
}

/* The subscription to evaluate as the i-th. By dialect the boundary events of an activity come in
 * reverse, because the first one that interrupts wins. */
static const rec_subscription *next_event(const definition *d, const unit_found *found, size_t i) {
  const rec_subscription *s = subscription_at(found, i);
  size_t low = i, high = i;
  if (!d->dialect->condition_last_wins || !of_same_activity(d, s, s)) return s;
  while (low > 0 && of_same_activity(d, s, subscription_at(found, low - 1))) low--;
  while (high + 1 < found->count && of_same_activity(d, s, subscription_at(found, high + 1))) high++;
  return subscription_at(found, low + high - i);
}

static int show(context *c, const struct variable_change *all, const struct variable_change *change) {
  unit_found found;
  rec_instance *instance = unit_instance(c->u, orr_id_instance(change->scope), &c->error);
  if (!instance || !(instance->flags & ORR_SCOPE_CONDITIONS)) return c->error.code;
  definition *d = context_definition_of(c, change->scope, &c->error);
  if (!d) return c->error.code;
  int rc = unit_find_group(c->u, &rec_subscription_type, orr_id_group(change->scope), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_subscription *s = next_event(d, &found, i);
    if (!rec_text_is(s->type, "conditional")) continue;
    bool wanted =
        change->name ? condition_concerns(c, d, s, change) : s->execution_id == change->scope && entered_only(c, d, s, all);
    if (wanted) rc = plan_condition(c, s);
    if (!rc) rc = c->error.code;
  }
  return rc;
}

int conditions_flush(context *c) {
  const struct variable_change *all = c->lists.changes;
  c->lists.changes = NULL;
  c->lists.changes_tail = &c->lists.changes;
  int rc = 0;
  for (const struct variable_change *change = all; !rc && change; change = change->next) rc = show(c, all, change);
  return rc;
}
