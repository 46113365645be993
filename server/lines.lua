-- What many rows of table/ say in the same words.
local lines = {}

lines.OR = "it asks for records of which either of two things holds"
lines.CASES = "there are no cases (CMMN)"
lines.AUTHORIZATIONS = "roles decide, not authorizations"

-- A parameter that is known and answers 400: an ignored filter would do harm in a call for many.
function lines.unbuilt(name, why) return { name, "unbuilt", why } end

-- Of these tenants; with the parameter of that name also of none.
function lines.tenants_or(name) return { "tenantIdIn", "texts", "tenant_in", word = name } end
function lines.with_none(name) return { name, "switch" } end

-- The fields of a row of history that Camunda's has not.
lines.beside = { "orrery", "computed", "dto_orrery", type = "map" }

lines.or_queries = { "orQueries", "any" }
lines.names_ignore = { "variableNamesIgnoreCase", "beside", "variable_names_ignore_case" }
lines.values_ignore = { "variableValuesIgnoreCase", "beside", "variable_values_ignore_case" }
-- The name of what is a variable itself.
function lines.cased(name, key) return { name, "cased", key, word = "variableNamesIgnoreCase" } end

lines.incident = { { "incidentId", "id", "incident_id" }, { "incidentType", "text", "incident_type", word = "incident_types" },
  { "incidentMessage", "text", "incident_message" }, { "incidentMessageLike", "like", "incident_message_like" } }

lines.tenants = { "tenantIdIn", "texts", "tenant_in" }
lines.no_tenant = { "withoutTenantId", "none", "tenant" }

-- Members of a body that say what is, of who sends back what was read: Camunda ignores them, too.
lines.task_facts = { { "id", "id" }, { "created", "time" }, { "lastUpdated", "time" },
  { "executionId", "id" }, { "processDefinitionId", "id" }, { "processInstanceId", "id" },
  { "caseExecutionId", "id" }, { "caseDefinitionId", "id" }, { "taskDefinitionKey", "text" },
  { "suspended", "bool" }, { "formKey", "text" }, { "camundaFormRef", "map" },
  { "tenantId", "text" }, { "taskState", "text" } }
lines.comment_facts = { { "id", "id" }, { "userId", "text" }, { "taskId", "id" },
  { "processInstanceId", "id" }, { "time", "time" }, { "removalTime", "time" },
  { "rootProcessInstanceId", "id" }, { "links", "array" } }

-- What names many instances, before more members.
function lines.many(more)
  local out = { { "processInstanceIds", "ids" }, { "processInstanceQuery", "query" }, { "historicProcessInstanceQuery", "query" } }
  return table.move(more, 1, #more, #out + 1, out)
end

-- An operation that answers with the batch that does it.
function lines.by_batch(path, handler, summary, body, more)
  local op = { "POST", path, handler, summary, role = "operate", returns = "BatchDto", body = body }
  for key, value in pairs(more or {}) do op[key] = value end
  return op
end

-- Members that say when the history of something goes, after others.
function lines.removal(more)
  local times = { { "absoluteRemovalTime", "time" }, { "clearedRemovalTime", "bool" }, { "calculatedRemovalTime", "bool" } }
  return table.move(times, 1, #times, #more + 1, more)
end

-- Operations that there are for an id, for a key, and for a key of a tenant. `of`: the path and what is missing in each case.
function lines.each(of, method, rest, handler, summary, more)
  local out = {}
  for i, by in ipairs { "/{id}", "/key/{key}", "/key/{key}/tenant-id/{tenant-id}" } do
    local op = { method, of[1] .. by .. rest, handler, summary, missing = of[i + 1] }
    for key, value in pairs(more or {}) do op[key] = value end
    out[#out + 1] = op
  end
  return out
end
lines.of_definitions = { "/process-definition", "No matching process definition with id: %s",
  "No matching process definition with key: %s and no tenant-id", "No matching process definition with key: %s of this tenant" }

-- One list of many.
function lines.joined(lists)
  local out = {}
  for _, list in ipairs(lists) do table.move(list, 1, #list, #out + 1, out) end
  return out
end

-- Members of a body that sets what runs.
lines.variables = { "variables", "variables" }
lines.skips = { { "skipCustomListeners", "bool" }, { "skipIoMappings", "bool" } }
function lines.with_skips(more) return table.move(lines.skips, 1, #lines.skips, #more + 1, more) end

return lines
