/* Making, placing and removing jobs. */
#include "job/job.h"

#include <assert.h>
#include <string.h>

#include "engine/engine.h"
#include "job/exclusive.h"
#include "job/limit.h"
#include "job/retry.h"
#include "state/definition_versions.h"
#include "state/execution.h"
#include "state/expression.h"
#include "state/history.h"
#include "state/incident.h"
#include "state/numbers.h"
#include "state/tracing.h"
#include "state/variable.h"
#include "uow/relation.h"

/* ---- Job definitions ----------------------------------------------------------------------------
 * Their ids follow from definition, node and kind, so a job finds its own without a search. Locals below FIRST stay free for
 * records of the definition's group. */

enum { JOB_DEFINITION_FIRST = 16, JOB_DEFINITION_KINDS = 16 };

static orr_id job_definition_id(const definition *d, const node *n, int kind) {
  if (kind >= JOB_DEFINITION_KINDS) return 0;
  uint64_t local = JOB_DEFINITION_FIRST + (uint64_t)n->index * JOB_DEFINITION_KINDS + (uint64_t)kind;
  return local <= ORR_LOCAL_MAX ? orr_id_make(orr_id_group(d->id), (uint32_t)local) : 0;
}

static int define_job(context *c, const definition *d, const node *n, int kind, bool suspended) {
  orr_id id = job_definition_id(d, n, kind);
  if (!id) return context_error(c, ORR_E_LIMIT, "\"%s\" has too many nodes for job definitions", d->key);
  rec_job_definition *r = unit_new_job_definition(c->u, id);
  if (!r) return context_memory(c);
  r->definition_id = d->id;
  r->definition_key = unit_textz(c->u, d->key);
  r->deployment_id = d->deployment_id;
  r->node = n->index + 1;
  r->activity_id = unit_textz(c->u, n->id);
  r->type = unit_textz(c->u, job_type_name(kind));
  r->handler = unit_textz(c->u, job_handler_name(kind));
  r->tenant = unit_textz(c->u, d->tenant);
  r->suspended = suspended;
  return 0;
}

/* The timer job that a node's event can make, or 0. */
static int timer_kind_of_node(const node *n) {
  if (n->event.type != EVENT_TIMER) return 0;
  switch (n->type) {
    case NODE_START_EVENT:
      if (!n->scope) return 0;
      return n->scope->type == NODE_PROCESS ? ORR_JOB_TIMER_START
             : n->scope->type == NODE_EVENT_SUB_PROCESS ? ORR_JOB_TIMER_EVENT_SUBPROCESS : 0;
    case NODE_BOUNDARY_EVENT: return ORR_JOB_TIMER_BOUNDARY;
    case NODE_CATCH_EVENT: return ORR_JOB_TIMER_CATCH;
    default: return 0;
  }
}

/* A receiver of a signal may get it by a job, however it is sent. */
static bool hears_signal(const node *n) {
  bool catches = n->type == NODE_START_EVENT || n->type == NODE_BOUNDARY_EVENT || n->type == NODE_CATCH_EVENT;
  return catches && n->event.type == EVENT_SIGNAL;
}

static bool has_task_timer(const node *n) {
  if (n->type != NODE_USER_TASK) return false;
  for (uint32_t i = 0; i < n->user->listeners.count; i++)
    if (n->user->listeners.items[i].event == LISTENER_TIMEOUT && n->user->listeners.items[i].timer) return true;
  return false;
}

/* Messages and triggers that arrive by a job have no job definition, because only their sender
 * decides that a job delivers them. */
int job_definitions_create(context *c, const definition *d, bool suspended) {
  for (uint32_t i = 0; i < d->n_nodes; i++) {
    const node *n = d->nodes[i];
    bool before = n->async_before || (n->multi && n->multi->async_before);
    bool after = n->async_after || (n->multi && n->multi->async_after);
    int rc = 0;
    if (before) rc = define_job(c, d, n, ORR_JOB_ASYNC_BEFORE, suspended);
    if (!rc && after) rc = define_job(c, d, n, ORR_JOB_ASYNC_AFTER, suspended);
    if (!rc && timer_kind_of_node(n)) rc = define_job(c, d, n, timer_kind_of_node(n), suspended);
    if (!rc && hears_signal(n)) rc = define_job(c, d, n, ORR_JOB_SIGNAL_ASYNC, suspended);
    if (!rc && has_task_timer(n)) rc = define_job(c, d, n, ORR_JOB_TIMER_TASK_LISTENER, suspended);
    if (rc) return rc;
  }
  return 0;
}

orr_id job_definition_find(context *c, const definition *d, const node *n, int kind) {
  orr_id id = n ? job_definition_id(d, n, kind) : 0;
  return id && unit_job_definition(c->u, id, &c->error) ? id : 0;
}

/* ---- Creation -------------------------------------------------------------------------------- */

static bool prioritized(const context *c) { return c->engine->config.produce_prioritized_jobs != ORR_OFF; }

orr_time job_due(const context *c, orr_time due) {
  return due ? due : c->engine->config.ensure_due_not_null == ORR_ON ? c->now : 0;
}

/* By dialect, an expression that cannot be resolved is ignored; one that gives no integer is an
 * error. */
static int expression_priority(context *c, orr_id scope_id, const definition *d, const node *n, int64_t *out) {
  const expr *e = n && expr_given(&n->job_priority) ? &n->job_priority : &d->job_priority;
  if (!expr_given(e)) return 0;
  orr_value value;
  int rc = scope_id ? expr_value(c, e, scope_id, n, &value) : expr_value_over(c, e, NULL, &value);
  if (!rc) return expr_integer_from(c, e, n, &value, out);
  if (d->dialect->bad_priority_fails || rc == ORR_E_MEMORY || rc == ORR_E_STORE || rc == RUN_CANCELED) return rc;
  engine_log(c->engine, ORR_LOG_WARNING, NULL, "priority %s of \"%s\" in \"%s\" cannot be resolved, 0 is used: %s", e->text,
             n ? n->id : d->key, d->key, c->error.message ? c->error.message : "");
  orr_error_clear(&c->error);
  return 0;
}

/* Precedence: the job definition's override, the activity, the process, 0. With an override the
 * expression is not evaluated, so an override helps against an expression that fails. */
static int assign_priority(context *c, rec_job *job, const rec_job_definition *jd, orr_id scope_id, const definition *d,
                           const node *n) {
  if (!prioritized(c)) return 0;
  if (!jd || !jd->has_priority) return expression_priority(c, scope_id, d, n, &job->priority);
  job->priority = jd->priority_override;
  return 0;
}

static orr_id new_job_id(context *c, rec_instance *instance) {
  if (instance) return numbers_next_id(c, instance);
  orr_id first = unit_new_group(c->u, &c->error); /* it has a group of its own; local 1 would be an instance */
  return first ? first + 1 : 0;
}

/* A key that is null limits nothing. */
static int read_limit_key(context *c, rec_job *job, orr_id scope_id, const node *n) {
  const char *key;
  if (!n || !scope_id || !expr_given(&n->limit_key)) return 0;
  int rc = expr_text(c, &n->limit_key, scope_id, n, &key);
  if (rc || !key) return rc;
  if (strlen(key) > ORR_NAME_BYTES_MAX)
    return context_error(c, ORR_E_LIMIT, "\"%s\": its limitKey has %zu bytes; the limit is %d", n->id, strlen(key),
                         ORR_NAME_BYTES_MAX);
  job->limit_key = unit_textz(c->u, key);
  return 0;
}

/* The commit relies on the job definition, so a job that is made while that is suspended, or given
 * another priority, does not miss the change. */
static int apply_job_definition(context *c, rec_job *job, orr_id scope_id, const definition *d, const node *n) {
  orr_id id = n ? job_definition_id(d, n, job->kind) : 0;
  rec_job_definition *jd = id ? job_definition_record(c, id) : NULL;
  if (c->error.code) return c->error.code;
  if (jd && unit_rely(c->u, jd)) return context_memory(c);
  if (jd) {
    job->job_definition_id = id;
    job->suspended = job->suspended || jd->suspended;
  }
  return assign_priority(c, job, jd, scope_id, d, n);
}

static void fill_from_instance(rec_job *job, const rec_instance *instance) {
  job->instance_id = instance->id;
  job->root_id = instance->root_id;
  job->definition_id = instance->definition_id;
  job->definition_key = instance->definition_key;
  job->suspended = instance->suspended;
  job->tenant = instance->tenant;
}

static bool exclusive_of(int kind, const rec_execution *e, const node *n) {
  if (!n) return true;
  if (e && e->kind == EXECUTION_MULTI_INSTANCE && n->multi) return n->multi->exclusive;
  return kind == ORR_JOB_ASYNC_AFTER ? n->exclusive_after : n->exclusive;
}

/* A job belongs to its token, or else to the instance, and is deleted with it. A token names the
 * async job that continues it; for other jobs a flag of the scope says that there are some. */
static int hang(context *c, rec_job *job, rec_instance *instance, rec_execution *e) {
  scope s = {.record = e ? &e->head : &instance->head,
             .instance = e ? NULL : instance,
             .execution = e,
             .id = e ? e->id : instance->id};
  job->execution_id = s.id;
  if (unit_attach(c->u, job)) return context_memory(c);
  return job_continues_token(job->kind) ? 0 : scope_flag(c, &s, ORR_SCOPE_JOBS);
}

/* Deleting a definition deletes its jobs, so the commit relies on the definition. */
static int rely_on_definition(context *c, const definition *d) {
  rec_definition *r = unit_definition(c->u, d->id, &c->error);
  return r && unit_rely(c->u, r) ? context_memory(c) : c->error.code;
}

/* Evaluates the expressions of the model. If one of them cancels the token, the job is deleted,
 * too: nothing else names it yet. */
static int evaluate_settings(context *c, rec_job *job, orr_id scope_id, const definition *d, const node *n) {
  int rc = apply_job_definition(c, job, scope_id, d, n);
  if (!rc) rc = retry_initial(c, job, scope_id, d, n, &job->retries);
  if (!rc) rc = read_limit_key(c, job, scope_id, n);
  bool there = job->head.state != REC_DELETED && job->head.state != REC_VOID;
  if (rc == RUN_CANCELED && there && unit_delete(c->u, job)) return context_memory(c);
  return rc;
}

rec_job *job_create(context *c, int kind, rec_instance *instance, rec_execution *e, const definition *d, const node *n,
                    orr_time due) {
  orr_id id = new_job_id(c, instance);
  rec_job *job = id ? unit_new_job(c->u, id) : NULL;
  if (!job) {
    if (!c->error.code) context_memory(c);
    return NULL;
  }
  job->kind = (uint8_t)kind;
  job->node = n ? n->index + 1 : 0;
  if (instance) fill_from_instance(job, instance);
  else {
    if (rely_on_definition(c, d)) return NULL;
    job->definition_id = d->id;
    job->definition_key = unit_textz(c->u, d->key);
    job->tenant = unit_textz(c->u, d->tenant);
  }
  if (instance && hang(c, job, instance, e)) return NULL;
  job->deployment_id = d->deployment_id;
  job->created = context_stamp(c);
  job->due = job_due(c, due);
  job->exclusive = instance && exclusive_of(kind, e, n);
  if (evaluate_settings(c, job, e ? e->id : instance ? instance->id : 0, d, n)) return NULL;
  /* a start timer makes the next one, and so on, so each firing has a trace of its own */
  if (instance || !job_kind_is_timer(job->kind)) job->trace = tracing_kept(c, instance ? instance->id : 0);
  if (history_job(c, job, "created", NULL)) return NULL;
  return job;
}

rec_job *job_create_housekeeping(context *c, int kind, int64_t priority, orr_time due) {
  orr_id id = new_job_id(c, NULL);
  return id ? job_create_with_id(c, id, kind, priority, due) : NULL;
}

rec_job *job_create_with_id(context *c, orr_id id, int kind, int64_t priority, orr_time due) {
  rec_job *job = unit_new_job(c->u, id);
  if (!job) {
    if (!c->error.code) context_memory(c);
    return NULL;
  }
  job->kind = (uint8_t)kind;
  job->created = context_stamp(c);
  job->priority = prioritized(c) ? priority : 0;
  job->due = job_due(c, due);
  return retry_initial(c, job, 0, NULL, NULL, &job->retries) ? NULL : job;
}

/* ---- Placing --------------------------------------------------------------------------------- */

static int remember_new(context *c, rec_job *job) {
  if (job->remembered) return 0;
  if (!ARENA_ROOM(c->arena, c->created.jobs, c->created.count, c->created.capacity, 8)) return context_memory(c);
  c->created.jobs[c->created.count++] = &job->head;
  job->remembered = true;
  return 0;
}

/* The state that follows from the fields. */
static int job_state_of(const rec_job *job, orr_time now) {
  if (job->suspended) return ORR_JOB_SUSPENDED;
  if (job->retries <= 0) return ORR_JOB_EXHAUSTED;
  if (job->owner) return ORR_JOB_LOCKED;
  return job->due > now ? ORR_JOB_WAITING : ORR_JOB_READY;
}

int job_place(context *c, rec_job *job) {
  int state = job_state_of(job, c->now);
  if (state != job->state) {
    if (context_touch(c, job)) return c->error.code;
    job->state = (uint8_t)state;
  }
  return state == ORR_JOB_READY || state == ORR_JOB_WAITING ? remember_new(c, job) : 0;
}

int job_unlock(context *c, rec_job *job) {
  if (!job->owner) return 0;
  if (context_touch(c, job)) return c->error.code;
  int rc = job->exclusive ? exclusive_release(c, job) : 0;
  if (!rc) rc = limit_release(c, job);
  job->exclusive_scope = 0;
  job->owner = 0;
  if (job->quarantine == JOB_BEGUN) job->quarantine = JOB_WATCHED;
  return rc;
}

const rec_owner *job_owner_of(context *c, uint64_t number) {
  rec_owner key = {.number = number};
  const rec_owner *owner = number ? unit_owner_key(c->u, &key, &c->error) : NULL;
  if (owner || !number || c->error.code) return owner;
  key.fenced = 1;
  return unit_owner_key(c->u, &key, &c->error);
}

const rec_owner *job_owner(context *c, const rec_job *job) { return job_owner_of(c, job->owner); }

int job_remove(context *c, rec_job *job) {
  int rc = 0;
  if (job->owner && job->exclusive && job != c->job) rc = exclusive_release(c, job);
  if (!rc) rc = limit_release(c, job);
  bool failed = job->retries <= 0 || job->failures || job->error.size; /* its state may be another one */
  if (!rc && failed) rc = incident_resolve_job(c, job->id, job != c->job);
  if (rc) return rc;
  if (job->execution_id) {
    rec_execution *e = execution_get(c, job->execution_id);
    if (c->error.code) return c->error.code;
    if (e && e->job_id == job->id) {
      if (context_touch(c, e)) return c->error.code;
      e->job_id = 0;
    }
  }
  if (job != c->job) rc = history_job(c, job, "deleted", NULL); /* the running job has written its own end */
  if (rc) return rc;
  return unit_delete(c->u, job) ? context_memory(c) : 0;
}
