/* Batches (features J19): one thing done to many records, in steps by jobs.
 *
 *   batch -> what the filter finds now, cut into parts -> a job a part, one after another -> completed
 *
 * A step is one transaction: its part's changes, the batch's progress, the next step's job. So a step happens once,
 * however often its job is tried, and other work of the executor finds its turn between two steps. */
#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "command/instance/purge.h"
#include "command/instance/suspend_commands.h"
#include "command/job/job_changes.h"
#include "command/lookup.h"
#include "command/operands.h"
#include "command/operations.h"
#include "exec/agenda.h"
#include "exec/data/expression.h"
#include "exec/data/variable.h"
#include "exec/instance.h"
#include "exec/task/external_task.h"
#include "job/handlers.h"
#include "job/limit.h"
#include "query/query.h"
#include "query/results.h"

enum { SIZE_DEFAULT = 100, SIZE_MAX_ALLOWED = 10000 };

static const char of_jobs[] = "jobs", of_instances[] = "instances", of_external_tasks[] = "external_tasks",
                  of_past[] = "history_instances";

/* What an action does to one record; *gone: there is no such record any more. */
typedef int (*batch_fn)(context *c, const rec_batch *batch, orr_id id, bool *gone);

static rec_job *job_there(context *c, orr_id id, bool *gone) {
  rec_job *job = unit_job(c->u, id, &c->error);
  *gone = job == NULL;
  return job;
}

static int64_t batch_number(const rec_batch *batch, const char *name) { return orr_map_get(&batch->data, name).as.integer; }

static int retry_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  if (rec_text_is(batch->list, of_external_tasks)) {
    rec_external_task *t = unit_external_task(c->u, id, &c->error);
    *gone = t == NULL;
    return t ? external_set_retries(c, t, batch_number(batch, "retries")) : c->error.code;
  }
  rec_job *job = job_there(c, id, gone);
  return job ? job_change_retries(c, job, batch_number(batch, "retries"), 0) : c->error.code;
}

static int prioritize_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  rec_job *job = job_there(c, id, gone);
  if (!job) return c->error.code;
  if (context_touch(c, job)) return c->error.code;
  job->priority = batch_number(batch, "value");
  return 0;
}

static int switch_batch_job(context *c, const rec_batch *batch, orr_id id, bool *gone, bool suspended) {
  if (rec_text_is(batch->list, of_jobs)) {
    rec_job *job = job_there(c, id, gone);
    return job ? suspend_job_record(c, job, suspended) : c->error.code;
  }
  rec_instance *i = unit_instance(c->u, id, &c->error);
  *gone = i == NULL;
  return i ? suspend_instance_record(c, i, suspended) : c->error.code;
}

static int suspend_batch_job(context *c, const rec_batch *batch, orr_id id,
                             bool *gone) { return switch_batch_job(c, batch, id, gone, true); }
static int activate_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  return switch_batch_job(c, batch, id, gone, false);
}

/* An instance may have gone with one that was deleted before it. */
static int op_cancel_instance(context *c, operation *op) {
  rec_instance *i = unit_instance(c->u, op->execution, &c->error);
  return i ? instance_delete(c, i, op->text, 0) : c->error.code;
}

static int cancel_batch_job(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  *gone = unit_instance(c->u, id, &c->error) == NULL;
  if (*gone) return c->error.code;
  orr_value reason = orr_map_get(&batch->data, "reason");
  operation *op = agenda_plan(c, op_cancel_instance, id);
  if (!op) return c->error.code;
  op->text = reason.type == ORR_STRING ? arena_strndup(c->arena, reason.as.bytes, reason.size) : NULL;
  return 0;
}

static int set_variables_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  *gone = unit_instance(c->u, id, &c->error) == NULL;
  orr_value variables = orr_map_get(&batch->data, "variables");
  return *gone ? c->error.code : variable_set_all(c, id, &variables, false);
}

/* What runs, or runs again, keeps its history. */
static int delete_history_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  (void)batch;
  const rec_history_instance *row = unit_history_instance(c->u, id, &c->error);
  *gone = !row || !row->ended_at || unit_instance(c->u, id, &c->error);
  return *gone || c->error.code ? c->error.code : purge_instance(c, id);
}

static int set_removal_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  rec_history_instance *row = unit_history_instance(c->u, id, &c->error);
  *gone = row == NULL;
  if (!row || context_touch(c, row)) return c->error.code;
  row->remove_at = batch_number(batch, "at");
  return 0;
}

#define LISTS_MAX 3

static const struct batch_action {
  const char *name;
  batch_fn run;
  const char *lists[LISTS_MAX]; /* what it may be done to; the first one when none is given */
  const char *wants;            /* the integer it needs, or NULL */
  int64_t otherwise;            /* when that is not given; INT64_MIN: it must be */
} actions[] = {
    {"retry", retry_one, {of_jobs, of_external_tasks}, "retries", 1},
    {"set_priority", prioritize_one, {of_jobs}, "value", INT64_MIN},
    {"suspend", suspend_batch_job, {of_instances, of_jobs}, NULL, 0},
    {"activate", activate_one, {of_instances, of_jobs}, NULL, 0},
    {"cancel", cancel_batch_job, {of_instances}, NULL, 0},
    {"set_variables", set_variables_one, {of_instances}, NULL, 0},
    {"delete_history", delete_history_one, {of_past}, NULL, 0},
    {"set_removal_time", set_removal_one, {of_past}, NULL, 0},
};

static const struct batch_action *action_named(rec_text name) {
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
    if (rec_text_is(name, actions[i].name)) return &actions[i];
  return NULL;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static int plan_step(context *c, rec_batch *batch, int64_t part) {
  rec_job *job = job_create_housekeeping(c, ORR_JOB_BATCH, batch->priority, 0);
  orr_builder *b = job ? builder_new(&c->engine->env.allocator) : NULL;
  if (!b) return job ? context_memory(c) : c->error.code;
  orr_builder_map(b);
  orr_builder_put(b, "batch", orr_int((int64_t)batch->id));
  orr_builder_put(b, "part", orr_int(part));
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, &job->data, &c->error);
  orr_builder_free(b);
  batch->job_id = job->id;
  return rc ? rc : job_place(c, job);
}

static int end_batch(context *c, rec_batch *batch, const char *state) {
  if (context_touch(c, batch)) return c->error.code;
  batch->state = unit_textz(c->u, state);
  batch->ended_at = context_stamp(c);
  batch->job_id = 0;
  return 0;
}

static rec_batch_part *batch_part(context *c, const rec_batch *batch, int64_t part) {
  rec_batch_part key = {.batch_id = batch->id, .part = part};
  return unit_batch_part_key(c->u, &key, &c->error);
}

static int run_part(context *c, rec_batch *batch, const rec_batch_part *part) {
  const struct batch_action *action = action_named(batch->action);
  if (!action)
    return context_error(c, ORR_E_UNSUPPORTED, "batch %" PRIu64 ": this version knows no action \"%s\"", batch->id,
                         batch->action.data);
  if (context_touch(c, batch)) return c->error.code;
  for (size_t i = 0; i < part->ids.count; i++) {
    bool gone = false;
    int rc = action->run(c, batch, part->ids.items[i], &gone);
    if (rc) return rc;
    batch->done++;
    if (gone) batch->skipped++;
  }
  return 0;
}

/* job->data: { batch = id, part = number }. A batch that was canceled has nothing left to do. */
int batch_job(context *c, rec_job *job) {
  orr_id id = (orr_id)orr_map_get(&job->data, "batch").as.integer;
  int64_t number = orr_map_get(&job->data, "part").as.integer;
  rec_batch *batch = unit_batch(c->u, id, &c->error);
  rec_batch_part *part = batch ? batch_part(c, batch, number) : NULL;
  if (!part) return c->error.code;
  int rc = run_part(c, batch, part);
  if (rc) return rc;
  if (unit_delete(c->u, part)) return context_memory(c);
  const rec_batch_part *next = batch_part(c, batch, number + 1);
  if (c->error.code) return c->error.code;
  return next ? plan_step(c, batch, number + 1) : end_batch(c, batch, "completed");
}

/* ---- Making ---------------------------------------------------------------------------------- */

typedef struct batch_call {
  const orr_value *request;
  orr_records **out;
  orr_id batch;
} batch_call;

static int read_integer(context *c, const orr_value *map, const char *name, int64_t otherwise, int64_t *out) {
  orr_value v = orr_map_get(map, name);
  *out = v.type == ORR_INT ? v.as.integer : otherwise;
  bool missing = v.type == ORR_NIL || v.type == ORR_NULL;
  if (v.type == ORR_INT || (missing && otherwise != INT64_MIN)) return 0;
  return context_error(c, ORR_E_ARGUMENT, "%s must be an integer", name);
}

static rec_text batch_text(context *c, const orr_value *map, const char *name) {
  orr_value v = orr_map_get(map, name);
  return v.type == ORR_STRING ? unit_text(c->u, v.as.bytes, v.size) : (rec_text){0};
}

/* *at: when history shall go; 0: never. */
static int read_removal(context *c, const orr_value *request, orr_time *at) {
  orr_value time = orr_map_get(request, "at");
  *at = 0;
  if (time.type == ORR_NIL) return context_error(c, ORR_E_ARGUMENT, "at is missing; null keeps the history for good");
  return time.type == ORR_NULL ? 0 : value_time(c, &time, at);
}

static int check_variables_given(context *c, const orr_value *variables) {
  if (variables->type == ORR_MAP && orr_count(variables) > 0) return 0;
  return context_error(c, ORR_E_ARGUMENT, "variables must be a table of names and values");
}

/* Keeps what the action wants to know. */
static int keep_data(context *c, const orr_value *request, const struct batch_action *action, rec_batch *batch) {
  int64_t number = 0;
  orr_time at = 0;
  orr_value variables = orr_map_get(request, "variables");
  int rc = action->wants ? read_integer(c, request, action->wants, action->otherwise, &number) : 0;
  if (!rc && action->run == retry_one && number <= 0) rc = context_error(c, ORR_E_ARGUMENT, "retries must be positive");
  if (!rc && action->run == set_removal_one) rc = read_removal(c, request, &at);
  if (!rc && action->run == set_variables_one) rc = check_variables_given(c, &variables);
  orr_builder *b = rc ? NULL : builder_new(&c->engine->env.allocator);
  if (!b) return rc ? rc : context_memory(c);
  orr_value reason = orr_map_get(request, "reason");
  orr_builder_map(b);
  if (action->wants) orr_builder_put(b, action->wants, orr_int(number));
  if (reason.type == ORR_STRING) orr_builder_put(b, "reason", reason);
  if (action->run == set_removal_one) orr_builder_put(b, "at", orr_int(at));
  if (action->run == set_variables_one) orr_builder_put(b, "variables", variables);
  orr_builder_end(b);
  rc = builder_copy(b, c->arena, &batch->data, &c->error);
  orr_builder_free(b);
  return rc;
}

static int read_request(context *c, const orr_value *request, rec_batch *batch) {
  batch->action = batch_text(c, request, "action");
  batch->list = batch_text(c, request, "list");
  const struct batch_action *action = action_named(batch->action);
  if (!action)
    return context_error(c, ORR_E_ARGUMENT, "action must be retry, set_priority, suspend, activate, cancel, set_variables, "
                                            "delete_history or set_removal_time");
  if (!batch->list.size) batch->list = unit_textz(c->u, action->lists[0]);
  bool fits = false;
  for (size_t i = 0; i < LISTS_MAX && action->lists[i]; i++) fits |= rec_text_is(batch->list, action->lists[i]);
  if (!fits) return context_error(c, ORR_E_ARGUMENT, "%s cannot be done to the list \"%s\"", action->name, batch->list.data);
  int rc = read_integer(c, request, "size", SIZE_DEFAULT, &batch->size);
  if (!rc) rc = read_integer(c, request, "priority", 0, &batch->priority);
  if (!rc && (batch->size < 1 || batch->size > SIZE_MAX_ALLOWED))
    rc = context_error(c, ORR_E_ARGUMENT, "size must be 1 to %d", SIZE_MAX_ALLOWED);
  return rc ? rc : keep_data(c, request, action, batch);
}

static int add_part(context *c, const rec_batch *batch, int64_t number, const orr_records *found, size_t from, size_t count) {
  rec_batch_part key = {.batch_id = batch->id, .part = number};
  rec_batch_part *part = unit_new_batch_part(c->u, &key);
  orr_id *ids = ARENA_ARRAY(c->arena, orr_id, count);
  if (!part || !ids) return context_memory(c);
  for (size_t i = 0; i < count; i++) {
    orr_value id = orr_records_get(found, from + i, "id");
    ids[i] = value_id(&id);
  }
  part->ids = (rec_ids){ids, count};
  return 0;
}

static int cut(context *c, rec_batch *batch, const orr_records *found) {
  size_t total = orr_records_count(found), size = (size_t)batch->size;
  int64_t number = 0;
  int rc = 0;
  for (size_t from = 0; !rc && from < total; from += size, number++)
    rc = add_part(c, batch, number, found, from, total - from < size ? total - from : size);
  batch->total = (int64_t)total;
  if (rc) return rc;
  return total ? plan_step(c, batch, 0) : end_batch(c, batch, "completed");
}

static int batch_body(context *c, void *ud) {
  const batch_call *call = ud;
  orr_records *found = NULL;
  orr_id first = unit_new_group(c->u, &c->error);
  rec_batch *batch = first ? unit_new_batch(c->u, first + 1) : NULL;
  if (!batch) return first ? context_memory(c) : c->error.code;
  batch->created = context_stamp(c);
  batch->state = unit_textz(c->u, "running");
  int rc = read_request(c, call->request, batch);
  orr_value filter = orr_map_get(call->request, "filter");
  if (!rc && filter.type != ORR_NIL) rc = operand_map(c, &filter, "filter");
  if (!rc) rc = query_run(c, batch->list.data, filter.type == ORR_MAP ? &filter : NULL, &found, NULL, &c->error);
  if (!rc) rc = cut(c, batch, found);
  orr_records_free(found);
  user_operation what = operation_on_batch(batch->id, "Create");
  if (!rc) rc = user_operation_texts(c, &what, "action", NULL, batch->action.data);
  rec_head *made = &batch->head;
  return rc ? rc : records_from(c, &rec_batch_type, &made, 1, call->out, &c->error);
}

int orr_engine_batch(orr_engine *engine, const orr_value *request, orr_records **out, orr_error *err) {
  *out = NULL;
  int rc = command_run(engine, batch_body, &(batch_call){.request = request, .out = out}, err);
  if (!rc) return 0;
  orr_records_free(*out);
  *out = NULL;
  return rc;
}

/* ---- Canceling ------------------------------------------------------------------------------ */

/* A step that runs right now loses its commit. */
static int cancel_body(context *c, void *ud) {
  const batch_call *call = ud;
  rec_batch *batch = unit_batch(c->u, call->batch, &c->error);
  if (!batch)
    return c->error.code ? c->error.code : context_error(c, ORR_E_NOT_FOUND, "there is no batch %" PRIu64, call->batch);
  if (batch->ended_at) return context_error(c, ORR_E_STATE, "batch %" PRIu64 " has ended", batch->id);
  rec_key key = {.id = batch->id};
  unit_found parts;
  int rc = unit_find_keys(c->u, &rec_batch_part_type, &key, 1, &parts, &c->error);
  for (size_t i = 0; !rc && i < parts.count; i++)
    if (unit_delete(c->u, parts.items[i])) rc = context_memory(c);
  rec_job *job = rc ? NULL : unit_job(c->u, batch->job_id, &c->error);
  if (!rc) rc = job ? job_remove(c, job) : c->error.code;
  if (!rc) rc = end_batch(c, batch, "canceled");
  user_operation what = operation_on_batch(batch->id, "Delete");
  return rc ? rc : user_operation_log(c, &what, NULL, NULL, NULL);
}

int orr_engine_batch_cancel(orr_engine *engine, orr_id batch, orr_error *err) {
  return command_run(engine, cancel_body, &(batch_call){.batch = batch}, err);
}
