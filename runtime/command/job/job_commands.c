/* Commands on jobs and job definitions. */
#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "command/job/job_changes.h"
#include "command/operands.h"
#include "command/instance/suspend_commands.h"
#include "command/operations.h"
#include "executor/owner/owner_name.h"
#include "executor/run.h"
#include "job/timer.h"

typedef struct job_call {
  orr_id job; /* or job definition */
  int64_t number; /* retries, priority */
  orr_time due; /* 0: not given */
  bool flag; /* suspended, cascade, from_creation */
  bool jobs;
  orr_builder *out;
} job_call;

/* ---- Running --------------------------------------------------------------------------------- */

/* The job is done, and gone: what is known of it is its id, and maybe an instance of its group. */
static int executed_body(context *c, void *ud) {
  user_operation what = *(const user_operation *)ud;
  if (!unit_history_instance(c->u, what.instance, &c->error)) what.instance = 0;
  return c->error.code ? c->error.code : user_operation_log(c, &what, NULL, NULL, NULL);
}

static int log_execution(orr_engine *engine, const engine_thread *thread, orr_id job, orr_error *err) {
  if (!thread->user || engine->config.history != ORR_HISTORY_FULL) return 0;
  user_operation what = {.type = "Execute", .entity = "Job", .category = OPERATION_BY_OPERATOR, .job = job,
                         .instance = orr_id_instance(job)};
  return command_run(engine, executed_body, &what, err);
}

int orr_engine_job_execute(orr_engine *engine, orr_id job, orr_error *err) {
  orr_error failure = {0};
  engine_thread *thread = engine_thread_get(engine, &failure);
  int rc = failure.code;
  if (thread && thread->current)
    rc = error_set(&failure, ORR_E_STATE, "a job cannot be run inside a transaction or a delegate");
  if (!rc) rc = job_run(engine, job, thread->host, &failure);
  if (!rc) rc = log_execution(engine, thread, job, &failure);
  if (rc) error_move(err, &failure);
  return rc;
}

/* ---- Changing one job ------------------------------------------------------------------------ */

static int job_retries_body(context *c, void *ud) {
  const job_call *call = ud;
  rec_job *job = lookup_job(c, call->job);
  if (!job) return c->error.code;
  user_operation what = operation_on_job(job, "SetJobRetries");
  int64_t before = job->retries;
  int rc = job_change_retries(c, job, call->number, call->due);
  return rc ? rc : user_operation_numbers(c, &what, "retries", before, call->number);
}

int orr_engine_job_set_retries(orr_engine *engine, orr_id job, int64_t retries, orr_time due, orr_error *err) {
  job_call call = {.job = job, .number = retries, .due = due};
  return command_upkeep(engine, job_retries_body, &call, err);
}

/* A cycle's firings are counted from its anchor, so later ones move with that. */
static int due_body(context *c, void *ud) {
  const job_call *call = ud;
  rec_job *job = lookup_job(c, call->job);
  if (!job) return c->error.code;
  if (context_touch(c, job)) return c->error.code;
  orr_time due = call->due == ORR_TIME_NONE ? 0 : call->due ? call->due : 1; /* the epoch is a time, and 0 none */
  if (call->flag && job_kind_is_timer(job->kind) && job->due && due) job->repeat_from += due - job->due;
  orr_time before = job->due;
  job->due = job_due(c, due);
  user_operation what = operation_on_job(job, "SetDueDate");
  int rc = job_place(c, job);
  return rc ? rc : user_operation_times(c, &what, "duedate", before, job->due);
}

int orr_engine_job_set_due(orr_engine *engine, orr_id job, orr_time due, orr_cascade cascade, orr_error *err) {
  job_call call = {.job = job, .due = due, .flag = cascade};
  return command_upkeep(engine, due_body, &call, err);
}

static int recalculate_body(context *c, void *ud) {
  const job_call *call = ud;
  rec_job *job = lookup_job(c, call->job);
  if (!job) return c->error.code;
  orr_time before = job->due;
  int rc = timer_recalculate(c, job, call->flag);
  user_operation what = operation_on_job(job, "RecalculateDueDate");
  return rc ? rc : user_operation_times(c, &what, "duedate", before, job->due);
}

int orr_engine_job_recalculate_due(orr_engine *engine, orr_id job, orr_due_basis basis, orr_error *err) {
  job_call call = {.job = job, .flag = basis == ORR_FROM_CREATION};
  return command_run(engine, recalculate_body, &call, err);
}

static int set_job_priority(context *c, rec_job *job, void *ud) {
  if (context_touch(c, job)) return c->error.code;
  job->priority = *(const int64_t *)ud;
  return 0;
}

static int job_priority_body(context *c, void *ud) {
  job_call *call = ud;
  rec_job *job = lookup_job(c, call->job);
  if (!job) return c->error.code;
  int64_t before = job->priority;
  int rc = set_job_priority(c, job, &call->number);
  user_operation what = operation_on_job(job, "SetPriority");
  return rc ? rc : user_operation_numbers(c, &what, "priority", before, call->number);
}

int orr_engine_job_set_priority(orr_engine *engine, orr_id job, int64_t priority, orr_error *err) {
  job_call call = {.job = job, .number = priority};
  return command_upkeep(engine, job_priority_body, &call, err);
}

static int suspend_body(context *c, void *ud) {
  const job_call *call = ud;
  rec_job *job = lookup_job(c, call->job);
  if (!job) return c->error.code;
  int rc = suspend_job_record(c, job, call->flag);
  user_operation what = operation_on_job(job, call->flag ? "SuspendJob" : "ActivateJob");
  return rc ? rc : user_operation_suspension(c, &what, call->flag);
}

int orr_engine_job_suspend(orr_engine *engine, orr_id job, orr_error *err) {
  return command_upkeep(engine, suspend_body, &(job_call){.job = job, .flag = true}, err);
}

int orr_engine_job_activate(orr_engine *engine, orr_id job, orr_error *err) {
  return command_upkeep(engine, suspend_body, &(job_call){.job = job, .flag = false}, err);
}

/* The token that waited for it stays where it is. */
static int delete_body(context *c, void *ud) {
  const job_call *call = ud;
  rec_job *job = lookup_job(c, call->job);
  if (!job) return c->error.code;
  if (job == c->job || lock_holds(c, job))
    return context_error(c, ORR_E_STATE, "job %" PRIu64 " is being run; it can be deleted when that is over", job->id);
  user_operation what = operation_on_job(job, "Delete");
  int rc = c->error.code ? c->error.code : job_remove(c, job);
  return rc ? rc : user_operation_log(c, &what, NULL, NULL, NULL);
}

int orr_engine_job_delete(orr_engine *engine, orr_id job, orr_error *err) {
  job_call call = {.job = job};
  return command_upkeep(engine, delete_body, &call, err);
}

/* Only what a script raised has a traceback. */
static int traceback_body(context *c, void *ud) {
  const job_call *call = ud;
  const rec_job *job = lookup_job(c, call->job);
  if (!job) return c->error.code;
  size_t head = job->error.size, tail = job->traceback.size ? job->traceback.size + 1 : 0;
  if (head + tail == 0) return 0;
  char *text = arena_alloc(c->arena, head + tail);
  if (!text) return context_memory(c);
  if (head) memcpy(text, job->error.data, head);
  if (tail) {
    text[head] = '\n';
    memcpy(text + head + 1, job->traceback.data, tail - 1);
  }
  orr_value value = orr_bytes(text, head + tail);
  orr_builder_add(call->out, &value);
  return 0;
}

int orr_engine_job_traceback(orr_engine *engine, orr_id job, orr_builder *out, orr_error *err) {
  job_call call = {.job = job, .out = out};
  return command_read(engine, traceback_body, &call, err);
}

/* ---- Job definitions ------------------------------------------------------------------------- */

static int definition_priority_body(context *c, void *ud) {
  job_call *call = ud;
  rec_job_definition *jd = lookup_job_definition(c, call->job);
  if (!jd) return c->error.code;
  if (context_touch(c, jd)) return c->error.code;
  orr_value before = jd->has_priority ? orr_int(jd->priority_override) : orr_null(), after = orr_int(call->number);
  jd->has_priority = true;
  jd->priority_override = call->number;
  user_operation what = operation_on_job_definition(jd, "SetPriority");
  int rc = call->flag ? jobs_of_definition(c, jd, set_job_priority, &call->number) : 0;
  return rc ? rc : user_operation_log(c, &what, "overridingPriority", &before, &after);
}

int orr_engine_job_definition_set_priority(orr_engine *engine, orr_id job_definition, int64_t priority, orr_cascade cascade,
                                           orr_error *err) {
  job_call call = {.job = job_definition, .number = priority, .flag = cascade};
  return command_upkeep(engine, definition_priority_body, &call, err);
}

static int clear_priority_body(context *c, void *ud) {
  const job_call *call = ud;
  rec_job_definition *jd = lookup_job_definition(c, call->job);
  if (!jd) return c->error.code;
  if (context_touch(c, jd)) return c->error.code;
  orr_value before = jd->has_priority ? orr_int(jd->priority_override) : orr_null();
  jd->has_priority = false;
  jd->priority_override = 0;
  user_operation what = operation_on_job_definition(jd, "SetPriority");
  return user_operation_log(c, &what, "overridingPriority", &before, NULL);
}

int orr_engine_job_definition_clear_priority(orr_engine *engine, orr_id job_definition, orr_error *err) {
  job_call call = {.job = job_definition};
  return command_upkeep(engine, clear_priority_body, &call, err);
}

static int definition_retries_body(context *c, void *ud) {
  const job_call *call = ud;
  rec_job_definition *jd = lookup_job_definition(c, call->job);
  if (!jd) return c->error.code;
  int rc = job_definition_retry(c, jd, call->number, call->due);
  user_operation what = operation_on_job_definition(jd, "SetJobRetries");
  orr_value after = orr_int(call->number);
  return rc ? rc : user_operation_log(c, &what, "retries", NULL, &after);
}

int orr_engine_job_definition_set_retries(orr_engine *engine, orr_id job_definition, int64_t retries, orr_time due,
                                          orr_error *err) {
  job_call call = {.job = job_definition, .number = retries, .due = due};
  return command_upkeep(engine, definition_retries_body, &call, err);
}

/* What the job has to know, as job_definition_switch_job reads it. */
static int describe_switch(context *c, rec_job *job, const rec_job_definition *jd, bool jobs) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  orr_builder_put(b, "job_definition", orr_int((int64_t)jd->id));
  orr_builder_put(b, "jobs", orr_bool(jobs));
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, &job->data, &c->error);
  orr_builder_free(b);
  return rc;
}

/* One of a batch belongs to no definition. */
static rec_job *switching_job(context *c, const rec_job_definition *jd, int kind, orr_time due) {
  if (!jd->definition_id) return job_create_housekeeping(c, kind, 0, due);
  definition *d = context_definition(c, jd->definition_id, &c->error);
  return d ? job_create(c, kind, NULL, NULL, d, NULL, due) : NULL;
}

static int switch_later(context *c, const rec_job_definition *jd, const job_call *call) {
  rec_job *job = switching_job(c, jd, call->flag ? ORR_JOB_SUSPEND : ORR_JOB_ACTIVATE, call->due);
  if (!job) return c->error.code;
  int rc = describe_switch(c, job, jd, call->jobs);
  return rc ? rc : job_place(c, job);
}

static int definition_suspend_body(context *c, void *ud) {
  const job_call *call = ud;
  rec_job_definition *jd = lookup_job_definition(c, call->job);
  if (!jd) return c->error.code;
  bool later = call->due && call->due > c->now;
  int rc = later ? switch_later(c, jd, call) : job_definition_switch(c, jd, call->flag, call->jobs);
  user_operation what = operation_on_job_definition(jd, call->flag ? "SuspendJobDefinition" : "ActivateJobDefinition");
  return rc ? rc : user_operation_suspension(c, &what, call->flag);
}

int orr_engine_job_definition_suspend(orr_engine *engine, orr_id job_definition, orr_cascade jobs, orr_time at,
                                      orr_error *err) {
  job_call call = {.job = job_definition, .flag = true, .jobs = jobs, .due = at};
  return command_upkeep(engine, definition_suspend_body, &call, err);
}

int orr_engine_job_definition_activate(orr_engine *engine, orr_id job_definition, orr_cascade jobs, orr_time at,
                                       orr_error *err) {
  job_call call = {.job = job_definition, .flag = false, .jobs = jobs, .due = at};
  return command_upkeep(engine, definition_suspend_body, &call, err);
}
