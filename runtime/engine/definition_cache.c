/* Graphs are rebuilt from the stored resource, so this table is only a cache: whatever it forgets comes back when it is
 * asked for. Looking up is one hash and one lock; parsing happens outside the lock, and when two threads parse the same
 * one the first stays. */
#include "engine/definition_cache.h"
#include "engine/parsed_files.h"

#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/table.h"
#include "base/value.h"
#include "model/definition.h"
#include "state/context.h"
#include "uow/find.h"

typedef struct cached {
  definition *d;
  uint64_t used; /* tick of the last look-up */
} cached;

struct definitions {
  orr_allocator allocator;
  pthread_mutex_t mutex;
  table by_id; /* of cached; ORR_DEFINITIONS_MAX at most */
  uint64_t tick;
  parsed_files *files;
};

definitions *definitions_new(const orr_allocator *allocator) {
  definitions *all = env_zalloc(allocator, sizeof *all);
  if (!all) return NULL;
  all->files = parsed_files_new(allocator);
  if (!all->files) {
    env_free(allocator, all, sizeof *all);
    return NULL;
  }
  all->allocator = *allocator;
  pthread_mutex_init(&all->mutex, NULL);
  return all;
}

static void entry_free(definitions *all, cached *gone) {
  definition_release(gone->d);
  env_free(&all->allocator, gone, sizeof *gone);
}

void definitions_free(definitions *all) {
  if (!all) return;
  for (uint32_t i = 0; all->by_id.slots && i <= all->by_id.mask; i++)
    if (all->by_id.slots[i].key) entry_free(all, all->by_id.slots[i].value);
  table_free(&all->by_id, &all->allocator);
  parsed_files_free(all->files);
  pthread_mutex_destroy(&all->mutex);
  orr_allocator allocator = all->allocator;
  env_free(&allocator, all, sizeof *all);
}

static void entry_remove(definitions *all, cached *gone) {
  table_remove(&all->by_id, gone->d->id);
  entry_free(all, gone);
}

static void evict_oldest(definitions *all) {
  cached *oldest = NULL;
  for (uint32_t i = 0; i <= all->by_id.mask; i++) {
    cached *at = all->by_id.slots[i].value;
    if (at && (!oldest || at->used < oldest->used)) oldest = at;
  }
  if (oldest) entry_remove(all, oldest);
}

static definition *cache_get(definitions *all, orr_id id) {
  definition *d = NULL;
  pthread_mutex_lock(&all->mutex);
  cached *entry = table_get(&all->by_id, id);
  if (entry) {
    entry->used = ++all->tick;
    d = definition_retain(entry->d);
  }
  pthread_mutex_unlock(&all->mutex);
  return d;
}

static int entry_add(definitions *all, definition *d) {
  if (table_get(&all->by_id, d->id)) return 0;
  cached *entry = env_zalloc(&all->allocator, sizeof *entry);
  if (!entry) return ORR_E_MEMORY;
  if (all->by_id.count == ORR_DEFINITIONS_MAX) evict_oldest(all);
  *entry = (cached){.d = definition_retain(d), .used = ++all->tick};
  int rc = table_put(&all->by_id, &all->allocator, d->id, entry);
  if (rc) entry_free(all, entry);
  return rc;
}

int definitions_put(orr_engine *engine, definition *d) {
  definitions *all = engine->definitions;
  pthread_mutex_lock(&all->mutex);
  int rc = entry_add(all, d);
  pthread_mutex_unlock(&all->mutex);
  return rc;
}

void definitions_drop(orr_engine *engine, orr_id id) {
  definitions *all = engine->definitions;
  pthread_mutex_lock(&all->mutex);
  cached *entry = table_get(&all->by_id, id);
  if (entry) entry_remove(all, entry);
  pthread_mutex_unlock(&all->mutex);
}

void definitions_drop_deployment(orr_engine *engine, orr_id deployment) {
  parsed_files_drop(engine->definitions->files, deployment);
}

/* ---- Rebuilding ------------------------------------------------------------------------------ */

/* The deployment's resources as a map, since scripts of a model may lie beside it. */
static int resources_of(context *c, orr_id deployment, orr_value *out, orr_builder **builder, orr_error *err) {
  unit_found found;
  rec_key key = {.id = deployment};
  int rc = unit_find_keys(c->u, &rec_resource_type, &key, 1, &found, err);
  if (rc) return rc;
  *builder = builder_new(&c->engine->env.allocator);
  if (!*builder) return error_memory(err);
  orr_builder_map(*builder);
  for (size_t i = 0; i < found.count; i++) {
    const rec_resource *r = (const rec_resource *)found.items[i];
    orr_value bytes = orr_bytes(r->bytes.data, r->bytes.size);
    orr_builder_key(*builder, r->name.data, r->name.size);
    orr_builder_add(*builder, &bytes);
  }
  orr_builder_end(*builder);
  return orr_builder_value(*builder, out, err);
}

/* Whether a task's type exists was asked when the model was deployed; one that is gone since fails when it is reached. */
static bool any_task_type(void *ud, const char *name) {
  (void)ud;
  (void)name;
  return true;
}

static definition *parse_stored(context *c, const rec_definition *r, const orr_value *resources, orr_error *err) {
  const char *name = r->resource.data;
  orr_value bytes = orr_map_get(resources, name);
  if (bytes.type != ORR_STRING) {
    error_set(err, ORR_E_STORE, "resource \"%s\" of definition %" PRIu64 " is missing", name, r->id);
    return NULL;
  }
  problems found = {.arena = c->arena};
  model_options options = {
      .allocator = &c->engine->env.allocator,
      .dialect = (int)c->engine->config.dialect,
      .resources = resources,
      .known_task_type = any_task_type,
      .stored = true,
  };
  model parsed = {0};
  if (model_parse(name, bytes.as.bytes, bytes.size, &options, &found, &parsed, err)) {
    error_wrap(err, "definition %" PRIu64 " (\"%s\") cannot be rebuilt from its resource", r->id, r->key.data);
    return NULL;
  }
  definition *d;
  int rc = parsed_files_keep(c->engine->definitions->files, r, &parsed, bytes.size, &d);
  if (rc) error_memory(err);
  else if (!d) error_set(err, ORR_E_STORE, "resource \"%s\" does not hold the process \"%s\"", name, r->key.data);
  return d;
}

static definition *parse_whole(context *c, const rec_definition *r, orr_error *err) {
  orr_builder *builder = NULL;
  orr_value resources = {0};
  int rc = resources_of(c, r->deployment_id, &resources, &builder, err);
  definition *d = rc ? NULL : parse_stored(c, r, &resources, err);
  orr_builder_free(builder);
  return d;
}

static definition *rebuild(context *c, orr_id id, orr_error *err) {
  rec_definition *r = unit_definition(c->u, id, err);
  if (!r) {
    if (err->code == 0) error_set(err, ORR_E_NOT_FOUND, "there is no definition %" PRIu64, id);
    return NULL;
  }
  definition *d;
  int rc = parsed_files_get(c->engine->definitions->files, r, &d);
  if (rc) error_memory(err);
  return rc || d ? d : parse_whole(c, r, err);
}

definition *definitions_get(orr_engine *engine, context *c, orr_id id, orr_error *err) {
  definition *d = cache_get(engine->definitions, id);
  if (d) return d;
  orr_error failure = {0};
  d = rebuild(c, id, &failure);
  if (!d) {
    error_move(err, &failure);
    return NULL;
  }
  definitions_put(engine, d); /* a cache that cannot remember is slow, not wrong */
  return d;
}

int definition_variables(context *c, const definition *d, orr_value *out) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  orr_builder_key(b, "variableContainer", strlen("variableContainer"));
  orr_builder_map(b);
  builder_put_given(b, "definitionKey", orr_string(d->key));
  builder_put_given(b, "definitionName", orr_string(d->name));
  builder_put_given(b, "definitionVersion", orr_int(d->version));
  builder_put_given(b, "deploymentId", value_of_id(c->arena, d->deployment_id));
  builder_put_given(b, "tenantId", orr_string(d->tenant));
  orr_builder_end(b);
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, out, &c->error);
  orr_builder_free(b);
  return rc;
}
