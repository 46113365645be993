/* Subscriptions and timers of an instance whose executions are in the target already.
 *
 * What waits for a mapped event is kept as it is (a message's name, a timer's due date), or armed
 * anew where its instruction says so. What waits for an unmapped event is disarmed. An event of the
 * target that nothing is mapped to is new, and armed. A mapped event that no longer waits (its
 * timer has fired) stays disarmed. */
#include <string.h>

#include "command/lookup.h"
#include "command/migration/migration_internal.h"
#include "exec/event/arming.h"
#include "exec/event/compensation.h"
#include "exec/event/subscription.h"
#include "exec/task/task.h"
#include "exec/task/task_create.h"
#include "job/job.h"
#include "uow/find.h"

/* One event of a scope, armed or to be armed. */
typedef struct armed {
  orr_id execution;
  const node *event;
} armed;

typedef struct mover {
  const migration *m;
  const rec_instance *instance;
  const migrated *moved;
  armed *kept, *renewed;
  size_t n_kept, n_renewed;
} mover;

static bool contains(const armed *list, size_t count, orr_id execution, const node *event) {
  for (size_t i = 0; i < count; i++)
    if (list[i].execution == execution && list[i].event == event) return true;
  return false;
}

/* ---- What waits already ---------------------------------------------------------------------- */

/* Is this an event that the scope or token (its node: `at`) waits for? */
static bool waits_for(const node *at, const node *event) {
  if (event->type == NODE_BOUNDARY_EVENT) return event->attached_to == at;
  if (event->type == NODE_START_EVENT) return event->scope->scope == at;
  if (at->type != NODE_EVENT_GATEWAY) return event == at;
  for (uint32_t i = 0; i < at->n_outgoing; i++)
    if (at->outgoing[i]->target == event) return true;
  return false;
}

static const node *target_node_of(const mover *k, orr_id execution) {
  scope s;
  return !scope_get(k->m->c, execution, &s) ? s.node : NULL;
}

typedef enum fate { EVENT_DROPPED, EVENT_KEPT, EVENT_RENEWED } fate;

/* The event becomes `*to`, or nothing. */
static int decide(mover *k, orr_id execution, uint32_t node_number, const node **to, fate *out) {
  const node *at = target_node_of(k, execution);
  if (!at) return k->m->c->error.code;
  *to = migration_to(k->m, node_number);
  *out = EVENT_DROPPED;
  if (!*to || !waits_for(at, *to)) return 0;
  bool renews = k->m->update[node_number - 1] || (*to)->event.type == EVENT_CONDITIONAL;
  *out = renews ? EVENT_RENEWED : EVENT_KEPT;
  if (*out == EVENT_KEPT) k->kept[k->n_kept++] = (armed){execution, *to};
  else k->renewed[k->n_renewed++] = (armed){execution, *to};
  return 0;
}

static int move_compensation(const mover *k, rec_subscription *s) {
  const migration *m = k->m;
  const node *to = migration_compensated(m, s->node), *handler = to->compensation_handler;
  if (context_touch(m->c, s)) return m->c->error.code;
  s->node = to->index + 1;
  s->activity_id = unit_textz(m->c->u, handler && !m->target->dialect->compensation_named_by_activity ? handler->id : to->id);
  s->definition_id = m->target->id;
  return 0;
}

static int move_subscription(mover *k, rec_subscription *s) {
  context *c = k->m->c;
  if (rec_text_is(s->type, "compensation")) return move_compensation(k, s);
  const node *to;
  fate what;
  int rc = decide(k, s->execution_id, s->node, &to, &what);
  if (rc) return rc;
  if (what != EVENT_KEPT) return unit_delete(c->u, s) ? context_memory(c) : 0;
  if (context_touch(c, s)) return c->error.code;
  s->node = to->index + 1;
  s->activity_id = unit_textz(c->u, to->id);
  s->definition_id = k->m->target->id;
  return 0;
}

static int keep_timer(const mover *k, rec_job *job, const node *to, uint32_t flow_number) {
  context *c = k->m->c;
  if (context_touch(c, job)) return c->error.code;
  job->node = to->index + 1;
  job->flow = flow_number;
  job->definition_id = k->m->target->id;
  job->definition_key = k->instance->definition_key;
  job->deployment_id = k->m->target->deployment_id;
  job->job_definition_id = job_definition_find(c, k->m->target, to, job->kind);
  return c->error.code;
}

static int move_timer(mover *k, rec_job *job) {
  const node *to;
  fate what;
  int rc = decide(k, job->execution_id != 0 ? job->execution_id : job->instance_id, job->node, &to, &what);
  if (rc) return rc;
  return what == EVENT_KEPT ? keep_timer(k, job, to, 0) : job_remove(k->m->c, job);
}

/* ---- Timeout listeners of user tasks --------------------------------------------------------- */

/* Listeners are identified by their ids, or by their positions. */
static bool same_listener(const listener *a, uint32_t a_at, const listener *b, uint32_t b_at) {
  if (b->event != LISTENER_TIMEOUT || !b->timer) return false;
  if (!a->id || !b->id) return a->id == b->id && a_at == b_at;
  return strcmp(a->id, b->id) == 0;
}

static bool find_listener(const node *from, uint32_t at, const node *to, uint32_t *out) {
  const listeners *list = &to->user->listeners;
  for (*out = 0; *out < list->count; ++*out)
    if (same_listener(&from->user->listeners.items[at], at, &list->items[*out], *out)) return true;
  return false;
}

static int move_timeout(const mover *k, rec_job *job) {
  const node *from = k->m->source->nodes[job->node - 1], *to = migration_to(k->m, job->node);
  uint32_t at;
  bool renewed = k->m->update[from->index];
  if (!to || renewed || !find_listener(from, job->flow - 1, to, &at)) return job_remove(k->m->c, job);
  return keep_timer(k, job, to, at + 1);
}

/* A listener that the source has too was started, and may have fired. */
static bool is_new_timeout(const node *from, const node *to, uint32_t at) {
  for (uint32_t i = 0; i < from->user->listeners.count; i++)
    if (from->user->listeners.items[i].event == LISTENER_TIMEOUT &&
        same_listener(&from->user->listeners.items[i], i, &to->user->listeners.items[at], at))
      return false;
  return true;
}

static int start_timeouts(const mover *k, rec_execution *e, const node *from) {
  context *c = k->m->c;
  const node *to = k->m->target->nodes[e->node - 1];
  rec_instance *i = context_instance(c, e->id, &c->error);
  int rc = i ? 0 : c->error.code;
  for (uint32_t at = 0; !rc && at < to->user->listeners.count; at++)
    if (k->m->update[from->index] || is_new_timeout(from, to, at)) rc = task_start_timeout(c, e, to, i, at);
  return rc;
}

/* ---- What is new ----------------------------------------------------------------------------- */

static bool can_wait(const node *event) {
  event_type type = event->event.type;
  return type == EVENT_TIMER || type == EVENT_MESSAGE || type == EVENT_SIGNAL || type == EVENT_CONDITIONAL;
}

static int arm_if_new(const mover *k, orr_id execution, const node *event) {
  if (!can_wait(event) || k->m->image[event->index]) return 0;
  return arm_event(k->m->c, execution, event);
}

static bool is_waiting(const mover *k, orr_id execution, const node *event) {
  return contains(k->kept, k->n_kept, execution, event) ||
         contains(k->renewed, k->n_renewed, execution, event);
}

static int arm_unless_waiting(const mover *k, orr_id execution, const node *event) {
  if (!can_wait(event) || is_waiting(k, execution, event)) return 0;
  return arm_event(k->m->c, execution, event);
}

/* Behind the gateway an event may be mapped and yet wait for the first time. */
static int arm_gateway(const mover *k, const rec_execution *e, const node *gateway) {
  int rc = 0;
  for (uint32_t i = 0; !rc && i < gateway->n_outgoing; i++) {
    const node *event = gateway->outgoing[i]->target;
    rc = arm_unless_waiting(k, e->id, event);
  }
  return rc;
}

static bool event_interrupts(const node *event_subprocess) {
  for (uint32_t i = 0; i < event_subprocess->n_children; i++) {
    const node *start = event_subprocess->children[i];
    if (start->type == NODE_START_EVENT && start->interrupting) return true;
  }
  return false;
}

/* A running interrupting event sub-process has ended the listening of its scope. So has, by
 * dialect, the end of everything beside the event sub-processes. */
static bool node_listens(const mover *k, orr_id scope_id) {
  bool beside = false, any = false;
  for (size_t i = 0; i < k->moved->executions.count; i++) {
    const rec_execution *e = (const rec_execution *)k->moved->executions.items[i];
    if (e->parent != scope_id || e->kind == EXECUTION_EVENT_SCOPE) continue;
    const node *at = k->m->target->nodes[e->node - 1];
    if (at->type == NODE_EVENT_SUB_PROCESS && event_interrupts(at)) return false;
    any = true;
    beside = beside || at->type != NODE_EVENT_SUB_PROCESS;
  }
  return beside || !any || k->m->target->dialect->event_subprocess_outlives_flow;
}

static int arm_starts(const mover *k, orr_id scope_id, const node *n) {
  bool rearms = k->m->target->dialect->migration_rearms_starts;
  if (n->n_event_subprocesses == 0 || (!rearms && !node_listens(k, scope_id))) return 0;
  int (*arm)(const mover *, orr_id, const node *) = rearms ? arm_unless_waiting : arm_if_new;
  context *c = k->m->c;
  scope s;
  int rc = scope_get(c, scope_id, &s);
  if (rc || (!rearms && scope_flags(&s) & ORR_SCOPE_INTERRUPTED)) return rc;
  rc = scope_flag(c, &s, ORR_SCOPE_LISTENS);
  for (uint32_t i = 0; i < n->n_event_subprocesses; i++) {
    const node *inner = n->event_subprocesses[i];
    if (!k->m->arms_new && !k->m->target->dialect->migration_arms_new && !k->m->holds[inner->index]) continue;
    for (uint32_t j = 0; !rc && j < inner->n_children; j++)
      if (inner->children[j]->type == NODE_START_EVENT) rc = arm(k, scope_id, inner->children[j]);
  }
  return rc;
}

static int arm_boundaries(const mover *k, const rec_execution *e, const node *n) {
  if (n->type == NODE_EVENT_SUB_PROCESS && !k->m->target->dialect->event_subprocess_boundary) return 0;
  int rc = 0;
  for (uint32_t i = 0; !rc && i < n->n_boundary; i++) rc = arm_if_new(k, e->id, n->boundary[i]);
  return rc;
}

static int arm_execution(const mover *k, rec_execution *e) {
  const node *n = k->m->target->nodes[e->node - 1];
  if (e->kind == EXECUTION_EVENT_SCOPE || e->kind == EXECUTION_COMPENSATION || e->state != EXECUTION_ACTIVE) return 0;
  bool bound = e->kind != EXECUTION_MULTI_INSTANCE && !(e->flags & ORR_SCOPE_UNBOUND);
  int rc = bound ? arm_boundaries(k, e, n) : 0;
  if (!rc && e->kind != EXECUTION_MULTI_BODY) rc = arm_starts(k, e->id, n);
  if (!rc && n->type == NODE_EVENT_GATEWAY) rc = arm_gateway(k, e, n);
  return rc;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static int move_waiting(mover *k, const unit_found *subscriptions, const unit_found *jobs) {
  int rc = 0;
  for (size_t i = 0; !rc && i < subscriptions->count; i++)
    rc = move_subscription(k, (rec_subscription *)subscriptions->items[i]);
  for (size_t i = 0; !rc && i < jobs->count; i++) {
    rec_job *job = (rec_job *)jobs->items[i];
    if (job == k->m->c->job || !job_kind_is_timer(job->kind)) continue;
    rc = job->kind == ORR_JOB_TIMER_TASK_LISTENER ? move_timeout(k, job) : move_timer(k, job);
  }
  return rc;
}

static int arm_all(mover *k) {
  int rc = arm_starts(k, k->instance->id, k->m->target->process);
  for (size_t i = 0; !rc && i < k->moved->executions.count; i++) {
    rec_execution *e = (rec_execution *)k->moved->executions.items[i];
    rc = arm_execution(k, e);
    if (!rc && e->task_id != 0 && k->moved->from[i]->type == NODE_USER_TASK) rc = start_timeouts(k, e, k->moved->from[i]);
  }
  for (size_t i = 0; !rc && i < k->n_renewed; i++) rc = arm_event(k->m->c, k->renewed[i].execution, k->renewed[i].event);
  return rc;
}

int migration_events(const migration *m, const rec_instance *instance, const migrated *moved) {
  context *c = m->c;
  unit_found subscriptions, jobs;
  int rc = unit_find_group(c->u, &rec_subscription_type, orr_id_group(instance->id), &subscriptions, &c->error);
  if (!rc) rc = unit_find_group(c->u, &rec_job_type, orr_id_group(instance->id), &jobs, &c->error);
  if (rc) return rc;
  size_t count = subscriptions.count + jobs.count + 1;
  mover k = {m, instance, moved, ARENA_ARRAY(c->arena, armed, count), ARENA_ARRAY(c->arena, armed, count), 0, 0};
  if (!k.kept || !k.renewed) return context_memory(c);
  rc = move_waiting(&k, &subscriptions, &jobs);
  return rc ? rc : arm_all(&k);
}
