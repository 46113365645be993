-- Users and groups of the server's file, and what a role allows.
local L = require "server.lines"

local more_of_groups = { { "nameLike", "text" }, { "type", "text" }, { "memberOfTenant", "text" } }
local user_args = { { "id", "text" }, { "idIn", "texts" }, { "firstName", "text" },
  { "firstNameLike", "text" },
  { "lastName", "text" }, { "lastNameLike", "text" }, { "email", "text" }, { "emailLike", "text" },
  { "memberOfGroup", "text" }, { "memberOfTenant", "text" }, { "potentialStarter", "id" } }

-- The same of a list.
local function paged(args)
  local out = { { "firstResult", "int" }, { "maxResults", "int" }, { "sortBy", "text" },
    { "sortOrder", "text" } }
  return table.move(args, 1, #args, #out + 1, out)
end
local group_args = { { "id", "text" }, { "idIn", "texts" }, { "name", "text" }, { "member", "text" }, { "firstResult", "int" },
  { "maxResults", "int" }, { "sortBy", "text" }, { "sortOrder", "text" },
    table.unpack(more_of_groups) }
local group_members = { { "id", "text" }, { "idIn", "texts" }, { "name", "text" }, { "member", "text" }, { "sorting", "array" },
  table.unpack(more_of_groups) }

return {
  dtos = {
    GroupDto = { { "id", "text" }, { "name", "text" }, { "type", "null" }, written = true },
    AuthenticationResult = { { "authenticatedUser", "text" }, { "authenticated", "bool" }, { "tenants", "null" }, { "groups", "null" },
      written = true },
    AuthorizationCheckResultDto = { { "permissionName", "text" }, { "resourceName", "text" }, { "resourceId", "text" },
      { "authorized", "bool" }, written = true },
    UserProfileDto = { { "id", "text" }, { "firstName", "text" }, { "lastName", "text" }, { "email", "text" }, written = true },
  },
  queries = {},
  operations = {
    { "GET", "/user", "users", "The users of the server's file.", returns = "[UserProfileDto]",
      args = paged(user_args) },
    { "GET", "/user/count", "users_count", "How many.", returns = "CountResultDto",
      args = user_args },
    { "GET", "/user/{id}/profile", "user_profile", "One user.", returns = "UserProfileDto",
      missing = "User with id %s does not exist" },
    { "GET", "/identity/groups", "user_groups", "The groups of a user, and who shares them.", returns = "map",
      people = "self",
      args = { { "userId", "text" } } },

    { "GET", "/group", "groups", "The groups of the users in the server's file.", returns = "[GroupDto]", args = group_args },
    { "GET", "/group/count", "groups_count", "How many.", returns = "CountResultDto", args = group_args },
    { "POST", "/group", "groups", "The same with the query in the body.", returns = "[GroupDto]", body = group_members,
      command = false, args = { { "firstResult", "int" }, { "maxResults", "int" } } },
    { "POST", "/group/count", "groups_count", "The same with the query in the body.", returns = "CountResultDto",
      body = group_members, command = false },
    { "GET", "/group/{id}", "group_get", "One of them.", returns = "GroupDto", missing = "Group with id %s does not exist" },
    { "POST", "/identity/verify", "identity_verify", "Is this a user's password?", returns = "AuthenticationResult", role = "read",
      command = false, engineless = true,
      body = { { "username", "text" }, { "password", "text" } } },
    { "GET", "/identity/password-policy", "password_policy", "There is none: 404." },
    { "POST", "/identity/password-policy", "password_policy", "There is none: 404.", role = "read", command = false,
      body = { { "password", "text" }, { "profile", "map" } } },
    { "GET", "/authorization/check", "authorization_check", "What one's role allows.", returns = "AuthorizationCheckResultDto",
      args = { { "permissionName", "text" }, { "resourceName", "text" }, { "resourceType", "int" }, { "resourceId", "text" },
        L.unbuilt("userId", "one's own role is told, not another's") } },
  },
}
