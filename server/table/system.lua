-- Variables across instances, metrics, engines, the users of the server's file.
local L = require "server.table.lines"

local none = "the server's file of users says who there is"

local no_filter = "No filter found for id '%s'"
local unknown_of_groups = { L.unbuilt("nameLike", none), L.unbuilt("type", none), L.unbuilt("memberOfTenant", none) }
local group_args = { { "id", "text" }, { "idIn", "texts" }, { "name", "text" }, { "member", "text" }, { "firstResult", "int" },
  { "maxResults", "int" }, { "sortBy", "switch" }, { "sortOrder", "switch" }, table.unpack(unknown_of_groups) }
local group_members = { { "id", "text" }, { "idIn", "texts" }, { "name", "text" }, { "member", "text" }, { "sorting", "array" },
  table.unpack(unknown_of_groups) }

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
  { "GET", "/metrics", "metrics_intervals", "What was counted, by intervals of a quarter of an hour or several. Below \z
    /engine-rest; the server's own metrics are at /metrics.", slow = true, returns = "[MetricsIntervalResultDto]", args = {
      { "name", "text", "name" }, { "reporter", "text", "reporter" }, { "startDate", "time", "from" }, { "endDate", "time", "to" },
      { "firstResult", "switch" }, { "maxResults", "switch" }, { "interval", "switch" }, { "aggregateByReporter", "switch" } } },
  { "DELETE", "/metrics/task-worker", "task_workers_delete", "Forgets who was given tasks, before a time.", role = "operate",
    args = { { "date", "time", "before" } } },
  { "GET", "/metrics/{metrics-name}/sum", "metrics_sum", "What was counted of a name, by all processes.", slow = true,
    returns = "MetricsResultDto", args = { { "startDate", "time", "from" }, { "endDate", "time", "to" } } },

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

  { "GET", "/group", "groups", "The groups of the users in the server's file.", returns = "[GroupDto]", args = group_args },
  { "GET", "/group/count", "groups_count", "How many.", returns = "CountResultDto", args = group_args },
  { "POST", "/group", "groups", "The same with the query in the body.", returns = "[GroupDto]", body = group_members,
    command = false, args = { { "firstResult", "int" }, { "maxResults", "int" } } },
  { "POST", "/group/count", "groups_count", "The same with the query in the body.", returns = "CountResultDto",
    body = group_members, command = false },
  { "GET", "/group/{id}", "group_get", "One of them.", returns = "GroupDto", missing = "Group with id %s does not exist" },
  { "POST", "/identity/verify", "identity_verify", "Is this a user's password?", returns = "AuthenticationResult", role = "read",
    command = false,
    body = { { "username", "text" }, { "password", "text" } } },
  { "GET", "/identity/password-policy", "password_policy", "There is none: 404." },
  { "POST", "/identity/password-policy", "password_policy", "There is none: 404.", role = "read", command = false,
    body = { { "password", "text" }, { "profile", "map" } } },
  { "GET", "/authorization/check", "authorization_check", "What one's role allows.", returns = "AuthorizationCheckResultDto",
    args = { { "permissionName", "text" }, { "resourceName", "text" }, { "resourceType", "int" }, { "resourceId", "text" },
      L.unbuilt("userId", "one's own role is told, not another's") } },
  { "GET", "/authorization/{id}", "none_such", "There is none: roles decide.", missing = "Authorization with id %s does not exist" },
  { "GET", "/tenant/{id}", "none_such", "There is none: tenants are texts that definitions carry.",
    missing = "Tenant with id %s does not exist" },
  { "GET", "/filter/{id}", "none_such", "There is none.", missing = no_filter, args = "ignored" },
  { "GET", "/telemetry/data", "telemetry_data", "The product and its version; nothing is collected.", returns = "map" },
  { "POST", "/telemetry/configuration", "telemetry_set", "Nothing is reported, and nothing can be made to be: only false is taken.",
    role = "operate", body = { { "enableTelemetry", "bool" } } },
  { "GET", "/telemetry/configuration", "telemetry_configuration", "Nothing is reported.", returns = "map" },
}
for _, what in ipairs { "count", "list", "singleResult" } do
  for _, method in ipairs { "GET", "POST" } do
    operations[#operations + 1] = { method, "/filter/{id}/" .. what, "none_such", "There is none.", missing = no_filter, role = "read",
      command = false, args = "ignored" }
  end
end
for _, path in ipairs { "/authorization", "/tenant", "/filter" } do
  operations[#operations + 1] = { "GET", path, "nothing", "There are none: " .. none .. ".", returns = "[map]", args = "ignored" }
  operations[#operations + 1] = { "GET", path .. "/count", "zero", "None.", returns = "CountResultDto", args = "ignored" }
end
for _, path in ipairs { "/authorization", "/authorization/{id}", "/filter", "/filter/{id}", "/group", "/group/{id}", "/group/{id}/members",
  "/tenant", "/tenant/{id}", "/tenant/{id}/group-members", "/tenant/{id}/user-members", "/user", "/user/{id}" } do
  operations[#operations + 1] = { "OPTIONS", path, "options", "What may be asked for there.", returns = "ResourceOptionsDto", role = "read",
    command = false }
end
for _, op in ipairs {
  { "POST", "/user/create" }, { "PUT", "/user/{id}/profile" }, { "PUT", "/user/{id}/credentials" }, { "DELETE", "/user/{id}" },
  { "POST", "/user/{id}/unlock" }, { "POST", "/group/create" }, { "PUT", "/group/{id}" }, { "DELETE", "/group/{id}" },
  { "PUT", "/group/{id}/members/{userId}" }, { "DELETE", "/group/{id}/members/{userId}" }, { "POST", "/authorization/create" },
  { "PUT", "/authorization/{id}" }, { "DELETE", "/authorization/{id}" }, { "POST", "/tenant/create" }, { "PUT", "/tenant/{id}" },
  { "DELETE", "/tenant/{id}" }, { "POST", "/filter/create" }, { "PUT", "/filter/{id}" }, { "DELETE", "/filter/{id}" },
  { "PUT", "/tenant/{id}/group-members/{groupId}" }, { "DELETE", "/tenant/{id}/group-members/{groupId}" },
  { "PUT", "/tenant/{id}/user-members/{userId}" }, { "DELETE", "/tenant/{id}/user-members/{userId}" },
} do
  operations[#operations + 1] = { op[1], op[2], "forbidden", "Refused: " .. none .. ".", role = "operate" }
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
    ResourceOptionsDto = { { "links", "array" }, written = true },
    MetricsResultDto = { { "result", "int" }, written = true },
    MetricsIntervalResultDto = { { "timestamp", "time" }, { "name", "text" }, { "reporter", "text" }, { "value", "int" },
      written = true },
    GroupDto = { { "id", "text" }, { "name", "text" }, { "type", "null" }, written = true },
    AuthenticationResult = { { "authenticatedUser", "text" }, { "authenticated", "bool" }, { "tenants", "null" }, { "groups", "null" },
      written = true },
    AuthorizationCheckResultDto = { { "permissionName", "text" }, { "resourceName", "text" }, { "resourceId", "text" },
      { "authorized", "bool" }, written = true },
    UserProfileDto = { { "id", "text" }, { "firstName", "text" }, { "lastName", "text" }, { "email", "text" }, written = true },
    CountResultDto = { { "count", "int" }, written = true },
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
  },
  operations = operations,
}
