/* Call activities. The called instance is a group of its own; its super_execution and this token's called_id point at each
 * other. */
#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "exec/async.h"
#include "exec/event/propagation.h"
#include "exec/instance.h"
#include "exec/node/behavior.h"
#include "exec/node/call_activity.h"
#include "exec/node/call_target.h"
#include "exec/scope.h"
#include "exec/token.h"
#include "record/states.h"
#include "state/expression.h"
#include "state/history.h"
#include "state/variable.h"

/* ---- Input ----------------------------------------------------------------------------------- */

/* Variables passed as a whole stay transient or stored, unless the mapping makes all of them
 * transient. */
static int add_all_passed(context *c, orr_id scope_id, bool local, bool to_transient, bool transient, orr_builder *b) {
  orr_value all, key, value;
  int rc = variable_map(c, scope_id, local, &all);
  if (rc) return rc;
  orr_iterator it = orr_iterate(&all);
  while (orr_next(&it, &key, &value)) {
    bool passes = false; /* it is passed as a transient one */
    rc = variable_is_transient(c, scope_id, key.as.bytes, key.size, &passes);
    if (rc) return rc;
    if ((passes || to_transient) != transient) continue;
    orr_builder_key(b, key.as.bytes, key.size);
    orr_builder_add(b, &value);
  }
  return 0;
}

/* A local expression sees the variables of the activity's own scope alone. */
static int source_expression_value(context *c, const call_mapping *m, orr_id scope_id, bool local, const node *n,
                                   orr_value *out) {
  orr_value own;
  if (!local) return expr_value(c, &m->source_expression, scope_id, n, out);
  int rc = variable_map(c, scope_id, true, &own);
  return rc ? rc : expr_value_over(c, &m->source_expression, &own, out);
}

/* The value of a mapping's source. A missing variable gives null, and the target is set to that. */
static int source_value(context *c, const call_mapping *m, orr_id scope_id, bool local, const node *n, orr_value *out) {
  int rc = expr_given(&m->source_expression) ? source_expression_value(c, m, scope_id, local, n, out)
           : !m->source                      ? 0
           : local                           ? variable_get_local(c, scope_id, m->source, out)
                                             : variable_get(c, scope_id, m->source, out);
  if (!rc && out->type == ORR_NIL) *out = orr_null();
  return rc;
}

/* A mapping passes a transient variable if it says so, or if its source is one. */
static int passes_transient(context *c, const call_mapping *m, orr_id scope_id, bool *out) {
  *out = m->transient;
  if (*out || !m->source || expr_given(&m->source_expression)) return 0;
  return variable_is_transient(c, scope_id, m->source, strlen(m->source), out);
}

static int target_name(context *c, const call_mapping *m, orr_id scope_id, const node *n, const char **out) {
  *out = m->target ? m->target : m->source;
  if (expr_given(&m->target_expression)) {
    int rc = expr_text(c, &m->target_expression, scope_id, n, out);
    if (rc) return rc;
  }
  return *out ? 0 : context_error(c, ORR_E_EXPRESSION, "call activity \"%s\": a mapping has no target", n->id);
}

static int add_passed(context *c, const rec_execution *e, const node *n, bool transient, orr_builder *b) {
  for (uint32_t i = 0; i < n->call->n_in; i++) {
    const call_mapping *m = &n->call->in[i];
    if (expr_given(&m->business_key)) continue;
    if (m->all) {
      int rc = add_all_passed(c, e->id, m->local, m->transient, transient, b);
      if (rc) return rc;
      continue;
    }
    const char *name;
    orr_value v = {0};
    bool passes;
    int rc = passes_transient(c, m, e->id, &passes);
    if (!rc && passes != transient) continue;
    if (!rc) rc = source_value(c, m, e->id, m->local, n, &v);
    if (!rc) rc = target_name(c, m, e->id, n, &name);
    if (rc) return rc;
    orr_builder_put(b, name, v);
  }
  return 0;
}

static int input_map(context *c, const rec_execution *e, const node *n, bool transient, orr_value *out) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  int rc = n->call->inherit_variables ? add_all_passed(c, e->id, false, false, transient, b) : 0;
  if (!rc) rc = add_passed(c, e, n, transient, b);
  orr_builder_end(b);
  if (!rc) rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

static int called_business_key(context *c, const rec_execution *e, const node *n, const char **out) {
  const expr *from = &n->call->business_key;
  for (uint32_t i = 0; i < n->call->n_in; i++) {
    if (expr_given(&n->call->in[i].business_key)) from = &n->call->in[i].business_key;
  }
  *out = NULL;
  if (expr_given(from)) return expr_text(c, from, e->id, n, out);
  if (!n->call->inherit_business_key) return 0;
  const rec_instance *i = context_instance(c, e->id, &c->error);
  if (i && i->business_key.size) *out = i->business_key.data;
  return i ? 0 : c->error.code;
}

/* ---- The call -------------------------------------------------------------------------------- */

static int tell_id(context *c, const rec_execution *e, const node *n, orr_id called) {
  if (!expr_given(&n->call->id_variable)) return 0;
  orr_value id = value_of_id(c->arena, called);
  if (!id.as.bytes) return context_memory(c);
  return variable_set_named(c, &n->call->id_variable, e->id, n, &id);
}

static int start_called(context *c, rec_execution *e, const node *n, const orr_value *variables) {
  orr_value transient = {0};
  start_request request = {
      .definition = call_target(c, e, n), .variables = variables, .transient = &transient, .super_execution = e->id};
  if (!request.definition) return c->error.code;
  int rc = called_business_key(c, e, n, &request.business_key);
  if (!rc) rc = input_map(c, e, n, true, &transient);
  const rec_instance *caller = rc ? NULL : context_instance(c, e->id, &c->error);
  if (!caller) return c->error.code;
  request.parent_instance = caller->id;
  request.root_instance = caller->root_id;
  request.call_depth = caller->call_depth + 1;
  request.initiator = caller->initiator.size ? caller->initiator.data : NULL;
  rec_instance *called;
  rc = instance_start(c, &request, &called);
  if (rc) return rc;
  if (context_touch(c, e)) return c->error.code;
  e->called_id = called->id;
  rc = tell_id(c, e, n, called->id);
  return rc ? rc : history_activity_update(c, e, 0, NULL, called->id);
}

/* `op`: about the token, at its call activity. */
static int call_mapper(context *c, operation *op, host_call_kind kind, const orr_value *data, operation_fn next) {
  const node *n = op->node;
  orr_execution *view = execution_view(c, op->execution, n, NULL);
  host_call *call = view ? ARENA_NEW(c->arena, host_call) : NULL;
  if (!call) return view ? context_memory(c) : c->error.code;
  view->run = &n->call->mapper;
  *call = (host_call){.kind = kind, .run = &n->call->mapper, .execution = view, .data = *data};
  op->value = *data;
  return agenda_call(c, op, call, next);
}

/* A mapper is outside of the activity whose variables it maps: what it raises reaches the caller,
 * and no boundary event catches it. */
static int mapper_failed(context *c, const operation *op) {
  return throw_listener_result(c, op->execution, op->node, OP_CANCELED, &c->result);
}

static int op_input_mapped(context *c, operation *op) {
  if (c->result.error.code || c->result.bpmn_error) return mapper_failed(c, op);
  rec_execution *e = execution_get(c, op->execution);
  if (!e) return c->error.code;
  orr_value variables = c->result.value.type == ORR_MAP ? c->result.value : op->value;
  return start_called(c, e, op->node, &variables);
}

static int call_execute(context *c, rec_execution *e, const node *n) {
  orr_value variables;
  int rc = input_map(c, e, n, false, &variables);
  if (rc) return rc;
  if (n->call->mapper.kind == IMPLEMENTATION_NONE) return start_called(c, e, n, &variables);
  operation op = {.execution = e->id, .node = n};
  return call_mapper(c, &op, HOST_MAP_INPUT, &variables, op_input_mapped);
}

/* ---- Output ---------------------------------------------------------------------------------- */

static int write_out(context *c, const rec_execution *e, const node *n, const call_mapping *m, const char *name,
                     const orr_value *v, bool transient) {
  bool local = m->local || n->call->output_local;
  if (transient) return variable_set_transient(c, e->id, name, v, local);
  return local ? variable_set_local(c, e->id, name, v) : variable_set(c, e->id, name, v);
}

/* The called process cannot change an inner instance's counters, although `all` passes them. */
static bool is_counter(const rec_execution *e, const char *name) {
  static const char *const counters[] = {"nrOfInstances", "nrOfActiveInstances", "nrOfCompletedInstances", "loopCounter"};
  if (e->kind != EXECUTION_MULTI_INSTANCE) return false;
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
    if (strcmp(counters[i], name) == 0) return true;
  }
  return false;
}

static int write_out_all(context *c, const rec_execution *e, const node *n, const call_mapping *m) {
  orr_value all, key, value;
  int rc = variable_map(c, e->called_id, false, &all);
  orr_iterator it = orr_iterate(&all);
  while (!rc && orr_next(&it, &key, &value)) {
    const char *name = arena_strndup(c->arena, key.as.bytes, key.size);
    if (!name) return context_memory(c);
    bool passes = false;
    rc = variable_is_transient(c, e->called_id, name, key.size, &passes);
    if (!rc && !is_counter(e, name)) rc = write_out(c, e, n, m, name, &value, m->transient || passes);
  }
  return rc;
}

int call_map_outputs(context *c, rec_execution *caller) {
  const node *n = execution_node(c, caller);
  if (!n) return c->error.code;
  if (n->type != NODE_CALL_ACTIVITY || !caller->called_id) return 0;
  for (uint32_t i = 0; i < n->call->n_out; i++) {
    const call_mapping *m = &n->call->out[i];
    if (m->all) {
      int rc = write_out_all(c, caller, n, m);
      if (rc) return rc;
      continue;
    }
    const char *name;
    orr_value v = {0};
    bool passes = false;
    int rc = source_value(c, m, caller->called_id, false, n, &v);
    if (!rc) rc = target_name(c, m, caller->called_id, n, &name);
    if (!rc) rc = passes_transient(c, m, caller->called_id, &passes);
    if (!rc) rc = write_out(c, caller, n, m, name, &v, passes);
    if (rc) return rc;
  }
  return 0;
}

static int called_done(context *c, rec_execution *e, const node *n) {
  if (context_touch(c, e)) return c->error.code;
  e->called_id = 0;
  return n->call->complete_async ? async_wait(c, e, n, ORR_JOB_ASYNC_AFTER, NULL)
                                 : plan_leave(c, e, n);
}

static int op_output_mapped(context *c, operation *op) {
  if (c->result.error.code || c->result.bpmn_error) return mapper_failed(c, op);
  rec_execution *e = execution_get(c, op->execution);
  return e ? called_done(c, e, op->node) : c->error.code;
}

static int op_early_mapped(context *c, operation *op) {
  return c->result.error.code || c->result.bpmn_error ? mapper_failed(c, op) : 0;
}

/* op->value: the called instance's variables. */
static int op_map_early(context *c, operation *op) {
  const rec_execution *e = execution_get(c, op->execution);
  orr_value called = op->value;
  return e ? call_mapper(c, op, HOST_MAP_OUTPUT, &called, op_early_mapped) : c->error.code;
}

int call_mapper_sees(context *c, const rec_execution *caller, orr_value *out) {
  const node *n = execution_node(c, caller);
  *out = (orr_value){0};
  if (!n) return c->error.code;
  bool mapped = n->type == NODE_CALL_ACTIVITY && n->call->mapper.kind != IMPLEMENTATION_NONE && caller->called_id;
  return mapped ? variable_map(c, caller->called_id, false, out) : 0;
}

int call_plan_mapper(context *c, orr_id caller, const orr_value *called) {
  const rec_execution *e = execution_get(c, caller);
  const node *n = e ? execution_node(c, e) : NULL;
  operation *op = n ? agenda_plan(c, op_map_early, caller) : NULL;
  if (!op) return c->error.code;
  op->node = n;
  op->value = *called;
  op->flags = OP_HOLDS_PLANNED;
  return 0;
}

static int call_trigger(context *c, rec_execution *e, const node *n, trigger_kind kind, const orr_value *variables) {
  (void)variables;
  if (kind != TRIGGER_CALLED) {
    return context_error(c, ORR_E_STATE, "execution %" PRIu64 " waits at call activity \"%s\" for the process it called", e->id,
                         n->id);
  }
  int rc = call_map_outputs(c, e);
  if (rc) return rc;
  if (n->call->mapper.kind == IMPLEMENTATION_NONE) return called_done(c, e, n);
  orr_value called;
  operation op = {.execution = e->id, .node = n};
  rc = variable_map(c, e->called_id, false, &called);
  return rc ? rc : call_mapper(c, &op, HOST_MAP_OUTPUT, &called, op_output_mapped);
}

static int call_cancel(context *c, rec_execution *e, const node *n) {
  (void)n;
  rec_instance *called = e->called_id ? unit_instance(c->u, e->called_id, &c->error) : NULL;
  return called ? instance_delete_called(c, called, c->delete_reason) : c->error.code;
}

const behavior behavior_call_activity = {.execute = call_execute, .trigger = call_trigger, .cancel = call_cancel};
