/* Opening and closing scopes. */
#include "exec/scope.h"

#include "exec/data/io_mapping.h"
#include "exec/event/arming.h"
#include "exec/event/subscription.h"

int scope_open(context *c, rec_execution *e, const node *n) {
  if (context_touch(c, e)) return c->error.code;
  e->scope = true;
  if (!n->n_data_objects || e->kind == EXECUTION_MULTI_BODY) return 0;
  scope own = {.record = &e->head, .execution = e, .id = e->id, .node = n};
  return io_open_scope(c, &own, n);
}

int scope_arm(context *c, rec_execution *e, const node *n) {
  bool boundary = n->n_boundary && e->kind != EXECUTION_MULTI_INSTANCE;
  if (boundary && n->type == NODE_EVENT_SUB_PROCESS) {
    definition *d = context_definition_of(c, e->id, &c->error);
    if (!d) return c->error.code;
    boundary = d->dialect->event_subprocess_boundary;
  }
  int rc = boundary ? arm_boundary(c, e, n) : 0;
  if (rc || !n->n_event_subprocesses || e->kind == EXECUTION_MULTI_BODY) return rc;
  scope own = {.record = &e->head, .execution = e, .id = e->id, .node = n};
  return arm_event_subprocesses(c, &own);
}

int scope_close(context *c, rec_execution *e) {
  if (!e->scope) return 0;
  const node *n = execution_node(c, e);
  if (!n) return c->error.code;
  scope own = {.record = &e->head, .execution = e, .id = e->id, .node = n};
  int rc = scope_drop(c, &own);
  if (rc) return rc;
  if (context_touch(c, e)) return c->error.code;
  e->scope = false;
  e->flags &= ORR_SCOPE_BRANCH;
  e->data = (orr_value){0};
  if (e->kind == EXECUTION_MULTI_BODY) e->kind = EXECUTION_TOKEN;
  return 0;
}
