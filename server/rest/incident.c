/* Incidents: those that are opened by hand, and what is done about any. */
#include "rest_table.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/mapping/query.h"

int rest_create_incident(request *q) {
  orr_error err = {0};
  orr_records *made = NULL;
  const char *type = body_text(q, "incidentType"), *about = body_text(q, "configuration"), *message = body_text(q, "message");
  if (q->status) return q->status;
  if (!type) return request_refuse(q, "incidentType is null");
  const char *ours = names_ours("incident_types", type);
  int rc = orr_engine_incident_create(rest_engine(q), request_id(q), ours, about, message, &made, &err);
  if (rc == ORR_E_STATE) { /* Camunda's answer to an execution at no activity is 400 */
    request_refuse(q, "%s", err.message);
    orr_error_clear(&err);
    return q->status;
  }
  if (rc) return rest_end(q, rc, &err);
  dto_write(q, &dto_IncidentDto, made, 0);
  orr_records_free(made);
  return q->status ? q->status : request_done(q);
}

int rest_incident_resolve(request *q) {
  orr_error err = {0};
  int rc = orr_engine_incident_resolve(rest_engine(q), request_id(q), &err);
  if (rc != ORR_E_STATE) return rest_end(q, rc, &err);
  request_refuse(q, "Cannot resolve incident %s: %s", q->path[0], err.message ? err.message : "");
  orr_error_clear(&err);
  return q->status;
}

int rest_incident_annotate(request *q) {
  orr_error err = {0};
  const char *text = body_text(q, "annotation");
  if (q->status) return q->status;
  return rest_end(q, orr_engine_incident_annotate(rest_engine(q), request_id(q), text, &err), &err);
}

int rest_incident_annotation_clear(request *q) {
  orr_error err = {0};
  return rest_end(q, orr_engine_incident_annotate(rest_engine(q), request_id(q), NULL, &err), &err);
}
