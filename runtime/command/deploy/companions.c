/* A process finds its modules, scripts and forms in its own deployment alone. So deploying a
 * corrected module by itself changes nothing, and a model deployed by itself has no modules. Both
 * are allowed, and nobody notices before a job waits; hence the warnings. */
#include "command/deploy/companions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/value.h"
#include "command/deploy/deployed.h"
#include "command/deploy/modules.h"
#include "uow/find.h"

typedef struct companions {
  context *c;
  const rec_deployment *deployment;
  const orr_value *resources;
  problems *list;
} companions;

static const void *text_find(rec_text text, const char *word) {
  return word ? memmem(text.data, text.size, word, strlen(word)) : NULL;
}

/* ---- Files without a process ----------------------------------------------------------------- */

/* The versions that keep a file of this name. */
typedef struct keepers {
  const rec_definition *first;
  size_t count;
} keepers;

static const char *last_part(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash ? slash + 1 : name;
}

/* Does this version have a file of that name, and use it? It may use a module without naming it. */
static int keeps(context *c, const rec_definition *r, const char *name, bool *out) {
  *out = !!deployment_resource(c, r->deployment_id, (rec_text){name, strlen(name)});
  if (!*out || resource_is_module(name, strlen(name))) return c->error.code;
  const rec_resource *text = deployment_resource(c, r->deployment_id, r->resource);
  *out = text && text_find(text->bytes, last_part(name));
  return c->error.code;
}

/* The index has the newest versions of a key first. */
static int find_keepers(companions *k, const unit_found *all, const char *name, keepers *out) {
  const rec_definition *last = NULL;
  for (size_t i = 0; i < all->count; i++) {
    const rec_definition *r = (const rec_definition *)all->items[i];
    bool has;
    if (!rec_text_equal(r->tenant, k->deployment->tenant) ||
        (last && rec_text_equal(r->key, last->key)))
      continue;
    last = r;
    int rc = keeps(k->c, r, name, &has);
    if (rc) return rc;
    if (has && out->count++ == 0) out->first = r;
  }
  return 0;
}

static void warn_kept(companions *k, const char *name, const keepers *found) {
  const problem_place at = {name, 0, 0, NULL};
  const rec_definition *r = found->first;
  char others[48] = "";
  if (found->count > 1) snprintf(others, sizeof others, " and %zu more", found->count - 1);
  bool many = found->count > 1;
  problems_add(
      k->list, true, &at,
      "no process is deployed with it, so nothing changes: process \"%.*s\" version %" PRId64
      "%s %s the %s of %s; deploy the %s with it",
      (int)r->key.size, r->key.data, r->version, others, many ? "keep" : "keeps", name,
      many ? "their own deployments" : "its own deployment", many ? "models" : "model");
}

static int warn_alone(companions *k, const parsed_models *models) {
  orr_iterator at = orr_iterate(k->resources);
  orr_value name, bytes;
  unit_found all;
  int rc = unit_find_index(k->c->u, REC_INDEX_DEFINITION_KEY, NULL, 0, 0, &all, &k->c->error);
  while (!rc && orr_next(&at, &name, &bytes)) {
    keepers found = {0};
    const char *text = context_text(k->c, &name, "the name of a resource");
    rc = text ? find_keepers(k, &all, text, &found) : k->c->error.code;
    if (rc) break;
    const problem_place place = {text, 0, 0, NULL};
    if (found.count) warn_kept(k, text, &found);
    else if (!models->decisions && resource_is_module(text, strlen(text)))
      problems_add(k->list, true, &place,
                   "no process is deployed with it, and a process finds modules in its own "
                   "deployment alone: "
                   "deploy the model with it");
  }
  return rc;
}

/* ---- Processes without their modules --------------------------------------------------------- */

static int warn_left(companions *k, const definition *d, const rec_definition *before) {
  unit_found files;
  rec_key by = {.id = before->deployment_id};
  orr_value text = orr_map_get(k->resources, d->resource);
  int rc = unit_find_keys(k->c->u, &rec_resource_type, &by, 1, &files, &k->c->error);
  for (size_t i = 0; !rc && i < files.count; i++) {
    rec_text file = ((const rec_resource *)files.items[i])->name;
    if (!resource_is_module(file.data, file.size) ||
        orr_map_get(k->resources, file.data).type == ORR_STRING)
      continue;
    const char *module = module_name(k->c, file);
    const problem_place at = {d->resource, d->process->line, 0, d->key};
    if (!module) return context_memory(k->c);
    bool asked = module_asked_for(k->c, &text, module);
    rc = k->c->error.code;
    if (rc || !asked) continue;
    problems_add(k->list, true, &at,
                 "version %" PRId64
                 " of process \"%s\" had %.*s deployed with it, this one has not: "
                 "jobs wait for \"%s\" where it is not found elsewhere",
                 before->version, d->key, (int)file.size, file.data, module);
  }
  return rc;
}

/* Processes of one file that came in one deployment before are mentioned once. */
static int warn_versions(companions *k, const parsed_models *models,
                         const rec_definition *const *before) {
  const char *resource = NULL;
  orr_id deployment = 0;
  int rc = 0;
  for (uint32_t i = 0; i < models->count && !rc; i++) {
    const definition *d = models->items[i];
    if (!before[i] || (d->resource == resource && before[i]->deployment_id == deployment)) continue;
    resource = d->resource;
    deployment = before[i]->deployment_id;
    rc = warn_left(k, d, before[i]);
  }
  return rc;
}

/* ---- The log --------------------------------------------------------------------------------- */

typedef struct told {
  orr_engine *engine;
  const problem *items;
  uint32_t count;
  orr_id deployment;
} told;

static void log_told(void *ud) {
  const told *t = ud;
  for (uint32_t i = 0; i < t->count; i++)
    engine_log(t->engine, ORR_LOG_WARNING, NULL, "deployment %" PRIu64 ": %s: %s", t->deployment,
               t->items[i].resource, t->items[i].message);
}

int companions_warn(context *c, const rec_deployment *deployment, const orr_value *resources,
                    parsed_models *models, const rec_definition *const *before) {
  companions k = {c, deployment, resources, &models->problems};
  uint32_t known = models->problems.count;
  int rc = models->count ? warn_versions(&k, models, before) : warn_alone(&k, models);
  told *t = rc ? NULL : ARENA_NEW(c->arena, told);
  if (rc) return rc;
  if (!t) return context_memory(c);
  if (models->problems.count == known) return 0;
  *t = (told){c->engine, models->problems.items + known, models->problems.count - known,
              deployment->id};
  unit_after_commit(c->u, log_told, t);
  return 0;
}
