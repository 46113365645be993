-- Process instances and executions, and their variables.
local L = require "server.table.lines"

local no_instance = "Process instance with id %s does not exist"
local scope_missing = "Cannot find execution with id %s"

-- What names many instances.
local function many(more)
  local out = { { "processInstanceIds", "ids" }, { "processInstanceQuery", "query" }, { "historicProcessInstanceQuery", "query" } }
  return table.move(more, 1, #more, #out + 1, out)
end

local modification = { { "skipCustomListeners", "bool" }, { "skipIoMappings", "bool" }, { "instructions", "array" },
  { "annotation", "text" } }

local operations = {
  { "GET", "/process-instance", "list", "Lists running instances.", query = "instance" },
  { "POST", "/process-instance", "list", "The same with the query in the body.", query = "instance" },
  { "GET", "/process-instance/count", "count", "Counts running instances.", query = "instance" },
  { "POST", "/process-instance/count", "count", "The same with the query in the body.", query = "instance" },
  { "GET", "/process-instance/{id}", "find", "One running instance.", query = "instance", missing = no_instance },
  { "DELETE", "/process-instance/{id}", "instance_delete", "Deletes a running instance.", role = "operate",
    args = { { "skipCustomListeners", "switch" }, L.unbuilt("skipIoMappings", "mappings always run"),
      L.unbuilt("skipSubprocesses", "called instances go with their caller"), { "failIfNotExists", "switch" } },
    missing = "Process instance with id %s does not exist" },
  { "GET", "/process-instance/{id}/activity-instances", "instance_tree", "The tree of its activity instances.",
    returns = "ActivityInstanceDto", missing_status = 404, missing = "Process instance with id %s does not exist" },
  { "POST", "/process-instance/{id}/modification", "instance_modify", "Cancels and starts activities.", role = "operate",
    body = modification, missing = no_instance },
  { "PUT", "/process-instance/{id}/suspended", "instance_suspend", "Suspends or activates it.", role = "operate",
    body = { { "suspended", "bool" } }, missing = no_instance },
  { "PUT", "/process-instance/suspended", "instances_suspend", "Suspends or activates many.", role = "operate",
    body = many { { "suspended", "bool" }, { "processDefinitionId", "id" }, { "processDefinitionKey", "text" },
      { "processDefinitionTenantId", "text" }, { "processDefinitionWithoutTenantId", "bool" } } },

  { "GET", "/execution", "list", "Lists executions.", query = "execution" },
  { "POST", "/execution", "list", "The same with the query in the body.", query = "execution" },
  { "GET", "/execution/count", "count", "Counts executions.", query = "execution" },
  { "POST", "/execution/count", "count", "The same with the query in the body.", query = "execution" },
  { "GET", "/execution/{id}", "execution_get", "One execution; an instance is one, too.", returns = "ExecutionDto",
    missing = "Execution with id %s does not exist" },
  { "POST", "/execution/{id}/signal", "execution_signal", "Goes on from a receive task.", role = "operate",
    body = { L.variables }, optional_body = true, missing_status = 400,
        missing = "Cannot signal execution %s: execution %s doesn't exist" },
  { "POST", "/execution/{id}/create-incident", "create_incident", "Opens an incident of one's own.", role = "operate",
    returns = "IncidentDto", missing_status = 400, missing = "Cannot find an execution with executionId '%s'",
    body = { { "incidentType", "text" }, { "configuration", "text" }, { "message", "text" } } },
  { "GET", "/execution/{id}/messageSubscriptions/{messageName}", "execution_message", "What it waits for.",
    returns = "EventSubscriptionDto", missing = "Message event subscription for execution %s does not exist" },
  { "POST", "/execution/{id}/messageSubscriptions/{messageName}/trigger", "execution_message_trigger", "Delivers a message to it.",
    role = "operate", body = { L.variables }, optional_body = true,
    missing = "Cannot trigger message for execution %s: it does not exist" },
}

-- Variables of an instance, an execution or a task: below `path`, `where` says which of their scope.
local function variables(path, where, missing, role)
  local read = { role = role }
  for _, op in ipairs {
    { "GET", "", "variables_get", "Its variables.", args = { { "deserializeValues", "switch" } }, returns = "{VariableValueDto}" },
    { "POST", "", "variables_patch", "Sets and deletes variables.", role = "operate", body = { { "modifications", "variables" },
      { "deletions", "texts" } } },
    { "GET", "/{varName}", "variable_get", "One variable.", args = { { "deserializeValue", "switch" } }, returns = "VariableValueDto" },
    { "PUT", "/{varName}", "variable_put", "Sets it.", role = "operate",
      body = { { "value", "any" }, { "type", "text" }, { "valueInfo", "map" } } },
    { "DELETE", "/{varName}", "variable_delete", "Deletes it.", role = "operate" },
    { "GET", "/{varName}/data", "variable_data", "The bytes of a file or binary variable.", returns = "bytes", role = read.role },
    { "POST", "/{varName}/data", "variable_data_put", "Sets a file or binary variable.", role = "operate", multipart = true,
      parts = { "data", "valueType", "type" } },
  } do
    op[2] = path .. "/{id}/" .. where .. op[2]
    op.missing = missing
    op.missing_status = 500
    operations[#operations + 1] = op
  end
end

variables("/process-instance", "variables", "Cannot find execution with id %s: execution is null", "worker_read")
variables("/execution", "localVariables", "Cannot find execution with id %s: execution is null", "worker_read")
variables("/task", "variables", "Cannot find task with id %s: task is null")
variables("/task", "localVariables", "Cannot find task with id %s: task is null")

return {
  dtos = {
    ProcessInstanceDto = {
      { "id", "id", "id" }, { "definitionId", "id", "definition_id" }, { "definitionKey", "text", "definition_key" },
      { "businessKey", "text", "business_key" }, { "caseInstanceId", "null" }, { "ended", "bool", "ended" },
      { "suspended", "bool", "suspended" }, { "tenantId", "text", "tenant" }, { "links", "empty" },
    },
    ProcessInstanceWithVariablesDto = { extends = "ProcessInstanceDto", { "variables", "map" }, written = true },
    ExecutionDto = { { "id", "id", "id" }, { "processInstanceId", "id", "instance_id" }, { "ended", "bool", "ended" },
      { "tenantId", "text", "tenant" } },
    ActivityInstanceDto = {
      { "id", "text" }, { "parentActivityInstanceId", "text" }, { "activityId", "text" }, { "activityType", "text" },
      { "processInstanceId", "id" }, { "processDefinitionId", "id" }, { "childActivityInstances", "array" },
      { "childTransitionInstances", "array" }, { "executionIds", "array" }, { "activityName", "text" }, { "name", "text" },
      { "incidentIds", "array" }, { "incidents", "array" }, written = true,
    },
    VariableValueDto = { { "type", "text" }, { "value", "any" }, { "valueInfo", "map" }, written = true },
  },
  queries = {
    instance = {
      verb = "instances", dto = "ProcessInstanceDto",
      params = {
        { "processInstanceIds", "ids", "id_in" }, { "businessKey", "text", "business_key" },
        { "businessKeyLike", "like", "business_key_like" }, L.unbuilt("caseInstanceId", L.CASES),
        { "processDefinitionId", "id", "definition_id" }, { "processDefinitionKey", "text", "definition_key" },
        { "processDefinitionKeyIn", "texts", "definition_key_in" },
        { "processDefinitionKeyNotIn", "texts", "definition_key_not_in" }, { "deploymentId", "id", "deployment" },
        { "superProcessInstance", "id", "parent_id" }, { "subProcessInstance", "id", "called" },
        L.unbuilt("superCaseInstance", L.CASES), L.unbuilt("subCaseInstance", L.CASES), { "active", "not", "suspended" },
        { "suspended", "flag", "suspended" }, { "withIncident", "flag", "incident" }, L.incident[1], L.incident[2], L.incident[3],
            L.incident[4], L.tenants, L.no_tenant,
        { "processDefinitionWithoutTenantId", "none", "tenant" },
        { "activityIdIn", "texts", "activity_in" }, { "rootProcessInstances", "flag", "root_only" },
        { "rootProcessInstanceId", "id", "root_id" }, { "leafProcessInstances", "flag", "leaf_only" },
        { "variables", "variables", "variables" }, L.names_ignore,
        L.values_ignore, L.or_queries,
      },
      sorts = { instanceId = "id", definitionKey = "definition_key", definitionId = "definition_id", tenantId = "tenant",
        businessKey = "business_key" },
    },
    execution = {
      verb = "executions", dto = "ExecutionDto",
      params = {
        { "businessKey", "text", "business_key" }, { "processDefinitionId", "id", "definition_id" },
        { "processDefinitionKey", "text", "definition_key" }, { "processInstanceId", "id", "instance_id" },
        { "activityId", "text", "activity_id" }, { "signalEventSubscriptionName", "text", "signal" },
        { "messageEventSubscriptionName", "text", "message" }, { "active", "not", "suspended" }, { "suspended", "flag", "suspended" },
        L.incident[1], L.incident[2], L.incident[3], L.incident[4], L.tenants,
        { "variables", "variables", "variables" }, { "processVariables", "variables", "process_variables" },
        L.names_ignore, L.values_ignore,
      },
      sorts = { instanceId = "instance_id", definitionKey = "definition_key", definitionId = "definition_id", tenantId = "tenant" },
    },
  },
  operations = operations,
}
