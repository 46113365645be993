-- Messages, signals, conditions, and what waits for them.
local L = require "server.lines"

return {
  dtos = {
    EventSubscriptionDto = {
      { "id", "id", "id" }, { "eventType", "computed", "dto_event_type", type = "text" }, { "eventName", "text", "name" },
      { "executionId", "id", "execution_id" }, { "processInstanceId", "id", "instance_id" }, { "activityId", "text", "activity_id" },
      { "createdDate", "time", "created" }, { "tenantId", "text", "tenant" },
    },
    MessageCorrelationResultWithVariableDto = { { "resultType", "text" }, { "processInstance", "map" }, { "execution", "map" },
      { "variables", "map" }, written = true },
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
    L.by_batch("/process-instance/message-async", "messages_async", "Correlates a message to many by a batch.",
      L.many { { "messageName", "text" }, L.variables }),
  },
}
