-- Messages, signals, conditions, subscriptions; migration and modification of many; variables across instances.
local L = require "server.table.lines"

local plan = { { "sourceProcessDefinitionId", "id" }, { "targetProcessDefinitionId", "id" }, { "instructions", "array" },
  L.variables }
local migration = { { "migrationPlan", "map" }, { "processInstanceIds", "ids" }, { "processInstanceQuery", "query" },
  { "skipCustomListeners", "bool" }, { "skipIoMappings", "bool" } }
local modification = { { "processDefinitionId", "id" }, { "instructions", "array" }, { "processInstanceIds", "ids" },
  { "processInstanceQuery", "query" }, { "skipCustomListeners", "bool" }, { "skipIoMappings", "bool" }, { "annotation", "text" } }

return {
  dtos = {
    EventSubscriptionDto = {
      { "id", "id", "id" }, { "eventType", "computed", "dto_event_type", type = "text" }, { "eventName", "text", "name" },
      { "executionId", "id", "execution_id" }, { "processInstanceId", "id", "instance_id" }, { "activityId", "text", "activity_id" },
      { "createdDate", "time", "created" }, { "tenantId", "text", "tenant" },
    },
    MessageCorrelationResultWithVariableDto = { { "resultType", "text" }, { "processInstance", "map" }, { "execution", "map" },
      { "variables", "map" }, written = true },
    MigrationPlanDto = { { "sourceProcessDefinitionId", "id" }, { "targetProcessDefinitionId", "id" }, { "instructions", "array" },
      { "variables", "map" }, written = true },
    MigrationPlanReportDto = { { "instructionReports", "array" }, { "variableReports", "map" }, written = true },
  },
  queries = {
    event_subscription = {
      verb = "subscriptions", dto = "EventSubscriptionDto",
      params = {
        { "eventSubscriptionId", "id", "id" }, { "eventName", "text", "name" },
        { "eventType", "text", "type", word = "event_types" }, { "executionId", "id", "execution_id" },
        { "processInstanceId", "id", "instance_id" }, { "activityId", "text", "activity_id" },
            L.tenants_or "includeEventSubscriptionsWithoutTenantId", L.no_tenant,
        L.with_none "includeEventSubscriptionsWithoutTenantId",
      },
      sorts = { created = "created", tenantId = "tenant" },
    },
  },
  operations = {
    { "GET", "/event-subscription", "list", "Lists what waits for messages, signals, conditions.", query = "event_subscription" },
    { "GET", "/event-subscription/count", "count", "Counts it.", query = "event_subscription" },
    { "POST", "/message", "message", "Correlates a message.", role = "operate",
      returns = "[MessageCorrelationResultWithVariableDto]",
      body = { { "messageName", "text" }, { "businessKey", "text" }, { "tenantId", "text" }, { "withoutTenantId", "bool" },
        { "processInstanceId", "id" }, { "correlationKeys", "variables" }, { "localCorrelationKeys", "variables" },
        { "processVariables", "variables" }, { "processVariablesLocal", "variables" },
        { "processVariablesToTriggeredScope", "variables" }, { "all", "bool" }, { "resultEnabled", "bool" },
        { "variablesInResultEnabled", "bool" } } },
    { "POST", "/signal", "signal", "Throws a signal.", role = "operate",
      body = { { "name", "text" }, { "executionId", "id" }, L.variables, { "tenantId", "text" }, { "withoutTenantId", "bool" } } },
    { "POST", "/condition", "condition", "Starts what a conditional start event lets start.", role = "operate",
      returns = "[ProcessInstanceDto]", body = { L.variables, { "businessKey", "text" }, { "tenantId", "text" },
        { "withoutTenantId", "bool" }, { "processDefinitionId", "id" } } },
    { "POST", "/migration/generate", "migration_generate", "Makes a plan.", command = false,
      body = { { "sourceProcessDefinitionId", "id" }, { "targetProcessDefinitionId", "id" }, { "updateEventTriggers", "bool" },
        L.variables }, returns = "MigrationPlanDto" },
    { "POST", "/migration/validate", "migration_validate", "Says what stands against a plan.", command = false, body = plan,
      returns = "MigrationPlanReportDto" },
    { "POST", "/migration/execute", "migration_execute", "Moves instances to another version.", role = "operate", body = migration },
    { "POST", "/modification/execute", "modification_execute", "Carries out one modification in many instances.", role = "operate",
      body = table.move(modification, 1, #modification, 2,
        { { "historicProcessInstanceQuery", "unbuilt", "what runs is found by processInstanceQuery" } }) },
  },
}
