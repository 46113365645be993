/* Derived fields: from other records. */
#include "query/row_related.h"

#include <inttypes.h>

#include "record/key.h"
#include "uow/find.h"

static orr_value related_text(rec_text t) { return t.data ? orr_bytes(t.data, t.size) : (orr_value){0}; }
static orr_value related_id(orr_id id) { return id ? orr_int((int64_t)id) : (orr_value){0}; }

/* The definition, instance and job that a record is of; 0: none. */
typedef struct row_owner {
  orr_id definition, instance, job;
} row_owner;

#define OWNER(type, record, job) {((const type *)(record))->definition_id, ((const type *)(record))->instance_id, job}

static row_owner owner_of(const rec_head *r) {
  if (r->type == &rec_task_type) return (row_owner)OWNER(rec_task, r, 0);
  if (r->type == &rec_external_task_type) return (row_owner)OWNER(rec_external_task, r, 0);
  if (r->type == &rec_job_type) return (row_owner)OWNER(rec_job, r, ((const rec_job *)r)->id);
  if (r->type == &rec_incident_type) return (row_owner)OWNER(rec_incident, r, ((const rec_incident *)r)->job_id);
  if (r->type == &rec_history_task_type) return (row_owner)OWNER(rec_history_task, r, 0);
  if (r->type == &rec_history_job_type) return (row_owner)OWNER(rec_history_job, r, ((const rec_history_job *)r)->job_id);
  if (r->type == &rec_history_incident_type)
    return (row_owner)OWNER(rec_history_incident, r, ((const rec_history_incident *)r)->job_id);
  if (r->type == &rec_history_variable_type) return (row_owner){0, ((const rec_history_variable *)r)->instance_id, 0};
  if (r->type == &rec_variable_type) return (row_owner){0, orr_id_instance(((const rec_variable *)r)->scope), 0};
  if (r->type == &rec_instance_type)
    return (row_owner){((const rec_instance *)r)->definition_id, ((const rec_instance *)r)->id, 0};
  if (r->type == &rec_history_instance_type)
    return (row_owner){((const rec_history_instance *)r)->definition_id, ((const rec_history_instance *)r)->id, 0};
  return (row_owner){0};
}

/* NULL: it is of none, or that is gone. */
static const rec_definition *row_definition(context *c, const rec_head *r) {
  orr_id id = owner_of(r).definition;
  return id ? unit_definition(c->u, id, &c->error) : NULL;
}

static const rec_instance *row_instance(context *c, const rec_head *r) {
  orr_id id = owner_of(r).instance;
  return id ? unit_instance(c->u, id, &c->error) : NULL;
}

static const rec_history_instance *row_past_instance(context *c, const rec_head *r) {
  orr_id id = owner_of(r).instance;
  return id ? unit_history_instance(c->u, id, &c->error) : NULL;
}

#define ROW_FROM(name, kind, source, expression)                                             \
  static int name(context *c, const rec_head *record, orr_value *out) {                      \
    const kind *of = source(c, record);                                                      \
    *out = of ? expression : (orr_value){0};                                                 \
    return c->error.code;                                                                    \
  }
ROW_FROM(of_definition_name, rec_definition, row_definition, related_text(of->name))
ROW_FROM(of_deployment, rec_definition, row_definition, related_id(of->deployment_id))
ROW_FROM(of_business_key, rec_instance, row_instance, related_text(of->business_key))
ROW_FROM(of_instance_definition, rec_instance, row_instance, related_id(of->definition_id))
ROW_FROM(of_root, rec_instance, row_instance, related_id(of->root_id))
ROW_FROM(of_instance_definition_key, rec_instance, row_instance, related_text(of->definition_key))
ROW_FROM(of_past_business_key, rec_history_instance, row_past_instance, related_text(of->business_key))
ROW_FROM(of_past_root, rec_history_instance, row_past_instance, related_id(of->root_id))
ROW_FROM(of_past_definition, rec_history_instance, row_past_instance, related_id(of->definition_id))
ROW_FROM(of_past_definition_key, rec_history_instance, row_past_instance, related_text(of->definition_key))

static int of_job_definition(context *c, const rec_head *record, orr_value *out) {
  orr_id id = owner_of(record).job;
  const rec_job *job = id ? unit_job(c->u, id, &c->error) : NULL;
  *out = job ? related_id(job->job_definition_id) : (orr_value){0};
  return c->error.code;
}

int decision_model(context *c, const rec_decision *d, orr_id *out) {
  const rec_key by = {.id = d->deployment_id};
  unit_found found;
  int rc = unit_find_index(c->u, REC_INDEX_DECISION_DEPLOYMENT, &by, 1, 0, &found, &c->error);
  *out = d->id;
  for (size_t i = 0; !rc && i < found.count; i++) {
    const rec_decision *other = (const rec_decision *)found.items[i];
    if (other->id < *out && rec_text_equal(other->resource, d->resource)) *out = other->id;
  }
  return rc;
}

static int of_decision_model(context *c, const rec_head *record, orr_value *out) {
  orr_id id;
  int rc = decision_model(c, (const rec_decision *)record, &id);
  *out = related_id(id);
  return rc;
}

typedef struct model_count {
  const rec_decision *of;
  orr_id deployment;  /* of the model that was counted last, */
  uint64_t resource;  /* with a hash of its resource */
  int64_t n;
} model_count;

/* Ids ascend in the order of deployment, and those of one resource follow each other. */
static int count_model(void *ud, rec_head *record, bool *stop) {
  model_count *k = ud;
  const rec_decision *r = (const rec_decision *)record;
  *stop = r->id > k->of->id;
  if (*stop || !rec_text_equal(r->model_id, k->of->model_id) || !rec_text_equal(r->tenant, k->of->tenant)) return 0;
  uint64_t resource = rec_text_hash(r->resource);
  k->n += r->deployment_id != k->deployment || resource != k->resource;
  k->deployment = r->deployment_id;
  k->resource = resource;
  return 0;
}

/* How many models of that id and tenant there are up to this one. */
static int of_model_version(context *c, const rec_head *record, orr_value *out) {
  model_count k = {.of = (const rec_decision *)record};
  int rc = unit_walk(c->u, &(access_path){.type = &rec_decision_type}, count_model, &k, NULL, &c->error);
  *out = orr_int(k.n);
  return rc;
}

static int of_decided_model(context *c, const rec_head *record, orr_value *out) {
  const rec_decision *d = unit_decision(c->u, ((const rec_history_decision *)record)->decision_id, &c->error);
  *out = (orr_value){0};
  return d ? of_decision_model(c, &d->head, out) : c->error.code;
}

static int of_decided_model_id(context *c, const rec_head *record, orr_value *out) {
  const rec_decision *d = unit_decision(c->u, ((const rec_history_decision *)record)->decision_id, &c->error);
  *out = d ? related_text(d->model_id) : (orr_value){0};
  return c->error.code;
}

static int decision_deployed_at(context *c, const rec_head *record, orr_value *out) {
  const rec_deployment *d = unit_deployment(c->u, ((const rec_decision *)record)->deployment_id, &c->error);
  *out = d && d->time ? orr_int(d->time) : (orr_value){0};
  return c->error.code;
}

static int deployed_at(context *c, const rec_head *record, orr_value *out) {
  const rec_deployment *d = unit_deployment(c->u, ((const rec_definition *)record)->deployment_id, &c->error);
  *out = d && d->time ? orr_int(d->time) : (orr_value){0};
  return c->error.code;
}

/* What an incident is about: the job or external task, or what the program that made it names. */
static int incident_about(context *c, rec_text configuration, orr_id job, orr_value *out) {
  *out = related_text(configuration);
  if (configuration.data || !job) return 0;
  const char *text = arena_printf(c->arena, "%" PRIu64, job);
  if (text) *out = orr_string(text);
  return text ? 0 : context_memory(c);
}

static int about_open(context *c, const rec_head *record, orr_value *out) {
  const rec_incident *i = (const rec_incident *)record;
  return incident_about(c, i->configuration, i->job_id, out);
}

static int about_past(context *c, const rec_head *record, orr_value *out) {
  const rec_history_incident *i = (const rec_history_incident *)record;
  return incident_about(c, i->configuration, i->job_id, out);
}

/* Does the task have a comment or an attachment? */
static int task_has_any(context *c, const rec_head *record, enum rec_index index, orr_value *out) {
  rec_key by = {.id = ((const rec_task *)record)->id};
  unit_found found = {0};
  int rc = unit_find_index(c->u, index, &by, 1, 1, &found, &c->error);
  *out = orr_bool(!rc && found.count > 0);
  return rc;
}

static int task_commented(context *c, const rec_head *record, orr_value *out) {
  return task_has_any(c, record, REC_INDEX_COMMENT_TASK, out);
}

static int task_attached(context *c, const rec_head *record, orr_value *out) {
  return task_has_any(c, record, REC_INDEX_ATTACHMENT_TASK, out);
}

const row_relation row_related[] = {
    {&rec_task_type, {"commented", ROW_BOOL, NULL, task_commented}},
    {&rec_task_type, {"attached", ROW_BOOL, NULL, task_attached}},
    {&rec_instance_type, {"definition_name", ROW_TEXT, NULL, of_definition_name}},
    {&rec_instance_type, {"deployment_id", ROW_ID, NULL, of_deployment}},
    {&rec_task_type, {"definition_name", ROW_TEXT, NULL, of_definition_name}},
    {&rec_task_type, {"root_id", ROW_ID, NULL, of_root}},
    {&rec_external_task_type, {"definition_name", ROW_TEXT, NULL, of_definition_name}},
    {&rec_external_task_type, {"root_id", ROW_ID, NULL, of_root}},
    {&rec_task_type, {"business_key", ROW_TEXT, NULL, of_business_key}},
    {&rec_variable_type, {"business_key", ROW_TEXT, NULL, of_business_key}},
    {&rec_job_type, {"business_key", ROW_TEXT, NULL, of_business_key}},
    {&rec_incident_type, {"business_key", ROW_TEXT, NULL, of_business_key}},
    {&rec_variable_type, {"definition_id", ROW_ID, NULL, of_instance_definition}},
    {&rec_variable_type, {"definition_key", ROW_TEXT, NULL, of_instance_definition_key}},
    {&rec_variable_type, {"root_id", ROW_ID, NULL, of_root}},
    {&rec_definition_type, {"deployed_at", ROW_TIME, NULL, deployed_at}},
    {&rec_decision_type, {"deployed_at", ROW_TIME, NULL, decision_deployed_at}},
    {&rec_decision_type, {"model", ROW_ID, NULL, of_decision_model}},
    {&rec_decision_type, {"model_version", ROW_INT, NULL, of_model_version}},
    {&rec_history_decision_type, {"model", ROW_ID, NULL, of_decided_model}},
    {&rec_history_decision_type, {"model_id", ROW_TEXT, NULL, of_decided_model_id}},
    {&rec_incident_type, {"job_definition_id", ROW_ID, NULL, of_job_definition}},
    {&rec_history_incident_type, {"job_definition_id", ROW_ID, NULL, of_job_definition}},
    {&rec_incident_type, {"about", ROW_TEXT, NULL, about_open}},
    {&rec_history_incident_type, {"about", ROW_TEXT, NULL, about_past}},
    {&rec_history_instance_type, {"definition_name", ROW_TEXT, NULL, of_definition_name}},
    {&rec_history_task_type, {"definition_name", ROW_TEXT, NULL, of_definition_name}},
    {&rec_history_task_type, {"business_key", ROW_TEXT, NULL, of_past_business_key}},
    {&rec_history_incident_type, {"business_key", ROW_TEXT, NULL, of_past_business_key}},
    {&rec_history_job_type, {"business_key", ROW_TEXT, NULL, of_past_business_key}},
    {&rec_history_task_type, {"root_id", ROW_ID, NULL, of_past_root}},
    {&rec_history_variable_type, {"definition_id", ROW_ID, NULL, of_past_definition}},
    {&rec_history_variable_type, {"definition_key", ROW_TEXT, NULL, of_past_definition_key}},
    {&rec_history_job_type, {"deployment_id", ROW_ID, NULL, of_deployment}},
    {&rec_history_job_type, {"job_definition_id", ROW_ID, NULL, of_job_definition}},
};

const size_t n_row_related = sizeof row_related / sizeof row_related[0];
