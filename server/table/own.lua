-- Variables across instances, metrics, engines, the users of the server's file, decisions.
local L = require "server.table.lines"

local none = "the server's file of users says who there is"

local operations = {
  { "GET", "/variable-instance", "list", "Lists variables of running instances.",
      query = "variable_instance" },
  { "POST", "/variable-instance", "list", "The same with the query in the body.",
      query = "variable_instance" },
  { "GET", "/variable-instance/count", "count", "Counts them.", query = "variable_instance" },
  { "POST", "/variable-instance/count", "count", "The same with the query in the body.", query = "variable_instance" },
  { "GET", "/variable-instance/{id}", "variable_instance_get", "One of them.", returns = "VariableInstanceDto",
    args = { { "deserializeValue", "switch" } }, missing = "Variable instance with Id '%s' does not exist." },
  { "GET", "/variable-instance/{id}/data", "variable_instance_data", "Its bytes.", returns = "bytes",
    missing = "Variable instance with Id '%s' does not exist." },
  { "GET", "/engine", "engines", "The engines that are served.", returns = "[ProcessEngineDto]" },
  { "GET", "/version", "version", "The version whose interface this is.", returns = "VersionDto", role = "any" },
  { "GET", "/metrics", "metrics_intervals", "Counts by intervals.", unbuilt = "counts by intervals; GET /metrics of the server itself \z
    is what Prometheus reads", args = { { "name", "switch" }, { "reporter", "switch" }, { "startDate", "switch" },
      { "endDate", "switch" }, { "firstResult", "switch" }, { "maxResults", "switch" }, { "interval", "switch" },
      { "aggregateByReporter", "switch" } } },
  { "DELETE", "/metrics/task-worker", "metrics_delete", "Deletes metrics.", role = "operate", unbuilt = "metrics are not stored" },
  { "GET", "/metrics/{metrics-name}/sum", "metrics_sum", "What was counted since this process opened the engine.",
    returns = "MetricsResultDto", args = { L.unbuilt("startDate", "counts since the engine was opened"),
      L.unbuilt("endDate", "counts since the engine was opened") } },

  { "GET", "/user", "users", "The users of the server's file.", returns = "[UserProfileDto]",
    args = { { "id", "text" }, { "firstName", "switch" }, { "lastName", "switch" }, { "firstResult", "int" }, { "maxResults", "int" },
      { "sortBy", "switch" }, { "sortOrder", "switch" }, L.unbuilt("firstNameLike", none), L.unbuilt("lastNameLike", none),
      L.unbuilt("email", none), L.unbuilt("emailLike", none), L.unbuilt("idIn", none), L.unbuilt("memberOfGroup", none),
      L.unbuilt("memberOfTenant", none), L.unbuilt("potentialStarter", none) } },
  { "GET", "/user/count", "users_count", "How many.", returns = "CountResultDto",
    args = { { "id", "text" }, { "firstName", "switch" }, { "lastName", "switch" }, L.unbuilt("firstNameLike", none),
      L.unbuilt("lastNameLike", none), L.unbuilt("email", none), L.unbuilt("emailLike", none), L.unbuilt("idIn", none),
      L.unbuilt("memberOfGroup", none), L.unbuilt("memberOfTenant", none), L.unbuilt("potentialStarter", none) } },
  { "GET", "/user/{id}/profile", "user_profile", "One user.", returns = "UserProfileDto",
    missing = "User with id %s does not exist" },
  { "GET", "/identity/groups", "user_groups", "The groups of a user, and who shares them.", returns = "map",
    args = { { "userId", "text" } } },
}
for _, path in ipairs { "/authorization", "/tenant", "/filter", "/group" } do
  operations[#operations + 1] = { "GET", path, "nothing", "There are none: " .. none .. ".", returns = "[map]", args = "ignored" }
  operations[#operations + 1] = { "GET", path .. "/count", "zero", "None.", returns = "CountResultDto", args = "ignored" }
end
for _, op in ipairs {
  { "POST", "/user/create" }, { "PUT", "/user/{id}/profile" }, { "PUT", "/user/{id}/credentials" }, { "DELETE", "/user/{id}" },
  { "POST", "/user/{id}/unlock" }, { "POST", "/group/create" }, { "PUT", "/group/{id}" }, { "DELETE", "/group/{id}" },
  { "PUT", "/group/{id}/members/{userId}" }, { "DELETE", "/group/{id}/members/{userId}" }, { "POST", "/authorization/create" },
  { "PUT", "/authorization/{id}" }, { "DELETE", "/authorization/{id}" }, { "POST", "/tenant/create" }, { "PUT", "/tenant/{id}" },
  { "DELETE", "/tenant/{id}" }, { "POST", "/filter/create" }, { "PUT", "/filter/{id}" }, { "DELETE", "/filter/{id}" },
} do
  operations[#operations + 1] = { op[1], op[2], "forbidden", "Refused: " .. none .. ".", role = "operate" }
end

local no_decision, no_decision_key = "No matching decision definition with id: %s",
  "No matching decision definition with key: %s and no tenant-id"
for _, op in ipairs {
  { "GET", "/decision-definition", "list", "Lists decisions.", query = "decision" },
  { "GET", "/decision-definition/count", "count", "Counts decisions.", query = "decision" },
  { "GET", "/decision-definition/{id}", "find", "One decision.", query = "decision", missing = no_decision },
  { "GET", "/decision-definition/key/{key}", "decision_get_key", "The latest version of a decision.", missing = no_decision_key,
    returns = "DecisionDefinitionDto" },
  { "GET", "/decision-definition/{id}/xml", "decision_xml", "Its DMN.", missing = no_decision, returns = "DecisionDefinitionDiagramDto" },
  { "GET", "/decision-definition/key/{key}/xml", "decision_xml", "Its DMN.", missing = no_decision_key,
    returns = "DecisionDefinitionDiagramDto" },
  { "GET", "/history/decision-instance", "list", "Lists what was decided.", query = "history_decision" },
  { "GET", "/history/decision-instance/count", "count", "Counts it.", query = "history_decision" },
} do
  operations[#operations + 1] = op
end

return {
  dtos = {
    VariableInstanceDto = {
      { "type", "computed", "dto_value_type", type = "text" }, { "value", "computed", "dto_value", type = "any" },
      { "valueInfo", "computed", "dto_value_info", type = "map" }, { "id", "text", "id" }, { "name", "text", "name" },
      { "processDefinitionId", "id", "definition_id" }, { "processInstanceId", "id", "instance_id" },
      { "executionId", "id", "execution_id" }, { "caseInstanceId", "null" }, { "caseExecutionId", "null" }, { "taskId", "id", "task_id" },
      { "batchId", "null" }, { "activityInstanceId", "id", "activity_instance_id" }, { "tenantId", "text", "tenant" },
      { "errorMessage", "null" },
    },
    ProcessEngineDto = { { "name", "text" }, written = true },
    VersionDto = { { "version", "text" }, written = true },
    MetricsResultDto = { { "result", "int" }, written = true },
    UserProfileDto = { { "id", "text" }, { "firstName", "text" }, { "lastName", "text" }, { "email", "text" }, written = true },
    CountResultDto = { { "count", "int" }, written = true },
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
      { "removalTime", "null" }, { "processDefinitionId", "id", "definition_id" }, { "processDefinitionKey", "text", "definition_key" },
      { "processInstanceId", "id", "instance_id" }, { "rootProcessInstanceId", "null" }, { "caseDefinitionId", "null" },
      { "caseDefinitionKey", "null" }, { "caseInstanceId", "null" }, { "activityId", "text", "activity_id" },
      { "activityInstanceId", "id", "activity_instance_id" }, { "userId", "text", "user" }, { "inputs", "empty" }, { "outputs", "empty" },
      { "collectResultValue", "null" }, { "rootDecisionInstanceId", "null" }, { "decisionRequirementsDefinitionId", "null" },
      { "decisionRequirementsDefinitionKey", "null" }, { "tenantId", "text", "tenant" },
    },
  },
  queries = {
    variable_instance = {
      verb = "variables", dto = "VariableInstanceDto",
      params = {
        { "variableName", "text", "name" }, { "variableNameLike", "like", "name_like" },
        { "processInstanceIdIn", "ids", "instance_id_in" }, { "executionIdIn", "ids", "execution_id_in" },
        L.unbuilt("caseInstanceIdIn", L.CASES), L.unbuilt("caseExecutionIdIn", L.CASES), { "taskIdIn", "ids", "task_in" },
        L.unbuilt("batchIdIn", "batches have no variables"), { "activityInstanceIdIn", "texts", "activity_instance_id_in" },
        L.tenants, L.unbuilt("variableValues", "by value"),
        L.unbuilt("variableNamesIgnoreCase", "ignoring case"), L.unbuilt("variableValuesIgnoreCase", "ignoring case"),
        { "variableScopeIdIn", "ids", "scope_in" }, { "deserializeValues", "switch" },
      },
      sorts = { variableName = "name", variableType = "type", activityInstanceId = "activity_instance_id", tenantId = "tenant" },
    },
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
        L.unbuilt("decisionRequirementsDefinitionId", "models have no ids of their own"),
        { "decisionRequirementsDefinitionKey", "text", "model_id" },
        { "withoutDecisionRequirementsDefinition", "none", "model_id" }, L.tenants_or "includeDecisionDefinitionsWithoutTenantId",
            L.no_tenant,
        L.with_none "includeDecisionDefinitionsWithoutTenantId", { "versionTag", "text", "version_tag" },
        { "versionTagLike", "like", "version_tag_like" },
      },
      sorts = { category = false, decisionRequirementsDefinitionKey = "model_id", key = "key", id = "id", name = "name",
        version = "version", deploymentId = "deployment_id", deployTime = "deployment_id", versionTag = "version_tag",
        tenantId = "tenant" },
    },
    history_decision = {
      verb = "history_decisions", dto = "HistoricDecisionInstanceDto",
      params = {
        L.unbuilt("decisionInstanceId", "by its id"), L.unbuilt("decisionInstanceIdIn", "by its id"),
        { "decisionDefinitionId", "id", "decision_id" }, { "decisionDefinitionIdIn", "ids", "decision_id_in" },
        { "decisionDefinitionKey", "text", "decision_key" }, { "decisionDefinitionKeyIn", "texts", "decision_key_in" },
        { "decisionDefinitionName", "text", "name" }, { "decisionDefinitionNameLike", "like", "name_like" },
        { "processDefinitionId", "id", "definition_id" }, { "processDefinitionKey", "text", "definition_key" },
        { "processInstanceId", "id", "instance_id" }, L.unbuilt("caseDefinitionId", L.CASES), L.unbuilt("caseDefinitionKey", L.CASES),
        L.unbuilt("caseInstanceId", L.CASES), { "activityIdIn", "texts", "activity_id_in" },
        L.unbuilt("activityInstanceIdIn", "by activity instance"), L.tenants, L.no_tenant,
        { "evaluatedBefore", "time", "time_before" }, { "evaluatedAfter", "time", "time_after" }, { "userId", "text", "user" },
        L.unbuilt("rootDecisionInstanceId", "by the decision that was asked for"),
        L.unbuilt("rootDecisionInstancesOnly", "by the decision that was asked for"),
        L.unbuilt("decisionRequirementsDefinitionId", "models have no ids of their own"),
        L.unbuilt("decisionRequirementsDefinitionKey", "by model"), L.unbuilt("includeInputs", "inputs in a list"),
        L.unbuilt("includeOutputs", "outputs in a list"), { "disableBinaryFetching", "switch" },
        { "disableCustomObjectDeserialization", "switch" },
      },
      sorts = { evaluationTime = "time", tenantId = "tenant" },
    },
  },
  operations = operations,
}
