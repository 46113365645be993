/* Showing forms and taking their values. Showing only reads (command_read_only); taking is one
 * command, with what follows from it. */
#include "base/null.h"
#include "base/options.h"
#include "base/value.h"
#include "command/form/answer.h"
#include "command/instance/start_commands.h"
#include "command/operands.h"
#include "command/operations.h"
#include "exec/task/task.h"
#include "query/results.h"

typedef struct form_call {
  orr_id id; /* of a task or a definition */
  const orr_value *values;
  const orr_start_options *options;
  orr_records **started;
  orr_builder *out;
} form_call;

/* ---- Showing --------------------------------------------------------------------------------- */

/* A form that is not deployed is shown as far as it is known. */
static int describe_found(context *c, int rc, const form_source *f, orr_builder *out) {
  if (rc == ORR_E_NOT_FOUND && (f->reference || f->key)) {
    orr_error_clear(&c->error);
    rc = 0;
  }
  return rc ? rc : form_describe(c, f, out);
}

static int task_form_body(context *c, void *ud) {
  const form_call *call = ud;
  form_source f;
  const rec_task *t = lookup_task(c, call->id);
  if (!t) return c->error.code;
  return describe_found(c, form_of_task(c, t, &f), &f, call->out);
}

int orr_engine_task_form(orr_engine *engine, orr_id task, orr_builder *out, orr_error *err) {
  form_call call = {.id = task, .out = out};
  return command_read_only(engine, task_form_body, &call, err);
}

static int start_form_body(context *c, void *ud) {
  const form_call *call = ud;
  form_source f;
  const rec_definition *r = lookup_definition(c, call->id);
  if (!r) return c->error.code;
  return describe_found(c, form_of_start(c, r, &f), &f, call->out);
}

int orr_engine_start_form(orr_engine *engine, orr_id id, orr_builder *out, orr_error *err) {
  form_call call = {.id = id, .out = out};
  return command_read_only(engine, start_form_body, &call, err);
}

/* ---- Taking ---------------------------------------------------------------------------------- */

/* Camunda's way: what was delegated goes back to its owner. */
static int finish_task(context *c, rec_task *t, const orr_value *variables) {
  user_operation what = operation_on_task(t, "Complete");
  bool delegated = rec_text_is(t->delegation, "pending");
  if (delegated) what.type = "Resolve";
  int rc = delegated ? task_resolve(c, t, variables) : task_complete(c, t, variables, NULL, NULL);
  if (rc) return rc;
  return delegated ? user_operation_texts(c, &what, "delegation", "pending", "resolved")
                   : user_operation_texts(c, &what, "delete", "false", "true");
}

static rec_task *working_task(context *c, orr_id id) {
  rec_task *t = lookup_task(c, id);
  return t && t->instance_id && refuse_suspended(c, t->instance_id) ? NULL : t;
}

/* The task is looked up again: a default's expression may have suspended its instance. */
static int task_submit_body(context *c, void *ud) {
  const form_call *call = ud;
  form_source f;
  form_answer answer;
  int rc = operand_map(c, call->values, "values");
  rec_task *t = rc ? NULL : working_task(c, call->id);
  if (!t) return c->error.code;
  rc = form_of_task(c, t, &f);
  if (!rc) rc = form_take(c, &f, call->values, &answer);
  if (rc) return rc;
  t = working_task(c, call->id);
  return t ? finish_task(c, t, &answer.variables) : c->error.code;
}

int orr_engine_task_submit_form(orr_engine *engine, orr_id task, const orr_value *values,
                                orr_error *err) {
  form_call call = {.id = task, .values = values};
  return command_run(engine, task_submit_body, &call, err);
}

static const rec_definition *start_form_definition(context *c, const orr_start_options *o) {
  if (o->message || !o->key == !o->definition) {
    context_error(c, ORR_E_ARGUMENT, "a start form is of a definition: give its key or its id");
    return NULL;
  }
  if (o->definition && (o->version || o->tenant)) {
    context_error(c, ORR_E_ARGUMENT,
                  "a definition is of one version and one tenant; %s beside it makes no sense",
                  o->version ? "a version" : "a tenant");
    return NULL;
  }
  return o->definition ? lookup_definition(c, o->definition)
                       : lookup_latest(c, o->key, o->tenant, o->version);
}

static int start_submit_body(context *c, void *ud) {
  const form_call *call = ud;
  orr_start_options options = *call->options;
  form_source f;
  form_answer answer;
  int rc = operand_map(c, options.variables, "values");
  const rec_definition *r = rc ? NULL : start_form_definition(c, &options);
  if (!r) return c->error.code;
  rc = form_of_start(c, r, &f);
  if (!rc) rc = form_take(c, &f, options.variables, &answer);
  if (rc) return rc;
  options.definition = r->id;
  options.key = options.tenant = NULL;
  options.version = 0;
  options.variables = &answer.variables;
  if (!options.business_key) options.business_key = answer.business_key;
  return start_by_options(c, &options, call->started);
}

int orr_engine_start_form_submit(orr_engine *engine, const orr_start_options *given,
                                 orr_records **out, orr_error *err) {
  REQUIRE_AS(given, "options");
  OUT_RECORDS(out);
  *out = NULL;
  orr_start_options own;
  const orr_start_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  form_call call = {.options = options, .started = out};
  int rc = command_run(engine, start_submit_body, &call, err);
  if (rc) {
    orr_records_free(*out);
    *out = NULL;
  }
  return rc;
}
