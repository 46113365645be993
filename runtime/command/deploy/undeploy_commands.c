/* Deleting definitions and deployments. When the latest version of a key goes, the one before takes over its start events. */
#include <inttypes.h>

#include "command/decisions.h"
#include "command/deploy/start_events.h"
#include "command/guard_row.h"
#include "command/instance/purge.h"
#include "command/lookup.h"
#include "command/operations.h"
#include "engine/definition_cache.h"
#include "exec/agenda.h"
#include "exec/instance.h"
#include "executor/deployments.h"
#include "job/job.h"
#include "state/definition_versions.h"
#include "uow/find.h"

/* ---- Instances ------------------------------------------------------------------------------- */

static int instances_of_definition(context *c, orr_id definition_id, unit_found *out) {
  rec_key by = {.id = definition_id};
  return unit_find_every(c->u, REC_INDEX_INSTANCE_DEFINITION, &by, 1, out, &c->error);
}

static int delete_all_running(context *c, const rec_definition *r, uint32_t flags) {
  unit_found found;
  uint32_t mark = c->agenda.count;
  int rc = instances_of_definition(c, r->id, &found);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_instance *instance = unit_instance(c->u, ((const rec_instance *)found.items[i])->id, &c->error);
    if (!instance) rc = c->error.code; /* gone with its caller */
    else rc = instance_delete(c, instance, "its definition was deleted", flags);
    if (!rc) rc = command_run_planned(c, mark);
  }
  return rc;
}

/* They are deleted in any case: a failure of a listener is logged, and output mappings are skipped,
 * because their instance is deleted, too. */
static int delete_running(context *c, const rec_definition *r, orr_cascade cascade) {
  bool forgiving = c->ignores_failures, skip_io_mappings = c->skip_io_mappings;
  c->ignores_failures = c->skip_io_mappings = true;
  int rc = delete_all_running(c, r, cascade == ORR_CASCADE_QUIETLY ? OP_SKIP_LISTENERS : 0);
  c->ignores_failures = forgiving;
  c->skip_io_mappings = skip_io_mappings;
  return rc;
}

static int refuse_running(context *c, const rec_definition *r) {
  unit_found found;
  int rc = instances_of_definition(c, r->id, &found);
  if (rc || found.count == 0) return rc;
  return context_error(c, ORR_E_STATE,
                       "definition %" PRIu64 " (\"%s\", version %" PRId64
                       ") has %zu running instance%s: end %s, or delete with cascade",
                       r->id, r->key.data, r->version, found.count, found.count == 1 ? "" : "s",
                       found.count == 1 ? "it" : "them");
}

/* ---- A definition ---------------------------------------------------------------------------- */

/* For each deleted definition that was the latest, the newest remaining version becomes it. */
static int restore_earlier(context *c, rec_definition *const *gone, size_t count) {
  unit_found earlier = {ARENA_ARRAY(c->arena, rec_head *, count + 1), 0};
  if (!earlier.items) return context_memory(c);
  for (size_t i = 0; i < count; i++) {
    unit_found versions;
    int rc = definition_versions(c, gone[i]->key.data, gone[i]->tenant, &versions);
    if (rc) return rc;
    if (versions.count > 0) earlier.items[earlier.count++] = versions.items[0];
  }
  return start_events_restore(c, &earlier);
}

static int delete_group(context *c, const rec_type *type, orr_id id) {
  unit_found found;
  int rc = unit_find_group(c->u, type, orr_id_group(id), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++)
    if (unit_delete(c->u, found.items[i])) rc = context_memory(c);
  return rc;
}

static int delete_jobs(context *c, orr_id definition_id) {
  unit_found found;
  int rc = definition_jobs(c, definition_id, &found);
  for (size_t i = 0; !rc && i < found.count; i++) rc = job_remove(c, (rec_job *)found.items[i]);
  return rc;
}

typedef struct forgotten {
  orr_engine *engine;
  orr_id definition, deployment;
} forgotten;

static void forget(void *ud) {
  const forgotten *f = ud;
  if (f->definition != 0) definitions_drop(f->engine, f->definition);
  if (f->deployment != 0) {
    definitions_drop_deployment(f->engine, f->deployment);
    deployment_unregister(f->engine, f->deployment);
  }
  engine_thread *thread = f->definition != 0 ? engine_thread_get(f->engine, NULL) : NULL;
  if (thread && thread->host) thread->host->methods->forget(thread->host, f->definition);
}

static int forget_later(context *c, orr_id definition_id, orr_id deployment) {
  forgotten *f = ARENA_NEW(c->arena, forgotten);
  if (!f) return context_memory(c);
  *f = (forgotten){c->engine, definition_id, deployment};
  unit_after_commit(c->u, forget, f);
  return 0;
}

static int is_latest(context *c, const rec_definition *r, bool *out) {
  unit_found versions;
  int rc = definition_versions(c, r->key.data, r->tenant, &versions);
  *out = !rc && versions.items[0] == &r->head;
  return rc;
}

/* *latest: it was the latest, so start events of another version may come back. Commands that
 * delete or deploy a version of the same key meet at its guard row, because the latest must not
 * change meanwhile. A start relies on the definition, and here all its instances are counted, so
 * none is left without it. */
static int delete_definition(context *c, rec_definition *r, orr_cascade cascade, bool *latest) {
  orr_id id = r->id;
  int rc = cascade ? delete_running(c, r, cascade) : refuse_running(c, r);
  if (!rc) rc = guard_row_write(c, "definition", r->tenant, r->key.data);
  if (!rc) rc = is_latest(c, r, latest);
  if (!rc) rc = start_events_remove(c, id);
  if (!rc) rc = delete_jobs(c, id);
  if (!rc && cascade) rc = purge_definition(c, id);
  if (!rc) rc = delete_group(c, &rec_job_definition_type, id);
  if (rc) return rc;
  if (unit_delete(c->u, r)) return context_memory(c);
  return forget_later(c, id, 0);
}

/* ---- Commands -------------------------------------------------------------------------------- */

typedef struct removal {
  orr_id id;
  orr_cascade cascade;
} removal;

static int undeploy_definition_body(context *c, void *ud) {
  const removal *what = ud;
  rec_definition *r = lookup_definition(c, what->id);
  if (!r) return c->error.code;
  user_operation what_for = operation_on_definition(r, "Delete");
  what_for.deployment = r->deployment_id;
  bool latest = false;
  rec_head *gone = &r->head;
  int rc = delete_definition(c, r, what->cascade, &latest);
  if (!rc && what->cascade) rc = purge_job_log(c, &(unit_found){&gone, 1});
  if (!rc && latest) rc = restore_earlier(c, &r, 1);
  return rc ? rc : user_operation_texts(c, &what_for, "cascade", NULL, what->cascade ? "true" : "false");
}

int orr_engine_definition_delete(orr_engine *engine, orr_id definition_id, orr_cascade cascade, orr_error *err) {
  removal what = {definition_id, cascade};
  return command_run(engine, undeploy_definition_body, &what, err);
}

/* The check comes before the first change, so that a refused command leaves a surrounding transaction usable. */
static int check_unused(context *c, const unit_found *definitions_found, bool cascade) {
  int rc = 0;
  for (size_t i = 0; !rc && !cascade && i < definitions_found->count; i++)
    rc = refuse_running(c, (const rec_definition *)definitions_found->items[i]);
  return rc;
}

static int delete_resources(context *c, orr_id deployment) {
  unit_found found;
  rec_key by = {.id = deployment};
  int rc = unit_find_keys(c->u, &rec_resource_type, &by, 1, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++)
    if (unit_delete(c->u, found.items[i])) rc = context_memory(c);
  return rc;
}

/* Deletes all of them before any earlier version comes back. Otherwise, finding what belongs to a
 * definition would look through what the start events of others have brought. */
static int delete_definitions(context *c, const unit_found *all, orr_cascade cascade) {
  int rc = 0;
  size_t restored = 0;
  rec_definition **latest = ARENA_ARRAY(c->arena, rec_definition *, all->count);
  if (!latest) return context_memory(c);
  for (size_t i = 0; !rc && i < all->count; i++) {
    rec_definition *r = (rec_definition *)all->items[i];
    bool was_latest = false;
    rc = delete_definition(c, r, cascade, &was_latest);
    if (was_latest) latest[restored++] = r;
  }
  /* not before: jobs that are deleted are logged, too */
  if (!rc && cascade) rc = purge_job_log(c, all);
  return rc ? rc : restore_earlier(c, latest, restored);
}

static int deployment_body(context *c, void *ud) {
  const removal *what = ud;
  unit_found found;
  rec_key by = {.id = what->id};
  rec_deployment *deployment = lookup_deployment(c, what->id);
  if (!deployment) return c->error.code;
  int rc = unit_find_index(c->u, REC_INDEX_DEFINITION_DEPLOYMENT, &by, 1, 0, &found, &c->error);
  if (!rc) rc = check_unused(c, &found, what->cascade);
  if (!rc) rc = delete_definitions(c, &found, what->cascade);
  if (!rc) rc = decisions_delete(c, what->id, what->cascade);
  if (!rc) rc = delete_resources(c, what->id);
  if (!rc && unit_delete(c->u, deployment)) rc = context_memory(c);
  if (!rc) rc = forget_later(c, 0, what->id);
  user_operation done = operation_on_deployment(what->id, "Delete");
  return rc ? rc : user_operation_texts(c, &done, "cascade", NULL, what->cascade ? "true" : "false");
}

int orr_engine_deployment_delete(orr_engine *engine, orr_id deployment, orr_cascade cascade, orr_error *err) {
  removal what = {deployment, cascade};
  return command_run(engine, deployment_body, &what, err);
}
