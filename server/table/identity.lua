-- Users and groups of the server's file, and what a role allows.
local L = require "server.lines"

local none = "the server's file of users says who there is"
local unknown_of_groups = { L.unbuilt("nameLike", none), L.unbuilt("type", none), L.unbuilt("memberOfTenant", none) }
local group_args = { { "id", "text" }, { "idIn", "texts" }, { "name", "text" }, { "member", "text" }, { "firstResult", "int" },
  { "maxResults", "int" }, { "sortBy", "switch" }, { "sortOrder", "switch" }, table.unpack(unknown_of_groups) }
local group_members = { { "id", "text" }, { "idIn", "texts" }, { "name", "text" }, { "member", "text" }, { "sorting", "array" },
  table.unpack(unknown_of_groups) }

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
