-- Decisions, and what was decided.
local L = require "server.lines"

local of = { "/decision-definition", "No matching decision definition with id: %s",
  "No matching decision definition with key: %s and no tenant-id", "No matching decision definition with key: %s of this tenant" }

local operations = {
  { "GET", "/decision-definition", "list", "Lists decisions.", query = "decision" },
  { "GET", "/decision-definition/count", "count", "Counts decisions.", query = "decision" },
  { "GET", "/history/decision-instance", "list", "Lists what was decided (history level full).", query = "history_decision" },
  { "GET", "/history/decision-instance/count", "count", "Counts it.", query = "history_decision" },
  { "GET", "/history/decision-instance/{id}", "history_decision_get", "What was decided once, with what it was decided from.",
    returns = "HistoricDecisionInstanceDto", missing = "Historic decision instance with id '%s' does not exist",
    args = { { "includeInputs", "flag" }, { "includeOutputs", "flag" }, { "disableBinaryFetching", "idle" },
      { "disableCustomObjectDeserialization", "idle" } } },
  { "POST", "/history/decision-instance/delete", "decided_delete", "Deletes what was decided, by a batch.", role = "operate",
    returns = "BatchDto", body = { { "historicDecisionInstanceIds", "texts" }, { "historicDecisionInstanceQuery", "query" },
      { "deleteReason", "text" } } },
  { "POST", "/history/decision-instance/set-removal-time", "decided_removal_time", "Sets when it goes, by a batch.", role = "operate",
    returns = "BatchDto", body = { { "absoluteRemovalTime", "time" }, { "clearedRemovalTime", "bool" },
      { "calculatedRemovalTime", "bool" }, { "hierarchical", "bool" }, { "historicDecisionInstanceIds", "texts" },
      { "historicDecisionInstanceQuery", "query" } } },
}

for _, list in ipairs {
  L.each(of, "GET", "", "decision_get", "One decision; by key its latest version.", { returns = "DecisionDefinitionDto" }),
  L.each(of, "GET", "/xml", "decision_xml", "Its DMN.", { returns = "DecisionDefinitionDiagramDto" }),
  L.each(of, "GET", "/diagram", "decision_diagram", "Its picture: the model itself is the drawing, so there is none.", {}),
  L.each(of, "POST", "/evaluate", "decision_evaluate", "Evaluates it: an object of outputs for each result.",
    { role = "operate", body = { L.variables }, returns = "[{VariableValueDto}]" }),
  L.each(of, "PUT", "/history-time-to-live", "decision_time_to_live", "Sets how many days is kept what it decides outside of instances.",
    { role = "operate", body = { { "historyTimeToLive", "int" } } }),
} do
  table.move(list, 1, #list, #operations + 1, operations)
end

return {
  dtos = {
    DecisionDefinitionDto = {
      { "id", "id", "id" }, { "key", "text", "key" }, { "category", "null" }, { "name", "text", "name" }, { "version", "int", "version" },
      { "resource", "text", "resource" }, { "deploymentId", "id", "deployment_id" }, { "tenantId", "text", "tenant" },
      { "decisionRequirementsDefinitionId", "computed", "dto_model_of_decision", type = "id" },
      { "decisionRequirementsDefinitionKey", "text", "model_id" },
      { "historyTimeToLive", "computed", "dto_time_to_live", type = "int" }, { "versionTag", "text", "version_tag" },
    },
    DecisionDefinitionDiagramDto = { { "id", "id" }, { "dmnXml", "text" }, written = true },
    HistoricDecisionInstanceDto = {
      { "id", "computed", "dto_decision_id", type = "id" }, { "decisionDefinitionId", "id", "decision_id" },
      { "decisionDefinitionKey", "text", "decision_key" }, { "decisionDefinitionName", "text", "name" }, { "evaluationTime", "time",
          "time" },
      { "removalTime", "time", "remove_at" }, { "processDefinitionId", "id", "definition_id" },
      { "processDefinitionKey", "text", "definition_key" }, { "processInstanceId", "id", "instance_id" },
      { "rootProcessInstanceId", "null" }, { "caseDefinitionId", "null" }, { "caseDefinitionKey", "null" }, { "caseInstanceId", "null" },
      { "activityId", "text", "activity_id" }, { "activityInstanceId", "null" }, { "userId", "text", "user" },
      { "inputs", "computed", "dto_decision_inputs", type = "array" }, { "outputs", "computed", "dto_decision_outputs", type = "array" },
      { "collectResultValue", "computed", "dto_decision_collected", type = "any" },
      { "rootDecisionInstanceId", "computed", "dto_decision_root", type = "id" },
      { "decisionRequirementsDefinitionId", "computed", "dto_model_of_decided", type = "id" },
      { "decisionRequirementsDefinitionKey", "computed", "dto_decision_model", type = "text" }, { "tenantId", "text", "tenant" },
      L.beside,
    },
  },
  queries = {
    decision = {
      verb = "decisions", dto = "DecisionDefinitionDto",
      params = {
        { "decisionDefinitionId", "id", "id" }, { "decisionDefinitionIdIn", "ids", "id_in" }, { "name", "text", "name" },
        { "nameLike", "like", "name_like" }, { "deploymentId", "id", "deployment_id" },
        { "deployedAfter", "time", "deployed_at_after" }, { "deployedAt", "time", "deployed_at" },
        { "key", "text", "key" }, { "keyLike", "like", "key_like" }, L.unbuilt("category", "decisions have none"),
        L.unbuilt("categoryLike", "decisions have none"), { "version", "int", "version" },
        { "latestVersion", "flag", "latest" },
        { "resourceName", "text", "resource" }, { "resourceNameLike", "like", "resource_like" },
        { "decisionRequirementsDefinitionId", "id", "model" }, { "decisionRequirementsDefinitionKey", "text", "model_id" },
        { "withoutDecisionRequirementsDefinition", "none", "model_id" }, L.tenants_or "includeDecisionDefinitionsWithoutTenantId",
        L.no_tenant, L.with_none "includeDecisionDefinitionsWithoutTenantId", { "versionTag", "text", "version_tag" },
        { "versionTagLike", "like", "version_tag_like" },
      },
      sorts = { category = false, decisionRequirementsDefinitionKey = "model_id", key = "key", id = "id", name = "name",
        version = "version", deploymentId = "deployment_id", deployTime = "deployment_id", versionTag = "version_tag",
        tenantId = "tenant" },
    },
    history_decision = {
      verb = "history_decisions", dto = "HistoricDecisionInstanceDto",
      params = {
        { "decisionInstanceId", "row", "number" }, { "decisionInstanceIdIn", "rows", "number_in" },
        { "decisionDefinitionId", "id", "decision_id" }, { "decisionDefinitionIdIn", "ids", "decision_id_in" },
        { "decisionDefinitionKey", "text", "decision_key" }, { "decisionDefinitionKeyIn", "texts", "decision_key_in" },
        { "decisionDefinitionName", "text", "name" }, { "decisionDefinitionNameLike", "like", "name_like" },
        { "processDefinitionId", "id", "definition_id" }, { "processDefinitionKey", "text", "definition_key" },
        { "processInstanceId", "id", "instance_id" }, L.unbuilt("caseDefinitionId", L.CASES), L.unbuilt("caseDefinitionKey", L.CASES),
        L.unbuilt("caseInstanceId", L.CASES), { "activityIdIn", "texts", "activity_id_in" },
        L.unbuilt("activityInstanceIdIn", "by activity instance"), L.tenants, L.no_tenant,
        { "evaluatedBefore", "time", "time_before" }, { "evaluatedAfter", "time", "time_after" }, { "userId", "text", "user" },
        { "rootDecisionInstanceId", "row", "root_number" }, { "rootDecisionInstancesOnly", "flag", "root_only" },
        { "decisionRequirementsDefinitionId", "id", "model" }, { "decisionRequirementsDefinitionKey", "text", "model_id" },
        { "includeInputs", "switch" }, { "includeOutputs", "switch" }, { "disableBinaryFetching", "idle" },
        { "disableCustomObjectDeserialization", "idle" },
      },
      sorts = { evaluationTime = "time", occurrence = "sequence", tenantId = "tenant" },
    },
  },
  operations = operations,
}
