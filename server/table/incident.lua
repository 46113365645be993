-- Incidents.
local L = require "server.lines"

local no_incident = "No matching incident with id %s"

return {
  dtos = {
    IncidentDto = {
      { "id", "id", "id" }, { "processDefinitionId", "id", "definition_id" }, { "processInstanceId", "id", "instance_id" },
      { "executionId", "id", "execution_id" }, { "incidentTimestamp", "time", "time" },
      { "incidentType", "computed", "dto_incident_type", type = "text" }, { "activityId", "text", "activity_id" },
      { "failedActivityId", "text", "failed_activity_id" }, { "causeIncidentId", "computed", "dto_cause", type = "id" },
      { "rootCauseIncidentId", "computed", "dto_root_cause", type = "id" }, { "configuration", "computed",
        "dto_incident_about", type = "text" }, { "tenantId", "text", "tenant" }, { "incidentMessage", "text", "message" },
      { "jobDefinitionId", "computed", "dto_job_definition", type = "id" }, { "annotation", "text", "annotation" },
    },
  },
  queries = {
    incident = {
      verb = "incidents", dto = "IncidentDto", more = { { "job_definition_id" } },
      params = {
        { "incidentId", "id", "id" }, { "incidentType", "text", "type", word = "incident_types" },
        { "incidentMessage", "text", "message" }, { "incidentMessageLike", "like", "message_like" },
        { "processDefinitionId", "id", "definition_id" }, { "processDefinitionKeyIn", "texts", "definition_key_in" },
        { "processInstanceId", "id", "instance_id" }, { "executionId", "id", "execution_id" },
        { "incidentTimestampBefore", "time", "time_before" }, { "incidentTimestampAfter", "time", "time_after" },
        { "activityId", "text", "activity_id" }, { "failedActivityId", "text", "failed_activity_id" },
        { "causeIncidentId", "id", "cause_id" }, { "rootCauseIncidentId", "id", "root_cause_id" },
        { "configuration", "text", "about" }, L.tenants, { "jobDefinitionIdIn", "ids", "job_definition_in" },
      },
      sorts = { incidentId = "id", incidentMessage = "message", incidentTimestamp = "time", incidentType = "type",
        executionId = "execution_id", activityId = "activity_id", processInstanceId = "instance_id",
        processDefinitionId = "definition_id", causeIncidentId = "cause_id", rootCauseIncidentId = "root_cause_id",
        configuration = "about", tenantId = "tenant" },
    },
  },
  operations = {
    { "GET", "/incident", "list", "Lists incidents.", query = "incident" },
    { "GET", "/incident/count", "count", "Counts incidents.", query = "incident" },
    { "GET", "/incident/{id}", "find", "One incident.", query = "incident", missing = no_incident },
    { "DELETE", "/incident/{id}", "incident_resolve", "Closes an incident that no failed job holds open.", role = "operate",
      missing = no_incident },
    { "PUT", "/incident/{id}/annotation", "incident_annotate", "Sets its annotation.", role = "operate",
      body = { { "annotation", "text" } }, missing_status = 400, missing = no_incident },
    { "DELETE", "/incident/{id}/annotation", "incident_annotation_clear", "Clears its annotation.", role = "operate",
      missing_status = 400, missing = no_incident },
    { "POST", "/execution/{id}/create-incident", "create_incident", "Opens an incident of one's own.", role = "operate",
      returns = "IncidentDto", missing_status = 400, missing = "Cannot find an execution with executionId '%s'",
      body = { { "incidentType", "text" }, { "configuration", "text" }, { "message", "text" } } },
  },
}
