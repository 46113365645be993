/* What a delegate or listener sees of the execution that called it. */
#include "base/null.h"
#include "base/value.h"
#include "command/lookup.h"
#include "state/expression.h"
#include "state/variable.h"

/* A delegate gets a failure of its own, and the context continues unless it passes that on. It may
 * take long until its next call, so no view stays open. */
static int give_variable(context *c, int rc, orr_error *err) {
  unit_yield(c->u);
  if (rc) error_move(err, &c->error);
  orr_error_clear(&c->error);
  return rc;
}

orr_engine *orr_execution_engine(orr_execution *execution) {
  if (!execution) return NULL;
  return execution->context->engine;
}

/* The scope whose variable is meant. For a delegate in an activity that is no scope, "local" is the
 * branch. */
static int home_of(context *c, orr_execution *execution, orr_reach reach, orr_id *out) {
  *out = execution->id;
  return reach == ORR_LOCAL ? variable_home(c, execution->id, out) : 0;
}

/* The scope that a change is for; refused where all is only looked at (command_read_only). */
static int changed_home(context *c, orr_execution *execution, orr_reach reach, orr_id *out) {
  if (c->read_only)
    return context_error(c, ORR_E_STATE, "what is only looked at changes no variable");
  return home_of(c, execution, reach, out);
}

/* A scalar is the caller's own struct, which may hold anything; once it is stored nothing could
 * read it. */
static int sound_value(const orr_value *value, orr_error *err) {
  int rc = value_validate(value, 0);
  if (!rc) return 0;
  if (rc == ORR_E_LIMIT) return error_set(err, rc, "the value is too deep or too large");
  if (value->type > ORR_MAP)
    return error_set(err, ORR_E_ARGUMENT, "the value's type is %u, which is no orr_type",
                     value->type);
  return error_set(err, ORR_E_ARGUMENT, "the value is damaged");
}

int orr_execution_get(orr_execution *execution, const char *name, orr_reach reach, orr_value *out, orr_error *err) {
  REQUIRE(execution);
  REQUIRE(name);
  orr_value unwanted;
  if (!out) out = &unwanted;
  context *c = execution->context;
  orr_id id;
  int rc = home_of(c, execution, reach, &id);
  if (!rc) rc = reach == ORR_LOCAL ? variable_get_local(c, id, name, out) : variable_get(c, id, name, out);
  return give_variable(c, rc, err);
}

int orr_execution_set(orr_execution *execution, const char *name, const orr_value *value, orr_reach reach, orr_error *err) {
  REQUIRE(execution);
  REQUIRE(name);
  REQUIRE(value);
  context *c = execution->context;
  orr_id id;
  int rc = sound_value(value, err);
  if (rc) return rc;
  rc = changed_home(c, execution, reach, &id);
  if (!rc) rc = reach == ORR_LOCAL ? variable_set_local(c, id, name, value) : variable_set(c, id, name, value);
  return give_variable(c, rc, err);
}

int orr_execution_set_transient(orr_execution *execution, const char *name, const orr_value *value, orr_reach reach,
                                orr_error *err) {
  REQUIRE(execution);
  REQUIRE(name);
  REQUIRE(value);
  context *c = execution->context;
  orr_id id;
  int rc = sound_value(value, err);
  if (rc) return rc;
  rc = changed_home(c, execution, reach, &id);
  return give_variable(c, rc ? rc : variable_set_transient(c, id, name, value, reach == ORR_LOCAL), err);
}

int orr_execution_remove(orr_execution *execution, const char *name, orr_reach reach, orr_error *err) {
  REQUIRE(execution);
  REQUIRE(name);
  context *c = execution->context;
  orr_id id;
  int rc = changed_home(c, execution, reach, &id);
  return give_variable(c, rc ? rc : variable_remove(c, id, name, reach == ORR_LOCAL), err);
}

int orr_execution_field(orr_execution *execution, const char *name, orr_value *out,
                        orr_error *err) {
  REQUIRE(execution);
  REQUIRE(name);
  orr_value unwanted;
  if (!out) out = &unwanted;
  *out = (orr_value){0};
  const implementation *run = execution->run;
  for (uint32_t i = 0; run && i < run->n_fields; i++) {
    if (strcmp(run->fields[i].name, name) != 0) continue;
    context *c = execution->context;
    int rc = expr_value(c, &run->fields[i].value, execution->id, execution->node, out);
    return give_variable(c, rc, err);
  }
  return 0;
}

int orr_execution_bpmn_error(orr_execution *execution, const char *code, const char *message, orr_error *err) {
  REQUIRE(code);
  (void)execution;
  orr_value value = orr_string(code);
  error_set(err, ORR_E_BPMN_ERROR, "%s", message ? message : code);
  if (error_detail(err, "error_code", &value)) return error_memory(err);
  value = orr_string(message);
  if (message && error_detail(err, "error_message", &value)) return error_memory(err);
  return ORR_E_BPMN_ERROR;
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static orr_value of_id(orr_id id) { return id != 0 ? orr_int((int64_t)id) : (orr_value){0}; }
static orr_value of_text(rec_text text) { return text.data ? orr_bytes(text.data, text.size) : (orr_value){0}; }

static orr_value parent_of(context *c, orr_id id) {
  const rec_execution *e = orr_id_local(id) != 1 ? unit_execution(c->u, id, &c->error) : NULL;
  orr_error_clear(&c->error);
  return of_id(e ? e->parent : 0);
}

static orr_value dialect_value(context *c, const rec_instance *i) {
  const definition *d = context_definition(c, i->definition_id, &c->error);
  orr_error_clear(&c->error);
  return orr_string(d ? d->dialect->name : NULL);
}

static orr_value of_instance(context *c, orr_id id, const char *name) {
  const rec_instance *i = id != 0 ? context_instance(c, id, &c->error) : NULL;
  orr_error_clear(&c->error);
  if (!i) return (orr_value){0};
  if (strcmp(name, "instance_id") == 0) return of_id(i->id);
  if (strcmp(name, "root_id") == 0) return of_id(i->root_id);
  if (strcmp(name, "definition_id") == 0) return of_id(i->definition_id);
  if (strcmp(name, "definition_key") == 0) return of_text(i->definition_key);
  if (strcmp(name, "business_key") == 0) return of_text(i->business_key);
  if (strcmp(name, "tenant") == 0) return of_text(i->tenant);
  if (strcmp(name, "dialect") == 0) return dialect_value(c, i);
  return (orr_value){0};
}

orr_value orr_execution_info(orr_execution *execution, const char *name) {
  if (!execution || !name) return (orr_value){0};
  context *c = execution->context;
  const node *at = execution->node && execution->node->type != NODE_PROCESS ? execution->node : NULL;
  if (strcmp(name, "id") == 0) return of_id(execution->id);
  if (strcmp(name, "parent_id") == 0) return parent_of(c, execution->id);
  if (strcmp(name, "activity_id") == 0) return orr_string(at ? at->id : NULL);
  if (strcmp(name, "activity_name") == 0) return orr_string(at ? at->name : NULL);
  if (strcmp(name, "event_name") == 0) return orr_string(execution->event_name);
  if (strcmp(name, "sequence_flow_id") == 0) return orr_string(execution->flow ? execution->flow->id : NULL);
  if (strcmp(name, "delete_reason") == 0) return orr_string(execution->delete_reason);
  if (strcmp(name, "canceled") == 0) return orr_bool(execution->canceled);
  if (strcmp(name, "job_id") == 0) return of_id(c->job ? c->job->id : 0);
  if (strcmp(name, "task_id") == 0) return of_id(execution->task);
  return of_instance(c, execution->id, name);
}
