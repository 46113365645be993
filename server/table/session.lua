-- The page's session, and what changes meanwhile.
return {
  dtos = { SessionDto = { { "authentication", "bool" }, { "user", "text" }, { "roles", "array" }, { "groups", "array" },
    { "xsrfToken", "text" },
    written = true } },
  queries = {},
  operations = {
    { "GET", "/orrery/session", "session_get", "Who is logged in, with which roles.",
      returns = "SessionDto", role = "read", people = "all", engineless = true },
    { "POST", "/orrery/session", "session_begin", "Logs in: sets a cookie; unsafe requests then need X-XSRF-TOKEN.", role = "any",
      command = false, engineless = true,
      body = { { "username", "text" }, { "password", "text" } }, returns = "SessionDto" },
    { "DELETE", "/orrery/session", "session_end", "Logs out.", role = "any",
      command = false, engineless = true },
    { "GET", "/orrery/events", "events", "Says when something has changed (server-sent events).",
      returns = "text", engineless = true, people = "all",
      args = { { "scope", "text" }, { "last", "text" } } },
  },
}
