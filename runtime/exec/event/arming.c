/* Arming events: subscriptions and timers on behalf of a token or a scope. */
#include "exec/event/arming.h"

#include "exec/event/condition.h"
#include "exec/event/subscription.h"
#include "job/job.h"
#include "job/timer.h"
#include "state/expression.h"
#include "state/history.h"
#include "state/variable.h"
#include "uow/relation.h"

static const char *type_name(event_type type) {
  return type == EVENT_MESSAGE ? "message" : type == EVENT_SIGNAL ? "signal" : "conditional";
}

static int arm_subscription(context *c, const scope *s, const node *n, const char *name) {
  rec_instance *instance = context_instance(c, s->id, &c->error);
  orr_id id = instance ? unit_next_id(c->u, instance, &c->error) : 0;
  if (!id) return c->error.code;
  rec_subscription *r = unit_new_subscription(c->u, id);
  if (!r) return context_memory(c);
  r->type = unit_textz(c->u, type_name(n->event.type));
  r->name = unit_textz(c->u, name);
  r->node = n->index + 1;
  r->activity_id = unit_textz(c->u, n->id);
  r->execution_id = s->id;
  r->instance_id = instance->id;
  r->definition_id = instance->definition_id;
  r->created = context_stamp(c);
  r->tenant = instance->tenant;
  r->business_key = instance->business_key;
  if (unit_attach(c->u, r)) return context_memory(c);
  return scope_flag(c, s, ORR_SCOPE_SUBSCRIPTIONS);
}

static int armed_timer_kind(const node *n) {
  return n->type == NODE_BOUNDARY_EVENT ? ORR_JOB_TIMER_BOUNDARY
         : n->type == NODE_START_EVENT  ? ORR_JOB_TIMER_EVENT_SUBPROCESS
                                        : ORR_JOB_TIMER_CATCH;
}

static int arm_timer(context *c, const scope *s, const node *n) {
  rec_instance *instance = context_instance(c, s->id, &c->error);
  definition *d = context_definition_of(c, s->id, &c->error);
  if (!instance || !d) return c->error.code;
  rec_job *job = timer_job_create(c, armed_timer_kind(n), instance, s->execution, d, n, &n->event.timer);
  return job ? 0 : c->error.code;
}

static int subscribe_conditional(context *c, const scope *s, const node *n) {
  scope root;
  int rc = arm_subscription(c, s, n, NULL);
  if (!rc) rc = scope_flag(c, s, ORR_SCOPE_CONDITIONS);
  if (!rc) rc = scope_get(c, orr_id_instance(s->id), &root);
  if (!rc) rc = scope_flag(c, &root, ORR_SCOPE_CONDITIONS);
  return rc ? rc : conditions_entered(c, s->id);
}

static int arm_on(context *c, const scope *s, const node *n) {
  const char *name = NULL;
  switch (n->event.type) {
    case EVENT_TIMER: return arm_timer(c, s, n);
    case EVENT_CONDITIONAL: return subscribe_conditional(c, s, n);
    case EVENT_MESSAGE:
    case EVENT_SIGNAL: {
      int rc = expr_text(c, &n->event.name, s->id, n, &name);
      return rc ? rc : arm_subscription(c, s, n, name);
    }
    default: return 0; /* errors, escalations, cancel and compensation find their catchers in the model */
  }
}

int arm_event(context *c, orr_id execution, const node *event_node) {
  scope s;
  int rc = scope_get(c, execution, &s);
  return rc ? rc : arm_on(c, &s, event_node);
}

int arm_boundary(context *c, rec_execution *e, const node *activity) {
  scope own = {.record = &e->head, .execution = e, .id = e->id, .node = activity};
  const definition *d = context_definition_of(c, e->id, &c->error);
  if (!d) return c->error.code;
  int rc = d->dialect->history_boundary_when_armed ? history_boundary_armed(c, e, activity) : 0;
  for (uint32_t i = 0; !rc && i < activity->n_boundary; i++) rc = arm_on(c, &own, activity->boundary[i]);
  return rc;
}

int arm_event_subprocesses(context *c, const scope *s) {
  for (uint32_t i = 0; i < s->node->n_event_subprocesses; i++) {
    const node *event_subprocess = s->node->event_subprocesses[i];
    for (uint32_t k = 0; k < event_subprocess->n_children; k++) {
      const node *start = event_subprocess->children[k];
      if (start->type != NODE_START_EVENT) continue;
      int rc = arm_on(c, s, start);
      if (!rc) rc = scope_flag(c, s, ORR_SCOPE_LISTENS);
      if (rc) return rc;
    }
  }
  return 0;
}
