/* Deploying: in one commit, resources become a deployment, its definitions, and what their start
 * events wait for.
 *
 * Everything is checked before anything is written, so a refused deployment leaves a surrounding
 * transaction usable. Two deployments that race for a key, a name or a message conflict through
 * guard rows, and the later one is tried again. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/builder.h"
#include "base/null.h"
#include "base/options.h"
#include "base/value.h"
#include "command/decisions.h"
#include "command/deploy/changed.h"
#include "command/deploy/companions.h"
#include "command/deploy/deployed.h"
#include "command/deploy/models.h"
#include "command/deploy/modules.h"
#include "command/deploy/scripts.h"
#include "command/deploy/start_events.h"
#include "command/deploy/time_to_live_commands.h"
#include "command/guard_row.h"
#include "command/lookup.h"
#include "command/operations.h"
#include "engine/definition_cache.h"
#include "engine/parsed_files.h"
#include "exec/task/task.h"
#include "exec/task/task_create.h"
#include "executor/deployments.h"
#include "job/job.h"
#include "state/definition_versions.h"
#include "state/expression.h"
#include "state/variable.h"
#include "uow/find.h"

#define DEPLOY_ATTEMPTS 10 /* each loses to somebody who won, so this many in a row means a crowd, not bad luck */

typedef struct deploy {
  const orr_value *resources;
  const orr_deploy_options *options;
  orr_records **out;
  parsed_models models;
  const rec_definition **before; /* the version before of each model's process; NULL: none */
  rec_deployment *deployment;
  rec_text tenant;
  bool filter, changed_only;
} deploy;

static rec_text deploy_text_of(const orr_value *value) { return (rec_text){value->as.bytes, value->size}; }

/* ---- Arguments ------------------------------------------------------------------------------- */

static int check_resources(context *c, const orr_value *resources) {
  if (!resources || resources->type != ORR_MAP)
    return context_error(c, ORR_E_ARGUMENT, "resources must be a map of names to bytes");
  orr_iterator at = orr_iterate(resources);
  orr_value name, bytes;
  bool any = false;
  while (orr_next(&at, &name, &bytes)) {
    any = true;
    if (name.size == 0 || name.size > ORR_NAME_BYTES_MAX)
      return context_error(c, ORR_E_ARGUMENT, "a resource's name has %u bytes; 1 to %d are allowed", name.size,
                           ORR_NAME_BYTES_MAX);
    if (bytes.type != ORR_STRING)
      return context_error(c, ORR_E_ARGUMENT, "resource \"%.*s\" is no text", (int)name.size, name.as.bytes);
  }
  return any ? 0 : context_error(c, ORR_E_ARGUMENT, "a deployment needs at least one resource");
}

static int read_options(context *c, deploy *d) {
  const orr_deploy_options *options = d->options;
  const char *filter = options->filter_duplicates;
  d->tenant = unit_textz(c->u, options->tenant);
  if (!filter || strcmp(filter, "false") == 0) return 0;
  d->filter = true;
  d->changed_only = strcmp(filter, "changed") == 0;
  if (!d->changed_only && strcmp(filter, "true") != 0)
    return context_error(c, ORR_E_ARGUMENT, "filter_duplicates is \"%s\"; it must be \"true\" or \"changed\"", filter);
  return 0;
}

/* ---- Duplicates ------------------------------------------------------------------------------ */

/* Deployments of the same name and tenant, oldest first. */
static int namesakes(context *c, const deploy *d, unit_found *out) {
  rec_key by = {.text = unit_textz(c->u, d->options->name)};
  int rc = unit_find_index(c->u, REC_INDEX_DEPLOYMENT_NAME, &by, 1, 0, out, &c->error);
  if (rc) return rc;
  size_t kept = 0;
  for (size_t i = 0; i < out->count; i++)
    if (rec_text_equal(((const rec_deployment *)out->items[i])->tenant, d->tenant)) out->items[kept++] = out->items[i];
  out->count = kept;
  return 0;
}

/* Does `deployment` hold exactly these resources? */
static int same_resources(context *c, const deploy *d, orr_id deployment, bool *same) {
  unit_found found;
  rec_key by = {.id = deployment};
  *same = false;
  int rc = unit_find_keys(c->u, &rec_resource_type, &by, 1, &found, &c->error);
  if (rc || found.count != orr_count(d->resources)) return rc;
  for (size_t i = 0; i < found.count; i++) {
    const rec_resource *r = (const rec_resource *)found.items[i];
    orr_value mine = orr_map_get(d->resources, r->name.data);
    if (mine.type != ORR_STRING || !rec_text_equal(deploy_text_of(&mine), r->bytes)) return 0;
  }
  *same = true;
  return 0;
}

/* Finds the deployment that makes this one needless; else d->deployment stays NULL. Without a name nothing is a duplicate. */
static int filter_duplicates(context *c, deploy *d) {
  if (!d->filter || !d->options->name || !*d->options->name) return 0;
  unit_found earlier;
  int rc = namesakes(c, d, &earlier);
  if (rc || earlier.count == 0) return rc;
  rec_deployment *last = (rec_deployment *)earlier.items[earlier.count - 1];
  if (d->changed_only) {
    rc = changed_resources(c, &earlier, d->resources, &d->resources);
    if (!rc && orr_count(d->resources) == 0) d->deployment = last;
    return rc;
  }
  bool same;
  rc = same_resources(c, d, last->id, &same);
  if (!rc && same) d->deployment = last;
  return rc;
}

/* ---- Records --------------------------------------------------------------------------------- */

static int create_deployment(context *c, deploy *d) {
  orr_id id = unit_new_group(c->u, &c->error);
  if (id == 0) return c->error.code;
  rec_deployment *r = unit_new_deployment(c->u, id);
  if (!r) return context_memory(c);
  r->name = unit_textz(c->u, d->options->name);
  r->time = context_stamp(c);
  r->tenant = d->tenant;
  r->source = unit_textz(c->u, d->options->source);
  r->active_at = d->options->activate_at;
  d->deployment = r;
  orr_iterator at = orr_iterate(d->resources);
  orr_value name, bytes;
  while (orr_next(&at, &name, &bytes)) {
    if (!context_text(c, &name, "the name of a resource")) return c->error.code;
    rec_resource key = {.deployment_id = id, .name = deploy_text_of(&name)};
    rec_resource *resource = unit_new_resource(c->u, &key);
    if (!resource) return context_memory(c);
    resource->bytes = unit_text(c->u, bytes.as.bytes, bytes.size);
  }
  return 0;
}

typedef struct name_list {
  rec_text *items;
  size_t count;
} name_list;

static int add_name(context *c, void *ud, const char *name) {
  name_list *list = ud;
  rec_text *grown = arena_grow(c->arena, list->items, list->count * sizeof *grown, (list->count + 1) * sizeof *grown);
  if (!grown) return context_memory(c);
  list->items = grown;
  list->items[list->count++] = unit_textz(c->u, name);
  return 0;
}

/* Users or groups: literals, or expressions that give a text with commas or an array. */
static int starter_names(context *c, const expr *exprs, uint32_t n, rec_texts *out) {
  name_list list = {0};
  for (uint32_t i = 0; i < n; i++) {
    orr_value value;
    int rc = expr_value_over(c, &exprs[i], NULL, &value);
    if (!rc) rc = task_each_name(c, &value, add_name, &list);
    if (rc) return rc;
  }
  *out = (rec_texts){list.items, list.count};
  return 0;
}

/* A form is shown before the start event is known: that of the none start event, else the first
 * one. */
static const char *start_form_key(const definition *graph) {
  const node *process = graph->process;
  if (process->start && process->start->form_key) return process->start->form_key;
  for (uint32_t i = 0; i < process->n_children; i++)
    if (process->children[i]->type == NODE_START_EVENT && process->children[i]->form_key) return process->children[i]->form_key;
  return NULL;
}

static int fill_definition(context *c, const deploy *d, const definition *graph, rec_definition *r) {
  r->key = unit_textz(c->u, graph->key);
  r->version_tag = unit_textz(c->u, graph->version_tag);
  r->name = unit_textz(c->u, graph->name);
  r->category = unit_textz(c->u, graph->category);
  r->deployment_id = d->deployment->id;
  r->resource = unit_textz(c->u, graph->resource);
  r->tenant = d->tenant;
  r->suspended = d->options->activate_at > c->now;
  r->documentation = unit_textz(c->u, graph->documentation);
  r->history_time_to_live = time_to_live_value(c, graph->history_time_to_live);
  r->startable = graph->startable;
  r->start_form_key = unit_textz(c->u, start_form_key(graph));
  int rc = starter_names(c, graph->starters.users, graph->starters.n_users, &r->starter_users);
  return rc ? rc : starter_names(c, graph->starters.groups, graph->starters.n_groups, &r->starter_groups);
}

static int activate_later(context *c, const definition *d, orr_time at) {
  rec_job *job = job_create(c, ORR_JOB_ACTIVATE, NULL, NULL, d, NULL, at);
  return job ? job_place(c, job) : c->error.code;
}

/* Removes the start events of the version before. Done for all definitions before the first is
 * made, because finds look through everything that the unit has made. */
static int replace_latest(context *c, const deploy *d, definition *graph,
                          const rec_definition **before) {
  unit_found versions;
  int rc = guard_row_write(c, "definition", d->tenant, graph->key);
  if (!rc) rc = definition_versions(c, graph->key, d->tenant, &versions);
  if (rc) return rc;
  const rec_definition *latest = versions.count ? (const rec_definition *)versions.items[0] : NULL;
  *before = latest;
  graph->version = latest ? latest->version + 1 : 1;
  return latest ? start_events_remove(c, latest->id) : 0;
}

/* A start timer whose expression fails is found only when its job is made. */
static int refuse_start_events(context *c, deploy *d, const definition *graph, int rc) {
  if (rc != ORR_E_EXPRESSION && rc != ORR_E_ARGUMENT) return rc;
  const problem_place at = {graph->resource, graph->process->line, 0, graph->key};
  problems_add(&d->models.problems, false, &at, "%s",
               c->error.message ? c->error.message : orr_strerror(rc));
  return models_refuse(c, &d->models);
}

static int create_definition(context *c, deploy *d, definition *graph) {
  orr_id id = unit_new_group(c->u, &c->error);
  rec_definition *r = id != 0 ? unit_new_definition(c->u, id) : NULL;
  if (!r) return id != 0 ? context_memory(c) : c->error.code;
  r->version = graph->version;
  int rc = fill_definition(c, d, graph, r);
  if (!rc && definition_bind(graph, r)) rc = context_memory(c);
  if (!rc) rc = job_definitions_create(c, graph, r->suspended);
  if (!rc) rc = refuse_start_events(c, d, graph, start_events_create(c, graph, r));
  if (!rc && r->suspended) rc = activate_later(c, graph, d->options->activate_at);
  return rc;
}


static int create_definitions(context *c, deploy *d) {
  d->before = ARENA_ARRAY(c->arena, const rec_definition *, d->models.count);
  int rc = d->before ? create_deployment(c, d) : context_memory(c);
  if (!rc && d->filter) rc = guard_row_write(c, "deployment", d->tenant, d->options->name ? d->options->name : "");
  for (uint32_t i = 0; i < d->models.count && !rc; i++) rc = replace_latest(c, d, d->models.items[i], &d->before[i]);
  for (uint32_t i = 0; i < d->models.count && !rc; i++) {
    rc = create_definition(c, d, d->models.items[i]);
    if (!rc) definitions_put(c->engine, d->models.items[i]);
  }
  for (const parsed_decisions *one = d->models.decisions; one && !rc; one = one->next)
    rc = decisions_create(c, d->deployment, one);
  user_operation what = operation_on_deployment(d->deployment ? d->deployment->id : 0, "Create");
  return rc ? rc : user_operation_texts(c, &what, "name", NULL, d->options->name);
}

/* ---- Registering ----------------------------------------------------------------------------- */

typedef struct registration {
  orr_engine *engine;
  orr_id *deployments;
  size_t count;
} registration;

static void register_here(void *ud) {
  const registration *r = ud;
  for (size_t i = 0; i < r->count; i++) {
    orr_error err = {0};
    if (deployment_register(r->engine, r->deployments[i], &err))
      engine_log(r->engine, ORR_LOG_WARNING, NULL, "deployment %" PRIu64 " could not be registered: %s", r->deployments[i],
                 err.message);
    orr_error_clear(&err);
  }
}

/* The process that deploys has the code of what it deploys, even if nothing of it is new, and of
 * what it deployed under this name before, perhaps before a restart: instances of that still
 * run. */
static int register_deployed(context *c, const deploy *d) {
  unit_found named = {NULL, 0};
  bool has_name = d->options->name && *d->options->name;
  int rc = has_name ? namesakes(c, d, &named) : 0;
  registration *r = ARENA_NEW(c->arena, registration);
  orr_id *ids = ARENA_ARRAY(c->arena, orr_id, named.count + 1);
  if (!rc && (!r || !ids)) rc = context_memory(c);
  if (rc) return rc;
  *r = (registration){c->engine, ids, 0};
  ids[r->count++] = d->deployment->id;
  for (size_t i = 0; i < named.count; i++) {
    orr_id id = ((const rec_deployment *)named.items[i])->id;
    if (id != d->deployment->id) ids[r->count++] = id;
  }
  unit_after_commit(c->u, register_here, r);
  return 0;
}

/* ---- The command ----------------------------------------------------------------------------- */

static int answer_deployment(context *c, deploy *d) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_value warnings;
  problems_put(&d->models.problems, true, b);
  int rc = orr_builder_value(b, &warnings, &c->error);
  if (!rc) rc = deployment_records(c, d->deployment, &warnings, d->out);
  orr_builder_free(b);
  return rc;
}

static int deploy_models(context *c, deploy *d) {
  int rc = models_parse(c, d->resources, &d->models);
  if (!rc && !c->engine->host) scripts_refuse(&d->models);
  if (!rc) rc = modules_check(c, d->resources, &d->models.problems);
  if (!rc && d->models.problems.errors == 0)
    rc = start_events_check(c, d->models.items, d->models.count, d->options->tenant, &d->models.problems);
  if (!rc && d->models.problems.errors > 0) rc = models_refuse(c, &d->models);
  if (!rc) rc = create_definitions(c, d);
  if (!rc) rc = companions_warn(c, d->deployment, d->resources, &d->models, d->before);
  return rc;
}

static int deploy_body(context *c, void *ud) {
  deploy *d = ud;
  int rc = check_resources(c, d->resources);
  if (!rc) rc = read_options(c, d);
  if (!rc) rc = filter_duplicates(c, d);
  if (!rc && !d->deployment) rc = deploy_models(c, d);
  if (!rc) rc = register_deployed(c, d);
  if (!rc) rc = answer_deployment(c, d);
  models_release(&d->models);
  return rc;
}

static void deploy_forget(orr_records **out) {
  orr_records_free(*out);
  *out = NULL;
}

static int deploy_attempt(context *c, void *ud) {
  deploy d = *(const deploy *)ud; /* what was asked; an attempt before has worked on a copy of its own */
  deploy_forget(d.out);
  return deploy_body(c, &d);
}

int orr_engine_deploy(orr_engine *engine, const orr_value *resources, const orr_deploy_options *given, orr_records **out,
                      orr_error *err) {
  REQUIRE(resources);
  OUT_RECORDS(out);
  *out = NULL;
  orr_deploy_options own;
  const orr_deploy_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  deploy asked = {.resources = resources, .options = options, .out = out};
  int rc = command_retry(engine, DEPLOY_ATTEMPTS, deploy_attempt, &asked, err);
  if (rc) deploy_forget(out);
  return rc;
}

/* ---- Checking alone -------------------------------------------------------------------------- */

typedef struct checking {
  const orr_value *resources;
  const orr_check_options *options;
  orr_builder *out;
} checking;

static int deploy_check_body(context *c, void *ud) {
  checking *k = ud;
  parsed_models models = {0};
  int rc = check_resources(c, k->resources);
  if (!rc) rc = models_parse(c, k->resources, &models);
  if (!rc && (k->options->no_scripts || !c->engine->host)) scripts_refuse(&models);
  if (!rc) rc = modules_check(c, k->resources, &models.problems);
  if (!rc && models.problems.errors == 0) rc = start_events_check(c, models.items, models.count, NULL, &models.problems);
  if (!rc) problems_put(&models.problems, false, k->out);
  models_release(&models);
  return rc;
}

int orr_engine_deployment_check(orr_engine *engine, const orr_value *resources,
    const orr_check_options *given, orr_builder *out,
                     orr_error *err) {
  REQUIRE(resources);
  orr_check_options own;
  const orr_check_options *options = options_take(&own, sizeof own, given, err);
  if (!options) return ORR_E_ARGUMENT;
  checking k = {resources, options, out};
  return command_read(engine, deploy_check_body, &k, err);
}

typedef struct resource_read {
  orr_id deployment;
  const char *name;
  orr_builder *out;
} resource_read;

static int resource_body(context *c, void *ud) {
  resource_read *r = ud;
  const rec_resource *found = deployment_resource(c, r->deployment, (rec_text){r->name, strlen(r->name)});
  if (!found && c->error.code == 0)
    return context_error(c, ORR_E_NOT_FOUND, "there is no resource \"%s\" in deployment %" PRIu64, r->name, r->deployment);
  if (!found) return c->error.code;
  orr_value bytes = orr_bytes(found->bytes.data, found->bytes.size);
  orr_builder_add(r->out, &bytes);
  return 0;
}

int orr_engine_deployment_resource(orr_engine *engine, orr_id deployment, const char *name, orr_builder *out, orr_error *err) {
  REQUIRE(name);
  resource_read r = {deployment, name, out};
  return command_read(engine, resource_body, &r, err);
}

static int resource_names_body(context *c, void *ud) {
  resource_read *r = ud;
  unit_found found;
  rec_key by = {.id = r->deployment};
  if (!lookup_deployment(c, r->deployment)) return c->error.code;
  int rc = unit_find_keys(c->u, &rec_resource_type, &by, 1, &found, &c->error);
  if (rc) return rc;
  orr_builder_array(r->out);
  for (size_t i = 0; i < found.count; i++) {
    const rec_resource *resource = (const rec_resource *)found.items[i];
    orr_value name = orr_bytes(resource->name.data, resource->name.size);
    orr_builder_add(r->out, &name);
  }
  orr_builder_end(r->out);
  return 0;
}

int orr_engine_deployment_resources(orr_engine *engine, orr_id deployment, orr_builder *out,
    orr_error *err) {
  resource_read r = {deployment, NULL, out};
  return command_read(engine, resource_names_body, &r, err);
}
