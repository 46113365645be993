-- Engines, the version, and what is kept by nobody: authorizations, tenants, filters, telemetry.

local none = "the server's file of users says who there is"

local no_filter = "No filter found for id '%s'"

local operations = {
  { "GET", "/engine", "engines", "The engines that are served.", returns = "[ProcessEngineDto]",
    engineless = true },
  { "GET", "/version", "version", "The version whose interface this is.", returns = "VersionDto",
    role = "any", engineless = true },
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
  operations[#operations + 1] = { "OPTIONS", path, "options", "What its user may ask for there.",
    returns = "ResourceOptionsDto", role = "worker_read", command = false }
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
    ProcessEngineDto = { { "name", "text" }, written = true },
    VersionDto = { { "version", "text" }, written = true },
    ResourceOptionsDto = { { "links", "array" }, written = true },
    CountResultDto = { { "count", "int" }, written = true },
  },
  queries = {},
  operations = operations,
}
