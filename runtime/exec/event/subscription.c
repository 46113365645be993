/* Subscriptions: making, removing, delivering. */
#include "exec/event/subscription.h"

#include <string.h>

#include "exec/cancel.h"
#include "exec/node/gateway.h"
#include "exec/scope.h"
#include "exec/token.h"
#include "job/job.h"
#include "state/history.h"
#include "state/tracing.h"
#include "state/variable.h"
#include "uow/relation.h"

/* ---- Taking down ----------------------------------------------------------------------------- */

typedef enum disarm_what { DISARM_ALL, DISARM_NODE, DISARM_EVENTS, DISARM_STARTS, DISARM_BUT_STARTS } disarm_what;

static bool disarms(const definition *d, disarm_what what, const node *only, uint32_t node_number, bool compensation) {
  const node *n = node_number ? d->nodes[node_number - 1] : NULL;
  switch (what) {
    case DISARM_ALL: return true;
    case DISARM_NODE: return n == only && !compensation;
    case DISARM_EVENTS: return !compensation;
    case DISARM_STARTS: return n && n->type == NODE_START_EVENT && !compensation;
    case DISARM_BUT_STARTS: return !(n && n->type == NODE_START_EVENT) && !compensation;
  }
  return false;
}

/* A copy: the list changes as its records are deleted. */
static int related(context *c, const scope *s, unit_relation relation, rec_head ***out, uint32_t *count) {
  struct rec_relation *list = unit_relation_of(c->u, s->record, relation, &c->error);
  *count = 0;
  if (!list) return c->error.code;
  if (!list->count) return 0;
  *out = ARENA_ARRAY(c->arena, rec_head *, list->count);
  if (!*out) return context_memory(c);
  memcpy(*out, list->items, list->count * sizeof **out);
  *count = list->count;
  return 0;
}

static int disarm_subscriptions(context *c, const definition *d, const scope *s, disarm_what what, const node *only) {
  rec_head **list = NULL;
  uint32_t count;
  int rc = related(c, s, UNIT_SUBSCRIPTIONS, &list, &count);
  for (uint32_t i = 0; !rc && i < count; i++) {
    rec_subscription *found = (rec_subscription *)(void *)list[i];
    bool compensation = rec_text_is(found->type, "compensation");
    if (disarms(d, what, only, found->node, compensation)) rc = unit_delete(c->u, found) ? context_memory(c) : 0;
  }
  return rc;
}

/* Removes timers and, where all events go, deliveries to the scope's subscriptions that are jobs.
 * The running job's own record is left to the worker or command that runs it. */
static int disarm_jobs(context *c, const definition *d, const scope *s, disarm_what what, const node *only) {
  rec_head **list = NULL;
  uint32_t count;
  int rc = related(c, s, UNIT_JOBS, &list, &count);
  for (uint32_t i = 0; !rc && i < count; i++) {
    rec_job *job = (rec_job *)(void *)list[i];
    bool all = what == DISARM_ALL || what == DISARM_EVENTS;
    bool goes = job_kind_is_timer(job->kind) ? disarms(d, what, only, job->node, false) : all;
    if (goes && job != c->job) rc = job_remove(c, job);
  }
  return rc;
}

static int disarm_what_of(context *c, const scope *s, disarm_what what, const node *only) {
  int64_t flags = scope_flags(s);
  definition *d = context_definition_of(c, s->id, &c->error);
  if (!d) return c->error.code;
  int rc = flags & ORR_SCOPE_SUBSCRIPTIONS ? disarm_subscriptions(c, d, s, what, only) : 0;
  return !rc && flags & ORR_SCOPE_JOBS ? disarm_jobs(c, d, s, what, only) : rc;
}

int disarm(context *c, const scope *s, const node *only) { return disarm_what_of(c, s, only ? DISARM_NODE : DISARM_ALL, only); }
int disarm_starts(context *c, const scope *s) { return disarm_what_of(c, s, DISARM_STARTS, NULL); }

int disarm_events(context *c, rec_execution *e, const node *activity) {
  scope own = {.record = &e->head, .execution = e, .id = e->id, .node = activity};
  return disarm_what_of(c, &own, DISARM_EVENTS, NULL);
}

int disarm_own(context *c, rec_execution *e) {
  scope own = {.record = &e->head, .execution = e, .id = e->id};
  return disarm_what_of(c, &own, DISARM_BUT_STARTS, NULL);
}

/* ---- Catching -------------------------------------------------------------------------------- */

static int plan_interrupt(context *c, operation_fn run, orr_id execution, orr_id keep) {
  operation *op = agenda_plan(c, run, execution);
  if (!op) return c->error.code;
  op->other = keep;
  op->flags = OP_CANCELED;
  return 0;
}

/* The boundary event's token exists before its activity goes, so the enclosing scope is never empty
 * in between. */
static int catch_at_boundary(context *c, rec_execution *activity, const node *event, const orr_value *triggered) {
  scope parent;
  int rc = scope_of(c, activity, &parent);
  if (!rc) rc = variable_set_all(c, parent.id, triggered, false);
  rec_execution *token = rc ? NULL : execution_create(c, &parent, event, EXECUTION_TOKEN);
  if (!token) return rc ? rc : c->error.code;
  if (activity->n_armed_rows) rc = history_boundary_fired(c, activity, event, token);
  if (!rc && event->interrupting) {
    token->thrower = activity->thrower;
    activity->thrower = 0;
    rc = plan_interrupt(c, op_interrupt, activity->id, 0);
  }
  return rc ? rc : plan_on(c, op_enter, token->id, event, 0);
}

/* A sub-process may be interrupted by its own event sub-process before it has begun: by a condition
 * that holds on entry, or an error of its start listener. Then it never begins, but is active with
 * the event sub-process. */
static int forestall(context *c, const scope *s) {
  bool starting = s->execution && s->execution->state == EXECUTION_STARTING;
  return starting ? lifecycle_move(c, s->execution, EXECUTION_ACTIVE) : 0;
}

/* If an event sub-process begins while its sub-process ends (an error of its end listener), that
 * does not end, and leaves once more when the event sub-process has ended. */
static int stay(context *c, const scope *s) {
  rec_execution *e = s->execution;
  if (!e || e->state != EXECUTION_LEAVING || e->job_id) return 0;
  agenda_drop(c, e->id);
  return lifecycle_move(c, e, EXECUTION_ACTIVE);
}

static bool takes_boundary(const dialect *say, const node *event) {
  event_type by = event->event.type;
  if (say->interruption_takes_boundary != BOUNDARY_GOES_BY_EVENT)
    return say->interruption_takes_boundary == BOUNDARY_GOES;
  return by == EVENT_MESSAGE || by == EVENT_SIGNAL || by == EVENT_TIMER;
}

/* By dialect, interrupting a sub-process also disarms its boundary events. */
static int take_boundary(context *c, const scope *s, const node *event) {
  const definition *d = context_definition_of(c, s->id, &c->error);
  if (!d) return c->error.code;
  if (!s->execution || !s->node->n_boundary || !takes_boundary(d->dialect, event)) return 0;
  int rc = disarm_events(c, s->execution, s->node);
  if (!rc) rc = scope_flag(c, s, ORR_SCOPE_UNBOUND);
  return !rc && s->execution->n_armed_rows ? history_boundary_ended(c, s->execution) : rc;
}

int interrupt_listening(context *c, const scope *s) {
  int rc = disarm_starts(c, s);
  return rc ? rc : scope_flag(c, s, ORR_SCOPE_INTERRUPTED);
}

static int catch_at_start(context *c, const scope *s, const node *event, const orr_value *triggered,
                          event_start how) {
  const node *event_subprocess = event->scope;
  rec_execution *token = execution_create(c, s, event_subprocess, EXECUTION_TOKEN);
  if (!token) return c->error.code;
  token->scope = true;
  token->data = orr_int(event->index);
  int rc = stay(c, s);
  if (!rc) rc = variable_set_all(c, token->id, triggered, true);
  if (!rc && event->interrupting && !how.listens) rc = interrupt_listening(c, s);
  if (!rc && how.interrupts) {
    rc = take_boundary(c, s, event);
    if (!rc) rc = forestall(c, s);
    if (!rc) rc = plan_interrupt(c, op_interrupt_children, s->id, token->id);
  }
  if (!rc && how.branch) rc = plan_interrupt(c, op_interrupt, how.branch, 0);
  return rc ? rc : plan_on(c, op_enter, token->id, event_subprocess, 0);
}

int event_subprocess_start(context *c, orr_id scope_id, const node *event,
                           const orr_value *triggered, event_start how) {
  scope s;
  int rc = scope_get(c, scope_id, &s);
  how.interrupts = how.interrupts && event->interrupting;
  return rc ? rc : catch_at_start(c, &s, event, triggered, how);
}

int catch_event(context *c, orr_id scope_id, const node *event_node, const orr_value *triggered) {
  scope s;
  int rc = scope_get(c, scope_id, &s);
  if (rc) return rc;
  event_start how = {.interrupts = event_node->interrupting};
  if (event_node->type == NODE_START_EVENT)
    return catch_at_start(c, &s, event_node, triggered, how);
  if (s.execution) return catch_at_boundary(c, s.execution, event_node, triggered);
  return context_error(c, ORR_E_STATE, "\"%s\" cannot be caught by a process instance", event_node->id);
}

/* ---- Delivering ------------------------------------------------------------------------------ */

static int set_variables(context *c, orr_id instance, orr_id execution, const delivery *d) {
  int rc = variable_set_all(c, instance, d->variables, false);
  if (!rc) rc = variable_set_all(c, execution, d->local, true);
  return rc ? rc : variable_set_all_transient(c, instance, d->transient, false);
}

static trigger_kind trigger_of(const node *event) {
  switch (event->event.type) {
    case EVENT_MESSAGE: return TRIGGER_MESSAGE;
    case EVENT_SIGNAL: return TRIGGER_SIGNAL;
    case EVENT_TIMER: return TRIGGER_TIMER;
    case EVENT_CONDITIONAL: return TRIGGER_CONDITION;
    default: return TRIGGER_API;
  }
}

/* The event of a waiting token is its own, or one of those that its event gateway waits for. */
static int trigger_token(context *c, orr_id execution, const node *event, const orr_value *triggered) {
  rec_execution *e = execution_get(c, execution);
  if (!e || e->state != EXECUTION_ACTIVE) return c->error.code;
  const node *at = execution_node(c, e);
  if (!at) return c->error.code;
  if (at->type == NODE_EVENT_GATEWAY) return event_gateway_won(c, e, at, event);
  int rc = disarm_events(c, e, at);
  return rc ? rc : behavior_of(at)->trigger(c, e, at, trigger_of(event), triggered);
}

static bool stays_armed(const node *event) {
  return (event->type == NODE_BOUNDARY_EVENT || event->type == NODE_START_EVENT) && !event->interrupting;
}

static int deliver(context *c, orr_id execution, const node *event, const orr_value *triggered) {
  if (event->type == NODE_BOUNDARY_EVENT || event->type == NODE_START_EVENT) return catch_event(c, execution, event, triggered);
  return trigger_token(c, execution, event, triggered);
}

int subscription_deliver(context *c, rec_subscription *s, const delivery *sent) {
  definition *d = context_definition_of(c, s->instance_id, &c->error);
  if (!d) return c->error.code;
  const node *event = d->nodes[s->node - 1];
  orr_id execution = s->execution_id;
  tracing_join(c, s->type.data, s->name.data, (rec_text){0}, s->instance_id);
  int rc = set_variables(c, s->instance_id, execution, sent);
  if (!rc && !stays_armed(event)) rc = unit_delete(c->u, s) ? context_memory(c) : 0;
  return rc ? rc : deliver(c, execution, event, sent->triggered);
}

int timer_deliver(context *c, rec_job *job, const node *event_node) {
  return deliver(c, job->execution_id ? job->execution_id : job->instance_id, event_node, NULL);
}
