/* Fields that follow from others. */
#include <inttypes.h>
#include <string.h>

#include "rest_table.h"
#include "server/mapping/dto.h"
#include "server/mapping/query.h"
#include "server/mapping/records.h"
#include "server/mapping/values.h"

static orr_value dto_get(const row *r, const char *field) { return orr_records_get(r->records, r->index, field); }

static orr_id dto_id(const row *r, const char *field) {
  orr_value value = dto_get(r, field);
  return value.type == ORR_INT ? (orr_id)value.as.integer : 0;
}

static bool dto_text_is(const row *r, const char *field, const char *text) {
  orr_value value = dto_get(r, field);
  return value.type == ORR_STRING && value.size == strlen(text) && memcmp(value.as.bytes, text, value.size) == 0;
}

static void dto_put(json_out *out, const orr_value *value) { out_value(out, value); }

/* What has no id of its own in the store is named by its key: an instance and a number, or a name. */
static void dto_pair(const row *r, const char *first, const char *second, json_out *out) {
  orr_value number = dto_get(r, second);
  char text[64];
  snprintf(text, sizeof text, "%" PRIu64 ":%" PRId64, dto_id(r, first), number.type == ORR_INT ? number.as.integer : 0);
  out_text(out, text);
}

void dto_decision_id(const row *r, json_out *out) { dto_pair(r, "instance_id", "number", out); }

static void dto_log_id(const row *r, const char *of, json_out *out) {
  orr_value number = dto_get(r, "number");
  char text[96];
  snprintf(text, sizeof text, "%" PRIu64 ":%" PRIu64 ":%" PRId64, dto_id(r, "instance_id"), dto_id(r, of),
           number.type == ORR_INT ? number.as.integer : 0);
  out_text(out, text);
}

void dto_job_log_id(const row *r, json_out *out) { dto_log_id(r, "job_id", out); }
void dto_external_log_id(const row *r, json_out *out) { dto_log_id(r, "task_id", out); }

void dto_link_log_id(const row *r, json_out *out) { dto_log_id(r, "task_id", out); }

/* Jobs of no instance are kept below their definition. */
void dto_log_instance(const row *r, json_out *out) {
  orr_id instance = dto_id(r, "instance_id");
  out_id(out, instance == dto_id(r, "definition_id") ? 0 : instance);
}

/* scope:name */
void dto_variable_id(const row *r, json_out *out) {
  orr_value name = dto_get(r, "name"), scope = dto_get(r, "scope");
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64 ":", scope.type == ORR_INT ? (uint64_t)scope.as.integer : dto_id(r, "execution_id"));
  size_t size = strlen(text);
  json_out joined = {0};
  out_raw(&joined, text, size);
  if (name.type == ORR_STRING) out_raw(&joined, name.as.bytes, name.size);
  if (joined.failed) out->failed = true;
  else out_bytes(out, joined.data, joined.size);
  out_free(&joined);
}

void dto_detail_id(const row *r, json_out *out) { dto_pair(r, "instance_id", "sequence", out); }

/* The fields of a row of history that Camunda's has not. */
void dto_orrery(const row *r, json_out *out) {
  orr_value sequence = dto_get(r, "sequence");
  out_open(out, '{');
  out_put_int(out, "sequence", sequence.type == ORR_INT ? sequence.as.integer : 0);
  out_close(out, '}');
}

void dto_detail_type(const row *r, json_out *out) {
  (void)r;
  out_text(out, "variableUpdate");
}

/* ---- Statistics: what was not asked for is 0, as in Camunda ------------------------------------ */

static void dto_asked(const row *r, const char *switch_name, const char *field, json_out *out) {
  orr_value n = dto_get(r, field);
  out_int(out, request_flag(r->request, switch_name) && n.type == ORR_INT ? n.as.integer : 0);
}

void dto_canceled(const row *r, json_out *out) { dto_asked(r, "canceled", "canceled", out); }
void dto_finished(const row *r, json_out *out) { dto_asked(r, "finished", "finished", out); }
void dto_complete_scope(const row *r, json_out *out) { dto_asked(r, "completeScope", "complete_scope", out); }
void dto_open_incidents(const row *r, json_out *out) { dto_asked(r, "incidents", "open_incidents", out); }
void dto_resolved_incidents(const row *r, json_out *out) { dto_asked(r, "incidents", "resolved_incidents", out); }
void dto_deleted_incidents(const row *r, json_out *out) { dto_asked(r, "incidents", "deleted_incidents", out); }

/* ---- Durations -------------------------------------------------------------------------------- */

static void dto_between(const row *r, const char *from, const char *to, json_out *out) {
  orr_value start = dto_get(r, from), end = dto_get(r, to);
  if (end.type == ORR_NIL || start.type == ORR_NIL) out_null(out);
  else out_int(out, time_of_value(&end) - time_of_value(&start));
}

void dto_duration(const row *r, json_out *out) { dto_between(r, "started_at", "ended_at", out); }
void dto_task_duration(const row *r, json_out *out) { dto_between(r, "created", "ended_at", out); }

/* ---- States ----------------------------------------------------------------------------------- */

void dto_is_created(const row *r, json_out *out) { out_bool(out, dto_text_is(r, "state", "created")); }
void dto_is_failed(const row *r, json_out *out) { out_bool(out, dto_text_is(r, "state", "failed")); }
void dto_is_succeeded(const row *r, json_out *out) { out_bool(out, dto_text_is(r, "state", "succeeded")); }
void dto_is_deleted(const row *r, json_out *out) { out_bool(out, dto_text_is(r, "state", "deleted")); }
void dto_is_open(const row *r, json_out *out) { out_bool(out, dto_text_is(r, "state", "open")); }
void dto_is_resolved(const row *r, json_out *out) { out_bool(out, dto_text_is(r, "state", "resolved")); }

void dto_history_state(const row *r, json_out *out) {
  bool called = dto_id(r, "parent_id") != 0;
  if (dto_text_is(r, "state", "active")) out_text(out, "ACTIVE");
  else if (dto_text_is(r, "state", "suspended")) out_text(out, "SUSPENDED");
  else if (dto_text_is(r, "state", "completed")) out_text(out, "COMPLETED");
  else out_text(out, called ? "INTERNALLY_TERMINATED" : "EXTERNALLY_TERMINATED");
}

void dto_history_task_state(const row *r, json_out *out) {
  bool ended = dto_get(r, "ended_at").type != ORR_NIL;
  if (!ended) out_text(out, dto_get(r, "assignee").type == ORR_NIL ? "Created" : "Updated");
  else out_text(out, dto_text_is(r, "delete_reason", "completed") ? "Completed" : "Deleted");
}

void dto_task_state(const row *r, json_out *out) {
  out_text(out, dto_get(r, "assignee").type == ORR_NIL ? "Created" : "Updated");
}

void dto_variable_state(const row *r, json_out *out) {
  (void)r;
  out_text(out, "CREATED");
}

void dto_delegation(const row *r, json_out *out) {
  if (dto_text_is(r, "delegation", "pending")) out_text(out, "PENDING");
  else out_text(out, dto_text_is(r, "delegation", "resolved") ? "RESOLVED" : NULL);
}

static void dto_named(const row *r, const char *field, const char *names, json_out *out) {
  orr_value value = dto_get(r, field);
  char text[64];
  if (value.type != ORR_STRING || value.size >= sizeof text) {
    dto_put(out, &value);
    return;
  }
  memcpy(text, value.as.bytes, value.size);
  text[value.size] = '\0';
  out_text(out, names_theirs(names, text));
}

void dto_incident_type(const row *r, json_out *out) { dto_named(r, "type", "incident_types", out); }
void dto_event_type(const row *r, json_out *out) { dto_named(r, "type", "event_types", out); }

/* An incident without a cause is its own. */
static void dto_caused_by(const row *r, const char *field, json_out *out) {
  orr_id cause = dto_id(r, field);
  out_id(out, cause ? cause : orr_records_id(r->records, r->index));
}

/* The job or external task, or what the program that made it says. */
void dto_incident_about(const row *r, json_out *out) {
  orr_value own = dto_get(r, "configuration");
  if (own.type == ORR_STRING) dto_put(out, &own);
  else out_id(out, dto_id(r, "job_id"));
}

void dto_cause(const row *r, json_out *out) { dto_caused_by(r, "cause_id", out); }
void dto_root_cause(const row *r, json_out *out) { dto_caused_by(r, "root_cause_id", out); }

/* ---- What another record says ----------------------------------------------------------------- */

void dto_definition_name(const row *r, json_out *out) {
  const orr_records *d = records_definition(r->request, dto_id(r, "definition_id"));
  orr_value name = d ? orr_records_get(d, 0, "name") : (orr_value){0};
  dto_put(out, &name);
}

void dto_definition_version(const row *r, json_out *out) {
  const orr_records *d = records_definition(r->request, dto_id(r, "definition_id"));
  orr_value version = d ? orr_records_get(d, 0, "version") : (orr_value){0};
  dto_put(out, &version);
}

/* A job that still is; afterwards nothing says which definition it had. */
void dto_job_definition(const row *r, json_out *out) {
  orr_id job = dto_is_listed(r) ? 0 : dto_id(r, "job_id");
  if (!job) {
    out_id(out, dto_id(r, "job_definition_id"));
    return;
  }
  orr_records *found = records_one(r->request, "jobs", job);
  orr_value id = found ? orr_records_get(found, 0, "job_definition_id") : (orr_value){0};
  out_id(out, id.type == ORR_INT ? (orr_id)id.as.integer : 0);
  orr_records_free(found);
}

/* Days, where the model says a number of them; P30D is one, too. */
void dto_time_to_live(const row *r, json_out *out) {
  orr_value value = dto_get(r, "history_time_to_live");
  int64_t days = value.type == ORR_INT ? value.as.integer : -1;
  if (value.type == ORR_STRING && value.size < 16) {
    char text[16];
    int end = 0;
    memcpy(text, value.as.bytes, value.size);
    text[value.size] = '\0';
    const char *digits = text[0] == 'P' ? text + 1 : text;
    if (sscanf(digits, "%" SCNd64 "%n", &days, &end) != 1 || (strcmp(digits + end, "D") != 0 && digits[end])) days = -1;
  }
  if (days >= 0) out_int(out, days);
  else out_null(out);
}

/* ---- Values ----------------------------------------------------------------------------------- */

static orr_value dto_described(const row *r) {
  orr_value value = dto_get(r, "value"), described = {0};
  values_describe(r->request, &value, &described);
  return described;
}

void dto_value(const row *r, json_out *out) {
  orr_value described = dto_described(r), value = orr_map_get(&described, "value");
  values_write_value(out, &described, &value);
}

void dto_value_type(const row *r, json_out *out) {
  orr_value described = dto_described(r), type = orr_map_get(&described, "type");
  dto_put(out, &type);
}

void dto_value_info(const row *r, json_out *out) {
  orr_value described = dto_described(r);
  values_write_info(out, &described);
}

/* The fetched variables of an external task. */
void dto_variables(const row *r, json_out *out) {
  orr_value variables = dto_get(r, "variables"), key, value;
  orr_iterator i = orr_iterate(&variables);
  out_open(out, '{');
  while (orr_next(&i, &key, &value)) {
    orr_value described;
    if (!values_describe(r->request, &value, &described)) break;
    out_key_bytes(out, key.as.bytes, key.size);
    values_write(out, &described);
  }
  out_close(out, '}');
}

void dto_extension_properties(const row *r, json_out *out) {
  orr_value properties = dto_get(r, "extension_properties");
  if (properties.type == ORR_MAP) out_value(out, &properties);
  else {
    out_open(out, '{');
    out_close(out, '}');
  }
}
