/* Commands of external workers. */
#include "base/builder.h"
#include "base/null.h"
#include "base/value.h"
#include "command/job/external_request.h"
#include "command/operands.h"
#include "command/operations.h"
#include "exec/task/external_fetch.h"
#include "exec/task/external_task.h"
#include "query/results.h"

typedef struct external_call {
  orr_id task;
  const char *worker, *topic, *code, *message;
  const orr_value *variables, *local;
  int64_t number; /* retries, priority */
  orr_duration duration;
  bool extend;
} external_call;

/* ---- Fetching -------------------------------------------------------------------------------- */

enum { FETCH_ATTEMPTS = 10 };

typedef struct fetch_call {
  const orr_value *request;
  orr_records **out;
} fetch_call;

/* Of all that the worker may see, what it asked for; a name that no variable has is left out. */
static int pick_variables(context *c, const orr_value *all, const orr_value *names, orr_value *out) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_iterator at = orr_iterate(all);
  orr_value key, value;
  orr_builder_map(b);
  while (orr_next(&at, &key, &value)) {
    if (!request_names(names, &key)) continue;
    orr_builder_key(b, key.as.bytes, key.size);
    orr_builder_add(b, &value);
  }
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

static int add_variables(context *c, orr_records *records, const external_locked *locked, const orr_value *names) {
  orr_value variables;
  int rc = external_variables(c, locked->task, locked->topic->local_variables, &variables);
  if (!rc && names->type != ORR_NIL) rc = pick_variables(c, &variables, names, &variables);
  if (!rc && records_add(records, "variables", &variables)) rc = context_memory(c);
  return rc;
}

/* The <camunda:properties> of the task's element. */
static int add_properties(context *c, orr_records *records, const rec_external_task *t) {
  definition *d = context_definition(c, t->definition_id, &c->error);
  orr_builder *b = d ? builder_new(&c->engine->env.allocator) : NULL;
  if (!b) return d ? context_memory(c) : c->error.code;
  const node *n = d->nodes[t->node - 1];
  orr_value built;
  orr_builder_map(b);
  for (uint32_t i = 0; i < n->n_properties; i++)
    orr_builder_put(b, n->properties[i].name, orr_string(n->properties[i].value ? n->properties[i].value : ""));
  orr_builder_end(b);
  int rc = orr_builder_value(b, &built, &c->error);
  if (!rc && records_add(records, "extension_properties", &built)) rc = context_memory(c);
  orr_builder_free(b);
  return rc;
}

static int answer_external(context *c, const fetch_request *request, const external_locked *locked, uint32_t count,
                           orr_records *records) {
  const row_type *row = row_type_shown(&rec_external_task_type);
  int rc = 0;
  for (uint32_t i = 0; !rc && i < count; i++) {
    const topic_request *asked = &request->asked[locked[i].topic - request->fetch.topics];
    rc = records_add_row(c, records, row, &locked[i].task->head);
    if (!rc) rc = add_variables(c, records, &locked[i], &asked->variables);
    if (!rc && asked->extension_properties) rc = add_properties(c, records, locked[i].task);
  }
  return rc;
}

static void fetch_forget(orr_records **out) {
  orr_records_free(*out);
  *out = NULL;
}

static int fetch_body(context *c, void *ud) {
  const fetch_call *call = ud;
  fetch_forget(call->out);
  fetch_request request;
  external_locked *locked = NULL;
  uint32_t count = 0;
  int rc = request_read(c, call->request, &request);
  if (!rc) rc = external_fetch_and_lock(c, &request.fetch, &locked, &count);
  if (rc) return rc;
  orr_records *records = records_new(&c->engine->env.allocator, rec_external_task_type.name);
  if (!records) return context_memory(c);
  rc = answer_external(c, &request, locked, count, records);
  if (rc) orr_records_free(records);
  else *call->out = records;
  return rc;
}

/* Workers that fetch at the same time lose races to each other; what is left is for the next attempt. */
int orr_engine_externals_fetch_and_lock(orr_engine *engine, const orr_value *request, orr_records **out, orr_error *err) {
  REQUIRE(request);
  OUT_RECORDS(out);
  *out = NULL;
  int rc = command_retry(engine, FETCH_ATTEMPTS, fetch_body, &(fetch_call){request, out}, err);
  if (rc) fetch_forget(out);
  return rc;
}

/* ---- What a worker says ---------------------------------------------------------------------- */

static int complete_body(context *c, void *ud) {
  const external_call *call = ud;
  int rc = operand_map(c, call->variables, "variables");
  if (!rc) rc = operand_map(c, call->local, "local_variables");
  rec_external_task *t = rc ? NULL : lookup_external_task(c, call->task);
  return t ? external_complete(c, t, call->worker, call->variables, call->local) : c->error.code;
}

int orr_engine_external_complete(orr_engine *engine, orr_id task, const char *worker, const orr_value *variables,
                                 const orr_value *local_variables, orr_error *err) {
  REQUIRE(worker);
  external_call call = {.task = task, .worker = worker, .variables = variables, .local = local_variables};
  return command_run(engine, complete_body, &call, err);
}

static int bpmn_error_body(context *c, void *ud) {
  const external_call *call = ud;
  int rc = operand_map(c, call->variables, "variables");
  rec_external_task *t = rc ? NULL : lookup_external_task(c, call->task);
  return t ? external_bpmn_error(c, t, call->worker, call->code, call->message, call->variables) : c->error.code;
}

int orr_engine_external_bpmn_error(orr_engine *engine, orr_id task, const char *worker, const char *code, const char *message,
                                   const orr_value *variables, orr_error *err) {
  REQUIRE(worker);
  REQUIRE(code);
  external_call call = {.task = task, .worker = worker, .code = code, .message = message, .variables = variables};
  return command_run(engine, bpmn_error_body, &call, err);
}

static int fail_body(context *c, void *ud) {
  const external_call *call = ud;
  int rc = request_check_failure(c, call->variables);
  rec_external_task *t = rc ? NULL : lookup_external_task(c, call->task);
  return t ? external_fail(c, t, call->worker, call->variables) : c->error.code;
}

int orr_engine_external_fail(orr_engine *engine, orr_id task, const char *worker, const orr_value *failure, orr_error *err) {
  REQUIRE(worker);
  external_call call = {.task = task, .worker = worker, .variables = failure};
  return command_run(engine, fail_body, &call, err);
}

/* ---- Locks ----------------------------------------------------------------------------------- */

static int lock_body(context *c, void *ud) {
  const external_call *call = ud;
  rec_external_task *t = lookup_external_task(c, call->task);
  return t ? external_lock(c, t, call->worker, call->duration, call->extend) : c->error.code;
}

int orr_engine_external_lock(orr_engine *engine, orr_id task, const char *worker, orr_duration duration, orr_error *err) {
  REQUIRE(worker);
  external_call call = {.task = task, .worker = worker, .duration = duration};
  return command_upkeep(engine, lock_body, &call, err);
}

int orr_engine_external_extend_lock(orr_engine *engine, orr_id task, const char *worker, orr_duration duration,
                                    orr_error *err) {
  REQUIRE(worker);
  external_call call = {.task = task, .worker = worker, .duration = duration, .extend = true};
  return command_upkeep(engine, lock_body, &call, err);
}

static int unlock_body(context *c, void *ud) {
  const external_call *call = ud;
  rec_external_task *t = lookup_external_task(c, call->task);
  if (!t) return c->error.code;
  user_operation what = operation_on_external(t, "Unlock");
  int rc = external_unlock(c, t);
  return rc ? rc : user_operation_log(c, &what, NULL, NULL, NULL);
}

int orr_engine_external_unlock(orr_engine *engine, orr_id task, orr_error *err) {
  external_call call = {.task = task};
  return command_upkeep(engine, unlock_body, &call, err);
}

static int unlock_all_body(context *c, void *ud) {
  const external_call *call = ud;
  if (!call->worker && !call->topic) return context_error(c, ORR_E_ARGUMENT, "a worker or a topic is needed");
  return external_unlock_all(c, call->worker, call->topic);
}

int orr_engine_externals_unlock(orr_engine *engine, const char *worker, const char *topic, orr_error *err) {
  external_call call = {.worker = worker, .topic = topic};
  return command_upkeep(engine, unlock_all_body, &call, err);
}

/* ---- Retries and priority -------------------------------------------------------------------- */

static int external_retries_body(context *c, void *ud) {
  const external_call *call = ud;
  rec_external_task *t = lookup_external_task(c, call->task);
  if (!t) return c->error.code;
  user_operation what = operation_on_external(t, "SetExternalTaskRetries");
  orr_value before = t->retries, after = orr_int(call->number);
  int rc = external_set_retries(c, t, call->number);
  return rc ? rc : user_operation_log(c, &what, "retries", &before, &after);
}

int orr_engine_external_set_retries(orr_engine *engine, orr_id task, int64_t retries, orr_error *err) {
  external_call call = {.task = task, .number = retries};
  return command_upkeep(engine, external_retries_body, &call, err);
}

static int external_priority_body(context *c, void *ud) {
  const external_call *call = ud;
  rec_external_task *t = lookup_external_task(c, call->task);
  if (!t) return c->error.code;
  user_operation what = operation_on_external(t, "SetPriority");
  int64_t before = t->priority;
  int rc = external_set_priority(c, t, call->number);
  return rc ? rc : user_operation_numbers(c, &what, "priority", before, call->number);
}

int orr_engine_external_set_priority(orr_engine *engine, orr_id task, int64_t priority, orr_error *err) {
  external_call call = {.task = task, .number = priority};
  return command_upkeep(engine, external_priority_body, &call, err);
}
