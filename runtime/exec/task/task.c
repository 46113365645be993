/* DESIGN. Listeners run one after the other as agenda calls: op_fire finds the next one of an event
 * and calls it; when none is left, it does what the event leads to. Nothing is planned behind the
 * listeners beforehand, so a listener that throws a BPMN error, or completes the task itself,
 * leaves nothing half done.
 *
 * The phase of a task lives in the unit of work only, because listeners never outlive it. It says
 * which changes call listeners: those made while a task is created, completed or deleted do not,
 * nor those that update listeners make. */
#include "exec/task/task.h"

#include <inttypes.h>
#include <string.h>

#include "base/value.h"
#include "engine/meter.h"
#include "exec/event/propagation.h"
#include "exec/listener.h"
#include "exec/node/multi_overview.h"
#include "exec/task/standalone_task.h"
#include "exec/token.h"
#include "job/timer.h"
#include "state/expression.h"
#include "state/history.h"
#include "state/history_full.h"
#include "state/notices.h"
#include "state/tracing.h"
#include "state/variable.h"
#include "uow/find.h"
#include "uow/relation.h"

typedef struct firing {
  listener_event event;
  const char *name;
  bool in_all;                             /* listeners for "all" are called, too */
  int (*then)(context *c, rec_task *t);    /* when all have run */
} firing;

static const node *task_node(context *c, const rec_task *t, const dialect **d) {
  const definition *def = context_definition(c, t->definition_id, &c->error);
  if (!def) return NULL;
  if (d) *d = def->dialect;
  return def->nodes[t->node - 1];
}

/* ---- Firing ---------------------------------------------------------------------------------- */

static int op_fired(context *c, operation *op);

static int call_listener(context *c, operation *op, const rec_task *t, const node *n, const listener *l, const char *event) {
  host_call *call = ARENA_NEW(c->arena, host_call);
  if (!call) return context_memory(c);
  if (listener_check_language(c, l, t->execution_id, n)) return c->error.code;
  *call = (host_call){.kind = HOST_TASK_LISTENER, .run = &l->run, .store_assignments = l->stores_assignments,
                      .execution = execution_view(c, t->execution_id, n, event)};
  if (!call->execution) return c->error.code;
  call->execution->task = t->id;
  call->execution->run = &l->run;
  call->execution->delete_reason = op->text;
  return agenda_call(c, op, call, op_fired);
}

static bool listener_hears(const listener *l, const firing *f) {
  return l->event == f->event || (l->event == LISTENER_ALL && f->in_all);
}

static int op_fire(context *c, operation *op) {
  const firing *f = op->data;
  rec_task *t = unit_task(c->u, op->other, &c->error);
  if (!t) return c->error.code;
  if (!listeners_skipped(c, t->instance_id)) {
    const listeners *list = &op->node->user->listeners;
    for (; op->step < list->count; op->step++) {
      if (listener_hears(&list->items[op->step], f)) return call_listener(c, op, t, op->node, &list->items[op->step], f->name);
    }
  }
  return f->then(c, t);
}

static const firing firing_delete;

/* What a listener raises while the activity is canceled goes to the caller. */
static int op_fired(context *c, operation *op) {
  if (c->result.error.code || c->result.bpmn_error) {
    if (op->data == &firing_delete) return throw_listener_result(c, op->execution, op->node, OP_CANCELED, &c->result);
    return throw_result(c, op->execution, op->node, &c->result);
  }
  const rec_task *t = unit_task(c->u, op->other, &c->error);
  if (!t) return c->error.code;
  int rc = listener_keep_result(c, &op->node->user->listeners.items[op->step], t->execution_id, op->node);
  op->step++;
  return rc ? rc : op_fire(c, op);
}

/* A task without a process has no listeners. */
static int fire(context *c, rec_task *t, const firing *f, const char *reason) {
  if (!t->node) return f->then(c, t);
  const node *n = task_node(c, t, NULL);
  operation *op = n ? agenda_plan(c, op_fire, t->execution_id) : NULL;
  if (!op) return c->error.code;
  op->node = n;
  op->other = t->id;
  op->data = (void *)(uintptr_t)f;
  op->flags = f == &firing_delete ? OP_HOLDS_PLANNED | OP_CANCELED : 0;
  op->text = reason;
  return 0;
}

/* ---- Creation and changes -------------------------------------------------------------------- */

static int settle_event(context *c, rec_task *t) {
  (void)c;
  t->phase = PHASE_IDLE;
  t->told = (rec_text){0};
  return 0;
}

static const firing firing_assignment = {LISTENER_ASSIGNMENT, "assignment", true, settle_event};

/* The creation or update that set the assignee has been told. Calls the assignment listeners
 * now. */
static int tell_assignment(context *c, rec_task *t) {
  if (rec_text_equal(t->told, t->assignee)) return settle_event(c, t); /* giving a task back is an assignment, too: to nobody */
  t->told = t->assignee;
  return fire(c, t, &firing_assignment, NULL);
}

static const firing firing_update = {LISTENER_UPDATE, "update", false, tell_assignment};
static const firing firing_create = {LISTENER_CREATE, "create", true, tell_assignment};

static int create_after_assignment(context *c, rec_task *t) {
  return fire(c, t, &firing_create, NULL);
}

static const firing firing_first_assignment = {LISTENER_ASSIGNMENT, "assignment", true, create_after_assignment};

int task_created(context *c, rec_task *t) {
  const dialect *d;
  const node *n = task_node(c, t, &d);
  if (!n) return c->error.code;
  if (n->user->listeners.count == 0) return settle_event(c, t);
  t->told = (rec_text){0};
  if (!d->task_assignment_first || t->assignee.size == 0) return fire(c, t, &firing_create, NULL);
  t->told = t->assignee;
  return fire(c, t, &firing_first_assignment, NULL);
}

/* To be called before a change: remembers the assignee, and plans the listeners unless the phase
 * skips them. */
static int change_begin(context *c, rec_task *t) {
  if (context_touch(c, t)) return c->error.code;
  if (t->phase != PHASE_CREATING) t->last_updated = context_stamp(c);
  if (t->phase != PHASE_IDLE) return 0;
  t->phase = PHASE_CHANGING;
  t->told = t->assignee;
  return fire(c, t, &firing_update, NULL);
}

static int change_end(context *c, rec_task *t) {
  if (!t->execution_id) return history_task(c, t, false, NULL);
  rec_execution *e = execution_get(c, t->execution_id);
  if (!e && c->error.code) return c->error.code;
  const rec_instance *i = context_instance(c, t->id, &c->error);
  int rc = i ? notice_overview(c, i) : c->error.code;
  if (!rc && e) rc = history_activity_update(c, e, t->id, t->assignee.data, 0);
  return rc ? rc : history_task(c, t, false, NULL);
}

int task_changed(context *c, rec_task *t) {
  return change_begin(c, t);
}

static void set_assignee(context *c, rec_task *t, rec_text user) {
  if (!rec_text_equal(t->assignee, user)) meter_task_given(c->engine, c->u, user);
  t->assignee = user;
}

static rec_text user_or_nobody(context *c, const char *user) {
  return user && *user ? unit_textz(c->u, user) : (rec_text){0};
}

int task_assign(context *c, rec_task *t, const char *user) {
  int rc = change_begin(c, t);
  if (rc) return rc;
  set_assignee(c, t, user_or_nobody(c, user));
  return change_end(c, t);
}

int task_claim(context *c, rec_task *t, const char *user) {
  if (!user || !*user) return context_error(c, ORR_E_ARGUMENT, "claiming a task needs a user");
  if (t->assignee.size > 0 && !rec_text_is(t->assignee, user)) {
    return context_error(c, ORR_E_STATE, "task %" PRIu64 " is already claimed by \"%s\"", t->id, t->assignee.data);
  }
  return task_assign(c, t, user);
}

int task_delegate(context *c, rec_task *t, const char *user) {
  int rc = change_begin(c, t);
  if (rc) return rc;
  if (t->owner.size == 0) t->owner = t->assignee;
  t->delegation = unit_textz(c->u, "pending");
  set_assignee(c, t, user_or_nobody(c, user));
  return change_end(c, t);
}

int task_resolve(context *c, rec_task *t, const orr_value *variables) {
  int rc = variable_set_all(c, t->id, variables, false);
  if (!rc) rc = change_begin(c, t);
  if (rc) return rc;
  t->delegation = unit_textz(c->u, "resolved");
  set_assignee(c, t, t->owner);
  return change_end(c, t);
}

/* ---- Updates by field ------------------------------------------------------------------------ */

static int change_text(context *c, const char *name, const orr_value *v, rec_text *out) {
  if (v->type != ORR_STRING && v->type != ORR_NULL)
    return context_error(c, ORR_E_ARGUMENT, "a task's %s must be a string or null", name);
  if (v->type == ORR_STRING && !context_text(c, v, name)) return c->error.code;
  *out = v->type == ORR_STRING ? unit_text(c->u, v->as.bytes, v->size) : (rec_text){0};
  return 0;
}

static int change_time(context *c, const char *name, const orr_value *v, orr_time *out) {
  return value_time(c, v, out) ? error_wrap(&c->error, "a task's %s", name) : 0;
}

static int change_priority(context *c, const orr_value *v, int64_t *out) {
  if (v->type != ORR_INT) return context_error(c, ORR_E_ARGUMENT, "a task's priority must be an integer");
  *out = v->as.integer;
  return 0;
}

static int change_delegation(context *c, const orr_value *v, rec_text *out) {
  if (v->type != ORR_NULL && !value_is_text(v, "pending") && !value_is_text(v, "resolved"))
    return context_error(c, ORR_E_ARGUMENT, "a task's delegation must be \"pending\", \"resolved\" or null");
  return change_text(c, "delegation", v, out);
}

static int change_assignee(context *c, rec_task *t, const orr_value *v) {
  rec_text user;
  int rc = change_text(c, "assignee", v, &user);
  if (!rc) set_assignee(c, t, user);
  return rc;
}

static int change_field(context *c, rec_task *t, const char *name, const orr_value *v) {
  const struct { const char *name; rec_text *text; orr_time *time; } fields[] = {
    {"name", &t->name, NULL}, {"description", &t->description, NULL}, {"owner", &t->owner, NULL},
    {"category", &t->category, NULL}, {"due", NULL, &t->due}, {"follow_up", NULL, &t->follow_up},
  };
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    if (strcmp(fields[i].name, name) != 0) continue;
    return fields[i].text ? change_text(c, name, v, fields[i].text) : change_time(c, name, v, fields[i].time);
  }
  if (strcmp(name, "assignee") == 0) return change_assignee(c, t, v);
  if (strcmp(name, "priority") == 0) return change_priority(c, v, &t->priority);
  if (strcmp(name, "delegation") == 0) return change_delegation(c, v, &t->delegation);
  if (strcmp(name, "parent_id") == 0) return standalone_task_move(c, t, v);
  return context_error(c, ORR_E_ARGUMENT,
                       "\"%s\" of a task cannot be changed; name, description, assignee, owner, priority, due, follow_up, "
                       "category, delegation and parent_id can",
                       name);
}

int task_update(context *c, rec_task *t, const orr_value *changes) {
  if (!changes || (changes->type != ORR_MAP && orr_count(changes) > 0))
    return context_error(c, ORR_E_ARGUMENT, "a task's changes must be a map");
  int rc = change_begin(c, t);
  orr_iterator it = orr_iterate(changes);
  orr_value key, value;
  while (!rc && orr_next(&it, &key, &value)) {
    const char *name = context_text(c, &key, "a field of a task");
    rc = name ? change_field(c, t, name, &value) : c->error.code;
  }
  return rc ? rc : change_end(c, t);
}

/* ---- Completion ------------------------------------------------------------------------------ */

/* taskCompleterVariableName: sets who completed it. */
static int tell_completer(context *c, const rec_task *t) {
  if (!t->node) return 0;
  const node *n = task_node(c, t, NULL);
  if (!n) return c->error.code;
  orr_value who = c->user ? orr_string(c->user) : orr_null();
  return expr_given(&n->user->completer_variable)
             ? variable_set_named(c, &n->user->completer_variable, t->execution_id, n, &who)
             : 0;
}

static int complete_end(context *c, rec_task *t) {
  orr_id execution = t->execution_id;
  const dialect *d;
  if (!task_node(c, t, &d)) return c->error.code;
  int rc = task_remove(c, t, d->task_completed_reason ? "completed" : NULL);
  if (rc) return rc;
  return agenda_plan(c, op_leave, execution) ? 0 : c->error.code;
}

static const firing firing_delete_completed = {LISTENER_DELETE, "delete", true, complete_end};

static int complete_delete(context *c, rec_task *t) {
  if (!t->node) return task_remove(c, t, "completed");
  const dialect *d;
  if (!task_node(c, t, &d)) return c->error.code;
  return d->task_delete_on_complete ? fire(c, t, &firing_delete_completed, "completed") : complete_end(c, t);
}

static const firing firing_complete = {LISTENER_COMPLETE, "complete", true, complete_delete};

int task_complete(context *c, rec_task *t, const orr_value *variables, const orr_value *local, const orr_value *transient) {
  if (t->phase >= PHASE_COMPLETING) return context_error(c, ORR_E_STATE, "task %" PRIu64 " is already ending", t->id);
  if (t->delegation.size > 0 && strcmp(t->delegation.data, "pending") == 0) {
    return context_error(c, ORR_E_STATE,
                         "task %" PRIu64 " is delegated: it must be resolved, or assigned, before it can be completed", t->id);
  }
  if (context_touch(c, t)) return c->error.code;
  t->phase = PHASE_COMPLETING;
  tracing_join(c, "task complete", t->key.data, (rec_text){0}, t->instance_id);
  int rc = variable_set_all_transient(c, t->id, transient, false);
  if (!rc) rc = variable_set_all(c, t->id, local, true);
  if (!rc) rc = variable_set_all(c, t->id, variables, false);
  if (!rc) rc = tell_completer(c, t);
  return rc ? rc : fire(c, t, &firing_complete, NULL);
}

/* ---- Other ends ------------------------------------------------------------------------------ */

static int cancel_end(context *c, rec_task *t) {
  return task_remove(c, t, c->delete_reason ? c->delete_reason : "deleted");
}

static const firing firing_delete = {LISTENER_DELETE, "delete", true, cancel_end};

int task_cancel(context *c, rec_task *t, const char *reason) {
  if (t->phase == PHASE_DELETING) return 0;
  if (context_touch(c, t)) return c->error.code;
  t->phase = PHASE_DELETING;
  return fire(c, t, &firing_delete, reason ? reason : "deleted");
}

int task_delete(context *c, rec_task *t, const char *reason) {
  if (!t->instance_id) return task_remove(c, t, reason ? reason : "deleted");
  return context_error(c, ORR_E_STATE, "task %" PRIu64 " is part of a running instance: complete it, or cancel its activity",
                       t->id);
}

static int no_process(context *c, const rec_task *t, const char *what) {
  return context_error(c, ORR_E_STATE, "task %" PRIu64 " belongs to no process that could catch %s", t->id, what);
}

int task_bpmn_error(context *c, rec_task *t, const char *code, const char *message, const orr_value *variables) {
  if (!code || !*code) return context_error(c, ORR_E_ARGUMENT, "a BPMN error needs a code");
  if (!t->node) return no_process(c, t, "a BPMN error");
  bpmn_error error = {.code = code, .message = message};
  if (variables) error.variables = *variables;
  return throw_bpmn_error(c, t->execution_id, &error);
}

int task_escalation(context *c, rec_task *t, const char *code, const orr_value *variables) {
  if (!code || !*code) return context_error(c, ORR_E_ARGUMENT, "an escalation needs a code");
  if (!t->node) return no_process(c, t, "an escalation");
  bool caught;
  int rc = throw_escalation(c, t->execution_id, code, variables, &caught);
  if (rc || caught) return rc;
  return context_error(c, ORR_E_STATE, "escalation \"%s\" of task \"%.*s\" is caught by nobody", code, (int)t->key.size,
                       t->key.data);
}

static int remove_timers(context *c, const rec_task *t) {
  if (!t->execution_id) return 0;
  rec_execution *e = execution_get(c, t->execution_id);
  if (!e) return c->error.code;
  if (!(e->flags & ORR_SCOPE_JOBS)) return 0;
  struct rec_relation *jobs = unit_relation_of(c->u, e, UNIT_JOBS, &c->error);
  if (!jobs) return c->error.code;
  for (uint32_t i = jobs->count; i > 0; i--) { /* from the end: removed ones leave the list */
    rec_job *job = (rec_job *)jobs->items[i - 1];
    int rc = job->kind == ORR_JOB_TIMER_TASK_LISTENER && job != c->job ? job_remove(c, job) : 0;
    if (rc) return rc;
  }
  return 0;
}

int task_remove(context *c, rec_task *t, const char *reason) {
  rec_key key = {.id = t->id};
  unit_found links;
  int rc = history_task(c, t, true, reason);
  if (!rc) rc = remove_timers(c, t);
  if (!rc) rc = unit_find_keys(c->u, &rec_link_type, &key, 1, &links, &c->error);
  for (size_t i = 0; !rc && i < links.count; i++) {
    if (unit_delete(c->u, links.items[i])) rc = context_memory(c);
  }
  if (!rc) rc = task_remove_subtasks(c, t, reason);
  if (!rc) rc = t->execution_id ? execution_forget_task(c, t->execution_id, t->id) : variable_drop_task(c, t);
  if (rc) return rc;
  return unit_delete(c->u, t) ? context_memory(c) : 0;
}

/* ---- Timeouts -------------------------------------------------------------------------------- */

static int op_timed_out(context *c, operation *op) {
  if (c->result.error.code || c->result.bpmn_error) return throw_result(c, op->execution, op->node, &c->result);
  return 0;
}

static int op_timeout(context *c, operation *op) {
  const rec_task *t = unit_task(c->u, op->other, &c->error);
  if (!t) return c->error.code;
  const listener *l = &op->node->user->listeners.items[op->step];
  host_call *call = ARENA_NEW(c->arena, host_call);
  if (!call) return context_memory(c);
  *call = (host_call){.kind = HOST_TASK_LISTENER, .run = &l->run, .store_assignments = l->stores_assignments,
                      .execution = execution_view(c, t->execution_id, op->node, "timeout")};
  if (!call->execution) return c->error.code;
  call->execution->task = t->id;
  call->execution->run = &l->run;
  return agenda_call(c, op, call, op_timed_out);
}

/* A timeout listener's timer is due: `at` is its position among the node's task listeners. */
static int task_timeout(context *c, rec_task *t, uint32_t at) {
  const node *n = task_node(c, t, NULL);
  if (!n) return c->error.code;
  if (at >= n->user->listeners.count || c->skip_listeners) return 0;
  operation *op = agenda_plan(c, op_timeout, t->execution_id);
  if (!op) return c->error.code;
  op->node = n;
  op->other = t->id;
  op->step = at;
  return 0;
}

int task_timeout_job(context *c, rec_job *job) {
  const rec_execution *e = execution_get(c, job->execution_id);
  rec_task *t = e && e->task_id ? unit_task(c->u, e->task_id, &c->error) : NULL;
  if (!t) return c->error.code;
  const node *n = task_node(c, t, NULL);
  if (!n) return c->error.code;
  uint32_t at = job->flow - 1;
  if (at >= n->user->listeners.count)
    return context_error(c, ORR_E_STORE, "job %" PRIu64 " names no listener of \"%s\"", job->id, n->id);
  int rc = timer_repeat(c, job, n);
  return rc ? rc : task_timeout(c, t, at);
}

/* ---- Links ----------------------------------------------------------------------------------- */

static int link_key(context *c, const rec_task *t, const char *type, const char *user, const char *group, rec_link *out) {
  if (!type || !*type) return context_error(c, ORR_E_ARGUMENT, "a link needs a type");
  if (!user == !group) return context_error(c, ORR_E_ARGUMENT, "a link needs a user or a group, and not both");
  *out = (rec_link){.task_id = t->id, .type = unit_textz(c->u, type), .user = unit_textz(c->u, user), .group = unit_textz(c->u,
                    group)};
  return 0;
}

/* The links "assignee" and "owner" are fields of the task. NULL: any other link. */
static rec_text *held_by(rec_task *t, const char *type) {
  if (strcmp(type, "assignee") == 0) return &t->assignee;
  return strcmp(type, "owner") == 0 ? &t->owner : NULL;
}

static int change_holder(context *c, rec_task *t, rec_text *holder, const rec_link *key, bool held) {
  if (key->user.size == 0)
    return context_error(c, ORR_E_ARGUMENT, "a task's %s is a user, no group", key->type.data);
  if (!held && !rec_text_equal(*holder, key->user)) return 0;
  int rc = change_begin(c, t);
  if (rc) return rc;
  *holder = held ? key->user : (rec_text){0};
  return change_end(c, t);
}

int task_add_link(context *c, rec_task *t, const char *type, const char *user, const char *group) {
  rec_link key;
  int rc = link_key(c, t, type, user, group, &key);
  if (rc) return rc;
  rec_text *holder = held_by(t, type);
  if (holder) return change_holder(c, t, holder, &key, true);
  if (unit_link_key(c->u, &key, &c->error) || c->error.code) return c->error.code;
  if (!unit_new_link(c->u, &key)) return context_memory(c);
  rc = history_link(c, t, "add", type, key.user, key.group);
  return rc ? rc : task_changed(c, t);
}

int task_remove_link(context *c, rec_task *t, const char *type, const char *user, const char *group) {
  rec_link key;
  int rc = link_key(c, t, type, user, group, &key);
  if (rc) return rc;
  rec_text *holder = held_by(t, type);
  if (holder) return change_holder(c, t, holder, &key, false);
  rec_link *link = unit_link_key(c->u, &key, &c->error);
  if (!link) return c->error.code;
  if (unit_delete(c->u, link)) return context_memory(c);
  rc = history_link(c, t, "delete", type, key.user, key.group);
  return rc ? rc : task_changed(c, t);
}
