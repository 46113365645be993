/* Incidents: one where it happened and one for each calling instance, each pointing at its cause. */
#include "state/incident.h"

#include "engine/engine.h"
#include "state/history.h"
#include "uow/find.h"

/* The incident of one instance of a call hierarchy. `cause`: the called instance's, NULL for the one where it happened. */
static rec_incident *incident_new(context *c, rec_instance *i, const rec_incident *cause) {
  orr_id id = i ? unit_next_id(c->u, i, &c->error) : unit_new_group(c->u, &c->error);
  rec_incident *n = id ? unit_new_incident(c->u, id) : NULL;
  if (!n) {
    if (!c->error.code) context_memory(c);
    return NULL;
  }
  n->time = context_stamp(c);
  n->cause_id = cause ? cause->id : id;
  n->root_cause_id = cause ? cause->root_cause_id : id;
  if (i) {
    n->instance_id = i->id;
    n->definition_id = i->definition_id;
    n->definition_key = i->definition_key;
    n->tenant = i->tenant;
  }
  return n;
}

static int mark(context *c, rec_instance *i, orr_id execution) {
  if (context_touch(c, i)) return c->error.code;
  i->flags |= ORR_SCOPE_INCIDENTS;
  rec_execution *e = execution ? execution_get(c, execution) : NULL;
  if (!e) return c->error.code;
  if (context_touch(c, e)) return c->error.code;
  e->flags |= ORR_SCOPE_INCIDENTS;
  return 0;
}

/* One for every caller, outwards, each caused by the one below it. */
static int create_for_callers(context *c, const rec_instance *called, const rec_incident *cause) {
  while (called->super_execution) {
    const rec_execution *e = execution_get(c, called->super_execution);
    if (!e) return c->error.code;
    rec_instance *i = unit_instance(c->u, orr_id_instance(e->id), &c->error);
    if (!i) return c->error.code;
    rec_incident *n = incident_new(c, i, cause);
    if (!n) return c->error.code;
    const node *at = execution_node(c, e);
    n->type = cause->type;
    n->execution_id = e->id;
    n->activity_id = unit_textz(c->u, at ? at->id : NULL);
    n->failed_activity_id = n->activity_id;
    int rc = mark(c, i, e->id);
    if (!rc) rc = history_incident(c, n, "open");
    if (rc) return rc;
    called = i;
    cause = n;
  }
  return 0;
}

/* A job that will start an instance belongs to a definition only. */
static int take_definition(context *c, rec_incident *n, orr_id job) {
  const rec_job *j = unit_job(c->u, job, &c->error);
  if (!j) return c->error.code;
  n->definition_id = j->definition_id;
  n->definition_key = j->definition_key;
  n->tenant = j->tenant;
  return 0;
}

/* Does the job have an incident? It keeps one until it succeeds, even if its definition has given
 * it retries. */
static int job_has_incident(context *c, orr_id job, bool *found) {
  rec_key key = {.id = job};
  unit_found of_job;
  int rc = unit_find_index(c->u, REC_INDEX_INCIDENT_JOB, &key, 1, 1, &of_job, &c->error);
  *found = !rc && of_job.count > 0;
  return rc;
}

int incident_create(context *c, const char *type, orr_id instance, orr_id execution, orr_id job, const char *message,
                    const char *activity_id, const char *failed_activity_id) {
  bool there = false;
  if (job && (job_has_incident(c, job, &there) || there)) return c->error.code;
  rec_instance *i = instance ? unit_instance(c->u, instance, &c->error) : NULL;
  if (c->error.code) return c->error.code;
  rec_incident *n = incident_new(c, i, NULL);
  if (!n) return c->error.code;
  n->type = unit_textz(c->u, type);
  n->execution_id = execution;
  n->job_id = job;
  n->message = unit_textz(c->u, message);
  n->activity_id = unit_textz(c->u, activity_id);
  n->failed_activity_id = unit_textz(c->u, failed_activity_id ? failed_activity_id : activity_id);
  int rc = i ? mark(c, i, execution) : take_definition(c, n, job);
  if (!rc) rc = history_incident(c, n, "open");
  return rc || !i ? rc : create_for_callers(c, i, n);
}

int incident_create_own(context *c, const rec_execution *e, const char *type, const char *configuration, const char *message,
                        rec_incident **out) {
  rec_instance *i = unit_instance(c->u, orr_id_instance(e->id), &c->error);
  const node *at = i ? execution_node(c, e) : NULL;
  rec_incident *n = at ? incident_new(c, i, NULL) : NULL;
  *out = n;
  if (!n) return c->error.code;
  n->type = unit_textz(c->u, type);
  n->execution_id = e->id;
  n->configuration = unit_textz(c->u, configuration);
  n->message = unit_textz(c->u, message);
  n->activity_id = unit_textz(c->u, at->id);
  n->failed_activity_id = n->activity_id;
  int rc = mark(c, i, e->id);
  if (!rc) rc = history_incident(c, n, "open");
  return rc ? rc : create_for_callers(c, i, n);
}

/* Ends an incident and those it caused in calling instances. */
static int end_with_caused(context *c, const rec_incident *root, const char *state) {
  rec_key key = {.id = root->id};
  unit_found found;
  int rc = unit_find_index(c->u, REC_INDEX_INCIDENT_CAUSE, &key, 1, 0, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_incident *n = (rec_incident *)found.items[i];
    rc = history_incident(c, n, state);
    if (!rc && unit_delete(c->u, n)) rc = context_memory(c);
  }
  return rc;
}

int incident_resolve(context *c, const rec_incident *root) { return end_with_caused(c, root, "resolved"); }

int incident_resolve_job(context *c, orr_id job, bool deleted) {
  rec_key key = {.id = job};
  unit_found found;
  int rc = unit_find_index(c->u, REC_INDEX_INCIDENT_JOB, &key, 1, 0, &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++)
    rc = end_with_caused(c, (const rec_incident *)found.items[i], deleted ? "deleted" : "resolved");
  return rc;
}

int incident_drop_own(context *c, orr_id execution) {
  unit_found found;
  int rc = unit_find_group(c->u, &rec_incident_type, orr_id_group(execution), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_incident *n = (const rec_incident *)found.items[i];
    if (n->execution_id == execution && !n->job_id && n->root_cause_id == n->id) rc = end_with_caused(c, n, "deleted");
  }
  return rc;
}

int incident_drop_scope(context *c, orr_id execution) {
  unit_found found;
  int rc = unit_find_group(c->u, &rec_incident_type, orr_id_group(execution), &found, &c->error);
  for (size_t i = 0; !rc && i < found.count; i++) {
    rec_incident *n = (rec_incident *)found.items[i];
    if (n->execution_id != execution) continue;
    if (n->root_cause_id == n->id) {
      rc = end_with_caused(c, n, "deleted");
    } else {
      rc = history_incident(c, n, "deleted");
      if (!rc && unit_delete(c->u, n)) rc = context_memory(c);
    }
  }
  return rc;
}
