/* Checking what commands are given: ids of records, maps, texts. */
#include "operands.h"

#include <inttypes.h>

static void *missing(context *c, const char *what, orr_id id) {
  if (!c->error.code) context_error(c, ORR_E_NOT_FOUND, "there is no %s %" PRIu64, what, id);
  return NULL;
}

rec_task *operand_task(context *c, orr_id id) {
  rec_task *t = unit_task(c->u, id, &c->error);
  return t ? t : missing(c, "task", id);
}

rec_job *operand_job(context *c, orr_id id) {
  rec_job *job = unit_job(c->u, id, &c->error);
  return job ? job : missing(c, "job", id);
}

rec_job_definition *operand_job_definition(context *c, orr_id id) {
  rec_job_definition *jd = unit_job_definition(c->u, id, &c->error);
  return jd ? jd : missing(c, "job definition", id);
}

rec_external_task *operand_external_task(context *c, orr_id id) {
  rec_external_task *t = unit_external_task(c->u, id, &c->error);
  return t ? t : missing(c, "external task", id);
}

rec_incident *operand_incident(context *c, orr_id id) {
  rec_incident *i = unit_incident(c->u, id, &c->error);
  return i ? i : missing(c, "incident", id);
}

int operand_map(context *c, const orr_value *value, const char *name) {
  if (!value || value->type == ORR_NIL || value->type == ORR_MAP) return 0;
  if (value->type == ORR_ARRAY && orr_count(value) == 0) return 0;
  return context_error(c, ORR_E_ARGUMENT, "%s must be a map of names to values", name);
}

int operand_text(context *c, const char *text, const char *what) {
  return text && *text ? 0 : context_error(c, ORR_E_ARGUMENT, "%s must not be empty", what);
}
