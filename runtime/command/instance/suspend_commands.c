/* Suspending and activating: definitions, instances, jobs; now, or at a time by a job.
 *
 * A suspended definition starts nothing and its job definitions make suspended jobs; a suspended instance refuses every
 * step, and what belongs to it (tasks, external tasks, jobs) says so too, so that queries and acquisition need not look at
 * the instance. */
#include <inttypes.h>

#include "base/builder.h"
#include "base/null.h"
#include "base/options.h"
#include "base/value.h"
#include "command/job/job_changes.h"
#include "command/lookup.h"
#include "command/deploy/start_events.h"
#include "command/instance/suspend_commands.h"
#include "command/operations.h"
#include "job/job.h"
#include "state/history.h"
#include "query/query.h"
#include "uow/find.h"

/* ---- Records --------------------------------------------------------------------------------- */

static int set_flag(context *c, void *record, bool *flag, bool suspended) {
  if (*flag == suspended) return 0;
  if (context_touch(c, record)) return c->error.code;
  *flag = suspended;
  return 0;
}

int suspend_job_record(context *c, rec_job *job, bool suspended) {
  if (job->suspended == suspended && job->held_by == 0) return 0;
  if (context_touch(c, job)) return c->error.code;
  job->suspended = suspended;
  job->held_by = 0; /* suspending or activating the job itself has the last word */
  int rc = suspended ? job_unlock(c, job) : 0; /* a run that is under way can no longer commit */
  return rc ? rc : job_place(c, job);
}

static int suspend_tasks(context *c, orr_id instance, bool suspended) {
  unit_found found;
  int rc = unit_find_group(c->u, &rec_task_type, orr_id_group(instance), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++)
    rc = set_flag(c, found.items[i], &((rec_task *)found.items[i])->suspended, suspended);
  if (!rc) rc = unit_find_group(c->u, &rec_external_task_type, orr_id_group(instance), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++)
    rc = set_flag(c, found.items[i], &((rec_external_task *)found.items[i])->suspended, suspended);
  return rc;
}

/* Jobs of called instances whose callers were suspended, and are activated now. */
typedef struct held_jobs {
  rec_job **items;
  size_t count, capacity;
} held_jobs;

/* Finds them for all instances before the first is activated. Otherwise the search would look
 * through the jobs of those before. */
static int find_held(context *c, orr_id holder, held_jobs *out) {
  unit_found held;
  rec_key by = {.id = holder};
  int rc = unit_find_index(c->u, REC_INDEX_JOB_HELD, &by, 1, 0, &held, &c->error);
  for (size_t i = 0; !rc && i < held.count; i++) {
    if (!ARENA_ROOM(c->arena, out->items, out->count, out->capacity, 8)) return context_memory(c);
    out->items[out->count++] = (rec_job *)held.items[i];
  }
  return rc;
}

static int release_held(context *c, const held_jobs *held) {
  int rc = 0;
  for (size_t i = 0; !rc && i < held->count; i++) rc = suspend_job_record(c, held->items[i], false);
  return rc;
}

/* Writes nothing for an instance that is in that state already, so its jobs do not lose to it. */
static int switch_instance(context *c, rec_instance *i, bool suspended) {
  if (i->suspended == suspended) return 0;
  int rc = set_flag(c, i, &i->suspended, suspended);
  return rc ? rc : history_instance_state(c, i, suspended ? "suspended" : "active");
}

static int switch_with_contents(context *c, rec_instance *i, bool suspended) {
  unit_found jobs;
  int rc = switch_instance(c, i, suspended);
  if (!rc) rc = suspend_tasks(c, i->id, suspended);
  if (!rc) rc = unit_find_group(c->u, &rec_job_type, orr_id_group(i->id), &jobs, &c->error);
  const definition *d = rc ? NULL : context_definition_of(c, i->id, &c->error);
  if (!d) return rc ? rc : c->error.code;
  for (size_t k = 0; !rc && k < jobs.count; k++) {
    rec_job *job = (rec_job *)jobs.items[k];
    bool dead = !job->retries && !d->dialect->dead_jobs_suspended;
    if (!dead || !suspended) rc = suspend_job_record(c, job, suspended);
  }
  return rc;
}

int suspend_instance_record(context *c, rec_instance *i, bool suspended) {
  held_jobs held = {0};
  int rc = suspended ? 0 : find_held(c, i->id, &held);
  if (!rc) rc = switch_with_contents(c, i, suspended);
  return rc ? rc : release_held(c, &held);
}

static int suspend_instances_of(context *c, orr_id definition_id, bool suspended) {
  unit_found found;
  rec_key by = {.id = definition_id};
  held_jobs held = {0};
  int rc = unit_find_every(c->u, REC_INDEX_INSTANCE_DEFINITION, &by, 1, &found, &c->error);
  for (size_t i = 0; !rc && !suspended && i < found.count; i++)
    rc = find_held(c, ((const rec_instance *)found.items[i])->id, &held);
  for (size_t i = 0; !rc && i < found.count; i++)
    rc = switch_with_contents(c, (rec_instance *)found.items[i], suspended);
  return rc ? rc : release_held(c, &held);
}

/* A definition with its job definitions and start timers. */
static int suspend_definition_record(context *c, rec_definition *r, bool suspended, bool instances) {
  unit_found found;
  int rc = set_flag(c, r, &r->suspended, suspended);
  if (!rc) rc = unit_find_group(c->u, &rec_job_definition_type, orr_id_group(r->id), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++)
    rc = set_flag(c, found.items[i], &((rec_job_definition *)found.items[i])->suspended, suspended);
  if (!rc) rc = definition_jobs(c, r->id, &found);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_job *job = (rec_job *)found.items[i];
    if (job->kind == ORR_JOB_TIMER_START) rc = suspend_job_record(c, job, suspended);
  }
  return !rc && instances ? suspend_instances_of(c, r->id, suspended) : rc;
}

/* Refuses to suspend again, where the dialect does. */
static int refuse_again(context *c, orr_id definition_id, bool is, bool wanted, const char *what, orr_id id) {
  const definition *d = is == wanted ? context_definition(c, definition_id, &c->error) : NULL;
  if (!d || !d->dialect->suspend_twice_fails) return c->error.code;
  return context_error(c, ORR_E_STATE, "%s %" PRIu64 " is %s already", what, id, is ? "suspended" : "active");
}

/* ---- Definitions ----------------------------------------------------------------------------- */

/* Which definitions are meant: one, or every version of a key. */
typedef struct target {
  orr_id definition;
  const char *key, *tenant;
  bool instances;
} target;

static bool tenant_fits(const rec_definition *r, const char *tenant) { return !tenant || rec_text_is(r->tenant, tenant); }

static int find_targets(context *c, const target *t, unit_found *out) {
  if (t->definition != 0) {
    rec_definition *r = lookup_definition(c, t->definition);
    if (!r) return c->error.code;
    out->items = ARENA_NEW(c->arena, rec_head *);
    if (!out->items) return context_memory(c);
    out->items[0] = &r->head;
    out->count = 1;
    return 0;
  }
  rec_key by = {.text = {t->key, strlen(t->key)}};
  int rc = unit_find_index(c->u, REC_INDEX_DEFINITION_KEY, &by, 1, 0, out, &c->error);
  if (rc) return rc;
  size_t kept = 0;
  for (size_t i = 0; i < out->count; i++)
    if (tenant_fits((const rec_definition *)out->items[i], t->tenant)) out->items[kept++] = out->items[i];
  out->count = kept;
  return kept > 0 ? 0 : context_error(c, ORR_E_NOT_FOUND, "no definition with the key \"%s\" is deployed", t->key);
}

static int suspend_targets(context *c, const target *t, bool suspended) {
  unit_found found;
  int rc = find_targets(c, t, &found);
  for (size_t i = 0; !rc && i < found.count; i++)
    rc = suspend_definition_record(c, (rec_definition *)found.items[i], suspended, t->instances);
  return rc;
}

/* A job that finds its work done is done; a caller gets an error. */
static int suspend_targets_now(context *c, const target *t, bool suspended) {
  unit_found found;
  int rc = find_targets(c, t, &found);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_definition *r = (const rec_definition *)found.items[i];
    rc = refuse_again(c, r->id, r->suspended, suspended, "process definition", r->id);
  }
  return rc ? rc : suspend_targets(c, t, suspended);
}

/* ---- Later ----------------------------------------------------------------------------------- */

static int keep_suspension_in_job(context *c, rec_job *job, const target *t) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  orr_builder_put(b, "instances", orr_bool(t->instances));
  if (t->definition == 0) orr_builder_put(b, "key", orr_string(t->key));
  if (t->definition == 0 && t->tenant) orr_builder_put(b, "tenant", orr_string(t->tenant));
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, &job->data, &c->error);
  orr_builder_free(b);
  return rc;
}

/* One job for all versions of a key: it also reaches those deployed until then. */
static int suspend_later(context *c, const target *t, bool suspended, orr_time at) {
  unit_found found;
  int rc = find_targets(c, t, &found);
  if (rc) return rc;
  definition *d = context_definition(c, ((const rec_definition *)found.items[0])->id, &c->error);
  if (!d) return c->error.code;
  rec_job *job = job_create(c, suspended ? ORR_JOB_SUSPEND : ORR_JOB_ACTIVATE, NULL, NULL, d, NULL, at);
  if (!job) return c->error.code;
  rc = keep_suspension_in_job(c, job, t);
  return rc ? rc : job_place(c, job);
}

static const char *suspend_text(context *c, const orr_value *map, const char *name) {
  orr_value value = orr_map_get(map, name);
  return value.type == ORR_STRING ? arena_strndup(c->arena, value.as.bytes, value.size) : NULL;
}

/* Without data: a deployment that becomes active. */
int suspend_job(context *c, rec_job *job) {
  bool done;
  int rc = job_definition_switch_job(c, job, &done);
  if (rc || done) return rc;
  target t = {.instances = orr_map_get(&job->data, "instances").as.boolean};
  t.key = suspend_text(c, &job->data, "key");
  t.tenant = suspend_text(c, &job->data, "tenant");
  if (!t.key) t.definition = job->definition_id;
  return suspend_targets(c, &t, job->kind == ORR_JOB_SUSPEND);
}

/* ---- Commands -------------------------------------------------------------------------------- */

typedef struct suspension {
  const orr_suspend_options *options;
  const orr_value *filter;
  const char *verb;
  bool suspended;
} suspension;

static int suspend_definition_body(context *c, void *ud) {
  const suspension *s = ud;
  const orr_suspend_options *o = s->options;
  if ((o->definition != 0) == !!o->key)
    return context_error(c, ORR_E_ARGUMENT, "either the id or the key of a definition is needed");
  target t = {.definition = o->definition, .key = o->key, .tenant = o->tenant, .instances = o->instances};
  int rc = o->at != 0 ? suspend_later(c, &t, s->suspended, o->at) : suspend_targets_now(c, &t, s->suspended);
  user_operation what = {.type = s->suspended ? "SuspendProcessDefinition" : "ActivateProcessDefinition",
                         .entity = "ProcessDefinition", .category = OPERATION_BY_OPERATOR, .definition = o->definition};
  if (!rc && o->key) rc = user_operation_texts(c, &what, "processDefinitionKey", NULL, o->key);
  return rc ? rc : user_operation_suspension(c, &what, s->suspended);
}

static int switch_definition(orr_engine *engine, const orr_suspend_options *given, bool suspended, orr_error *err) {
  orr_suspend_options own;
  const orr_suspend_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  suspension s = {.options = options, .suspended = suspended};
  return command_upkeep(engine, suspend_definition_body, &s, err);
}

int orr_engine_definition_suspend(orr_engine *engine, const orr_suspend_options *options, orr_error *err) {
  REQUIRE(options);
  return switch_definition(engine, options, true, err);
}

int orr_engine_definition_activate(orr_engine *engine, const orr_suspend_options *options, orr_error *err) {
  REQUIRE(options);
  return switch_definition(engine, options, false, err);
}

static bool of_jobs(const suspension *s) { return strcmp(s->verb, "jobs") == 0; }

static int suspend_thing(context *c, const suspension *s, orr_id id) {
  if (of_jobs(s)) {
    rec_job *job = unit_job(c->u, id, &c->error);
    int failed = job ? suspend_job_record(c, job, s->suspended) : c->error.code;
    if (failed || !job) return failed;
    user_operation on_job = operation_on_job(job, s->suspended ? "SuspendJob" : "ActivateJob");
    return user_operation_suspension(c, &on_job, s->suspended);
  }
  rec_instance *i = unit_instance(c->u, id, &c->error);
  if (!i) return c->error.code;
  bool named = orr_map_get(s->filter, "id").type != ORR_NIL;
  int rc = named ? refuse_again(c, i->definition_id, i->suspended, s->suspended, "process instance", i->id) : 0;
  if (!rc) rc = switch_with_contents(c, i, s->suspended);
  user_operation what = operation_on_instance(id, s->suspended ? "Suspend" : "Activate");
  return rc ? rc : user_operation_suspension(c, &what, s->suspended);
}

static const char *things(const suspension *s) { return of_jobs(s) ? "job" : "process instance"; }

/* A criterion that was nil by mistake must not suspend everything. */
static int require_criterion(context *c, const suspension *s) {
  if (s->filter && s->filter->type == ORR_MAP && s->filter->size > 0) return 0;
  return context_error(c, ORR_E_ARGUMENT, "which %ss? a criterion is needed; { suspended = %s } are all", things(s),
                       s->suspended ? "false" : "true");
}

/* Is there a definition of that key, of whatever tenant? */
static int require_key(context *c, const orr_value *key) {
  const rec_key by = {.text = {key->as.bytes, key->size}};
  unit_found found;
  int rc = unit_find_index(c->u, REC_INDEX_DEFINITION_KEY, &by, 1, 1, &found, &c->error);
  if (rc || found.count > 0) return rc;
  return context_error(c, ORR_E_NOT_FOUND, "no definition with the key \"%.*s\" is deployed", (int)key->size, key->as.bytes);
}

static int require_definition(context *c, const orr_value *id) {
  if (unit_definition(c->u, value_id(id), &c->error) || c->error.code) return c->error.code;
  return context_error(c, ORR_E_NOT_FOUND, "there is no such definition");
}

/* An id or a key that names nothing is a mistake; other criteria may well find nothing. */
static int require_found(context *c, const suspension *s, size_t count) {
  static const char *const keys[] = {"definition_key", "key"}, *const ids[] = {"definition_id", "definition"};
  int rc = 0;
  if (count > 0) return 0;
  if (orr_map_get(s->filter, "id").type != ORR_NIL)
    return context_error(c, ORR_E_NOT_FOUND, "there is no such %s", things(s));
  for (size_t i = 0; !rc && i < sizeof keys / sizeof *keys; i++) {
    orr_value key = orr_map_get(s->filter, keys[i]), id = orr_map_get(s->filter, ids[i]);
    if (key.type == ORR_STRING) rc = require_key(c, &key);
    if (!rc && (id.type == ORR_STRING || id.type == ORR_INT)) rc = require_definition(c, &id);
  }
  return rc;
}

static int suspend_things(context *c, const suspension *s, const orr_records *found) {
  size_t count = orr_records_count(found);
  held_jobs held = {0};
  int rc = 0;
  bool activated = !s->suspended && !of_jobs(s);
  for (size_t i = 0; !rc && activated && i < count; i++)
    rc = find_held(c, orr_records_id(found, i), &held);
  for (size_t i = 0; !rc && i < count; i++) rc = suspend_thing(c, s, orr_records_id(found, i));
  return rc ? rc : release_held(c, &held);
}

static int filter_body(context *c, void *ud) {
  const suspension *s = ud;
  orr_records *records = NULL;
  int rc = require_criterion(c, s);
  if (!rc) rc = query_run(c, s->verb, s->filter, &records, NULL, &c->error);
  if (rc) return rc;
  rc = require_found(c, s, orr_records_count(records));
  if (!rc) rc = suspend_things(c, s, records);
  orr_records_free(records);
  return rc;
}

static int switch_found(orr_engine *engine, const char *verb, const orr_value *filter, bool suspended, orr_error *err) {
  suspension s = {.filter = filter, .verb = verb, .suspended = suspended};
  return command_upkeep(engine, filter_body, &s, err);
}

int orr_engine_instances_suspend(orr_engine *engine, const orr_value *filter, orr_error *err) {
  REQUIRE(filter);
  return switch_found(engine, "instances", filter, true, err);
}

int orr_engine_instances_activate(orr_engine *engine, const orr_value *filter, orr_error *err) {
  REQUIRE(filter);
  return switch_found(engine, "instances", filter, false, err);
}

int orr_engine_jobs_suspend(orr_engine *engine, const orr_value *filter, orr_error *err) {
  REQUIRE(filter);
  return switch_found(engine, "jobs", filter, true, err);
}

int orr_engine_jobs_activate(orr_engine *engine, const orr_value *filter, orr_error *err) {
  REQUIRE(filter);
  return switch_found(engine, "jobs", filter, false, err);
}
