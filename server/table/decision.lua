-- Decisions, and what was decided.
local L = require "server.table.lines"

local no_id = "No matching decision definition with id: %s"
local no_key = "No matching decision definition with key: %s and no tenant-id"
local no_tenant = "No matching decision definition with key: %s of this tenant"
local MODELS = "models have no ids of their own"

local operations = {
  { "GET", "/decision-definition", "list", "Lists decisions.", query = "decision" },
  { "GET", "/decision-definition/count", "count", "Counts decisions.", query = "decision" },
  { "GET", "/history/decision-instance", "list", "Lists what was decided (history level full).", query = "history_decision" },
  { "GET", "/history/decision-instance/count", "count", "Counts it.", query = "history_decision" },
  { "GET", "/history/decision-instance/{id}", "history_decision_get", "What was decided once, with what it was decided from.",
    returns = "HistoricDecisionInstanceDto", missing = "Historic decision instance with id '%s' does not exist",
    args = { { "includeInputs", "flag" }, { "includeOutputs", "flag" }, { "disableBinaryFetching", "switch" },
      { "disableCustomObjectDeserialization", "switch" } } },
}

-- Operations that there are for an id, for a key, and for a key of a tenant.
local function each(method, rest, handler, summary, more)
  for _, by in ipairs { { "/{id}", no_id }, { "/key/{key}", no_key }, { "/key/{key}/tenant-id/{tenant-id}", no_tenant } } do
    local op = { method, "/decision-definition" .. by[1] .. rest, handler, summary, missing = by[2] }
    for key, value in pairs(more) do op[key] = value end
    operations[#operations + 1] = op
  end
end

each("GET", "", "decision_get", "One decision; by key its latest version.", { returns = "DecisionDefinitionDto" })
each("GET", "/xml", "decision_xml", "Its DMN.", { returns = "DecisionDefinitionDiagramDto" })
each("GET", "/diagram", "decision_diagram", "Its picture: the model itself is the drawing, so there is none.", {})
each("POST", "/evaluate", "decision_evaluate", "Evaluates it: an object of outputs for each result.",
  { role = "operate", body = { L.variables }, returns = "[{VariableValueDto}]" })

return {
  dtos = {
    DecisionDefinitionDto = {
      { "id", "id", "id" }, { "key", "text", "key" }, { "category", "null" }, { "name", "text", "name" }, { "version", "int", "version" },
      { "resource", "text", "resource" }, { "deploymentId", "id", "deployment_id" }, { "tenantId", "text", "tenant" },
      { "decisionRequirementsDefinitionId", "null" }, { "decisionRequirementsDefinitionKey", "text", "model_id" },
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
      { "rootDecisionInstanceId", "computed", "dto_decision_root", type = "id" }, { "decisionRequirementsDefinitionId", "null" },
      { "decisionRequirementsDefinitionKey", "computed", "dto_decision_model", type = "text" }, { "tenantId", "text", "tenant" },
    },
  },
  queries = {
    decision = {
      verb = "decisions", dto = "DecisionDefinitionDto",
      params = {
        { "decisionDefinitionId", "id", "id" }, { "decisionDefinitionIdIn", "ids", "id_in" }, { "name", "text", "name" },
        { "nameLike", "like", "name_like" }, { "deploymentId", "id", "deployment_id" },
        L.unbuilt("deployedAfter", "the time is the deployment's"), L.unbuilt("deployedAt", "the time is the deployment's"),
        { "key", "text", "key" }, { "keyLike", "like", "key_like" }, L.unbuilt("category", "decisions have none"),
        L.unbuilt("categoryLike", "decisions have none"), { "version", "int", "version" },
        L.unbuilt("latestVersion", "the latest of each; by key it is GET /decision-definition/key/{key}"),
        { "resourceName", "text", "resource" }, { "resourceNameLike", "like", "resource_like" },
        L.unbuilt("decisionRequirementsDefinitionId", MODELS), { "decisionRequirementsDefinitionKey", "text", "model_id" },
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
        { "decisionInstanceId", "row", "sequence" }, { "decisionInstanceIdIn", "rows", "sequence_in" },
        { "decisionDefinitionId", "id", "decision_id" }, { "decisionDefinitionIdIn", "ids", "decision_id_in" },
        { "decisionDefinitionKey", "text", "decision_key" }, { "decisionDefinitionKeyIn", "texts", "decision_key_in" },
        { "decisionDefinitionName", "text", "name" }, { "decisionDefinitionNameLike", "like", "name_like" },
        { "processDefinitionId", "id", "definition_id" }, { "processDefinitionKey", "text", "definition_key" },
        { "processInstanceId", "id", "instance_id" }, L.unbuilt("caseDefinitionId", L.CASES), L.unbuilt("caseDefinitionKey", L.CASES),
        L.unbuilt("caseInstanceId", L.CASES), { "activityIdIn", "texts", "activity_id_in" },
        L.unbuilt("activityInstanceIdIn", "by activity instance"), L.tenants, L.no_tenant,
        { "evaluatedBefore", "time", "time_before" }, { "evaluatedAfter", "time", "time_after" }, { "userId", "text", "user" },
        { "rootDecisionInstanceId", "row", "root_sequence" }, { "rootDecisionInstancesOnly", "flag", "root_only" },
        L.unbuilt("decisionRequirementsDefinitionId", MODELS), L.unbuilt("decisionRequirementsDefinitionKey", "by model"),
        { "includeInputs", "switch" }, { "includeOutputs", "switch" }, { "disableBinaryFetching", "switch" },
        { "disableCustomObjectDeserialization", "switch" },
      },
      sorts = { evaluationTime = "time", tenantId = "tenant" },
    },
  },
  operations = operations,
}
