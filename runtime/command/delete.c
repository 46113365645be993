#include "delete.h"

#include "lookup.h"

static const char state_terminated[] = "terminated";

static int plan_with_reason(context *c, operation_fn run, orr_id id, const char *reason, uint32_t flags) {
  operation *op = agenda_plan(c, run, id);
  if (op == NULL) return c->error.code;
  op->text = reason;
  op->flags = flags;
  return 0;
}

static int plan_end(context *c, const rec_instance *i, const char *reason, const char *state, uint32_t flags) {
  operation *op = agenda_plan(c, op_end_instance, i->id);
  if (op == NULL) return c->error.code;
  op->text = reason;
  op->flags = flags | OP_CANCELED;
  op->data = (void *)(uintptr_t)state; /* a text that is only read */
  return 0;
}

/* Listeners and history of everything below tell the reason, so it must outlive the caller's text. */
static int keep_reason(context *c, const char **reason) {
  if (*reason == NULL) return 0;
  *reason = arena_strdup(c->arena, *reason);
  c->delete_reason = *reason;
  return *reason != NULL ? 0 : context_memory(c);
}

static int delete_instance_as(context *c, rec_instance *i, const char *reason, const char *state, uint32_t flags) {
  int rc = keep_reason(c, &reason);
  if (rc == 0) rc = plan_with_reason(c, op_cancel_children, i->id, reason, (flags & ~(uint32_t)OP_SILENT) | OP_CANCELED);
  return rc != 0 ? rc : plan_end(c, i, reason, state, flags);
}

int delete_instance(context *c, rec_instance *instance, const char *reason, const char *state, bool skip_listeners) {
  return delete_instance_as(c, instance, reason, state, OP_SILENT | (skip_listeners ? OP_SKIP_LISTENERS : 0u));
}

/* ---- Upwards ------------------------------------------------------------------------------------------------------------------- */

static int op_prune(context *c, operation *op);
static int op_prune_thrower(context *c, operation *op);

int plan_cancel_upwards(context *c, orr_id token, const char *reason, uint32_t flags) {
  rec_execution *e = execution_get(c, token);
  if (e == NULL) return c->error.code;
  orr_id parent = e->parent, thrower = e->thrower;
  int rc = plan_with_reason(c, op_cancel, token, reason, flags | OP_CANCELED);
  if (rc == 0 && thrower != 0) rc = plan_with_reason(c, op_prune_thrower, thrower, reason, flags);
  return rc != 0 ? rc : plan_with_reason(c, op_prune, parent, reason, flags);
}

/* A compensation throw (op->execution) that waits for handlers goes with the last of them: what it waits for will not happen. */
static int op_prune_thrower(context *c, operation *op) {
  unit_found found;
  if (execution_get(c, op->execution) == NULL) return c->error.code;
  int rc = unit_find_group(c->u, &rec_execution_type, orr_id_group(op->execution), &found, &c->error);
  for (size_t i = 0; rc == 0 && i < found.count; i++)
    if (((const rec_execution *)found.items[i])->thrower == op->execution) return 0;
  return rc == 0 ? plan_cancel_upwards(c, op->execution, op->text, op->flags) : rc;
}

/* A scope (op->execution) that lost a token ends when it was the last. */
static int op_prune(context *c, operation *op) {
  bool root = orr_id_local(op->execution) == 1;
  const void *there = root ? (void *)unit_instance(c->u, op->execution, &c->error) : (void *)execution_get(c, op->execution);
  if (there == NULL) return c->error.code;
  scope s;
  int rc = scope_get(c, op->execution, &s);
  if (rc != 0 || scope_children(&s) > 0) return rc;
  if (s.execution != NULL) return plan_cancel_upwards(c, s.id, op->text, op->flags);
  return delete_with_caller(c, s.instance, op->text, op->flags);
}

int delete_with_caller(context *c, rec_instance *instance, const char *reason, uint32_t flags) {
  definition *d = context_definition(c, instance->definition_id, &c->error);
  if (d == NULL) return c->error.code;
  bool goes_on = instance->super_execution != 0 && !d->dialect->called_delete_cancels_caller;
  orr_id caller = goes_on ? 0 : instance->super_execution;
  int rc = delete_instance_as(c, instance, reason, state_terminated, flags | (goes_on ? 0u : OP_SILENT));
  return rc == 0 && caller != 0 ? plan_cancel_upwards(c, caller, reason, flags & ~(uint32_t)OP_SILENT) : rc;
}

/* ---- The command ---------------------------------------------------------------------------------------------------------------- */

typedef struct deletion {
  orr_id instance;
  const char *reason;
} deletion;

static int delete_body(context *c, void *ud, orr_error *err) {
  const deletion *d = ud;
  (void)err;
  rec_instance *i = lookup_instance(c, d->instance);
  return i != NULL ? delete_with_caller(c, i, d->reason, 0) : c->error.code;
}

int orr_engine_delete_instance(orr_engine *engine, orr_id instance, const char *reason, orr_error *err) {
  deletion d = {instance, reason};
  return command_run(engine, delete_body, &d, err);
}
