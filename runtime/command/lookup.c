/* Records by id or key, or ORR_E_NOT_FOUND. */
#include "command/lookup.h"

#include "state/execution.h"

#include "base/nearest.h"
#include "state/definition_versions.h"
#include "uow/find.h"

#include <inttypes.h>
#include <string.h>

static void *missing(context *c, const char *what, orr_id id) {
  if (c->error.code == 0) context_error(c, ORR_E_NOT_FOUND, "there is no %s %" PRIu64, what, id);
  return NULL;
}

rec_definition *lookup_definition(context *c, orr_id id) {
  rec_definition *r = unit_definition(c->u, id, &c->error);
  return r ? r : missing(c, "definition", id);
}

enum { KEYS_COMPARED_MAX = 1000 }; /* of definitions with a wrong key: a message is not worth more */

/* "; did you mean \"order\"?", whose the key is, or nothing. */
static const char *key_suggestion(context *c, const char *key) {
  nearest best = nearest_to(key, strlen(key));
  unit_found found;
  orr_error ignored = {0};
  if (unit_find_index(c->u, REC_INDEX_DEFINITION_KEY, NULL, 0, KEYS_COMPARED_MAX, &found, &ignored)) found.count = 0;
  orr_error_clear(&ignored);
  for (size_t i = 0; i < found.count; i++) {
    const rec_text known = ((const rec_definition *)found.items[i])->key;
    if (rec_text_is(known, key)) return " without a tenant; name one of those that have it";
    nearest_offer(&best, known.data, known.size);
  }
  const char *text = best.name ? arena_printf(c->arena, "; did you mean \"%.*s\"?", (int)best.size, best.name) : "";
  return text ? text : "";
}

rec_definition *lookup_latest(context *c, const char *key, const char *tenant, int64_t version) {
  rec_definition *r;
  if (definition_find(c, key, tenant, version, &r, &c->error) || r) return r;
  if (tenant && !*tenant) tenant = NULL; /* "without a tenant" */
  const char *of = tenant ? " of tenant " : "", *whose = tenant ? tenant : "";
  if (version != 0)
    context_error(c, ORR_E_NOT_FOUND, "there is no version %" PRId64 " of a definition \"%s\"%s%s", version, key, of, whose);
  else
    context_error(c, ORR_E_NOT_FOUND, "no definition with the key \"%s\"%s%s is deployed%s", key, of, whose,
                  tenant ? "" : key_suggestion(c, key));
  return NULL;
}

rec_deployment *lookup_deployment(context *c, orr_id id) {
  rec_deployment *r = unit_deployment(c->u, id, &c->error);
  return r ? r : missing(c, "deployment", id);
}

rec_instance *lookup_instance(context *c, orr_id id) {
  rec_instance *r = unit_instance(c->u, id, &c->error);
  return r ? r : missing(c, "running process instance", id);
}

rec_execution *lookup_execution(context *c, orr_id id) {
  rec_execution *r = unit_execution(c->u, id, &c->error);
  return r ? r : missing(c, "execution", id);
}

rec_task *lookup_task(context *c, orr_id id) {
  rec_task *t = unit_task(c->u, id, &c->error);
  return t ? t : missing(c, "task", id);
}

rec_job *lookup_job(context *c, orr_id id) {
  rec_job *job = unit_job(c->u, id, &c->error);
  return job ? job : missing(c, "job", id);
}

rec_job_definition *lookup_job_definition(context *c, orr_id id) {
  rec_job_definition *jd = unit_job_definition(c->u, id, &c->error);
  return jd ? jd : missing(c, "job definition", id);
}

rec_external_task *lookup_external_task(context *c, orr_id id) {
  rec_external_task *t = unit_external_task(c->u, id, &c->error);
  return t ? t : missing(c, "external task", id);
}

rec_incident *lookup_incident(context *c, orr_id id) {
  rec_incident *i = unit_incident(c->u, id, &c->error);
  return i ? i : missing(c, "incident", id);
}

int refuse_suspended(context *c, orr_id any_id_of_instance) {
  const rec_instance *i = context_instance(c, any_id_of_instance, &c->error);
  if (!i) return c->error.code;
  if (!instance_held(i)) return 0;
  return context_error(c, ORR_E_SUSPENDED, "process instance %" PRIu64 " is suspended: activate it first", i->id);
}

int refuse_writing(context *c, orr_id any_id_of_instance) {
  const rec_instance *i = context_instance(c, any_id_of_instance, &c->error);
  if (!i) return c->error.code;
  if (!instance_held(i) || execution_viewed(c, i->id)) return 0;
  const definition *d = context_definition(c, i->definition_id, &c->error);
  if (!d) return c->error.code;
  return d->dialect->suspended_variables_refused ? refuse_suspended(c, i->id) : 0;
}
