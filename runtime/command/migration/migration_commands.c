/* Migrating instances: all of a call, or none; with `async` each by a job of its own, which fails alone. */
#include "command/migration/migration_commands.h"

#include <inttypes.h>

#include "base/null.h"
#include "base/options.h"
#include "command/instance/instances.h"
#include "command/migration/migration_internal.h"
#include "command/operations.h"

/* NULL: an obstacle was added, or c->error. */
static rec_instance *find_instance(context *c, orr_id id, obstacles *g) {
  rec_instance *i = unit_instance(c->u, id, &c->error);
  if (!i && c->error.code == 0) obstacle_add_missing(g, id, "running");
  return i;
}

static int check_instances(const migration *m, const instances *moving, obstacles *g) {
  int rc = 0;
  for (uint32_t k = 0; !rc && k < moving->count; k++) {
    const rec_instance *i = find_instance(m->c, moving->ids[k], g);
    rc = i ? migration_check(m, i, g) : m->c->error.code;
  }
  return rc;
}

/* Finds all obstacles before it refuses. */
static int read_and_check(context *c, const orr_value *plan, const instances *moving, migration *m,
                          obstacles *g) {
  int rc = migration_read(c, plan, m, g);
  if (rc) return rc;
  migration_validate(m, g);
  return check_instances(m, moving, g);
}

static int apply_all(const migration *m, const instances *moving) {
  int rc = 0;
  for (uint32_t k = 0; !rc && k < moving->count; k++) {
    rec_instance *i = unit_instance(m->c->u, moving->ids[k], &m->c->error);
    rc = i ? migration_apply(m, i) : m->c->error.code;
  }
  return rc;
}

/* Reads the plan, checks it and each instance, and moves them all or none. */
static int migration_run(context *c, const orr_value *plan, const instances *moving) {
  migration m;
  obstacles g;
  int rc = obstacles_begin(c, &g);
  if (!rc) rc = read_and_check(c, plan, moving, &m, &g);
  if (!rc) rc = obstacles_refuse(&g);
  obstacles_end(&g);
  return rc ? rc : apply_all(&m, moving);
}

int migration_of_one(context *c, const orr_value *plan, orr_id instance) {
  return migration_run(c, plan, &(instances){&instance, 1});
}

/* ---- Checking -------------------------------------------------------------------------------- */

typedef struct check_call {
  const orr_value *plan;
  const orr_migrate_options *options;
  orr_builder *out;
} check_call;

static int read_instances(context *c, const orr_migrate_options *o, instances *out) {
  return instances_read(c, "instances", o->instances, o->filter, out);
}

static int migration_check_body(context *c, void *ud) {
  const check_call *call = ud;
  bool named = call->options->instances || call->options->filter;
  instances moving = {0};
  migration m;
  obstacles g;
  orr_value list;
  int rc = obstacles_begin(c, &g);
  if (!rc && named) rc = read_instances(c, call->options, &moving);
  if (!rc) rc = read_and_check(c, call->plan, &moving, &m, &g);
  if (!rc) rc = obstacles_value(&g, &list);
  if (!rc) orr_builder_add(call->out, &list);
  obstacles_end(&g);
  return rc;
}

int migration_check_plan(context *c, const orr_value *plan) {
  migration m;
  obstacles g;
  int rc = obstacles_begin(c, &g);
  if (!rc) rc = read_and_check(c, plan, &(instances){0}, &m, &g);
  if (!rc) rc = obstacles_refuse(&g);
  obstacles_end(&g);
  return rc;
}

int orr_engine_migration_check(orr_engine *engine, const orr_value *plan, const orr_migrate_options *given, orr_builder *out,
                               orr_error *err) {
  REQUIRE(plan);
  orr_migrate_options own;
  const orr_migrate_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  check_call call = {plan, options, out};
  return command_read(engine, migration_check_body, &call, err);
}

/* ---- Migrating ------------------------------------------------------------------------------- */

typedef struct migrate_call {
  const orr_value *plan;
  const orr_migrate_options *options;
  int64_t *count;
} migrate_call;

/* What follows from moving (a conditional event that holds now, a join that is complete) runs
 * before the flags are restored. */
static int migrate_now(context *c, const migrate_call *call, const instances *moving) {
  bool skip_listeners = c->skip_listeners, skip_io_mappings = c->skip_io_mappings;
  uint32_t mark = c->agenda.count;
  c->skip_listeners = skip_listeners || call->options->skip_listeners;
  c->skip_io_mappings = skip_io_mappings || call->options->skip_io_mappings;
  int rc = migration_run(c, call->plan, moving);
  if (!rc) rc = command_run_planned(c, mark);
  c->skip_listeners = skip_listeners;
  c->skip_io_mappings = skip_io_mappings;
  return rc;
}

/* Checks the plan now. The jobs check the instances, which run on until then. */
static int migrate_later(context *c, const migrate_call *call, const instances *moving) {
  const orr_migrate_options *o = call->options;
  instance_work work = {*call->plan, o->skip_listeners, o->skip_io_mappings};
  migration m;
  obstacles g;
  int rc = obstacles_begin(c, &g);
  if (!rc) rc = read_and_check(c, call->plan, &(instances){0}, &m, &g);
  for (uint32_t k = 0; !rc && k < moving->count; k++) {
    find_instance(c, moving->ids[k], &g);
    rc = c->error.code;
  }
  if (!rc) rc = obstacles_refuse(&g);
  obstacles_end(&g);
  for (uint32_t k = 0; !rc && k < moving->count; k++)
    rc = instance_job_create(c, ORR_JOB_MIGRATE, unit_instance(c->u, moving->ids[k], &c->error), &work);
  return rc;
}

/* The context is the job's own, so what it skips need not be restored. */
int migrate_job(context *c, rec_job *job) {
  instance_work work;
  instance_job_work(job, &work);
  c->skip_listeners = work.skip_listeners;
  c->skip_io_mappings = work.skip_io_mappings;
  return migration_of_one(c, &work.what, job->instance_id);
}

static int migrate_body(context *c, void *ud) {
  const migrate_call *call = ud;
  instances moving;
  int rc = read_instances(c, call->options, &moving);
  *call->count = moving.count;
  if (rc) return rc;
  if (call->options->instances && moving.count == 0)
    return context_error(c, ORR_E_ARGUMENT, "the list of instances to migrate is empty: name one, or give a filter");
  rc = call->options->async ? migrate_later(c, call, &moving) : migrate_now(c, call, &moving);
  orr_value target = orr_map_get(call->plan, "target_definition_id");
  for (uint32_t k = 0; !rc && k < moving.count; k++) {
    user_operation what = operation_on_instance(moving.ids[k], "Migrate");
    rc = user_operation_log(c, &what, "processDefinitionId", NULL, &target);
  }
  return rc;
}

int orr_engine_instances_migrate(orr_engine *engine, const orr_value *plan, const orr_migrate_options *given, int64_t *out,
                       orr_error *err) {
  REQUIRE(plan);
  REQUIRE_AS(given, "options");
  OUT_PLAIN(int64_t, out);
  *out = 0;
  orr_migrate_options own;
  const orr_migrate_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  migrate_call call = {plan, options, out};
  int rc = command_run(engine, migrate_body, &call, err);
  if (rc) *out = 0;
  return rc;
}
