-- What many rows of the table say in the same words.
local lines = {}

lines.OR = "it asks for records of which either of two things holds"
lines.CASES = "there are no cases (CMMN)"
lines.AUTHORIZATIONS = "roles decide, not authorizations"

-- A parameter that is known and answers 400: an ignored filter would do harm in a call for many.
function lines.unbuilt(name, why) return { name, "unbuilt", why } end

lines.tenants = { "tenantIdIn", "texts", "tenant_in" }
lines.no_tenant = { "withoutTenantId", "none", "tenant" }

-- Members of a body that sets what runs.
lines.variables = { "variables", "variables" }
lines.skips = { { "skipCustomListeners", "bool" }, { "skipIoMappings", "bool" } }

return lines
