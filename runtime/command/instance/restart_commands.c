/* Starting ended instances again, as new ones: from their history, at places that instructions name. */
#include "command/instance/restart_commands.h"

#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/null.h"
#include "base/options.h"
#include "base/value.h"
#include "command/instance/instances.h"
#include "command/lookup.h"
#include "command/migration/migration_internal.h"
#include "command/instance/modify_commands.h"
#include "command/instance/start_commands.h"
#include "command/operations.h"
#include "query/results.h"
#include "uow/find.h"

typedef struct restart {
  orr_id definition;
  const orr_restart_options *options;
  orr_records **out;
} restart;

/* The variables that its own scope had in the end. */
static int last_variables(context *c, const rec_history_instance *row, orr_value *out) {
  unit_found found;
  rec_key key[2] = {{.id = row->id}, {.id = row->id}};
  int rc = unit_find_keys(c->u, &rec_history_variable_type, key, 2, &found, &c->error);
  if (rc) return rc;
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  for (size_t i = 0; i < found.count; i++) {
    const rec_history_variable *v = (const rec_history_variable *)found.items[i];
    orr_builder_key(b, v->name.data, v->name.size);
    orr_builder_add(b, &v->value);
  }
  orr_builder_end(b);
  rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}

static int check_history_row(context *c, const restart *r, orr_id id, obstacles *g) {
  const rec_history_instance *row = unit_history_instance(c->u, id, &c->error);
  struct obstacle_at about = {.instance = id};
  if (!row) {
    if (c->error.code == 0) obstacle_add_missing(g, id, "history of a");
    return c->error.code;
  }
  if (row->ended_at == 0)
    obstacle_add(g, about, "process instance %" PRIu64 " still runs: modify it", id);
  if (row->definition_id != r->definition)
    obstacle_add(g, about,
                 "process instance %" PRIu64 " ran by definition %" PRIu64 ", not by %" PRIu64, id,
                 row->definition_id, r->definition);
  if (r->options->initial_variables && row->start_variables.type != ORR_MAP)
    obstacle_add(g, about,
                 "the variables that process instance %" PRIu64
                 " began with are kept only with history = \"full\"",
                 id);
  return 0;
}

static int check_restart(context *c, const restart *r, const instances *old) {
  obstacles g;
  int rc = obstacles_begin(c, &g);
  for (uint32_t i = 0; !rc && i < old->count; i++) rc = check_history_row(c, r, old->ids[i], &g);
  if (!rc) rc = obstacles_refuse(&g);
  obstacles_end(&g);
  return rc;
}

static int restart_one(context *c, const restart *r, definition *d, orr_id id, rec_instance **out) {
  const orr_restart_options *o = r->options;
  const rec_history_instance *row = unit_history_instance(c->u, id, &c->error);
  if (!row) return c->error.code;
  orr_value variables = row->start_variables;
  int rc = o->initial_variables ? 0 : last_variables(c, row, &variables);
  if (rc) return rc;
  start_request request = {
      .definition = d,
      .variables = &variables,
      .business_key = o->without_business_key || row->business_key.size == 0 ? NULL : row->business_key.data,
      .tenant = row->tenant.size > 0 ? row->tenant.data : NULL,
  };
  start_mode mode = {
      .instructions = o->instructions && orr_count(o->instructions) > 0 ? o->instructions : NULL,
      .flags = modify_flags(o->skip_listeners, o->skip_io_mappings),
      .async = o->async,
  };
  return start_in_mode(c, &request, &mode, out);
}

int restart_from_history(context *c, orr_id definition_id, const orr_restart_options *options, orr_id ended) {
  restart r = {.definition = definition_id, .options = options};
  rec_instance *started;
  int rc = check_restart(c, &r, &(instances){&ended, 1});
  definition *d = rc ? NULL : context_definition(c, definition_id, &c->error);
  return d ? restart_one(c, &r, d, ended, &started) : c->error.code;
}

static int restart_all(context *c, const restart *r, definition *d, const instances *old) {
  uint32_t mark = c->agenda.count;
  rec_head **started = ARENA_ARRAY(c->arena, rec_head *, old->count + 1);
  if (!started) return context_memory(c);
  int rc = 0;
  for (uint32_t i = 0; !rc && i < old->count; i++) {
    rec_instance *instance = NULL;
    rc = restart_one(c, r, d, old->ids[i], &instance);
    if (!rc) started[i] = &instance->head;
  }
  if (!rc) rc = command_run_planned(c, mark);
  return rc ? rc : records_from(c, &rec_instance_type, started, old->count, r->out, &c->error);
}

static int restart_body(context *c, void *ud) {
  const restart *r = ud;
  instances old;
  if (!lookup_definition(c, r->definition)) return c->error.code;
  definition *d = context_definition(c, r->definition, &c->error);
  if (!d) return c->error.code;
  int rc = instances_read(c, "history_instances", r->options->instances, r->options->filter, &old);
  if (!rc && r->options->instructions && orr_count(r->options->instructions) > 0)
    rc = modify_check(c, d, r->options->instructions, true);
  if (!rc) rc = check_restart(c, r, &old);
  for (uint32_t k = 0; !rc && k < old.count; k++) {
    user_operation what = operation_on_instance(old.ids[k], "RestartProcessInstance");
    what.definition = r->definition;
    rc = user_operation_log(c, &what, NULL, NULL, NULL);
  }
  return rc ? rc : restart_all(c, r, d, &old);
}

int orr_engine_instances_restart(orr_engine *engine, orr_id definition_id, const orr_restart_options *given, orr_records **out,
                       orr_error *err) {
  REQUIRE_AS(given, "options");
  OUT_RECORDS(out);
  *out = NULL;
  orr_restart_options own;
  const orr_restart_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  restart r = {definition_id, options, out};
  int rc = command_run(engine, restart_body, &r, err);
  if (rc) {
    orr_records_free(*out);
    *out = NULL;
  }
  return rc;
}
