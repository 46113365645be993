-- Decisions, and what was decided.
local L = require "server.table.lines"

local no_id = "No matching decision definition with id: %s"
local no_key = "No matching decision definition with key: %s and no tenant-id"
local no_tenant = "No matching decision definition with key: %s of this tenant"
local no_model = "No matching decision requirements definition with id: %s"
local no_model_key = "No matching decision requirements definition with key: %s and no tenant-id"
local no_model_tenant = "No matching decision requirements definition with key: %s of this tenant"

local operations = {
  { "GET", "/decision-definition", "list", "Lists decisions.", query = "decision" },
  { "GET", "/decision-definition/count", "count", "Counts decisions.", query = "decision" },
  { "GET", "/history/decision-instance", "list", "Lists what was decided (history level full).", query = "history_decision" },
  { "GET", "/history/decision-instance/count", "count", "Counts it.", query = "history_decision" },
  { "GET", "/history/decision-instance/{id}", "history_decision_get", "What was decided once, with what it was decided from.",
    returns = "HistoricDecisionInstanceDto", missing = "Historic decision instance with id '%s' does not exist",
    args = { { "includeInputs", "flag" }, { "includeOutputs", "flag" }, { "disableBinaryFetching", "switch" },
      { "disableCustomObjectDeserialization", "switch" } } },
  { "GET", "/decision-requirements-definition", "list", "Lists deployed DMN models.", query = "model" },
  { "GET", "/decision-requirements-definition/count", "count", "Counts them.", query = "model" },
  { "GET", "/history/decision-requirements-definition/{id}/statistics", "model_statistics", "How often each decision of a model was \z
    evaluated, also for one that was asked for.", slow = true, missing = no_model, args = { { "decisionInstanceId", "switch" } },
    returns = "[HistoricDecisionInstanceStatisticsDto]" },
  { "POST", "/history/decision-instance/delete", "decided_delete", "Deletes what was decided, by a batch.", role = "operate",
    returns = "BatchDto", body = { { "historicDecisionInstanceIds", "texts" }, { "historicDecisionInstanceQuery", "query" },
      { "deleteReason", "text" } } },
  { "POST", "/history/decision-instance/set-removal-time", "decided_removal_time", "Sets when it goes, by a batch.", role = "operate",
    returns = "BatchDto", body = { { "absoluteRemovalTime", "time" }, { "clearedRemovalTime", "bool" },
      { "calculatedRemovalTime", "bool" }, { "hierarchical", "bool" }, { "historicDecisionInstanceIds", "texts" },
      { "historicDecisionInstanceQuery", "query" } } },
}

-- Operations that there are for an id, for a key, and for a key of a tenant.
local of_decisions = { "/decision-definition", no_id, no_key, no_tenant }
local of_models = { "/decision-requirements-definition", no_model, no_model_key, no_model_tenant }
local function each(method, rest, handler, summary, more, of)
  of = of or of_decisions
  for i, by in ipairs { "/{id}", "/key/{key}", "/key/{key}/tenant-id/{tenant-id}" } do
    local op = { method, of[1] .. by .. rest, handler, summary, missing = of[i + 1] }
    for key, value in pairs(more) do op[key] = value end
    operations[#operations + 1] = op
  end
end

each("GET", "", "decision_get", "One decision; by key its latest version.", { returns = "DecisionDefinitionDto" })
each("GET", "/xml", "decision_xml", "Its DMN.", { returns = "DecisionDefinitionDiagramDto" })
each("GET", "/diagram", "decision_diagram", "Its picture: the model itself is the drawing, so there is none.", {})
each("POST", "/evaluate", "decision_evaluate", "Evaluates it: an object of outputs for each result.",
  { role = "operate", body = { L.variables }, returns = "[{VariableValueDto}]" })
each("PUT", "/history-time-to-live", "decision_time_to_live", "Sets how many days is kept what it decides outside of instances.",
  { role = "operate", body = { { "historyTimeToLive", "int" } } })
each("GET", "", "model_get", "One deployed DMN model; by key its latest version.",
  { returns = "DecisionRequirementsDefinitionDto" }, of_models)
each("GET", "/xml", "model_xml", "Its DMN.", { returns = "DecisionRequirementsDefinitionXmlDto" }, of_models)
each("GET", "/diagram", "model_diagram", "Its picture: the model itself is the drawing, so there is none.", {}, of_models)

return {
  dtos = {
    DecisionDefinitionDto = {
      { "id", "id", "id" }, { "key", "text", "key" }, { "category", "null" }, { "name", "text", "name" }, { "version", "int", "version" },
      { "resource", "text", "resource" }, { "deploymentId", "id", "deployment_id" }, { "tenantId", "text", "tenant" },
      { "decisionRequirementsDefinitionId", "computed", "dto_model_of_decision", type = "id" },
      { "decisionRequirementsDefinitionKey", "text", "model_id" },
      { "historyTimeToLive", "computed", "dto_time_to_live", type = "int" }, { "versionTag", "text", "version_tag" },
    },
    DecisionRequirementsDefinitionDto = {
      { "id", "id", "id" }, { "key", "text", "model_id" }, { "category", "null" }, { "name", "text", "model_name" },
      { "version", "computed", "dto_model_version", type = "int" }, { "resource", "text", "resource" },
      { "deploymentId", "id", "deployment_id" }, { "tenantId", "text", "tenant" },
    },
    DecisionRequirementsDefinitionXmlDto = { { "id", "id" }, { "dmnXml", "text" }, written = true },
    HistoricDecisionInstanceStatisticsDto = { { "decisionDefinitionKey", "text" }, { "evaluations", "int" }, written = true },
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
    model = {
      verb = "decisions", dto = "DecisionRequirementsDefinitionDto", on = "first_of_model",
      params = {
        { "decisionRequirementsDefinitionId", "id", "id" }, { "decisionRequirementsDefinitionIdIn", "ids", "id_in" },
        { "name", "text", "model_name" }, { "nameLike", "like", "model_name_like" }, { "deploymentId", "id", "deployment_id" },
        { "key", "text", "model_id" }, { "keyLike", "like", "model_id_like" }, L.unbuilt("category", "models have none"),
        L.unbuilt("categoryLike", "models have none"), { "version", "int", "model_version" },
        { "latestVersion", "flag", "latest_model" },
        { "resourceName", "text", "resource" }, { "resourceNameLike", "like", "resource_like" },
        L.tenants_or "includeDecisionRequirementsDefinitionsWithoutTenantId", L.no_tenant,
        L.with_none "includeDecisionRequirementsDefinitionsWithoutTenantId",
      },
      sorts = { category = false, key = "model_id", id = "id", name = "model_name", version = "model_version",
        deploymentId = "deployment_id", tenantId = "tenant" },
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
        { "decisionRequirementsDefinitionId", "id", "model" }, { "decisionRequirementsDefinitionKey", "text", "model_id" },
        { "includeInputs", "switch" }, { "includeOutputs", "switch" }, { "disableBinaryFetching", "switch" },
        { "disableCustomObjectDeserialization", "switch" },
      },
      sorts = { evaluationTime = "time", tenantId = "tenant" },
    },
  },
  operations = operations,
}
