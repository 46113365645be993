-- What many rows of the table say in the same words.
local lines = {}

lines.OR = "it asks for records of which either of two things holds"
lines.CASES = "there are no cases (CMMN)"
lines.AUTHORIZATIONS = "roles decide, not authorizations"

-- A parameter that is known and answers 400: an ignored filter would do harm in a call for many.
function lines.unbuilt(name, why) return { name, "unbuilt", why } end

-- Of these tenants; with the parameter of that name also of none.
function lines.tenants_or(name) return { "tenantIdIn", "texts", "tenant_in", word = name } end
function lines.with_none(name) return { name, "switch" } end

lines.or_queries = { "orQueries", "any" }
lines.names_ignore = { "variableNamesIgnoreCase", "beside", "variable_names_ignore_case" }
lines.values_ignore = { "variableValuesIgnoreCase", "beside", "variable_values_ignore_case" }
lines.incident = { { "incidentId", "id", "incident_id" }, { "incidentType", "text", "incident_type", word = "incident_types" },
  { "incidentMessage", "text", "incident_message" }, { "incidentMessageLike", "like", "incident_message_like" } }

lines.tenants = { "tenantIdIn", "texts", "tenant_in" }
lines.no_tenant = { "withoutTenantId", "none", "tenant" }

-- Members of a body that say what is, of who sends back what was read: Camunda ignores them, too.
lines.task_facts = { "id", "created", "lastUpdated", "executionId", "processDefinitionId", "processInstanceId", "caseExecutionId",
  "caseDefinitionId", "taskDefinitionKey", "suspended", "formKey", "camundaFormRef", "tenantId", "taskState" }
lines.comment_facts = { "id", "userId", "taskId", "processInstanceId", "time", "removalTime", "rootProcessInstanceId", "links" }

-- Members of a body that sets what runs.
lines.variables = { "variables", "variables" }
lines.skips = { { "skipCustomListeners", "bool" }, { "skipIoMappings", "bool" } }

return lines
