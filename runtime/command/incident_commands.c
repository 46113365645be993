/* Commands on incidents. */
#include <inttypes.h>

#include "base/null.h"
#include "command/operands.h"
#include "command/operations.h"
#include "query/results.h"
#include "state/history.h"
#include "state/incident.h"

/* ---- Making one ------------------------------------------------------------------------------ */

typedef struct incident_request {
  orr_id execution;
  const char *type, *configuration, *message;
  orr_records **out;
} incident_request;

static int create_logged(context *c, const rec_incident *made) {
  user_operation what = operation_on_incident(made, "CreateIncident");
  what.entity = "ProcessInstance";
  int rc = user_operation_texts(c, &what, "incidentType", NULL, made->type.data);
  if (!rc && made->configuration.size) rc = user_operation_texts(c, &what, "configuration", NULL, made->configuration.data);
  return rc;
}

static int create_body(context *c, void *ud) {
  const incident_request *call = ud;
  rec_incident *made;
  int rc = operand_text(c, call->type, "an incident's type");
  const rec_execution *e = rc ? NULL : lookup_execution(c, call->execution);
  if (!e) return c->error.code;
  const node *at = execution_node(c, e);
  if (!at && c->error.code) return c->error.code;
  if (!at || at->type == NODE_PROCESS)
    return context_error(c, ORR_E_STATE, "execution %" PRIu64 " is at no activity: an incident is made where a token is",
                         e->id);
  rc = incident_create_own(c, e, call->type, call->configuration, call->message, &made);
  if (!rc) rc = create_logged(c, made);
  return rc ? rc : records_from(c, &rec_incident_type, (rec_head *[]){&made->head}, 1, call->out, &c->error);
}

int orr_engine_incident_create(orr_engine *engine, orr_id execution, const char *type, const char *configuration,
                               const char *message, orr_records **out, orr_error *err) {
  REQUIRE(type);
  OUT_RECORDS(out);
  incident_request call = {execution, type, configuration, message, out};
  *out = NULL;
  int rc = command_run(engine, create_body, &call, err);
  if (!rc) return 0;
  orr_records_free(*out);
  *out = NULL;
  return rc;
}

/* ---- What there is --------------------------------------------------------------------------- */

typedef struct incident_call {
  orr_id incident;
  const char *text;
} incident_call;

/* Does the cause of an incident remain: a job or external task without retries? An incident of a
 * caller ends with the one that caused it. */
static int cause_stands(context *c, const rec_incident *i, bool *stands) {
  *stands = true;
  const rec_job *job = i->job_id ? unit_job(c->u, i->job_id, &c->error) : NULL;
  if (c->error.code || (job && job->retries <= 0)) return c->error.code;
  const rec_external_task *t = i->job_id && !job ? unit_external_task(c->u, i->job_id, &c->error) : NULL;
  if (c->error.code || (t && t->retries.type == ORR_INT && t->retries.as.integer <= 0)) return c->error.code;
  *stands = i->root_cause_id != i->id;
  return 0;
}

static int resolve_body(context *c, void *ud) {
  const incident_call *call = ud;
  const rec_incident *i = lookup_incident(c, call->incident);
  if (!i) return c->error.code;
  bool stands;
  int rc = cause_stands(c, i, &stands);
  if (rc) return rc;
  if (!stands) {
    user_operation what = operation_on_incident(i, "Resolve");
    rc = incident_resolve(c, i);
    return rc ? rc : user_operation_texts(c, &what, "incidentId", arena_printf(c->arena, "%" PRIu64, call->incident), NULL);
  }
  if (i->root_cause_id != i->id)
    return context_error(c, ORR_E_STATE, "incident %" PRIu64 " goes with its cause: resolve incident %" PRIu64, i->id,
                         i->root_cause_id);
  return context_error(c, ORR_E_STATE,
                       "incident %" PRIu64 " stands while what failed, %" PRIu64 ", has no retries: set its retries", i->id,
                       i->job_id);
}

int orr_engine_incident_resolve(orr_engine *engine, orr_id incident, orr_error *err) {
  incident_call call = {.incident = incident};
  return command_upkeep(engine, resolve_body, &call, err);
}

static int annotate_body(context *c, void *ud) {
  const incident_call *call = ud;
  rec_incident *i = lookup_incident(c, call->incident);
  if (!i) return c->error.code;
  if (context_touch(c, i)) return c->error.code;
  rec_text before = i->annotation;
  i->annotation = unit_textz(c->u, call->text);
  user_operation what = operation_on_incident(i, call->text ? "SetAnnotation" : "ClearAnnotation");
  int rc = history_incident(c, i, "open");
  return rc ? rc : user_operation_texts(c, &what, "annotation", before.data, call->text);
}

int orr_engine_incident_annotate(orr_engine *engine, orr_id incident, const char *text, orr_error *err) {
  incident_call call = {.incident = incident, .text = text};
  return command_upkeep(engine, annotate_body, &call, err);
}
