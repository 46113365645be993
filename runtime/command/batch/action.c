/* The actions of batches. Each does to one thing what the command of the same name does. */
#include "command/batch/action.h"

#include <inttypes.h>

#include "base/builder.h"
#include "base/value.h"
#include "command/event/message_commands.h"
#include "command/instance/modify_commands.h"
#include "command/instance/purge.h"
#include "command/instance/restart_commands.h"
#include "command/instance/suspend_commands.h"
#include "command/job/job_changes.h"
#include "command/lookup.h"
#include "command/migration/migration_commands.h"
#include "exec/instance.h"
#include "exec/task/external_task.h"
#include "state/expression.h"
#include "state/history.h"
#include "state/variable.h"
#include "time/iso8601.h"

static const char of_jobs[] = "jobs", of_instances[] = "instances", of_external_tasks[] = "external_tasks",
                  of_past[] = "history_instances", of_batches[] = "batches", of_decided[] = "history_decisions";

/* ---- Reading --------------------------------------------------------------------------------- */

static void keep_flag(orr_builder *keep, const char *name, bool flag) {
  if (flag) orr_builder_put(keep, name, orr_bool(true));
}

static void keep_skips(orr_builder *keep, const orr_batch_options *o) {
  keep_flag(keep, "skip_listeners", o->skip_listeners);
  keep_flag(keep, "skip_io_mappings", o->skip_io_mappings);
}

/* A text that may be missing. */
static int keep_text(context *c, const char *name, const char *text, orr_builder *keep) {
  orr_value v = orr_string(text);
  if (!text) return 0;
  orr_builder_put(keep, name, v);
  return context_text(c, &v, name) ? 0 : c->error.code;
}

/* A time that the caller gave in the header's units. */
static int keep_time(context *c, const char *name, orr_time time, orr_builder *keep) {
  if (time != ORR_TIME_NONE && (time < ISO_TIME_MIN || time > ISO_TIME_MAX))
    return context_error(c, ORR_E_ARGUMENT, "%s must be a time", name);
  orr_builder_put(keep, name, orr_int(time));
  return 0;
}

/* An array or a map that holds something; an empty table may arrive as a map. */
static int keep_items(context *c, const char *name, const orr_value *v, orr_type type, bool needed, orr_builder *keep) {
  bool given = v && v->type != ORR_NIL && v->type != ORR_NULL;
  bool some = given && v->type == type && orr_count(v) > 0;
  if (some) orr_builder_put(keep, name, *v);
  if (some || (!needed && (!given || ((v->type == ORR_ARRAY || v->type == ORR_MAP) && orr_count(v) == 0)))) return 0;
  return context_error(c, ORR_E_ARGUMENT, type == ORR_ARRAY ? "%s must be a list that holds something"
                                                            : "%s must be a table of names and values", name);
}

static bool batch_flag(const rec_batch *batch, const char *name) {
  orr_value v = orr_map_get(&batch->data, name);
  return v.type == ORR_BOOL && v.as.boolean;
}

static int64_t batch_number(const rec_batch *batch, const char *name) { return orr_map_get(&batch->data, name).as.integer; }

/* NULL: not given, or memory is out (c->error). */
static const char *batch_text_kept(context *c, const rec_batch *batch, const char *name) {
  orr_value v = orr_map_get(&batch->data, name);
  if (v.type != ORR_STRING) return NULL;
  const char *text = arena_strndup(c->arena, v.as.bytes, v.size);
  if (!text) context_memory(c);
  return text;
}

/* ---- Jobs and external tasks ----------------------------------------------------------------- */

static rec_job *batch_thing_job(context *c, orr_id id, bool *gone) {
  rec_job *job = unit_job(c->u, id, &c->error);
  *gone = !job;
  return job;
}

static int read_retry(context *c, const orr_batch_options *o, const rec_batch *batch, orr_builder *keep) {
  orr_builder_put(keep, "retries", orr_int(o->retries < 0 ? 0 : o->retries ? o->retries : 1));
  if (!o->due) return 0;
  if (!rec_text_is(batch->list, of_jobs)) return context_error(c, ORR_E_ARGUMENT, "only jobs have a due date");
  return keep_time(c, "due", o->due, keep);
}

static int retry_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  int64_t retries = batch_number(batch, "retries");
  if (rec_text_is(batch->list, of_external_tasks)) {
    rec_external_task *t = unit_external_task(c->u, id, &c->error);
    *gone = !t;
    return t ? external_set_retries(c, t, retries) : c->error.code;
  }
  rec_job *job = batch_thing_job(c, id, gone);
  return job ? job_change_retries(c, job, retries, batch_number(batch, "due")) : c->error.code;
}

static int read_priority(context *c, const orr_batch_options *o, const rec_batch *batch, orr_builder *keep) {
  (void)c, (void)batch;
  orr_builder_put(keep, "value", orr_int(o->job_priority));
  return 0;
}

static int prioritize_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  rec_job *job = batch_thing_job(c, id, gone);
  if (!job || context_touch(c, job)) return c->error.code;
  job->priority = batch_number(batch, "value");
  return 0;
}

static int switch_one(context *c, const rec_batch *batch, orr_id id, bool *gone, bool suspended) {
  if (rec_text_is(batch->list, of_jobs)) {
    rec_job *job = batch_thing_job(c, id, gone);
    return job ? suspend_job_record(c, job, suspended) : c->error.code;
  }
  rec_instance *i = unit_instance(c->u, id, &c->error);
  *gone = !i;
  return i ? suspend_instance_record(c, i, suspended) : c->error.code;
}

static int suspend_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  return switch_one(c, batch, id, gone, true);
}

static int activate_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  return switch_one(c, batch, id, gone, false);
}

/* ---- Instances ------------------------------------------------------------------------------- */

static int read_cancel(context *c, const orr_batch_options *o, const rec_batch *batch, orr_builder *keep) {
  (void)batch;
  keep_flag(keep, "keep_called", o->keep_called);
  keep_skips(keep, o);
  return keep_text(c, "reason", o->reason, keep);
}

/* An instance may have been deleted with an earlier one. */
static int cancel_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  rec_instance *i = unit_instance(c->u, id, &c->error);
  *gone = !i;
  const char *reason = i ? batch_text_kept(c, batch, "reason") : NULL;
  int rc = c->error.code;
  if (!rc && i && batch_flag(batch, "keep_called")) rc = instance_release_called(c, i);
  return rc || *gone ? rc : instance_delete(c, i, reason, 0);
}

static int read_set_variables(context *c, const orr_batch_options *o, const rec_batch *batch, orr_builder *keep) {
  (void)batch;
  return keep_items(c, "variables", o->variables, ORR_MAP, true, keep);
}

static int set_variables_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  *gone = !unit_instance(c->u, id, &c->error);
  orr_value variables = orr_map_get(&batch->data, "variables");
  return *gone ? c->error.code : variable_set_all(c, id, &variables, false);
}

static int read_message(context *c, const orr_batch_options *o, const rec_batch *batch, orr_builder *keep) {
  (void)batch;
  int rc = keep_text(c, "message", o->message, keep);
  return rc ? rc : keep_items(c, "variables", o->variables, ORR_MAP, false, keep);
}

/* Delivers to everything that waits for it in the instance; if nothing does, that is fine. */
static int correlate_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  orr_value variables = orr_map_get(&batch->data, "variables");
  *gone = !unit_instance(c->u, id, &c->error);
  const char *name = *gone ? NULL : batch_text_kept(c, batch, "message");
  return *gone || c->error.code ? c->error.code : message_deliver_within(c, id, name, &variables, gone);
}

/* ---- Moving tokens --------------------------------------------------------------------------- */

/* The model that the options name for instructions to be checked against now. NULL: none, or c->error. */
static definition *definition_named(context *c, const orr_batch_options *o, bool needed, orr_builder *keep) {
  if (needed && !o->definition) context_error(c, ORR_E_ARGUMENT, "definition_id must be the id of a definition");
  if (!o->definition || !lookup_definition(c, o->definition)) return NULL;
  orr_builder_put(keep, "definition_id", orr_int((int64_t)o->definition));
  return context_definition(c, o->definition, &c->error);
}

static int read_modify(context *c, const orr_batch_options *o, const rec_batch *batch, orr_builder *keep) {
  (void)batch;
  int rc = keep_items(c, "instructions", o->instructions, ORR_ARRAY, true, keep);
  definition *d = rc ? NULL : definition_named(c, o, false, keep);
  if (!rc) rc = d ? modify_check(c, d, o->instructions, false) : c->error.code;
  keep_skips(keep, o);
  return rc;
}

static int modify_instance(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  orr_value instructions = orr_map_get(&batch->data, "instructions");
  rec_instance *i = unit_instance(c->u, id, &c->error);
  *gone = !i;
  definition *d = i ? context_definition(c, i->definition_id, &c->error) : NULL;
  int rc = d ? modify_check(c, d, &instructions, false) : c->error.code;
  if (!d || rc) return rc;
  uint32_t flags = modify_flags(batch_flag(batch, "skip_listeners"), batch_flag(batch, "skip_io_mappings"));
  return modify_plan(c, id, &instructions, flags, NULL);
}

static int read_migrate(context *c, const orr_batch_options *o, const rec_batch *batch, orr_builder *keep) {
  (void)batch;
  int rc = keep_items(c, "plan", o->plan, ORR_MAP, true, keep);
  if (!rc) rc = migration_check_plan(c, o->plan);
  keep_skips(keep, o);
  return rc;
}

static int migrate_instance(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  orr_value plan = orr_map_get(&batch->data, "plan");
  *gone = !unit_instance(c->u, id, &c->error);
  return *gone ? c->error.code : migration_of_one(c, &plan, id);
}

static int read_restart(context *c, const orr_batch_options *o, const rec_batch *batch, orr_builder *keep) {
  (void)batch;
  const orr_value *instructions = o->instructions;
  definition *d = definition_named(c, o, true, keep);
  int rc = d ? keep_items(c, "instructions", instructions, ORR_ARRAY, false, keep) : c->error.code;
  bool some = instructions && instructions->type == ORR_ARRAY && orr_count(instructions) > 0;
  if (!rc && some) rc = modify_check(c, d, instructions, true);
  keep_flag(keep, "initial_variables", o->initial_variables);
  keep_flag(keep, "without_business_key", o->without_business_key);
  keep_skips(keep, o);
  return rc;
}

static int restart_instance(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  orr_value instructions = orr_map_get(&batch->data, "instructions");
  orr_restart_options options = {
      .size = sizeof options,
      .instructions = instructions.type == ORR_ARRAY ? &instructions : NULL,
      .initial_variables = batch_flag(batch, "initial_variables"),
      .without_business_key = batch_flag(batch, "without_business_key"),
      .skip_listeners = batch_flag(batch, "skip_listeners"),
      .skip_io_mappings = batch_flag(batch, "skip_io_mappings"),
  };
  *gone = !unit_history_instance(c->u, id, &c->error);
  return *gone ? c->error.code : restart_from_history(c, (orr_id)batch_number(batch, "definition_id"), &options, id);
}

/* ---- History --------------------------------------------------------------------------------- */

/* A running instance keeps its history. */
static int delete_history_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  (void)batch;
  const rec_history_instance *row = unit_history_instance(c->u, id, &c->error);
  *gone = !row || !row->ended_at || unit_instance(c->u, id, &c->error);
  return *gone || c->error.code ? c->error.code : purge_instance(c, id);
}

static rec_history_decision *decided_row(context *c, orr_id instance, int64_t sequence, bool *gone) {
  rec_history_decision key = {.instance_id = instance, .number = sequence};
  rec_history_decision *row = unit_history_decision_key(c->u, &key, &c->error);
  *gone = !row;
  return row;
}

static int delete_decided(context *c, const rec_batch *batch, orr_id instance, int64_t sequence, bool *gone) {
  (void)batch;
  rec_history_decision *row = decided_row(c, instance, sequence, gone);
  return row && unit_delete(c->u, row) ? context_memory(c) : c->error.code;
}

/* A time, none for never, or as the definition's time to live says. */
static int read_removal(context *c, const orr_batch_options *o, const rec_batch *batch, orr_builder *keep) {
  (void)batch;
  keep_flag(keep, "calculated", o->calculated);
  keep_flag(keep, "hierarchical", o->hierarchical);
  if (o->calculated == (o->at != 0))
    return context_error(c, ORR_E_ARGUMENT, o->calculated ? "either at or calculated = true, not both"
                                                          : "at is missing; null keeps the history for good");
  orr_time at = o->at == ORR_TIME_NONE ? 0 : o->at; /* of a record 0 is none */
  return keep_time(c, "at", at, keep);
}

static int removal_calculated(context *c, const rec_history_instance *row, orr_time *out) {
  *out = 0;
  bool called = row->root_id != row->id; /* it goes with its root */
  return row->ended_at && !called ? history_removal_of(c, row->definition_id, row->ended_at, out)
                                  : 0;
}

static int removal_of_decided(context *c, const rec_history_decision *row, orr_time *out) {
  const rec_decision *d = unit_decision(c->u, row->decision_id, &c->error);
  *out = 0;
  if (!d) return c->error.code;
  orr_time now = c->now;
  c->now = row->time; /* durations count from it */
  int rc = history_removal_time(c, d->history_time_to_live.data, out);
  c->now = now;
  return rc;
}

static int set_removal_decided(context *c, const rec_batch *batch, orr_id instance, int64_t sequence, bool *gone) {
  rec_history_decision *row = decided_row(c, instance, sequence, gone);
  orr_time at = batch_number(batch, "at");
  int rc = row && batch_flag(batch, "calculated") ? removal_of_decided(c, row, &at) : c->error.code;
  if (rc || !row || context_touch(c, row)) return c->error.code;
  row->remove_at = at;
  return 0;
}

static int set_removal_of_batch(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  rec_batch *of = unit_batch(c->u, id, &c->error);
  *gone = !of;
  if (!of || context_touch(c, of)) return c->error.code;
  of->remove_at = batch_number(batch, "at");
  return 0;
}

static int set_removal_one(context *c, const rec_batch *batch, orr_id id, bool *gone) {
  if (rec_text_is(batch->list, of_batches)) return set_removal_of_batch(c, batch, id, gone);
  rec_history_instance *row = unit_history_instance(c->u, id, &c->error);
  orr_time at = batch_number(batch, "at");
  *gone = !row;
  int rc = row && batch_flag(batch, "calculated") ? removal_calculated(c, row, &at) : c->error.code;
  if (rc || !row || context_touch(c, row)) return c->error.code;
  row->remove_at = at;
  return 0;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static const batch_action actions[] = {
    {"retry", {{of_jobs, "set-job-retries"}, {of_external_tasks, "set-external-task-retries"}}, read_retry, retry_one, NULL},
    {"set_priority", {{of_jobs, "set-job-priority"}}, read_priority, prioritize_one, NULL},
    {"suspend", {{of_instances, "instance-update-suspension-state"}, {of_jobs, "job-update-suspension-state"}}, NULL,
     suspend_one, NULL},
    {"activate", {{of_instances, "instance-update-suspension-state"}, {of_jobs, "job-update-suspension-state"}}, NULL,
     activate_one, NULL},
    {"cancel", {{of_instances, "instance-deletion"}}, read_cancel, cancel_one, NULL},
    {"set_variables", {{of_instances, "set-variables"}}, read_set_variables, set_variables_one, NULL},
    {"correlate_message", {{of_instances, "correlate-message"}}, read_message, correlate_one, NULL},
    {"modify", {{of_instances, "instance-modification"}}, read_modify, modify_instance, NULL},
    {"migrate", {{of_instances, "instance-migration"}}, read_migrate, migrate_instance, NULL},
    {"restart", {{of_past, "instance-restart"}}, read_restart, restart_instance, NULL},
    {"delete_history", {{of_past, "historic-instance-deletion"}, {of_decided, "historic-decision-instance-deletion"}}, NULL,
     delete_history_one, delete_decided},
    {"set_removal_time",
     {{of_past, "process-set-removal-time"}, {of_batches, "batch-set-removal-time"}, {of_decided, "decision-set-removal-time"}},
     read_removal, set_removal_one, set_removal_decided},
};

enum { N_ACTIONS = sizeof actions / sizeof *actions };

const batch_action *batch_action_named(rec_text name) {
  for (size_t i = 0; i < N_ACTIONS; i++)
    if (rec_text_is(name, actions[i].name)) return &actions[i];
  return NULL;
}

const char *batch_action_type(const batch_action *action, rec_text list) {
  for (size_t i = 0; i < BATCH_LISTS_MAX && action->on[i].list; i++)
    if (rec_text_is(list, action->on[i].list)) return action->on[i].type;
  return NULL;
}

const char *batch_action_names(context *c) {
  const char *all = actions[0].name;
  for (size_t i = 1; all && i < N_ACTIONS; i++)
    all = arena_printf(c->arena, "%s%s%s", all, i + 1 < N_ACTIONS ? ", " : " or ", actions[i].name);
  return all ? all : "one that there is";
}

int batch_action_read(context *c, const batch_action *action, const orr_batch_options *options, rec_batch *batch) {
  orr_builder *keep = builder_new(&c->engine->env.allocator);
  if (!keep) return context_memory(c);
  orr_builder_map(keep);
  int rc = action->read ? action->read(c, options, batch, keep) : 0;
  orr_builder_end(keep);
  if (!rc) rc = builder_copy(keep, c->arena, &batch->data, &c->error);
  orr_builder_free(keep);
  return rc;
}
