-- Process instances and executions.
local L = require "server.lines"

local no_instance = "Process instance with id %s does not exist"

local delete = L.with_skips(L.many { { "deleteReason", "text" },
  { "skipSubprocesses", "bool" } })
local retries = { { "processInstances", "ids" }, { "processInstanceQuery", "query" }, { "historicProcessInstanceQuery", "query" },
  { "retries", "int" }, { "dueDate", "time" } }

local operations = {
  { "GET", "/process-instance", "list", "Lists running instances.", query = "instance" },
  { "POST", "/process-instance", "list", "The same with the query in the body.", query = "instance" },
  { "GET", "/process-instance/count", "count", "Counts running instances.", query = "instance" },
  { "POST", "/process-instance/count", "count", "The same with the query in the body.", query = "instance" },
  { "GET", "/process-instance/{id}", "find", "One running instance.", query = "instance", missing = no_instance },
  { "DELETE", "/process-instance/{id}", "instance_delete", "Deletes a running instance.", role = "operate",
    args = { { "skipCustomListeners", "flag" }, { "skipIoMappings", "flag" }, { "skipSubprocesses",
      "flag" },
      { "failIfNotExists", "flag" } },
    missing = "Process instance with id %s does not exist" },
  { "GET", "/process-instance/{id}/activity-instances", "instance_tree", "The tree of its activity instances.",
    returns = "ActivityInstanceDto", missing_status = 404, missing = "Process instance with id %s does not exist" },
  { "PUT", "/process-instance/{id}/suspended", "instance_suspend", "Suspends or activates it.", role = "operate",
    body = { { "suspended", "bool" } }, missing = no_instance },
  { "PUT", "/process-instance/suspended", "instances_suspend", "Suspends or activates many.", role = "operate",
    body = L.many { { "suspended", "bool" }, { "processDefinitionId", "id" }, { "processDefinitionKey", "text" },
      { "processDefinitionTenantId", "text" }, { "processDefinitionWithoutTenantId", "bool" } } },
  L.by_batch("/process-instance/delete", "instances_delete", "Deletes many by a batch.", delete),
  L.by_batch("/process-instance/delete-historic-query-based", "instances_delete", "The same, found by their history.", delete),
  L.by_batch("/process-instance/suspended-async", "instances_suspend_async", "Suspends or activates many by a batch.",
    L.many { { "suspended", "bool" } }),
  L.by_batch("/process-instance/job-retries", "instances_retry", "Sets the retries of their failed jobs by a batch.", retries,
    { ignored = { { "jobIds", "ids" }, { "jobQuery", "query" } } }),
  L.by_batch("/process-instance/job-retries-historic-query-based", "instances_retry", "The same, found by their history.", retries,
    { ignored = { { "jobIds", "ids" }, { "jobQuery", "query" } } }),

  { "GET", "/execution", "list", "Lists executions.", query = "execution" },
  { "POST", "/execution", "list", "The same with the query in the body.", query = "execution" },
  { "GET", "/execution/count", "count", "Counts executions.", query = "execution" },
  { "POST", "/execution/count", "count", "The same with the query in the body.", query = "execution" },
  { "GET", "/execution/{id}", "execution_get", "One execution; an instance is one, too.", returns = "ExecutionDto",
    missing = "Execution with id %s does not exist" },
  { "POST", "/execution/{id}/signal", "execution_signal", "Goes on from a receive task.", role = "operate",
    body = { L.variables }, missing_status = 400,
        missing = "Cannot signal execution %s: execution %s doesn't exist" },
  { "GET", "/execution/{id}/messageSubscriptions/{messageName}", "execution_message", "What it waits for.",
    returns = "EventSubscriptionDto", missing = "Message event subscription for execution %s does not exist" },
  { "POST", "/execution/{id}/messageSubscriptions/{messageName}/trigger", "execution_message_trigger", "Delivers a message to it.",
    role = "operate", body = { L.variables } },
}

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
