/* Checks the state of one instance against its migration. */
#include <inttypes.h>
#include <string.h>

#include "command/lookup.h"
#include "command/migration/migration_internal.h"
#include "exec/awaiting.h"
#include "exec/branch_queue.h"
#include "job/job.h"
#include "uow/find.h"

typedef struct checker {
  const migration *m;
  const rec_instance *instance;
  obstacles *obstacles;
  bool *told; /* by index in the source: that it is not mapped */
} checker;

static struct obstacle_at at_instance(const checker *k, const node *from, const node *to) {
  return (struct obstacle_at){k->instance->id, from ? from->id : NULL, to ? to->id : NULL};
}

/* The target of a node where something is; NULL, told once, when it is not mapped. */
static const node *target_node(const checker *k, uint32_t node_number, const char *what) {
  const node *from = k->m->source->nodes[node_number - 1], *to = migration_to(k->m, node_number);
  if (to || k->told[from->index]) return to;
  k->told[from->index] = true;
  obstacle_add(k->obstacles, at_instance(k, from, NULL), "no instruction maps \"%s\", where %s",
               from->id ? from->id : from->element, what);
  return NULL;
}

/* ---- Jobs ------------------------------------------------------------------------------------ */

static bool migrates_waiting_before(const rec_execution *e, const node *n) {
  return n->multi && e->kind == EXECUTION_MULTI_INSTANCE ? n->multi->async_before : n->async_before;
}

static bool migrates_waiting_after(const rec_execution *e, const node *n) {
  if (n->type == NODE_CALL_ACTIVITY && n->call->complete_async) return true;
  return n->multi && e->kind == EXECUTION_MULTI_INSTANCE ? n->multi->async_after : n->async_after;
}

static int check_job(const checker *k, const rec_execution *e, const node *to) {
  context *c = k->m->c;
  const rec_job *job = unit_job(c->u, e->job_id, &c->error);
  if (!job) return c->error.code;
  const node *from = k->m->source->nodes[e->node - 1];
  if (job->kind == ORR_JOB_ASYNC_BEFORE && !migrates_waiting_before(e, to))
    obstacle_add(k->obstacles, at_instance(k, from, to),
                 "a job waits before \"%s\", but \"%s\" is not asynchronous before", from->id,
                 to->id);
  if (job->kind != ORR_JOB_ASYNC_AFTER) return 0;
  if (!migrates_waiting_after(e, to))
    obstacle_add(k->obstacles, at_instance(k, from, to),
                 "a job waits after \"%s\", but \"%s\" is not asynchronous after", from->id,
                 to->id);
  if (job->flow != 0 && !migration_leaving_flow(k->m, job->flow, to))
    obstacle_add(k->obstacles, at_instance(k, from, to),
                 "a job waits after \"%s\" to go to \"%s\", to which no flow leads from \"%s\"",
                 from->id, k->m->source->flows[job->flow - 1]->target->id, to->id);
  return 0;
}

/* ---- Tokens ---------------------------------------------------------------------------------- */

static bool is_service(const node *n) {
  return n->type == NODE_SERVICE_TASK || n->type == NODE_SEND_TASK || n->type == NODE_SCRIPT_TASK ||
         n->type == NODE_BUSINESS_RULE_TASK;
}

static void check_service(const checker *k, const rec_execution *e, const node *from, const node *to) {
  if (e->state != EXECUTION_ACTIVE || e->kind == EXECUTION_MULTI_BODY || e->task_id != 0) return;
  if (is_service(from) && is_service(to) && from->service->triggerable && !to->service->triggerable)
    obstacle_add(k->obstacles, at_instance(k, from, to),
                 "a token waits in \"%s\" to be triggered, but \"%s\" is not triggerable", from->id,
                 to->id);
}

static int check_migrating_token(const checker *k, const rec_execution *e) {
  const node *from = k->m->source->nodes[e->node - 1];
  if (e->kind == EXECUTION_COMPENSATION || e->thrower != 0) {
    obstacle_add(k->obstacles, at_instance(k, from, NULL),
                 "\"%s\" is being compensated: migrate once that is done", from->id);
    return 0;
  }
  if (migration_vanishes(k->m, e)) return 0;
  bool kept = e->kind == EXECUTION_EVENT_SCOPE;
  if (!kept && k->m->replaced[from->index]) {
    if (k->instance->suspended)
      obstacle_add(k->obstacles, at_instance(k, from, NULL),
                   "the instance is suspended: nothing begins there in place of \"%s\"", from->id);
    return 0;
  }
  if (kept && migration_compensated(k->m, e->node)) return 0;
  const node *to = target_node(k, e->node, kept ? "something is left to compensate" : "a token stands");
  if (!to) return 0;
  check_service(k, e, from, to);
  return e->job_id != 0 ? check_job(k, e, to) : 0;
}

static void check_compensation(const checker *k, const rec_subscription *s) {
  if (!rec_text_is(s->type, "compensation")) return;
  const node *from = k->m->source->nodes[s->node - 1], *to = migration_compensated(k->m, s->node);
  if (!to) to = target_node(k, s->node, "something is left to compensate");
  if (to && s->data.type != ORR_INT && !to->compensation_handler)
    obstacle_add(
        k->obstacles, at_instance(k, from, to),
        "\"%s\" has completed and may be compensated, but \"%s\" has no compensation handler",
        from->id, to->id);
}

/* ---- The instance ---------------------------------------------------------------------------- */

/* Planned steps, and those that wait for a callee, hold nodes of the source definition. */
static bool is_stepping(const context *c, orr_id instance) {
  for (uint32_t i = 0; i < c->agenda.count; i++)
    if (orr_id_group(c->agenda.items[i].execution) == orr_id_group(instance)) return true;
  return execution_viewed(c, instance) || await_concerns(c, instance) ||
         branch_queue_concerns(c, instance);
}

static bool check_migrating_instance(const checker *k) {
  const migration *m = k->m;
  const rec_instance *i = k->instance;
  uint32_t before = k->obstacles->count;
  if (i->definition_id != m->source->id)
    obstacle_add(k->obstacles, at_instance(k, NULL, NULL),
                 "the instance runs definition %" PRIu64 ", not the plan's source, %" PRIu64,
                 i->definition_id, m->source->id);
  if (m->target->tenant && !rec_text_is(i->tenant, m->target->tenant))
    obstacle_add(k->obstacles, at_instance(k, NULL, NULL),
                 "the target belongs to tenant \"%s\", the instance to %s%s", m->target->tenant,
                 i->tenant.size > 0 ? "tenant " : "none", i->tenant.size > 0 ? i->tenant.data : "");
  if (is_stepping(m->c, i->id))
    obstacle_add(k->obstacles, at_instance(k, NULL, NULL),
                 "the instance is in the middle of a step: migrate it from outside");
  return k->obstacles->count == before;
}

int migration_check(const migration *m, const rec_instance *instance, obstacles *g) {
  context *c = m->c;
  checker k = {m, instance, g, ARENA_ARRAY(c->arena, bool, m->source->n_nodes)};
  unit_found found;
  if (!k.told) return context_memory(c);
  if (!check_migrating_instance(&k)) return 0;
  int rc = unit_find_group(c->u, &rec_execution_type, orr_id_group(instance->id), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) rc = check_migrating_token(&k, (const rec_execution *)found.items[i]);
  if (!rc) rc = unit_find_group(c->u, &rec_subscription_type, orr_id_group(instance->id), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) check_compensation(&k, (const rec_subscription *)found.items[i]);
  return rc;
}
