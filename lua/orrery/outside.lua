--- The engine's options for what it does outside: `http`, `mail`, `shell` and `secrets`. Checked when
--- the engine opens, kept by the core as a value, and read by each thread that works for it.
local core = require "orrery.core"
local errors = require "orrery.errors"

local outside = {}

--- Field -> what it is when not given; a type's name where nothing is the default.
local HTTP = { hosts = "table", proxy = "string", no_proxy = "string", ca_file = "string", ca_path = "string", client_cert = "string",
  client_key = "string", verify = true, addresses = "any", connect_timeout = 5, stall_timeout = 5, timeout = 60, timeout_max = "number",
  retries = 3, redirects = 10, body_max = 8 << 20, connections_per_host = 1000, oauth = "table" }
local MAIL = { host = "localhost", port = "number", tls = "none", user = "string", password = "string", bearer = "string",
  from = "orrery@localhost", charset = "UTF-8", force_to = "string", timeout = 60, connect_timeout = 5, servers = "table", files = "table" }
local SHELL = { programs = "table", timeout = 60, output_max = 1 << 20 }

local SOAP = { decimals = "float" } -- or "text": every digit

local TYPES = { table = true, string = true, number = true }

local function names(known)
  local out = {}
  for name in pairs(known) do out[#out + 1] = name end
  table.sort(out)
  return out
end

local function check_group(group, given, known)
  if type(given) ~= "table" then errors.argument("open", 2, group .. ": table of options expected, got " .. type(given)) end
  for name, value in pairs(given) do
    local default = known[name]
    if default == nil then
      local hint = errors.suggestion(tostring(name), names(known))
      errors.argument("open", 2, ("%s: unknown option '%s'%s"):format(group, tostring(name), hint))
    end
    local wanted = TYPES[default] and default or type(default)
    if type(value) ~= wanted then
      errors.argument("open", 2, ("%s.%s: %s expected, got %s"):format(group, name, wanted, type(value)))
    end
    if wanted == "number" and value < 0 then errors.argument("open", 2, ("%s.%s cannot be negative"):format(group, name)) end
  end
end

local function check_choice(group, name, value, ...)
  for _, choice in ipairs { ... } do if value == choice then return end end
  if value ~= nil then
    errors.argument("open", 2, ("%s.%s: one of %s expected, got %s"):format(group, name, table.concat({ ... }, ", "), tostring(value)))
  end
end

local CLIENT = { token_url = "string", client_id = "string", client_secret = "string", secret = "string", scope = "string",
  audience = "string", credentials = "header" }

local function check_client(group, client)
  check_group(group, client, CLIENT)
  check_choice(group, "credentials", client.credentials, "header", "body")
  for _, name in ipairs { "token_url", "client_id" } do
    if not client[name] then errors.argument("open", 2, ("%s needs %s"):format(group, name)) end
  end
  if not client.client_secret == not client.secret then
    errors.argument("open", 2, group .. " needs client_secret, or secret: the name of one")
  end
end

local function check_mail(group, mail)
  check_group(group, mail, MAIL)
  check_choice(group, "tls", mail.tls, "none", "starttls", "implicit")
  for tenant, server in pairs(mail.servers or {}) do check_mail(("%s.servers.%s"):format(group, tenant), server) end
end

--- Whole numbers stay whole on their way through the core.
local function whole(group, ...)
  for _, name in ipairs { ... } do
    if group[name] then group[name] = math.tointeger(group[name]) or errors.argument("open", 2, name .. ": a whole number expected") end
  end
end

local function is_list_of_names(allow)
  if type(allow) ~= "table" then return false end
  for key, name in pairs(allow) do
    if type(key) ~= "number" or type(name) ~= "string" then return false end
  end
  return true
end

local function check_allow(allow)
  if is_list_of_names(allow) then return end
  errors.argument("open", 2, 'allow: a list of names of task types expected, such as { "shell" }')
end

--- What the core keeps of the options of orrery.open, checked; nil when there are none.
function outside.check(options)
  local out = {}
  if options.http then
    check_group("http", options.http, HTTP)
    check_choice("http", "addresses", options.http.addresses, "any", "public", "none")
    for name, client in pairs(options.http.oauth or {}) do check_client(("http.oauth.%s"):format(name), client) end
    whole(options.http, "retries", "redirects", "body_max", "connections_per_host")
  end
  if options.mail then
    check_mail("mail", options.mail)
    whole(options.mail, "port")
  end
  if options.shell then
    check_group("shell", options.shell, SHELL)
    whole(options.shell, "output_max")
    for program in pairs(options.shell.programs or {}) do
      if type(program) ~= "string" or program:sub(1, 1) ~= "/" then
        errors.argument("open", 2, ("shell.programs: the path of a program expected, got %s"):format(tostring(program)))
      end
    end
  end
  local secrets = options.secrets
  if secrets ~= nil then
    errors.check_type("open", 2, secrets, "table", "function", "string") -- a string names a module
    out.secrets = type(secrets) == "table" and secrets or nil
  end
  if options.soap then
    check_group("soap", options.soap, SOAP)
    check_choice("soap", "decimals", options.soap.decimals, "float", "text")
  end
  out.http, out.mail, out.shell, out.soap = options.http, options.mail, options.shell, options.soap
  if options.allow then check_allow(options.allow) end
  out.allow = options.allow
  return next(out) and out or nil
end

local function with_defaults(given, known)
  local out = {}
  for name, default in pairs(known) do
    if not TYPES[default] then out[name] = default end
  end
  for name, value in pairs(given or {}) do out[name] = value end
  return out
end

local settings = setmetatable({}, { __mode = "k" })

local function read(given)
  local out = { http = with_defaults(given.http, HTTP), mail = with_defaults(given.mail, MAIL), shell = with_defaults(given.shell, SHELL),
    soap = with_defaults(given.soap, SOAP),
    allow = {}, secrets = given.secrets }
  for _, name in ipairs(given.allow or {}) do out.allow[name] = true end
  return out
end

local defaults

--- The options of an engine (nil: the defaults) with their defaults: { http =, mail =, shell =, allow = { [name] = true } }.
function outside.of(engine)
  if engine == nil then
    defaults = defaults or read {}
    return defaults
  end
  local found = settings[engine]
  if not found then
    found = read(core.outside(engine.core) or {})
    settings[engine] = found
  end
  return found
end

--- The mail server of a tenant: its own options, then the engine's.
function outside.mail_of(engine, tenant)
  local mail = outside.of(engine).mail
  local own = tenant and mail.servers and mail.servers[tenant]
  if not own then return mail end
  local out = with_defaults(own, MAIL)
  for _, name in ipairs { "from", "charset", "force_to", "timeout" } do if own[name] == nil then out[name] = mail[name] end end
  return out
end

return outside
