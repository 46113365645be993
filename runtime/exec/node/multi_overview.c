/* Overviews of variable aggregation: which ones to write anew, and in which order. */
#include "exec/node/multi_overview.h"

#include "exec/node/multi_aggregate.h"
#include "exec/node/multi_instance.h"
#include "exec/token.h"
#include "state/notices.h"
#include "uow/find.h"

static bool has_overview(const node *n) {
  for (uint32_t i = 0; i < n->multi->n_aggregations; i++)
    if (n->multi->aggregations[i].create_overview) return true;
  return false;
}

int overview_begin(context *c, const rec_execution *body) {
  const node *n = execution_node(c, body);
  if (!n || !has_overview(n)) return c->error.code;
  scope root;
  int rc = scope_get(c, orr_id_instance(body->id), &root);
  if (!rc) rc = scope_flag(c, &root, ORR_SCOPE_OVERVIEWS);
  return rc ? rc : notice_overview(c, root.instance);
}

/* What it writes is no reason to write it again: the overviews around it are planned behind it. */
static int op_overview(context *c, operation *op) {
  rec_execution *body = execution_get(c, op->execution);
  if (!body || body->kind != EXECUTION_MULTI_BODY || body->state != EXECUTION_ACTIVE) return c->error.code;
  struct overview_check *others = c->lists.overviews;
  int rc = multi_aggregate_overview(c, body, op->node);
  c->lists.overviews = others;
  return rc;
}

/* Inner bodies are younger than those around them, and come first. */
static int plan_instance(context *c, orr_id instance) {
  unit_found found;
  if (!unit_instance(c->u, instance, &c->error)) return c->error.code;
  int rc = unit_find_group(c->u, &rec_execution_type, orr_id_group(instance), &found, &c->error);
  for (size_t i = found.count; !rc && i > 0; i--) {
    const rec_execution *e = (const rec_execution *)(const void *)found.items[i - 1];
    if (e->kind != EXECUTION_MULTI_BODY || e->state != EXECUTION_ACTIVE) continue;
    const node *n = execution_node(c, e);
    if (!n) return c->error.code;
    if (has_overview(n)) rc = plan_on(c, op_overview, e->id, n, 0);
  }
  return rc;
}

int overview_flush(context *c) {
  const struct overview_check *all = c->lists.overviews;
  c->lists.overviews = NULL;
  int rc = 0;
  for (; !rc && all; all = all->next) rc = plan_instance(c, all->instance);
  return rc;
}
