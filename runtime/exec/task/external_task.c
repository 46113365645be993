/* The life of an external task: made with its token, locked, completed or failed by a worker,
 * removed with the token. */
#include "exec/task/external_task.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "engine/engine.h"
#include "exec/event/propagation.h"
#include "exec/token.h"
#include "job/limit.h"
#include "state/expression.h"
#include "state/history.h"
#include "state/incident.h"
#include "state/tracing.h"
#include "state/transient.h"
#include "state/variable.h"
#include "time/iso8601.h"
#include "uow/find.h"

static const node *external_node(context *c, const rec_external_task *t, const definition **d) {
  const definition *def = context_definition(c, t->definition_id, &c->error);
  if (!def) return NULL;
  if (d) *d = def;
  return def->nodes[t->node - 1];
}

/* ---- Creation and removal -------------------------------------------------------------------- */

static int priority_of(context *c, const rec_execution *e, const node *n, const definition *d, int64_t *out) {
  const expr *from = expr_given(&n->service->task_priority) ? &n->service->task_priority : &d->task_priority;
  *out = 0;
  if (!expr_given(from)) return 0;
  int rc = expr_integer(c, from, e->id, n, out);
  if (!rc || rc != ORR_E_EXPRESSION || d->dialect->bad_priority_fails) return rc;
  engine_log(c->engine, ORR_LOG_WARNING, NULL, "the priority of external task \"%s\" is 0: %s", n->id,
             c->error.message ? c->error.message : "");
  orr_error_clear(&c->error);
  c->failed_at = NULL;
  *out = 0;
  return 0;
}

int external_create(context *c, rec_execution *e, const node *n) {
  rec_instance *i = context_instance(c, e->id, &c->error);
  const definition *d = i ? context_definition_of(c, e->id, &c->error) : NULL;
  if (!d) return c->error.code;
  const char *topic;
  int64_t priority;
  int rc = expr_text(c, &n->service->topic, e->id, n, &topic);
  if (!rc && !topic) rc = context_error(c, ORR_E_EXPRESSION, "%s \"%s\": its topic is null", n->element, n->id);
  if (!rc) rc = priority_of(c, e, n, d, &priority);
  if (rc) return rc;
  orr_id id = unit_next_id(c->u, i, &c->error);
  if (!id) return c->error.code;
  rec_external_task *t = unit_new_external_task(c->u, id);
  if (!t || unit_touch(c->u, e)) return context_memory(c);
  t->topic = unit_textz(c->u, topic);
  t->created = context_stamp(c);
  t->priority = priority;
  t->suspended = i->suspended;
  t->activity_id = unit_textz(c->u, n->id);
  t->instance_id = i->id;
  t->execution_id = e->id;
  t->definition_id = i->definition_id;
  t->definition_key = i->definition_key;
  t->version_tag = unit_textz(c->u, d->version_tag);
  t->business_key = i->business_key;
  t->tenant = i->tenant;
  t->node = n->index + 1;
  if (!d->dialect->external_fail_needs_retries) t->retries = orr_int(c->engine->config.retries);
  t->trace = tracing_kept(c, i->id);
  e->task_id = id;
  return history_external(c, t, "created");
}

int external_remove(context *c, rec_external_task *t, const char *state) {
  int rc = history_external(c, t, state);
  if (!rc) rc = limit_release_topic(c, t);
  if (!rc) rc = incident_resolve_job(c, t->id, true);
  if (rc) return rc;
  rc = execution_forget_task(c, t->execution_id, t->id);
  if (rc) return rc;
  return unit_delete(c->u, t) ? context_memory(c) : 0;
}

/* ---- Who may speak --------------------------------------------------------------------------- */

static int need_worker(context *c, const char *worker) {
  return worker && *worker ? 0 : context_error(c, ORR_E_ARGUMENT, "an external task's command needs the worker's name");
}

static int need_holder(context *c, const rec_external_task *t, const char *worker) {
  int rc = need_worker(c, worker);
  if (rc) return rc;
  if (!rec_text_is(t->worker, worker)) {
    return context_error(c, ORR_E_STATE, "external task %" PRIu64 " is not locked by \"%s\"%s%s%s", t->id, worker,
                         t->worker.size ? " but by '" : "", t->worker.size ? t->worker.data : "", t->worker.size ? "'" : "");
  }
  if (t->suspended) return context_error(c, ORR_E_SUSPENDED, "external task %" PRIu64 " is suspended", t->id);
  return 0;
}

/* ---- Results --------------------------------------------------------------------------------- */

static void add_details_text(orr_builder *b, const char *key, rec_text text) {
  orr_builder_put(b, key, text.data ? orr_bytes(text.data, text.size) : orr_null());
}

static void add_id(orr_builder *b, const char *key, orr_id id) {
  orr_builder_put(b, key, orr_int((int64_t)id));
}

/* What conditions see of the task, as `externalTask`. */
static int describe_external(context *c, const rec_external_task *t, orr_value *out) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  add_id(b, "id", t->id);
  add_id(b, "executionId", t->execution_id);
  add_id(b, "processInstanceId", t->instance_id);
  add_id(b, "processDefinitionId", t->definition_id);
  add_details_text(b, "processDefinitionKey", t->definition_key);
  add_details_text(b, "processDefinitionVersionTag", t->version_tag);
  add_details_text(b, "tenantId", t->tenant);
  add_details_text(b, "errorMessage", t->error);
  add_details_text(b, "errorDetails", t->details);
  add_details_text(b, "workerId", t->worker);
  add_details_text(b, "topicName", t->topic);
  add_details_text(b, "activityId", t->activity_id);
  add_details_text(b, "businessKey", t->business_key);
  orr_builder_put(b, "retries", t->retries.type == ORR_NIL ? orr_null() : t->retries);
  orr_builder_put(b, "priority", orr_int(t->priority));
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

/* The name `externalTask` exists only while the condition is evaluated. A value that is no boolean
 * does not hold. */
static int condition_holds(context *c, const rec_external_task *t, const node *n, const expr *condition, bool *out) {
  static const char name[] = "externalTask";
  orr_value v;
  int rc = describe_external(c, t, &v);
  if (!rc) rc = transient_set(c, t->execution_id, name, sizeof name - 1, &v);
  if (rc) return rc;
  rc = expr_value(c, condition, t->execution_id, n, &v);
  transient_remove(c, t->execution_id, name, sizeof name - 1);
  if (rc) return rc;
  *out = v.type == ORR_BOOL ? v.as.boolean : condition->kind == EXPR_LITERAL && value_is_text(&v, "true");
  return 0;
}

/* A failure is recorded even if a condition cannot be evaluated: the task must not lose its error
 * for that. */
static int pass_over(context *c, const node *n) {
  engine_log(c->engine, ORR_LOG_WARNING, NULL, "an error condition of external task \"%s\" counts as false: %s", n->id,
             c->error.message ? c->error.message : "");
  orr_error_clear(&c->error);
  c->failed_at = NULL;
  return 0;
}

/* Throws the first error of the model's list whose condition holds, on completion and on
 * failure. */
static int throw_by_condition(context *c, rec_external_task *t, const node *n, bool failing, bool *thrown) {
  const service_task *s = n->service;
  *thrown = false;
  for (uint32_t i = 0; i < s->n_external_errors; i++) {
    const struct external_error *x = &s->external_errors[i];
    bool holds = false;
    int rc = condition_holds(c, t, n, &x->condition, &holds);
    if (failing && (rc == ORR_E_EXPRESSION || rc == ORR_E_SCRIPT)) rc = pass_over(c, n);
    if (rc) return rc;
    if (!holds) continue;
    bpmn_error error = {0};
    *thrown = true;
    rc = expr_text(c, &x->event.name, t->execution_id, n, &error.code);
    if (!rc) rc = expr_text(c, &x->event.error_message, t->execution_id, n, &error.message);
    if (!rc && !error.code) error.code = x->event.ref;
    if (!error.message) error.message = t->error.data;
    orr_id execution = t->execution_id;
    if (!rc) rc = external_remove(c, t, "deleted");
    return rc ? rc : throw_bpmn_error(c, execution, &error);
  }
  return 0;
}

/* Sets only what the model maps; the other variables of the worker are dropped. */
static int map_out(context *c, const rec_external_task *t, const node *n, const orr_value *variables) {
  const service_task *s = n->service;
  for (uint32_t i = 0; i < s->n_external_out; i++) {
    const call_mapping *m = &s->external_out[i];
    orr_value v = {0};
    if (expr_given(&m->source_expression)) {
      int rc = expr_value_over(c, &m->source_expression, variables, &v);
      if (rc) return rc;
    } else if (variables && variables->type == ORR_MAP && m->source) {
      v = orr_map_get(variables, m->source);
    }
    if (v.type == ORR_NIL) v = orr_null();
    const char *target = m->target;
    int rc = expr_given(&m->target_expression) ? expr_text(c, &m->target_expression, t->execution_id, n, &target) : 0;
    if (!rc && !target) rc = context_error(c, ORR_E_EXPRESSION, "%s \"%s\": an out parameter has no target", n->element, n->id);
    if (rc) return rc;
    rc = m->transient ? variable_set_transient(c, t->execution_id, target, &v, m->local)
         : m->local   ? variable_set_local(c, t->execution_id, target, &v)
                      : variable_set(c, t->execution_id, target, &v);
    if (rc) return rc;
  }
  return 0;
}

int external_complete(context *c, rec_external_task *t, const char *worker, const orr_value *variables,
                      const orr_value *local) {
  int rc = need_holder(c, t, worker);
  const node *n = rc ? NULL : external_node(c, t, NULL);
  if (!n) return c->error.code;
  tracing_join(c, "external task complete", t->topic.data, t->trace, t->instance_id);
  rc = variable_set_all(c, t->execution_id, local, true);
  if (!rc)
    rc = n->service->n_external_out ? map_out(c, t, n, variables) : variable_set_all(c, t->execution_id, variables, false);
  bool thrown;
  if (!rc) rc = throw_by_condition(c, t, n, false, &thrown);
  if (rc || thrown) return rc;
  rec_execution *e = execution_get(c, t->execution_id);
  if (!e) return c->error.code;
  rc = external_remove(c, t, "succeeded");
  return rc ? rc : plan_leave(c, e, n);
}

int external_bpmn_error(context *c, rec_external_task *t, const char *worker, const char *code, const char *message,
                        const orr_value *variables) {
  int rc = need_holder(c, t, worker);
  if (!rc && (!code || !*code)) rc = context_error(c, ORR_E_ARGUMENT, "a BPMN error needs a code");
  if (rc) return rc;
  tracing_join(c, "external task bpmn error", t->topic.data, t->trace, t->instance_id);
  bpmn_error error = {.code = code, .message = message};
  if (variables) error.variables = *variables;
  orr_id execution = t->execution_id;
  rc = external_remove(c, t, "deleted");
  return rc ? rc : throw_bpmn_error(c, execution, &error);
}

/* ---- Failures and retries -------------------------------------------------------------------- */

static bool retries_left(const rec_external_task *t) {
  return t->retries.type != ORR_INT || t->retries.as.integer > 0;
}

/* The task has an incident for as long as no retry is left. */
static int change_retries(context *c, rec_external_task *t, int64_t retries) {
  if (retries < 0) return context_error(c, ORR_E_ARGUMENT, "retries must not be negative");
  bool before = retries_left(t);
  if (context_touch(c, t)) return c->error.code;
  t->retries = orr_int(retries);
  if (before && retries == 0) {
    return incident_create(c, "failed_external_task", t->instance_id, t->execution_id, t->id, t->error.data,
                           t->activity_id.data, t->activity_id.data);
  }
  return !before && retries > 0 ? incident_resolve_job(c, t->id, false) : 0;
}

static int timeout_of(context *c, const orr_value *v, orr_duration *out) {
  orr_time until = c->now;
  *out = 0;
  if (v->type == ORR_NIL || v->type == ORR_NULL) return 0;
  if (v->type == ORR_INT && v->as.integer >= 0 && v->as.integer <= ISO_TIME_MAX / 1000) *out = v->as.integer * 1000;
  else if (v->type == ORR_FLOAT && v->as.number >= 0 && v->as.number <= (double)(ISO_TIME_MAX / 1000))
    *out = llround(v->as.number * 1000);
  else if (v->type == ORR_STRING && iso_is_duration(v->as.bytes, v->size) && !value_time(c, v, &until) && until >= c->now)
    *out = until - c->now;
  else if (!c->error.code)
    return context_error(c, ORR_E_ARGUMENT,
                         "retry_timeout must be a number of seconds or an ISO 8601 duration, and not negative");
  if (!c->error.code && *out > ISO_TIME_MAX - c->now)
    return context_error(c, ORR_E_ARGUMENT, "retry_timeout must end before the year 10000");
  return c->error.code;
}

static int retries_after(context *c, const rec_external_task *t, const definition *d, const orr_value *given, int64_t *out) {
  if (given->type == ORR_INT) {
    *out = given->as.integer;
    return *out < 0 ? context_error(c, ORR_E_ARGUMENT, "retries must not be negative") : 0;
  }
  if (given->type != ORR_NIL && given->type != ORR_NULL) return context_error(c, ORR_E_ARGUMENT, "retries must be an integer");
  if (d->dialect->external_fail_needs_retries)
    return context_error(c, ORR_E_ARGUMENT, "a failure must say how many retries are left");
  int64_t standing = t->retries.type == ORR_INT ? t->retries.as.integer : c->engine->config.retries;
  *out = standing > 0 ? standing - 1 : 0;
  return 0;
}

static rec_text external_text_of(context *c, const orr_value *map, const char *name) {
  orr_value v = orr_map_get(map, name);
  return v.type == ORR_STRING ? unit_text(c->u, v.as.bytes, v.size) : (rec_text){0};
}

static void relock_after_failure(context *c, rec_external_task *t, const definition *d, orr_duration timeout) {
  t->lock_expires = c->now + timeout;
  if (d->dialect->external_fail_needs_retries) return;
  t->worker = (rec_text){0};
  if (timeout == 0) t->lock_expires = 0;
}

int external_fail(context *c, rec_external_task *t, const char *worker, const orr_value *failure) {
  static const orr_value nothing = {.type = ORR_MAP};
  const definition *d;
  const node *n = external_node(c, t, &d);
  if (!n) return c->error.code;
  if (!failure || failure->type != ORR_MAP) failure = &nothing;
  orr_value retries = orr_map_get(failure, "retries"), timeout = orr_map_get(failure, "retry_timeout");
  orr_value variables = orr_map_get(failure, "variables"), local = orr_map_get(failure, "local_variables");
  int64_t left = 0;
  orr_duration wait = 0;
  int rc = need_worker(c, worker);
  if (!rc) rc = timeout_of(c, &timeout, &wait);
  if (!rc) rc = retries_after(c, t, d, &retries, &left);
  if (!rc) rc = need_holder(c, t, worker);
  if (!rc) tracing_join(c, "external task fail", t->topic.data, t->trace, t->instance_id);
  if (!rc) rc = variable_set_all(c, t->execution_id, &local, true);
  if (!rc) rc = variable_set_all(c, t->execution_id, &variables, false);
  bool thrown;
  if (!rc) rc = context_touch(c, t);
  if (rc) return rc;
  t->error = external_text_of(c, failure, "message");
  t->details = external_text_of(c, failure, "details");
  rc = throw_by_condition(c, t, n, true, &thrown);
  if (rc || thrown) return rc;
  rc = change_retries(c, t, left);
  if (!rc) rc = history_external(c, t, "failed");
  if (!rc) rc = limit_release_topic(c, t);
  if (!rc) relock_after_failure(c, t, d, wait);
  return rc;
}

int external_set_retries(context *c, rec_external_task *t, int64_t retries) {
  return change_retries(c, t, retries);
}

int external_set_priority(context *c, rec_external_task *t, int64_t priority) {
  if (context_touch(c, t)) return c->error.code;
  t->priority = priority;
  return 0;
}

/* ---- Locks ----------------------------------------------------------------------------------- */

static bool external_is_locked(const context *c, const rec_external_task *t) {
  return t->lock_expires > c->now;
}

int external_lock(context *c, rec_external_task *t, const char *worker, orr_duration duration, bool extend) {
  int rc = need_worker(c, worker);
  if (!rc && duration <= 0) rc = context_error(c, ORR_E_ARGUMENT, "a lock's duration must be positive");
  if (!rc && duration > ISO_TIME_MAX - c->now) rc = context_error(c, ORR_E_ARGUMENT, "a lock must end before the year 10000");
  if (!rc && extend) rc = need_holder(c, t, worker);
  if (rc) return rc;
  if (extend && !external_is_locked(c, t))
    return context_error(c, ORR_E_STATE, "the lock of external task %" PRIu64 " has expired", t->id);
  if (!extend && external_is_locked(c, t) && !rec_text_is(t->worker, worker)) {
    return context_error(c, ORR_E_STATE, "external task %" PRIu64 " is locked by \"%s\"", t->id,
                         t->worker.data ? t->worker.data : "nobody yet");
  }
  if (context_touch(c, t)) return c->error.code;
  t->worker = unit_textz(c->u, worker);
  t->lock_expires = c->now + duration;
  return limit_extend_topic(c, t);
}

int external_unlock(context *c, rec_external_task *t) {
  if (context_touch(c, t)) return c->error.code;
  t->worker = (rec_text){0};
  t->lock_expires = 0;
  return limit_release_topic(c, t);
}

int external_unlock_all(context *c, const char *worker, const char *topic) {
  unit_found found;
  rec_key key = {.text = {topic, topic ? strlen(topic) : 0}};
  int rc = topic ? unit_find_index(c->u, REC_INDEX_EXTERNAL_TOPIC, &key, 1, 0, &found, &c->error)
                 : unit_find_all(c->u, &rec_external_task_type, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_external_task *t = (rec_external_task *)found.items[i];
    if (t->worker.size > 0 && (!worker || rec_text_is(t->worker, worker))) rc = external_unlock(c, t);
  }
  return rc;
}
