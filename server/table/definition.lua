-- Process definitions: lists, starts, suspension, forms.
local L = require "server.lines"

local starts = {
  { "businessKey", "text" }, L.variables, { "caseInstanceId", "unbuilt", L.CASES }, { "startInstructions", "array" },
  { "skipCustomListeners", "bool" }, { "skipIoMappings", "bool" }, { "withVariablesInReturn", "bool" },
}
local suspension = {
  { "suspended", "bool" }, { "processDefinitionId", "id" }, { "processDefinitionKey", "text" },
  { "includeProcessInstances", "bool" }, { "executionDate", "time" },
}
local restart = {
  { "processInstanceIds", "ids" }, { "historicProcessInstanceQuery", "query" }, { "skipCustomListeners", "bool" },
  { "skipIoMappings", "bool" }, { "initialVariables", "bool" }, { "withoutBusinessKey", "bool" }, { "instructions", "array" },
}
local of = L.of_definitions
local _, no_id, no_key, no_tenant = table.unpack(of)

local operations = {
  { "GET", "/process-definition", "list", "Lists process definitions.", query = "definition", people = "starts" },
  { "GET", "/process-definition/count", "count", "Counts process definitions.", query = "definition",
    people = "starts" },
  { "PUT", "/process-definition/suspended", "definitions_suspend", "Suspends or activates every version of a definition.",
    role = "operate", body = suspension },
  { "DELETE", "/process-definition/key/{key}/tenant-id/{tenant-id}", "definition_delete_key", "Deletes every version of a tenant's.",
    role = "deploy", args = { { "cascade", "flag" }, { "skipCustomListeners", "flag" },
      { "skipIoMappings", "flag" } }, missing = no_tenant },
  { "DELETE", "/process-definition/{id}", "definition_delete", "Deletes one version.", role = "deploy",
    args = { { "cascade", "flag" }, { "skipCustomListeners", "flag" },
      { "skipIoMappings", "flag" } }, missing = no_id },
  { "DELETE", "/process-definition/key/{key}", "definition_delete_key", "Deletes every version of a definition.", role = "deploy",
    args = { { "cascade", "flag" }, { "skipCustomListeners", "flag" },
      { "skipIoMappings", "flag" } }, missing = no_key },
  { "POST", "/process-definition/{id}/restart", "definition_restart", "Starts ended instances again.", role = "operate",
    body = restart, missing = no_id },
  L.by_batch("/process-definition/{id}/restart-async", "definition_restart_async", "Starts ended instances again by a batch.",
    L.with_skips { { "processInstanceIds", "ids" }, { "historicProcessInstanceQuery", "query" }, { "initialVariables", "bool" },
      { "withoutBusinessKey", "bool" }, { "instructions", "array" } },
    { missing = no_id }),
  { "GET", "/process-definition/{id}/static-called-process-definitions", "definition_called",
    "What its call activities call, as far as no expression decides.", returns = "[CalledProcessDefinitionDto]",
    missing = no_id },
}

for _, list in ipairs {
  L.each(of, "GET", "", "definition_get", "One definition; by key the latest version of no tenant.", {
    returns = "ProcessDefinitionDto", people = "model" }),
  L.each(of, "GET", "/xml", "definition_xml", "Its BPMN.", {
    returns = "ProcessDefinitionDiagramDto", people = "model" }),
  L.each(of, "POST", "/start", "definition_start", "Starts an instance.",
    { role = "operate", people = "start", body = starts, returns = "ProcessInstanceWithVariablesDto" }),
  L.each(of, "POST", "/submit-form", "definition_submit",
    "Checks what its start form says, and starts an instance with that.",
    { role = "operate", people = "start", body = { L.variables, { "businessKey", "text" } }, returns = "ProcessInstanceDto" }),
  L.each(of, "PUT", "/suspended", "definition_suspend", "Suspends or activates it.", { role = "operate", body = suspension }),
  L.each(of, "GET", "/startForm", "start_form", "Where its start form is.",
    { slow = true, people = "start", returns = "FormDto" }),
  L.each(of, "GET", "/diagram", "definition_diagram", "Its picture: the model itself is the drawing, so there is none."),
  L.each(of, "PUT", "/history-time-to-live", "definition_time_to_live", "Sets how many days history is kept.",
    { role = "operate", body = { { "historyTimeToLive", "int" } } }),
  L.each(of, "GET", "/form-variables", "start_form_variables", "What its start form's fields show.",
    { slow = true, people = "start", args = { { "variableNames", "text" }, { "deserializeValues", "idle" } },
      returns = "{VariableValueDto}" }),
  L.each(of, "GET", "/rendered-form", "start_form_rendered",
    "The fields that its model describes as an HTML form; without any 404.",
    { slow = true, people = "start", returns = "bytes" }),
  L.each(of, "GET", "/deployed-start-form", "deployed_start_form",
    "The form that was deployed for its start.",
    { slow = true, people = "start", returns = "bytes" }),
} do
  table.move(list, 1, #list, #operations + 1, operations)
end

return {
  dtos = {
    ProcessDefinitionDto = {
      { "id", "id", "id" }, { "key", "text", "key" }, { "category", "text", "category" }, { "description", "text", "documentation" },
      { "name", "text", "name" }, { "version", "int", "version" }, { "resource", "text", "resource" },
      { "deploymentId", "id", "deployment_id" }, { "diagram", "null" }, { "suspended", "bool", "suspended" },
      { "tenantId", "text", "tenant" }, { "versionTag", "text", "version_tag" }, { "historyTimeToLive", "computed", "dto_time_to_live",
        type = "int" }, { "startableInTasklist", "bool", "startable" },
    },
    CalledProcessDefinitionDto = {
      extends = "ProcessDefinitionDto", { "calledFromActivityIds", "computed", "dto_calling_activities", type = "array" },
      { "callingProcessDefinitionId", "computed", "dto_calling_definition", type = "id" },
    },
    ProcessDefinitionDiagramDto = { { "id", "id" }, { "bpmn20Xml", "text" }, written = true },
    FormDto = { { "key", "text" }, { "camundaFormRef", "null" }, { "contextPath", "null" }, written = true },
  },
  queries = {
    definition = {
      verb = "definitions", dto = "ProcessDefinitionDto",
      params = {
        { "processDefinitionId", "id", "id" }, { "processDefinitionIdIn", "ids", "id_in" }, { "name", "text", "name" },
        { "nameLike", "like", "name_like" }, { "deploymentId", "id", "deployment_id" },
        { "deployedAfter", "time", "deployed_at_after" }, { "deployedAt", "time", "deployed_at" },
        { "key", "text", "key" }, { "keysIn", "texts", "key_in" }, { "keyLike", "like", "key_like" },
        { "category", "text", "category" }, { "categoryLike", "like", "category_like" }, { "version", "int", "version" },
        { "latestVersion", "flag", "latest" }, { "resourceName", "text", "resource" },
        { "resourceNameLike", "like", "resource_like" }, { "startableBy", "text", "startable_by" },
        { "active", "not", "suspended" }, { "suspended", "flag", "suspended" },
        L.incident[1], L.incident[2], L.incident[3], L.incident[4], L.tenants_or "includeProcessDefinitionsWithoutTenantId", L.no_tenant,
        L.with_none "includeProcessDefinitionsWithoutTenantId", { "versionTag", "text", "version_tag" },
        { "versionTagLike", "like", "version_tag_like" }, { "withoutVersionTag", "none", "version_tag" },
        { "startableInTasklist", "flag", "startable" }, { "notStartableInTasklist", "not", "startable" },
        { "startablePermissionCheck", "permitted" },
      },
      sorts = { category = "category", key = "key", id = "id", name = "name", version = "version", deploymentId = "deployment_id",
        deployTime = "deployed_at", tenantId = "tenant", versionTag = "version_tag" },
    },
  },
  operations = operations,
}
