/* Decisions: their definitions, evaluating them, and what was decided. */
#include "server/rest/decision.h"

#include <inttypes.h>
#include <string.h>

#include "rest_table.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/mapping/query.h"
#include "server/mapping/records.h"
#include "server/mapping/selection.h"
#include "server/mapping/values.h"
#include "server/rest/batch.h"
#include "server/rest/deployment.h"

/* ---- Definitions ------------------------------------------------------------------------------ */

orr_records *decision_of_path(request *q) {
  orr_error err = {0};
  orr_records *found = NULL;
  if (!strstr(q->operation->path, "/key/")) {
    found = records_one(q, "decisions", request_id(q));
  } else {
    orr_decision_options options = {.size = sizeof options, .key = q->path[0], .tenant = q->path[1] ? q->path[1] : ""};
    int rc = orr_engine_decision_find(rest_engine(q), &options, &found, &err);
    if (rc) rest_end(q, rc, &err);
  }
  if (!found && !q->status) rest_missing(q);
  return found;
}

int rest_decision_get(request *q) {
  orr_records *found = decision_of_path(q);
  if (!found) return q->status;
  dto_write(q, &dto_DecisionDefinitionDto, found, 0);
  orr_records_free(found);
  return q->status ? q->status : request_done(q);
}

static void xml_write(request *q, const orr_records *found, const orr_value *xml) {
  out_open(&q->out, '{');
  out_key(&q->out, "id");
  out_id(&q->out, orr_records_id(found, 0));
  out_key(&q->out, "dmnXml");
  out_value(&q->out, xml);
  out_close(&q->out, '}');
}

int rest_decision_xml(request *q) {
  orr_records *found = decision_of_path(q);
  if (!found) return q->status;
  orr_value name = orr_records_get(found, 0, "resource"), deployment = orr_records_get(found, 0, "deployment_id"), xml;
  if (rest_resource_bytes(q, (orr_id)deployment.as.integer, &name, &xml)) {
    xml_write(q, found, &xml);
    request_done(q);
  }
  orr_records_free(found);
  return q->status;
}

/* The drawing is within the model; pictures are not deployed beside it. */
int rest_decision_diagram(request *q) {
  orr_records *found = decision_of_path(q);
  orr_records_free(found);
  return found ? request_no_content(q) : q->status;
}

/* ---- Evaluating ------------------------------------------------------------------------------- */

static void result_write(request *q, const orr_value *result) {
  orr_iterator i = orr_iterate(result);
  orr_value name, value, described;
  out_open(&q->out, '{');
  while (orr_next(&i, &name, &value) && values_describe(q, &value, &described)) {
    out_key_bytes(&q->out, name.as.bytes, name.size);
    values_write(&q->out, &described);
  }
  out_close(&q->out, '}');
}

static int results_answer(request *q, const orr_value *results) {
  orr_iterator i = orr_iterate(results);
  orr_value one;
  out_open(&q->out, '[');
  while (orr_next(&i, NULL, &one)) result_write(q, &one);
  out_close(&q->out, ']');
  return q->status ? q->status : request_done(q);
}

int rest_decision_evaluate(request *q) {
  orr_value variables, results;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  orr_records *found = b && rest_variables(q, "variables", &variables) ? decision_of_path(q) : NULL;
  if (!found) return q->status;
  orr_value key = orr_records_get(found, 0, "key"), deployment = orr_records_get(found, 0, "deployment_id");
  orr_decision_options options = {.size = sizeof options, .key = request_printf(q, "%.*s", (int)key.size, key.as.bytes),
                                  .deployment = (orr_id)deployment.as.integer};
  int rc = orr_engine_decision_evaluate(rest_engine(q), &options, variables.type == ORR_NIL ? NULL : &variables, b, &err);
  orr_records_free(found);
  if (rc) return request_fail_engine(q, &err);
  return rest_value(q, b, &results) ? results_answer(q, &results) : q->status;
}

/* ---- What was decided ------------------------------------------------------------------------- */

static void decided_drop(void *note) {
  decided *d = note;
  orr_records_free(d->decision);
  orr_builder_free(d->builder);
}

const decided *decided_of(const row *r) {
  request *q = r->request;
  orr_value id = orr_records_get(r->records, r->index, "decision_id");
  if (id.type != ORR_INT) return NULL;
  decided *last = request_note(q, sizeof *last, decided_drop);
  if (!last || last->id == (orr_id)id.as.integer) return last;
  decided_drop(last);
  *last = (decided){.id = (orr_id)id.as.integer, .builder = orr_builder_new()};
  last->decision = records_one(q, "decisions", last->id);
  orr_error err = {0};
  bool named = last->builder && !orr_engine_decision_table(rest_engine(q), last->id, last->builder, &err);
  if (!named || orr_builder_value(last->builder, &last->table, NULL)) last->table = (orr_value){0};
  orr_error_clear(&err);
  return last;
}

static orr_value column_of(const decided *d, const char *which, size_t index) {
  orr_value list = d ? orr_map_get(&d->table, which) : (orr_value){0}, column = {0};
  orr_iterator i = orr_iterate(&list);
  while (orr_next(&i, NULL, &column))
    if (index-- == 0) return column;
  return (orr_value){0};
}

static void put_value(json_out *out, const char *key, orr_value value) {
  out_key(out, key);
  out_value(out, &value);
}

/* The row's own id with what makes it that of one of its values. */
static void put_part_id(const row *r, const char *kind, size_t n, json_out *out) {
  orr_value instance = orr_records_get(r->records, r->index, "instance_id");
  orr_value sequence = orr_records_get(r->records, r->index, "number");
  int64_t of = instance.type == ORR_INT ? instance.as.integer : 0;
  char *id = request_printf(r->request, "%" PRId64 ":%" PRId64 ":%s%zu", of, sequence.as.integer, kind, n);
  out_put_text(out, "id", id);
  char *own = request_printf(r->request, "%" PRId64 ":%" PRId64, of, sequence.as.integer);
  out_put_text(out, "decisionInstanceId", own);
}

static void put_clause(const orr_value *column, json_out *out) {
  put_value(out, "clauseId", orr_map_get(column, "id"));
  put_value(out, "clauseName", orr_map_get(column, "label"));
}

/* What inputs and outputs both end with. */
static void put_decided_value(const row *r, const orr_value *value, json_out *out) {
  orr_value described, time = orr_records_get(r->records, r->index, "time");
  out_put_null(out, "errorMessage");
  out_key(out, "createTime");
  out_time(out, time_of_value(&time));
  out_put_null(out, "removalTime");
  out_put_null(out, "rootProcessInstanceId");
  if (values_describe(r->request, value, &described)) values_write_fields(out, &described);
}

void dto_decision_inputs(const row *r, json_out *out) {
  orr_value inputs = orr_records_get(r->records, r->index, "inputs"), value;
  if (!request_flag(r->request, "includeInputs")) {
    out_null(out);
    return;
  }
  const decided *d = decided_of(r);
  orr_iterator i = orr_iterate(&inputs);
  out_open(out, '[');
  for (size_t n = 0; orr_next(&i, NULL, &value); n++) {
    orr_value column = column_of(d, "inputs", n);
    out_open(out, '{');
    put_part_id(r, "in", n + 1, out);
    put_clause(&column, out);
    put_decided_value(r, &value, out);
    out_close(out, '}');
  }
  out_close(out, ']');
}

/* One output of one rule that hit; `rule` is its number, 0 for a decision without a table. */
static void output_write(const row *r, const decided *d, int64_t rule, size_t at, const orr_value *column,
                         const orr_value *value, json_out *out) {
  orr_value hit = rule ? column_of(d, "rules", (size_t)rule - 1) : (orr_value){0}, name = orr_map_get(column, "name");
  if (name.type == ORR_NIL) name = orr_records_get(r->records, r->index, "name");
  out_open(out, '{');
  put_part_id(r, "out", at, out);
  put_clause(column, out);
  put_value(out, "ruleId", orr_map_get(&hit, "id"));
  put_value(out, "ruleOrder", rule ? orr_int(rule) : orr_null());
  put_value(out, "variableName", name);
  put_decided_value(r, value, out);
  out_close(out, '}');
}

/* A rule gives one value for a single column, else a map of them by name. */
static void rule_write(const row *r, const decided *d, int64_t rule, size_t *at, const orr_value *given, json_out *out) {
  orr_value columns = d ? orr_map_get(&d->table, "outputs") : (orr_value){0}, column;
  orr_iterator i = orr_iterate(&columns);
  if (orr_count(&columns) <= 1) {
    column = column_of(d, "outputs", 0);
    output_write(r, d, rule, ++*at, &column, given, out);
    return;
  }
  while (orr_next(&i, NULL, &column)) {
    orr_value name = orr_map_get(&column, "name");
    char *key = name.type == ORR_STRING ? request_printf(r->request, "%.*s", (int)name.size, name.as.bytes) : NULL;
    orr_value value = key ? orr_map_get(given, key) : (orr_value){0};
    output_write(r, d, rule, ++*at, &column, &value, out);
  }
}

void dto_decision_outputs(const row *r, json_out *out) {
  orr_value rules = orr_records_get(r->records, r->index, "rules"), outputs = orr_records_get(r->records, r->index, "outputs");
  orr_value result = orr_records_get(r->records, r->index, "result"), rule, given;
  if (!request_flag(r->request, "includeOutputs")) {
    out_null(out);
    return;
  }
  const decided *d = decided_of(r);
  bool of_table = d && column_of(d, "outputs", 0).type == ORR_MAP;
  orr_iterator i = orr_iterate(&rules), k = orr_iterate(&outputs);
  size_t at = 0;
  out_open(out, '[');
  while (orr_next(&i, NULL, &rule) && orr_next(&k, NULL, &given))
    rule_write(r, d, rule.type == ORR_INT ? rule.as.integer : 0, &at, &given, out);
  if (!of_table && at == 0) rule_write(r, d, 0, &at, &result, out);
  out_close(out, ']');
}

/* What COLLECT made of the outputs with SUM, MIN, MAX or COUNT. */
void dto_decision_collected(const row *r, json_out *out) {
  const decided *d = decided_of(r);
  orr_value how = d ? orr_map_get(&d->table, "aggregation") : (orr_value){0};
  orr_value result = orr_records_get(r->records, r->index, "result");
  if (how.type == ORR_STRING) out_value(out, &result);
  else out_null(out);
}

/* The row of the decision that was asked for, when this one was required by it. */
void dto_decision_root(const row *r, json_out *out) {
  orr_value root = orr_records_get(r->records, r->index, "root_number");
  orr_value own = orr_records_get(r->records, r->index, "number");
  orr_value instance = orr_records_get(r->records, r->index, "instance_id");
  if (root.type != ORR_INT || root.as.integer == own.as.integer) {
    out_null(out);
    return;
  }
  out_text(out, request_printf(r->request, "%" PRId64 ":%" PRId64, instance.type == ORR_INT ? instance.as.integer : 0,
                               root.as.integer));
}

void dto_decision_model(const row *r, json_out *out) {
  const decided *d = decided_of(r);
  orr_value model = d && d->decision ? orr_records_get(d->decision, 0, "model_id") : (orr_value){0};
  out_value(out, &model);
}

/* ---- What was decided ------------------------------------------------------------------------- */

int rest_history_decision_get(request *q) {
  static const char *const key[] = {"instance_id", "number"};
  return rest_answer_one(q, &dto_HistoricDecisionInstanceDto, records_with_key(q, "history_decisions", key, 2));
}

/* A row's number in "instance:number", which is the store's alone; 0: it is no such text. */
static int64_t decided_number(const char *text) {
  const char *colon = text ? strchr(text, ':') : NULL;
  return colon && strspn(text, "0123456789") == (size_t)(colon - text) ? (int64_t)id_of_text(colon + 1) : 0;
}

static bool decided_add(request *q, const json_t *list, orr_builder *b, size_t *n) {
  for (size_t i = 0; i < json_array_size(list); i++, (*n)++) {
    orr_value number = orr_int(decided_number(json_string_value(json_array_get(list, i))));
    if (number.as.integer == 0) {
      request_refuse(q, "Number %zu of the ids is none", i + 1);
      return false;
    }
    orr_builder_add(b, &number);
  }
  return true;
}

static bool decided_find(request *q, const json_t *body, orr_builder *b, size_t *n) {
  orr_value filter;
  if (!body || selection_names_none(body, &query_history_decision)) return true;
  if (!query_filter(q, &query_history_decision, body, false, &filter)) return false;
  orr_records *found = records_list(q, "history_decisions", &filter);
  if (!found) return false;
  for (size_t i = 0; i < orr_records_count(found); i++, (*n)++) {
    orr_value number = orr_records_get(found, i, "number");
    orr_builder_add(b, &number);
  }
  orr_records_free(found);
  return true;
}

/* The rows that a body names, by their numbers. False: the request has failed. */
static bool decided_rows(request *q, orr_value *out) {
  orr_builder *b = request_builder(q);
  size_t n = 0;
  if (!b) return false;
  orr_builder_array(b);
  if (!decided_add(q, body_member(q, "historicDecisionInstanceIds"), b, &n) ||
      !decided_find(q, body_member(q, "historicDecisionInstanceQuery"), b, &n))
    return false;
  orr_builder_end(b);
  if (n == 0) {
    request_refuse(q, "historicDecisionInstanceIds is empty: nothing is named and nothing was found");
    return false;
  }
  return rest_value(q, b, out);
}

int rest_decided_delete(request *q) {
  orr_value numbers;
  if (!decided_rows(q, &numbers)) return q->status;
  batch_order b;
  if (!batch_open(q, &b, "delete_history", "history_decisions", "number_in", &numbers)) return q->status;
  return batch_close(q, &b);
}

int rest_decided_removal_time(request *q) {
  orr_value numbers;
  if (!decided_rows(q, &numbers)) return q->status;
  batch_order b;
  if (!batch_open(q, &b, "set_removal_time", "history_decisions", "number_in", &numbers)) return q->status;
  b.options.hierarchical = body_bool(q, "hierarchical", false);
  return batch_removal(q, &b, true);
}

int rest_decision_time_to_live(request *q) {
  orr_error err = {0};
  char days[24];
  int64_t n = body_int(q, "historyTimeToLive", -1);
  bool given = body_given(q, "historyTimeToLive");
  orr_records *found = q->status ? NULL : decision_of_path(q);
  if (!found) return q->status;
  orr_id id = orr_records_id(found, 0);
  orr_records_free(found);
  if (given && n < 0) return request_refuse(q, "historyTimeToLive must be a number of days, 0 or more, or null");
  snprintf(days, sizeof days, "%" PRId64, n);
  return rest_end(q, orr_engine_decision_set_time_to_live(rest_engine(q), id, given ? days : NULL, &err), &err);
}
