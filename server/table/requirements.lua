-- Decision requirements: deployed DMN models, and how often their decisions were evaluated.
local L = require "server.lines"

local of = { "/decision-requirements-definition", "No matching decision requirements definition with id: %s",
  "No matching decision requirements definition with key: %s and no tenant-id",
  "No matching decision requirements definition with key: %s of this tenant" }

local operations = {
  { "GET", "/decision-requirements-definition", "list", "Lists deployed DMN models.", query = "model" },
  { "GET", "/decision-requirements-definition/count", "count", "Counts them.", query = "model" },
  { "GET", "/history/decision-requirements-definition/{id}/statistics", "model_statistics", "How often each decision of a model was \z
    evaluated, also for one that was asked for.", slow = true, missing = of[2], args = { { "decisionInstanceId", "id" } },
    returns = "[HistoricDecisionInstanceStatisticsDto]" },
}

for _, list in ipairs {
  L.each(of, "GET", "", "model_get", "One deployed DMN model; by key its latest version.",
    { returns = "DecisionRequirementsDefinitionDto" }),
  L.each(of, "GET", "/xml", "model_xml", "Its DMN.", { returns = "DecisionRequirementsDefinitionXmlDto" }),
  L.each(of, "GET", "/diagram", "model_diagram", "Its picture: the model itself is the drawing, so there is none.", {}),
} do
  table.move(list, 1, #list, #operations + 1, operations)
end

return {
  dtos = {
    DecisionRequirementsDefinitionDto = {
      { "id", "id", "id" }, { "key", "text", "model_id" }, { "category", "null" }, { "name", "text", "model_name" },
      { "version", "computed", "dto_model_version", type = "int" }, { "resource", "text", "resource" },
      { "deploymentId", "id", "deployment_id" }, { "tenantId", "text", "tenant" },
    },
    DecisionRequirementsDefinitionXmlDto = { { "id", "id" }, { "dmnXml", "text" }, written = true },
    HistoricDecisionInstanceStatisticsDto = { { "decisionDefinitionKey", "text" }, { "evaluations", "int" }, written = true },
  },
  queries = {
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
  },
  operations = operations,
}
