/* Deployed DMN models: Camunda's decision requirements definitions. A model is named by the first decision of its resource. */
#include <inttypes.h>
#include <string.h>

#include "rest_table.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/mapping/records.h"
#include "server/rest/decision.h"
#include "server/rest/deployment.h"

/* What a filter of decisions finds for the model of the path, its latest version when that has a key. NULL: there is none, the
 * request has failed. */
static orr_records *model_of_path(request *q) {
  const key_value by_id[] = {{"first_of_model", orr_bool(true)}, {"id", orr_int((int64_t)request_id(q))}};
  const key_value by_key[] = {{"first_of_model", orr_bool(true)},
                              {"model_id", orr_string(q->path[0])},
                              {"tenant", q->path[1] ? orr_string(q->path[1]) : orr_null()},
                              {"latest_model", orr_bool(true)}};
  bool has_key = strstr(q->operation->path, "/key/");
  orr_records *found = has_key ? records_first(q, "decisions", by_key, 4) : records_first(q, "decisions", by_id, 2);
  if (!found && !q->status) rest_missing(q);
  return found;
}

int rest_model_get(request *q) {
  orr_records *found = model_of_path(q);
  if (!found) return q->status;
  dto_write(q, &dto_DecisionRequirementsDefinitionDto, found, 0);
  orr_records_free(found);
  return q->status ? q->status : request_done(q);
}

int rest_model_xml(request *q) {
  orr_records *found = model_of_path(q);
  if (!found) return q->status;
  orr_value name = orr_records_get(found, 0, "resource"), deployment = orr_records_get(found, 0, "deployment_id"), xml;
  if (rest_resource_bytes(q, (orr_id)deployment.as.integer, &name, &xml)) {
    out_open(&q->out, '{');
    out_key(&q->out, "id");
    out_id(&q->out, orr_records_id(found, 0));
    out_key(&q->out, "dmnXml");
    out_value(&q->out, &xml);
    out_close(&q->out, '}');
    request_done(q);
  }
  orr_records_free(found);
  return q->status;
}

/* The drawing is within the model. */
int rest_model_diagram(request *q) {
  orr_records *found = model_of_path(q);
  orr_records_free(found);
  return found ? request_no_content(q) : q->status;
}

/* How many models of its key and tenant there are up to this one. */
void dto_model_version(const row *r, json_out *out) {
  orr_value tenant = orr_records_get(r->records, r->index, "tenant");
  const key_value keys[] = {{"first_of_model", orr_bool(true)},
                            {"model_id", orr_records_get(r->records, r->index, "model_id")},
                            {"tenant", tenant.type == ORR_STRING ? tenant : orr_null()},
                            {"id_le", orr_int((int64_t)orr_records_id(r->records, r->index))}};
  out_int(out, records_total(r->request, "decisions", keys, 4));
}

/* The first decision of a resource: ids ascend as they were deployed. 0: there is none, or the request has failed. */
static orr_id first_decision_of(request *q, orr_value deployment, orr_value resource) {
  const key_value keys[] = {{"deployment_id", deployment}, {"resource", resource}, {"first_of_model", orr_bool(true)}};
  orr_records *found = records_first(q, "decisions", keys, 3);
  orr_id id = found ? orr_records_id(found, 0) : 0;
  orr_records_free(found);
  return id;
}

void dto_model_of_decision(const row *r, json_out *out) {
  out_id(out, first_decision_of(r->request, orr_records_get(r->records, r->index, "deployment_id"),
                                orr_records_get(r->records, r->index, "resource")));
}

void dto_model_of_decided(const row *r, json_out *out) {
  const decided *d = decided_of(r);
  const orr_records *of = d ? d->decision : NULL;
  if (!of) out_null(out);
  else out_id(out, first_decision_of(r->request, orr_records_get(of, 0, "deployment_id"), orr_records_get(of, 0, "resource")));
}

/* ---- Statistics ------------------------------------------------------------------------------- */

/* How often a decision was evaluated: in all, or for the row that `root` names. -1: the request has failed. */
static int64_t evaluations(request *q, orr_id decision, int64_t root) {
  const key_value keys[] = {{"decision_id", orr_int((int64_t)decision)},
                            {"root_number", orr_int(root)}};
  return records_total(q, "history_decisions", keys, root >= 0 ? 2 : 1);
}

static void evaluations_write(request *q, const orr_records *decisions, int64_t root) {
  out_open(&q->out, '[');
  for (size_t i = 0; !q->status && i < orr_records_count(decisions); i++) {
    int64_t n = evaluations(q, orr_records_id(decisions, i), root);
    orr_value key = orr_records_get(decisions, i, "key");
    if (n <= 0) continue;
    out_open(&q->out, '{');
    out_key(&q->out, "decisionDefinitionKey");
    out_value(&q->out, &key);
    out_put_int(&q->out, "evaluations", n);
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
}

int rest_model_statistics(request *q) {
  const char *of = request_argument(q, "decisionInstanceId");
  const char *sequence = of ? strrchr(of, ':') : NULL;
  int64_t root = !of ? -1 : sequence ? (int64_t)id_of_text(sequence + 1) : 0;
  orr_records *model = model_of_path(q);
  if (!model) return q->status;
  orr_records *decisions = records_by(q, "decisions", &(key_value){"model", orr_int((int64_t)orr_records_id(model, 0))}, 1);
  if (decisions) evaluations_write(q, decisions, root);
  orr_records_free(decisions);
  orr_records_free(model);
  return q->status ? q->status : request_done(q);
}
