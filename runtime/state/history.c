/* Writing history rows. A row that the level leaves out, or that clean-up took, is skipped. */
#include "state/history.h"

#include <inttypes.h>
#include <string.h>

#include "engine/engine.h"
#include "state/activity_instance.h"
#include "state/definition_versions.h"
#include "state/expression.h"
#include "state/history_full.h"
#include "state/numbers.h"
#include "state/variable.h"
#include "time/iso8601.h"
#include "uow/find.h"

bool history_records(const context *c, orr_history_level level) {
  orr_history_level kept = c->engine->config.history;
  return (kept == ORR_HISTORY_DEFAULT ? ORR_HISTORY_AUDIT : kept) >= level;
}

/* A row is found by its key. That clean-up took it, or a lower level never wrote it, is no
 * error. */
static int history_failed(context *c) {
  return c->error.code;
}

/* ---- Instances ------------------------------------------------------------------------------- */

int history_instance_started(context *c, rec_instance *i, const node *start) {
  if (i->parent_id == 0) c->counted.roots_started++;
  if (!history_records(c, ORR_HISTORY_ACTIVITY)) return 0;
  rec_history_instance *row = unit_new_history_instance(c->u, i->id);
  if (!row) return context_memory(c);
  row->definition_id = i->definition_id;
  row->definition_key = i->definition_key;
  row->business_key = i->business_key;
  row->tenant = i->tenant;
  row->root_id = i->root_id;
  row->parent_id = i->parent_id;
  row->state = unit_textz(c->u, i->suspended ? "suspended" : "active");
  row->started_at = i->started_at;
  row->start_activity = unit_textz(c->u, start ? start->id : NULL);
  row->initiator = i->initiator;
  i->sequence = 1; /* the row itself is the first */
  return 0;
}

static rec_history_instance *instance_row(context *c, orr_id id) {
  rec_history_instance *row = history_records(c, ORR_HISTORY_ACTIVITY) ? unit_history_instance(c->u, id, &c->error) : NULL;
  if (row && unit_touch(c->u, row)) {
    context_memory(c);
    return NULL;
  }
  return row;
}

int history_instance_moved(context *c, const rec_instance *i) {
  rec_history_instance *row = instance_row(c, i->id);
  if (!row) return history_failed(c);
  row->root_id = i->root_id;
  row->parent_id = i->parent_id;
  return 0;
}

int history_instance_variables(context *c, const rec_instance *i) {
  if (!history_records(c, ORR_HISTORY_FULL)) return 0;
  rec_history_instance *row = instance_row(c, i->id);
  return row ? variable_map(c, i->id, true, &row->start_variables) : history_failed(c);
}

int history_instance_state(context *c, rec_instance *i, const char *state) {
  rec_history_instance *row = instance_row(c, i->id);
  if (!row) return history_failed(c);
  row->state = unit_textz(c->u, state);
  row->business_key = i->business_key;
  return 0;
}

int history_removal_time(context *c, const char *text, orr_time *out) {
  *out = 0;
  if (!text || !*text) return 0;
  size_t digits = strspn(text, "0123456789");
  orr_value span = orr_string(text[digits] ? text : arena_printf(c->arena, "P%sD", text));
  if (!span.as.bytes) return context_memory(c);
  if (!iso_is_duration(span.as.bytes, span.size) || !value_time(c, &span, out)) return 0;
  if (c->error.code == ORR_E_MEMORY) return c->error.code;
  orr_error_clear(&c->error); /* it would end after the last time */
  *out = 0;
  return 0;
}

int history_removal_by(context *c, const rec_definition *d, orr_time ended, orr_time *out) {
  *out = 0;
  const orr_value *kept = &d->history_time_to_live;
  const char *text = NULL;
  if (kept->type == ORR_STRING) text = arena_printf(c->arena, "%.*s", (int)kept->size, kept->as.bytes);
  if (kept->type == ORR_INT) text = arena_printf(c->arena, "%" PRId64, kept->as.integer);
  if (!text) return kept->type == ORR_NIL ? 0 : context_memory(c);
  orr_time now = c->now;
  c->now = ended; /* durations count from it */
  int rc = history_removal_time(c, text, out);
  c->now = now;
  return rc;
}

int history_removal_of(context *c, orr_id definition_id, orr_time ended, orr_time *out) {
  const rec_definition *d = definition_record(c, definition_id);
  *out = 0;
  return d ? history_removal_by(c, d, ended, out) : c->error.code;
}

int history_instance_ended(context *c, rec_instance *i, const char *state, const char *reason, const node *end) {
  c->counted.instances_ended++;
  rec_history_instance *row = instance_row(c, i->id);
  if (!row) return history_failed(c);
  row->state = unit_textz(c->u, state);
  row->ended_at = context_stamp(c);
  row->business_key = i->business_key;
  row->delete_reason = unit_textz(c->u, reason);
  row->end_activity = unit_textz(c->u, end ? end->id : NULL);
  if (i->root_id != i->id) return 0; /* it goes with its root */
  return history_removal_of(c, i->definition_id, c->now, &row->remove_at);
}

int history_instance_migrated(context *c, const rec_instance *i) {
  rec_history_instance *row = instance_row(c, i->id);
  if (!row) return history_failed(c);
  row->definition_id = i->definition_id;
  row->definition_key = i->definition_key;
  return 0;
}

/* ---- Activities ------------------------------------------------------------------------------ */

/* A row for what `e` is at, or for an event beside it. `sequence` -1: the next one. */
static rec_history_activity *activity_new(context *c, const rec_execution *e, const node *n, int64_t sequence) {
  orr_id instance = orr_id_instance(e->id);
  rec_instance *i = unit_instance(c->u, instance, &c->error);
  if (!i) return NULL;
  rec_history_activity key = {.instance_id = instance, .sequence = sequence < 0 ? numbers_next_sequence(c, i) : sequence};
  rec_history_activity *row = key.sequence < 0 ? NULL : unit_new_history_activity(c->u, &key);
  if (!row) {
    context_memory(c);
    return NULL;
  }
  row->activity_id = unit_textz(c->u, n->id);
  row->name = unit_textz(c->u, n->name);
  row->type = unit_textz(c->u, n->element);
  row->started_at = context_stamp(c);
  row->execution_id = e->id;
  row->definition_id = i->definition_id;
  row->definition_key = i->definition_key;
  row->tenant = i->tenant;
  if (e->parent == instance) return row;
  return !activity_instance_around(c, e, &row->parent_execution, &row->parent_number) ? row : NULL;
}

int history_activity_started(context *c, rec_execution *e, const node *n) {
  c->counted.activities_started++;
  if (!history_records(c, ORR_HISTORY_ACTIVITY)) return 0;
  const rec_history_activity *row = activity_new(c, e, n, -1);
  if (!row) return history_failed(c);
  if (context_touch(c, e)) return c->error.code;
  e->activity_instance = row->sequence + 1;
  return 0;
}

static rec_history_activity *activity_row(context *c, const rec_execution *e) {
  if (!e->activity_instance) return NULL;
  rec_history_activity key = {.instance_id = orr_id_instance(e->id), .sequence = e->activity_instance - 1};
  rec_history_activity *row = unit_history_activity_key(c->u, &key, &c->error);
  if (row && unit_touch(c->u, row)) {
    context_memory(c);
    return NULL;
  }
  return row;
}

int history_activity_ended(context *c, rec_execution *e, bool canceled) {
  if (e->activity_instance || !history_records(c, ORR_HISTORY_ACTIVITY)) c->counted.activities_ended++;
  rec_history_activity *row = activity_row(c, e);
  if (!row) return history_failed(c);
  row->ended_at = context_stamp(c);
  row->canceled = canceled;
  if (context_touch(c, e)) return c->error.code;
  e->activity_instance = 0;
  return 0;
}

int history_activity_migrated(context *c, const rec_execution *e, const rec_instance *i, const node *n) {
  rec_history_activity *row = activity_row(c, e);
  if (!row) return history_failed(c);
  row->activity_id = unit_textz(c->u, n->id);
  row->name = unit_textz(c->u, n->name);
  row->type = unit_textz(c->u, n->element);
  row->definition_id = i->definition_id;
  row->definition_key = i->definition_key;
  return 0;
}

int history_activity_update(context *c, rec_execution *e, orr_id task, const char *assignee, orr_id called) {
  rec_history_activity *row = activity_row(c, e);
  if (!row) return history_failed(c);
  if (task) {
    row->task_id = task;
    row->assignee = unit_textz(c->u, assignee);
  }
  if (called) row->called_instance_id = called;
  return 0;
}

/* ---- Boundary events ----------------------------------------------------------------------------
 * Rows that begin when their events are armed follow each other: the activity's token knows the first. */

/* A compensation boundary event is armed when its activity has completed, and never entered. */
static bool begins_armed(const node *event) { return event->event.type != EVENT_COMPENSATE; }

int history_boundary_armed(context *c, rec_execution *activity, const node *n) {
  if (!history_records(c, ORR_HISTORY_ACTIVITY)) return 0;
  if (context_touch(c, activity)) return c->error.code;
  activity->armed_rows = activity->n_armed_rows = 0;
  for (uint32_t i = 0; i < n->n_boundary; i++) activity->n_armed_rows += begins_armed(n->boundary[i]);
  if (!activity->n_armed_rows) return 0;
  rec_instance *instance = context_instance(c, activity->id, &c->error);
  int64_t next = instance ? unit_next_sequence(c->u, instance, activity->n_armed_rows) : -1;
  if (next < 0) return instance ? context_memory(c) : c->error.code;
  activity->armed_rows = next + 1;
  for (uint32_t i = 0; i < n->n_boundary; i++)
    if (begins_armed(n->boundary[i]) && !activity_new(c, activity, n->boundary[i], next++)) return history_failed(c);
  return 0;
}

/* A row whose event has not fired yet; NULL: it has, or clean-up took it, or c->error. */
static rec_history_activity *armed_row(context *c, const rec_execution *activity, int64_t at) {
  rec_history_activity key = {.instance_id = orr_id_instance(activity->id), .sequence = activity->armed_rows - 1 + at};
  rec_history_activity *row = unit_history_activity_key(c->u, &key, &c->error);
  return row && row->execution_id == activity->id && !row->ended_at ? row : NULL;
}

int history_boundary_fired(context *c, const rec_execution *activity, const node *event, rec_execution *token) {
  for (int64_t i = 0; i < activity->n_armed_rows; i++) {
    rec_history_activity *row = armed_row(c, activity, i);
    if (!row && c->error.code) return history_failed(c);
    if (!row || strcmp(row->activity_id.data, event->id) != 0) continue;
    if (context_touch(c, row) || unit_touch(c->u, token)) return c->error.code;
    row->execution_id = token->id;
    token->activity_instance = row->sequence + 1;
    c->counted.activities_started++;
    return 0;
  }
  return 0;
}

int history_boundary_ended(context *c, rec_execution *activity) {
  for (int64_t i = 0; i < activity->n_armed_rows; i++) {
    rec_history_activity *row = armed_row(c, activity, i);
    if (!row && c->error.code) return history_failed(c);
    if (!row) continue;
    if (context_touch(c, row)) return c->error.code;
    row->ended_at = context_stamp(c);
    row->canceled = true;
  }
  if (context_touch(c, activity)) return c->error.code;
  activity->armed_rows = activity->n_armed_rows = 0;
  return 0;
}

/* ---- Variables ------------------------------------------------------------------------------- */

/* The activity of the token whose scope or branch it is; nothing for the instance's own variables. */
static int variable_place(context *c, rec_history_variable *row, orr_id token) {
  row->execution_id = token;
  if (token == row->instance_id) return 0;
  const rec_execution *e = execution_get(c, token);
  const node *n = e ? execution_node(c, e) : NULL;
  if (n) row->activity_id = unit_textz(c->u, n->id);
  if (e) row->activity_number = e->activity_instance;
  return history_failed(c);
}

/* `token`: the instance or token that has it. `task`: of a task without a process, or NULL. */
static int variable_begins(context *c, rec_history_variable *row, orr_id token, const rec_task *task) {
  row->created = context_stamp(c);
  row->updates = 0;
  row->sequence = numbers_place(c, row->instance_id);
  if (row->sequence < 0) return history_failed(c);
  return task ? 0 : variable_place(c, row, token);
}

static rec_history_variable *variable_new(context *c, const rec_history_variable *key, orr_id token,
                                          const rec_task *task) {
  const rec_instance *i = task ? NULL : unit_instance(c->u, key->instance_id, &c->error);
  if (!i && !task) return NULL;
  rec_history_variable *row = unit_new_history_variable(c->u, key);
  if (!row) {
    context_memory(c);
    return NULL;
  }
  row->tenant = task ? task->tenant : i->tenant;
  return variable_begins(c, row, token, task) ? NULL : row;
}

/* All but the key. */
static void variable_take(rec_history_variable *row, const rec_history_variable *from) {
  row->value = from->value;
  row->execution_id = from->execution_id;
  row->activity_id = from->activity_id;
  row->activity_number = from->activity_number;
  row->created = from->created;
  row->updates = from->updates;
  row->tenant = from->tenant;
  row->sequence = from->sequence;
}

/* The key of another row of a token, beside the one that the token's id finds. 0: c->error. */
static orr_id variable_own_key(context *c, orr_id instance) {
  rec_instance *i = unit_instance(c->u, instance, &c->error);
  return i ? unit_next_id(c->u, i, &c->error) : 0;
}

/* A token moves from scope to scope under one id. A variable of that name in an earlier scope is
 * over: its row stays, under an id of its own, and the row here is for the new one. */
static int variable_follows(context *c, rec_history_variable *row) {
  rec_history_variable key = {.instance_id = row->instance_id, .name = row->name};
  key.scope = variable_own_key(c, row->instance_id);
  if (!key.scope) return history_failed(c);
  rec_history_variable *former = unit_new_history_variable(c->u, &key);
  if (!former || context_touch(c, row)) return context_memory(c);
  variable_take(former, row);
  row->activity_id = (rec_text){0};
  row->activity_number = 0;
  return variable_begins(c, row, row->scope, NULL);
}

/* Deletes the row; at the full level, a detail stays. A variable that ends with its scope is not
 * removed: its row stays. */
static int remove_variable_row(context *c, rec_history_variable *row, const rec_task *task) {
  rec_history_variable gone = *row;
  gone.value = orr_null();
  gone.updates++;
  if (unit_delete(c->u, row)) return context_memory(c);
  return task ? 0 : history_detail(c, &gone, true);
}

static int update_variable_row(context *c, rec_history_variable *row, const orr_value *value,
                               const rec_task *task) {
  if (value->type == ORR_NIL) return remove_variable_row(c, row, task);
  if (context_touch(c, row)) return c->error.code;
  row->updates++;
  row->value = *value;
  return task ? 0 : history_detail(c, row, false);
}

static int write_variable(context *c, const rec_history_variable *key, const rec_task *task,
                          bool created, const orr_value *value) {
  rec_history_variable *row = unit_history_variable_key(c->u, key, &c->error);
  bool follows = row && created && !task && row->scope != row->instance_id;
  if (!row && (c->error.code || value->type == ORR_NIL)) return history_failed(c);
  if (row && !(follows && value->type != ORR_NIL)) return update_variable_row(c, row, value, task);
  if (!row) row = variable_new(c, key, key->scope, task);
  else if (variable_follows(c, row)) return c->error.code;
  if (!row) return history_failed(c);
  row->value = *value;
  return task ? 0 : history_detail(c, row, false);
}

int history_variable(context *c, orr_id scope_id, const char *name, bool created,
                     const orr_value *value) {
  if (!history_records(c, ORR_HISTORY_AUDIT)) return 0;
  rec_history_variable key = {.instance_id = orr_id_instance(scope_id), .scope = scope_id, .name = {name, strlen(name)}};
  return write_variable(c, &key, NULL, created, value);
}

/* A token may have two variables of one name: one of its scope and one of its branch, which the
 * first hides. The row that the token's id finds is the scope's while both exist. The branch's row
 * has the latest of the keys that rows of this token and name have of their own. */

static rec_history_variable *variable_beneath(context *c, const rec_history_variable *key) {
  unit_found found;
  rec_key prefix = {.id = key->instance_id};
  rec_history_variable *last = NULL;
  if (unit_find_keys(c->u, &rec_history_variable_type, &prefix, 1, &found, &c->error)) return NULL;
  for (size_t i = 0; i < found.count; i++) {
    rec_history_variable *row = (rec_history_variable *)found.items[i];
    bool own = row->execution_id == key->scope && row->scope != key->scope;
    if (!own || !rec_text_is(row->name, key->name.data)) continue;
    if (!last || row->scope > last->scope) last = row;
  }
  return last;
}

int history_variable_beneath(context *c, orr_id token, const char *name, bool created,
                             const orr_value *value) {
  if (!history_records(c, ORR_HISTORY_AUDIT)) return 0;
  rec_history_variable key = {.instance_id = orr_id_instance(token), .scope = token, .name = {name, strlen(name)}};
  rec_history_variable *row = created ? NULL : variable_beneath(c, &key);
  if (row) return update_variable_row(c, row, value, NULL);
  if (c->error.code || value->type == ORR_NIL) return history_failed(c);
  key.scope = variable_own_key(c, key.instance_id);
  row = key.scope ? variable_new(c, &key, token, NULL) : NULL;
  if (!row) return history_failed(c);
  row->value = *value;
  return history_detail(c, row, false);
}

/* The two rows swap keys: the one that has ended gets the key of its own. */
int history_variable_emerges(context *c, orr_id token, const char *name) {
  if (!history_records(c, ORR_HISTORY_AUDIT)) return 0;
  rec_history_variable key = {.instance_id = orr_id_instance(token), .scope = token, .name = {name, strlen(name)}};
  rec_history_variable *row = unit_history_variable_key(c->u, &key, &c->error), over;
  rec_history_variable *emerging = c->error.code ? NULL : variable_beneath(c, &key);
  if (!emerging) return history_failed(c);
  bool ended = row;
  if (!row) row = unit_new_history_variable(c->u, &key);
  if (!row || context_touch(c, row) || context_touch(c, emerging)) return context_memory(c);
  over = *row;
  variable_take(row, emerging);
  if (ended) variable_take(emerging, &over);
  return !ended && unit_delete(c->u, emerging) ? context_memory(c) : 0;
}

int history_task_variable(context *c, const rec_task *t, const char *name, const orr_value *value) {
  if (!history_records(c, ORR_HISTORY_AUDIT)) return 0;
  rec_history_variable key = {.scope = t->id, .name = {name, strlen(name)}};
  return write_variable(c, &key, t, false, value);
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* The number of the activity instance that a token is at: 0 without one. */
static int history_number(context *c, orr_id execution, int64_t *out) {
  const rec_execution *e = execution ? execution_get(c, execution) : NULL;
  *out = e ? e->activity_instance : 0;
  return c->error.code;
}

static const char *task_state(const rec_task *t, bool ended, const char *reason) {
  if (!ended) return t->last_updated ? "updated" : "created";
  return reason && strcmp(reason, "completed") != 0 ? "deleted" : "completed";
}

static rec_history_task *task_row(context *c, const rec_task *t) {
  rec_history_task *row = unit_history_task(c->u, t->id, &c->error);
  if (row || c->error.code) return row;
  row = unit_new_history_task(c->u, t->id);
  if (row) row->sequence = numbers_place(c, t->instance_id);
  else context_memory(c);
  return row && row->sequence >= 0 ? row : NULL;
}

int history_task(context *c, const rec_task *t, bool ended, const char *reason) {
  if (!history_records(c, ORR_HISTORY_AUDIT)) return 0;
  rec_history_task *row = task_row(c, t);
  if (!row) return history_failed(c);
  if (unit_touch(c->u, row)) return context_memory(c);
  int rc = 0;
  rc = history_holder(c, t, "assignee", row->assignee, t->assignee);
  if (!rc) rc = history_holder(c, t, "owner", row->owner, t->owner);
  if (rc) return rc;
  row->name = t->name;
  row->key = t->key;
  row->description = t->description;
  row->assignee = t->assignee;
  row->owner = t->owner;
  row->priority = t->priority;
  row->due = t->due;
  row->follow_up = t->follow_up;
  row->created = t->created;
  row->category = t->category;
  row->form_key = t->form_key;
  row->instance_id = t->instance_id;
  row->execution_id = t->execution_id;
  row->definition_id = t->definition_id;
  row->definition_key = t->definition_key;
  row->tenant = t->tenant;
  if (!row->activity_number) rc = history_number(c, t->execution_id, &row->activity_number);
  if (rc) return rc;
  row->parent_id = t->parent_id;
  row->own_id = t->own_id;
  row->state = unit_textz(c->u, task_state(t, ended, reason));
  if (ended) row->ended_at = context_stamp(c);
  if (reason) row->delete_reason = unit_textz(c->u, reason);
  return 0;
}

/* ---- Incidents, jobs, external tasks ---------------------------------------------------------
 * The full level has each step of each job. Below it, at "audit", what went wrong stays: incidents, and the log of a job or
 * external task from its first failure on. What succeeds at once pays a look at the level. */

/* `failed`: has it failed, now or before? */
static bool log_kept(const context *c, bool failed) {
  return history_records(c, ORR_HISTORY_FULL) || (failed && history_records(c, ORR_HISTORY_AUDIT));
}

static rec_history_incident *incident_row_new(context *c, const rec_incident *i) {
  rec_history_incident *row = unit_new_history_incident(c->u, i->id);
  if (row) row->sequence = numbers_place(c, i->instance_id);
  else context_memory(c);
  return row && row->sequence >= 0 ? row : NULL;
}

int history_incident(context *c, const rec_incident *i, const char *state) {
  if (!log_kept(c, true)) return 0;
  rec_history_incident *row = unit_history_incident(c->u, i->id, &c->error);
  if (!row && c->error.code) return history_failed(c);
  bool open = strcmp(state, "open") == 0;
  if (!row) row = incident_row_new(c, i);
  if (!row) return history_failed(c);
  if (unit_touch(c->u, row)) return context_memory(c);
  row->type = i->type;
  row->time = i->time;
  row->message = i->message;
  row->activity_id = i->activity_id;
  row->failed_activity_id = i->failed_activity_id;
  row->instance_id = i->instance_id;
  row->execution_id = i->execution_id;
  row->definition_id = i->definition_id;
  row->definition_key = i->definition_key;
  row->job_id = i->job_id;
  row->cause_id = i->cause_id;
  row->root_cause_id = i->root_cause_id;
  row->annotation = i->annotation;
  row->configuration = i->configuration;
  row->tenant = i->tenant;
  row->state = unit_textz(c->u, state);
  if (!open) row->ended_at = context_stamp(c);
  return 0;
}

/* One job or external task has few log rows, so their number is the number of the next one. */
static int log_number(context *c, const rec_type *type, orr_id instance, orr_id about,
                      int64_t *out) {
  rec_key keys[2] = {{.id = instance}, {.id = about}};
  unit_found found;
  int rc = unit_find_keys(c->u, type, keys, 2, &found, &c->error);
  *out = rc ? 0 : (int64_t)found.count;
  return rc;
}

int history_job(context *c, const rec_job *j, const char *state, const char *error) {
  if (!log_kept(c, error || j->failures || j->error.size)) return 0;
  rec_history_job key = {.instance_id = j->instance_id, .job_id = j->id};
  int rc = log_number(c, &rec_history_job_type, j->instance_id, j->id, &key.number);
  if (rc) return rc;
  const definition *d = j->definition_id && j->node ? context_definition(c, j->definition_id, &c->error) : NULL;
  if (c->error.code) return history_failed(c);
  rec_history_job *row = unit_new_history_job(c->u, &key);
  if (!row) return context_memory(c);
  row->state = unit_textz(c->u, state);
  row->time = context_stamp(c);
  row->error = unit_textz(c->u, error);
  row->retries = j->retries;
  if (d && j->node <= d->n_nodes) row->activity_id = unit_textz(c->u, d->nodes[j->node - 1]->id);
  row->handler = unit_textz(c->u, job_handler_name(j->kind));
  row->type = unit_textz(c->u, job_type_name(j->kind));
  row->due = j->due;
  row->priority = j->priority;
  row->execution_id = j->execution_id;
  row->definition_id = j->definition_id;
  row->definition_key = j->definition_key;
  row->tenant = j->tenant;
  if (error) row->traceback = j->traceback;
  row->sequence = numbers_place(c, j->instance_id);
  return row->sequence < 0 ? history_failed(c) : 0;
}

int history_external(context *c, const rec_external_task *t, const char *state) {
  if (!log_kept(c, t->error.size || strcmp(state, "failed") == 0)) return 0;
  rec_history_external key = {.instance_id = t->instance_id, .task_id = t->id};
  int rc = log_number(c, &rec_history_external_type, t->instance_id, t->id, &key.number);
  if (rc) return rc;
  rec_history_external *row = unit_new_history_external(c->u, &key);
  if (!row) return context_memory(c);
  row->state = unit_textz(c->u, state);
  row->time = context_stamp(c);
  row->topic = t->topic;
  row->worker = t->worker;
  row->retries = t->retries;
  row->priority = t->priority;
  if (strcmp(state, "failed") == 0) { /* an earlier failure of the task is in its own row */
    row->error = t->error;
    row->details = t->details;
  }
  row->activity_id = t->activity_id;
  row->execution_id = t->execution_id;
  row->definition_id = t->definition_id;
  row->definition_key = t->definition_key;
  row->tenant = t->tenant;
  row->sequence = numbers_place(c, t->instance_id);
  if (row->sequence < 0) return history_failed(c);
  return history_number(c, t->execution_id, &row->activity_number);
}
