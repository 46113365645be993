--- Calls to the world outside as futures: orrery.http, orrery.mail, orrery.spawn. The options are those of the engine whose delegate calls.
local core = require "orrery.core"
local errors = require "orrery.errors"
local future = require "orrery.future"
local oauth = require "orrery.outside.oauth"
local outside = require "orrery.outside"

local net = {}

-- Errors ----------------------------------------------------------------------------------------------------------------------------

-- The classes that models of the Java engines map: an error's own, then those that stand above it.
local FLOWABLE = "org.flowable.common.engine.api.FlowableException"
local PARENTS = {
  ["http.resolve"] = { "java.net.UnknownHostException", "java.io.IOException" },
  ["http.connect"] = { "java.net.ConnectException", "java.net.SocketException", "java.io.IOException" },
  ["http.tls"] = { "javax.net.ssl.SSLException", "java.io.IOException" },
  ["http.timeout"] = { "java.net.SocketTimeoutException", "java.io.IOException" },
  ["http.protocol"] = { "java.io.IOException" },
  ["soap.fault"] = { "org.apache.cxf.interceptor.Fault", "javax.xml.ws.soap.SOAPFaultException" },
  ["mail"] = { "org.apache.commons.mail.EmailException", "javax.mail.MessagingException" },
}

local Failure = { __name = "orrery.NetError", __tostring = function(e) return e.message end }

--- The error that a call rejects with, and a task raises: { type = "http.timeout", parents = {…}, message = … }.
function net.failure(kind, message, cause)
  local parents = { kind:match "^%a+" }
  for _, list in ipairs { PARENTS[kind] or {}, PARENTS[parents[1]] or {} } do
    for _, parent in ipairs(list) do parents[#parents + 1] = parent end
  end
  parents[#parents + 1] = FLOWABLE
  return setmetatable({ type = kind, parents = parents, message = message, cause = cause }, Failure)
end

-- Clients ---------------------------------------------------------------------------------------------------------------------------

local clients = setmetatable({}, { __mode = "k" }) -- of this state, by engine
local plain -- the client of calls that no engine makes

local function client_options(http)
  return { hosts = http.hosts, proxy = http.proxy, no_proxy = http.no_proxy, ca_file = http.ca_file, ca_path = http.ca_path,
    client_cert = http.client_cert, client_key = http.client_key, insecure = not http.verify,
    public_only = http.addresses == "public", listed_only = http.addresses == "none",
    connections_per_host = http.connections_per_host }
end

local function client_of(engine)
  local client
  if engine then client = clients[engine] else client = plain end
  if client then return client end
  client = core.net_client(engine and engine.core, client_options(outside.of(engine).http))
  if engine then clients[engine] = client else plain = client end
  return client
end

--- Starts a call of the core and gives the future of its answer.
local function start(call, engine, request, prefix, finish)
  local f = future.new()
  local ok, handle = pcall(call, client_of(engine), request, function(answer, name, message)
    if answer == nil then f:reject(net.failure(prefix .. name, message)) else f:resolve(finish(answer)) end
  end)
  if ok then
    f.on_cancel = function() core.net_cancel(handle) end
    return f
  end
  local problem = type(handle) == "table" and handle.message or tostring(handle)
  local kind = type(handle) == "table" and handle.kind == "not_found" and "spawn" or "request"
  f:reject(net.failure(prefix .. kind, problem))
  return f
end

-- HTTP ------------------------------------------------------------------------------------------------------------------------------

local Response = {}
Response.__index = Response
Response.__name = "orrery.HttpResponse"
net.Response = Response

--- The body as JSON; nil for an empty one. Raises http.json.
function Response:json()
  if self.body == "" then return nil end
  local value, problem = core.json_decode(self.body)
  if value == nil then error(net.failure("http.json", "the answer is not JSON: " .. problem), 0) end
  return value
end

--- `headers` by lower-case name, repeated ones joined; `header_list` as they came: { { name, value }, … }.
local function read_head(response)
  response.headers, response.header_list = {}, {}
  for line in response.head:gmatch "[^\n]+" do
    local name, value = line:match "^([^:]+):%s*(.-)%s*$"
    if name then
      response.header_list[#response.header_list + 1] = { name, value }
      local key = name:lower()
      local before = response.headers[key]
      response.headers[key] = before and before .. (key == "set-cookie" and "\n" or ", ") .. value or value
    end
  end
  return setmetatable(response, Response)
end

local FORM_SAFE = "[^%w%-%._~]"
local function escape(text) return (tostring(text):gsub(FORM_SAFE, function(c) return ("%%%02X"):format(c:byte()) end)) end
net.escape = escape

--- A table as application/x-www-form-urlencoded, in the order of its keys.
local function form(fields)
  local keys, out = {}, {}
  for key in pairs(fields) do keys[#keys + 1] = key end
  table.sort(keys)
  for i, key in ipairs(keys) do
    if i > 1 then out[#out + 1] = "&" end
    out[#out + 1] = escape(key) .. "="
    out[#out + 1] = core.is_secret(fields[key]) and core.secret_escape(fields[key]) or escape(fields[key])
  end
  return net.join(out)
end

--- Texts and secrets in one: a secret when one of them is.
function net.join(parts)
  local out = ""
  for _, part in ipairs(parts) do out = out .. part end
  return out
end

local REQUEST = { "url", "method", "headers", "body", "json", "form", "parts", "user", "password", "timeout", "connect_timeout",
  "stall_timeout", "redirects", "retries", "body_max", "detached", "oauth" }

--- Headers as a list of lines with what is secret at the end, and the set of their names. Given as such a list, or by name.
local function header_lines(headers)
  local open, secret, names = {}, {}, {}
  local function add(name, line)
    names[name:lower()] = true
    local list = core.is_secret(line) and secret or open
    list[#list + 1] = line
  end
  for key, value in pairs(headers or {}) do
    if type(key) == "number" then
      local lines, found = core.header_lines(value)
      for i, line in ipairs(lines) do add(found[i], line) end
    else
      for _, one in ipairs(type(value) == "table" and value or { value }) do add(key, net.join { key, ": ", one }) end
    end
  end
  table.move(secret, 1, #secret, #open + 1, open)
  return open, names
end

local function set_body(request, out, names)
  local type_of_body
  if request.json ~= nil then
    out.body, type_of_body = core.json_encode(request.json), "application/json"
  elseif request.form then
    out.body, type_of_body = form(request.form), "application/x-www-form-urlencoded"
  else
    out.body, out.parts = request.body, request.parts
    type_of_body = "text/plain; charset=UTF-8"
  end
  if out.body ~= nil and not names["content-type"] then table.insert(out.headers, 1, "Content-Type: " .. type_of_body) end
end

--- The total time of a request: what it asks for, up to the engine's maximum.
local function total_time(asked, options)
  if not asked or asked == 0 then return options.timeout end
  return options.timeout_max and options.timeout_max > 0 and math.min(asked, options.timeout_max) or asked
end

local function send(engine, request)
  local options = outside.of(engine).http
  local out = { url = request.url, method = request.method and request.method:upper(), user = request.user, password = request.password,
    timeout = total_time(request.timeout, options), connect_timeout = request.connect_timeout or options.connect_timeout,
    stall_timeout = request.stall_timeout or math.max(options.stall_timeout, request.timeout or 0),
    redirects = request.redirects or options.redirects, retries = request.retries or options.retries,
    body_max = request.body_max or options.body_max, detached = request.detached }
  if options.stall_timeout == 0 and not request.stall_timeout then out.stall_timeout = 0 end
  local names
  out.headers, names = header_lines(request.headers)
  set_body(request, out, names)
  return start(core.net_http, engine, out, "http.", read_head)
end

local function with_token(request, token)
  local out, headers = {}, {}
  for key, value in pairs(request) do out[key] = value end
  for key, value in pairs(request.headers or {}) do headers[key] = value end
  headers[#headers + 1] = "Authorization: Bearer " .. token
  out.headers, out.oauth = headers, nil
  return out
end

--- With a token of http.oauth; a service that refuses one that was kept gets a fresh one, once.
local function send_with_token(engine, request, again)
  local outer = future.new()
  local function settle(call) if call.failed then outer:reject(call.failure) else outer:resolve(call.value) end end
  local function sent(call)
    if not again or call.failed or call.value.status ~= 401 then return settle(call) end
    oauth.forget(engine, request.oauth)
    local second = send_with_token(engine, request, false)
    outer.on_cancel = function() second:cancel() end
    second:done_then(settle)
  end
  oauth.token(net, engine, request.oauth):done_then(function(flight)
    if outer.done then return end
    if flight.failed then return outer:reject(flight.failure) end
    local call = send(engine, with_token(request, flight.value))
    outer.on_cancel = function() call:cancel() end
    call:done_then(sent)
  end)
  return outer
end

--- Sends a request for an engine (nil: with the default options). Resolves with { status, reason,
--- protocol, headers, header_list, head, body, url, retry_after }, whatever the status; rejects with
--- http.resolve, .connect, .tls, .timeout, .limit, .denied, .protocol, .oauth or .request.
function net.http_for(engine, request)
  if type(request) == "string" then request = { url = request } end
  request = errors.check_options("http", 1, request, REQUEST)
  if request.oauth then return send_with_token(engine, request, true) end
  return send(engine, request)
end

function net.http(request) return net.http_for(core.running(), request) end

-- Processes -------------------------------------------------------------------------------------------------------------------------

local SPAWN = { "arguments", "directory", "clean_environment", "merge_errors", "detached", "timeout", "output_max" }

--- Starts a program, by its path, without a shell. Resolves with { code, output, errors }; rejects with shell.spawn, .timeout or .limit.
function net.spawn_for(engine, request)
  request = errors.check_options("spawn", 1, request, SPAWN)
  local options = outside.of(engine).shell
  local out = { timeout = options.timeout, output_max = options.output_max }
  for key, value in pairs(request) do out[key] = value end
  return start(core.net_spawn, engine, out, "shell.", function(result) return result end)
end

function net.spawn(request) return net.spawn_for(core.running(), request) end

net.start = start

--- The future of a call that cannot even be made.
function net.failed(failure)
  local f = future.new()
  f:reject(failure)
  return f
end

return net
