--- Camel without Java: routes are Lua functions of an exchange, named by the endpoint that they begin at. engine:route, engine:send, and
--- what a camel task does; docs/integration.md describes the endpoints.
local core = require "orrery.core"
local errors = require "orrery.errors"
local future = require "orrery.future"
local net = require "orrery.outside.net"

local camel = {}

camel.CONTEXT = "camelContext" -- the set of routes when no other is named
local TIMEOUT = 5 -- seconds that a signal waits for its receive task
local LOOK_AGAIN = 0.05 -- at the number of the store's commits
local DEPTH_MAX = 100 -- endpoints that lead to each other

local function fail(kind, message, ...) error(net.failure("camel." .. kind, message:format(...)), 0) end

-- Endpoints ---------------------------------------------------------------------------------------------

local function unescape(text)
  return (text:gsub("+", " "):gsub("%%(%x%x)", function(hex) return string.char(tonumber(hex, 16)) end))
end

--- "flowable:process:activity?a=b&c" -> { scheme, path, options, name = without the options }.
local function parse(uri)
  errors.check_type("endpoint", 1, uri, "string")
  local scheme, path, query = uri:match "^([%a][%w+.-]*):([^?]*)%??(.*)$"
  if not scheme then fail("endpoint", "\"%s\" is no endpoint, such as direct:start", uri) end
  scheme = scheme:lower()
  if scheme == "activiti" then scheme = "flowable" end
  if scheme ~= "http" and scheme ~= "https" then path = path:gsub("^//", "") end
  local options = {}
  for part in query:gmatch "[^&]+" do
    local key, value = part:match "^(.-)=(.*)$"
    options[unescape(key or part)] = unescape(value or "true")
  end
  return { scheme = scheme, path = path, options = options, name = scheme .. ":" .. path, uri = uri }
end

local OPTIONS = { "copyVariablesToProperties", "copyVariablesToBodyAsMap", "copyCamelBodyToBody", "copyVariablesFromProperties",
  "copyVariablesFromHeader", "copyCamelBodyToBodyAsString", "processInitiatorHeaderName", "timeout", "timeResolution" }

local function check_options(endpoint)
  if endpoint.scheme ~= "flowable" then return end
  local known = {}
  for _, name in ipairs(OPTIONS) do known[name] = true end
  for name in pairs(endpoint.options) do
    if not known[name] and not name:find "^var%.return%." then
      fail("endpoint", "%s: unknown option \"%s\"%s", endpoint.uri, name, errors.suggestion(name, OPTIONS))
    end
  end
end

--- Is an option set: "true", or a pattern that the name must match as a whole (nil: off).
local function chooser(value)
  if not value or value == "false" then return nil end
  if value == "true" then return function() return true end end
  local pattern = "^" .. value:gsub("\\(.)", "%%%1"):gsub("%.([*+?])", ".%1") .. "$"
  return function(name) return name:find(pattern) ~= nil end
end

-- Exchanges ---------------------------------------------------------------------------------------------

local Exchange = {}
Exchange.__index = Exchange
Exchange.__name = "orrery.Exchange"

function camel.exchange(engine, context, given)
  given = given or {}
  return setmetatable({ engine = engine, context = context, depth = 0, body = given.body, headers = given.headers or {},
    properties = given.properties or {} }, Exchange)
end

local function copy(t)
  local out = {}
  for key, value in pairs(t) do out[key] = value end
  return out
end

local function clone(x)
  local out = camel.exchange(x.engine, x.context, { body = x.body, headers = copy(x.headers), properties = copy(x.properties) })
  out.depth = x.depth
  return out
end

--- The route that begins at an endpoint, with its URL's options; nil when there is none.
local function find_route(engine, context, name)
  local route = core.named(("route:%s:%s"):format(context, name), engine.core)
  if not route then return nil end
  local query = core.named(("route-query:%s:%s"):format(context, name), engine.core)
  return route, parse(name .. "?" .. (query and query() or "")).options
end

local function run_route(x, name, optional)
  local route = find_route(x.engine, x.context, name)
  if not route then
    if optional then return false end
    fail("endpoint", "no route of \"%s\" begins at %s; engine:route makes one", x.context, name)
  end
  if x.depth >= DEPTH_MAX then fail("limit", "more than %d endpoints lead to each other, the last to %s", DEPTH_MAX, name) end
  x.depth = x.depth + 1
  local result
  if type(route) == "table" then result = route:process(x) else result = route(x) end
  x.depth = x.depth - 1
  if result ~= nil and result ~= x then x.body = result end
  return true
end

-- Variables ---------------------------------------------------------------------------------------------

local function chosen(values, wanted, out)
  for name, value in pairs(values) do
    if type(name) == "string" and wanted(name) then out[name] = value end
  end
end

--- What an exchange gives to a process: its body, and what the endpoint's options add.
function camel.variables(x, options)
  local out = {}
  local properties, headers = chooser(options.copyVariablesFromProperties), chooser(options.copyVariablesFromHeader)
  if properties then chosen(x.properties, properties, out) end
  if headers then chosen(x.headers, headers, out) end
  local body = x.body
  if type(body) == "table" and (next(body) == nil or type(next(body)) == "string") then
    chosen(body, function() return true end, out)
  elseif body ~= nil then
    if options.copyCamelBodyToBodyAsString == "true" then
      body = type(body) == "table" and core.json_encode(body) or tostring(body)
    end
    out.camelBody = body
  end
  out.PROCESS_ID_PROPERTY, out.PROCESS_KEY_PROPERTY = nil, nil
  return out
end

-- flowable: ---------------------------------------------------------------------------------------------

local function return_variables(x, options, instance)
  for name in pairs(options) do
    local variable = name:match "^var%.return%.(.+)$"
    if variable then
      local found = x.engine:history_variable { instance_id = instance, name = variable } -- it may have ended
      local running = x.engine:instance(instance)
      local value = running and running:get(variable)
      if value == nil and found then value = found.value end
      x.properties[variable] = value
    end
  end
end

local function start_process(x, key, options)
  local header = options.processInitiatorHeaderName
  local user = header and x.headers[header]
  if header and user == nil then fail("endpoint", "the exchange has no header \"%s\" that names the initiator", header) end
  local variables = camel.variables(x, options)
  local function start()
    return x.engine:start(key, { variables = variables, business_key = x.properties.PROCESS_KEY_PROPERTY })
  end
  local instance = user and x.engine:as(user, start) or start()
  x.properties.PROCESS_ID_PROPERTY = instance.id
  return_variables(x, options, instance.id)
end

local function instance_of(x, key)
  local id = x.properties.PROCESS_ID_PROPERTY
  if id then return id end
  local business_key = x.properties.PROCESS_KEY_PROPERTY
  local found = business_key and x.engine:instance { key = key, business_key = business_key }
  if not found then
    fail("endpoint", "the exchange names no instance of \"%s\": no PROCESS_ID_PROPERTY and no PROCESS_KEY_PROPERTY", key)
  end
  return found.id
end

local function deliver(engine, instance, activity, variables)
  local waiting = engine:execution { instance = instance, activity = activity }
  if not waiting then return false end
  engine:trigger(waiting.id, variables)
  return true
end

local function try_to_deliver(...)
  local ok, done = pcall(deliver, ...)
  return ok and done or not ok and not (type(done) == "table" and done.kind == "conflict")
end

--- Behind the transaction that leads to the receive task, mostly that of the caller; else at each change of the store, until the time is
--- up.
local function deliver_later(engine, instance, activity, variables, left)
  local seen
  local function look()
    local changes = engine.core:changes()
    if (changes < 0 or changes ~= seen) and try_to_deliver(engine, instance, activity, variables) then return end
    seen, left = changes, left - LOOK_AGAIN
    if left > 0 then core.timer(LOOK_AGAIN, look, true) end
  end
  if not core.after_commit(left, look) then core.timer(LOOK_AGAIN, look, true) end
end

local function signal(x, key, activity, options)
  local instance = instance_of(x, key)
  local variables = camel.variables(x, options)
  if deliver(x.engine, instance, activity, variables) then return end
  local timeout = tonumber(options.timeout)
  deliver_later(x.engine, instance, activity, variables, timeout and timeout / 1000 or TIMEOUT)
end

local schemes = {}

function schemes.flowable(x, endpoint)
  check_options(endpoint)
  local key, activity = endpoint.path:match "^([^:]+):?(.*)$"
  if not key then fail("endpoint", "%s names no process", endpoint.uri) end
  if activity == "" then start_process(x, key, endpoint.options) else signal(x, key, activity, endpoint.options) end
end

-- Other endpoints -----------------------------------------------------------------------------------------

function schemes.direct(x, endpoint) run_route(x, endpoint.name) end

--- The route runs by itself, with a copy of the exchange; nobody waits for it.
function schemes.seda(x, endpoint)
  local own = clone(x)
  if not find_route(x.engine, x.context, endpoint.name) then
    fail("endpoint", "no route of \"%s\" begins at %s; engine:route makes one", x.context, endpoint.name)
  end
  core.timer(0, function() future.async(function() run_route(own, endpoint.name) end) end, true)
end

local mocks = setmetatable({}, { __mode = "k" })

--- What mock endpoints got in this thread: an array of exchanges.
function camel.received(engine, uri)
  local by_name = mocks[engine] or {}
  mocks[engine] = by_name
  local name = parse(uri).name
  by_name[name] = by_name[name] or {}
  return by_name[name]
end

function schemes.mock(x, endpoint)
  local received = camel.received(x.engine, endpoint.uri)
  received[#received + 1] = clone(x)
end

function schemes.log(x, endpoint)
  local body = type(x.body) == "table" and core.json_encode(x.body) or tostring(x.body)
  core.log(x.engine.core, ("%s: %s"):format(endpoint.path, body))
end

local function http(x, endpoint)
  local method = x.headers.CamelHttpMethod or (x.body ~= nil and "POST" or "GET")
  local headers, body = {}, x.body
  for name, value in pairs(x.headers) do
    if type(value) ~= "table" and not name:find "^Camel" then headers[name] = tostring(value) end
  end
  if type(body) == "table" then body = core.json_encode(body) end
  local response = future.await(net.http_for(x.engine, { url = endpoint.uri, method = method, headers = headers,
    body = body ~= nil and method ~= "GET" and tostring(body) or nil }))
  x.headers.CamelHttpResponseCode = response.status
  if response.status >= 400 then fail("http", "%s answered %d", endpoint.uri, response.status) end
  for _, pair in ipairs(response.header_list) do x.headers[pair[1]] = pair[2] end
  x.body = response.body
end

schemes.http, schemes.https = http, http

--- Hands the exchange to an endpoint; returns it, so that calls can be strung together.
function Exchange:to(uri)
  local endpoint = parse(uri)
  local send = schemes[endpoint.scheme]
  if not send then
    fail("endpoint", "there is no endpoint \"%s:\" here; there are flowable, direct, seda, log, mock, http and https", endpoint.scheme)
  end
  send(self, endpoint)
  return self
end

-- The engine's methods ------------------------------------------------------------------------------------

function camel.route(engine, uri, route, options)
  errors.check_type("route", 1, uri, "string")
  errors.check_type("route", 2, route, "function", "table", "string", "nil")
  options = errors.check_options("route", 3, options, { "context" })
  local endpoint = parse(uri)
  check_options(endpoint)
  if endpoint.scheme ~= "flowable" and endpoint.scheme ~= "direct" and endpoint.scheme ~= "seda" then
    errors.argument("route", 1, ("no route begins at \"%s:\"; flowable, direct or seda expected"):format(endpoint.scheme))
  end
  local context = options.context or camel.CONTEXT
  local query = uri:match "%?(.*)$"
  engine.core:register(("route:%s:%s"):format(context, endpoint.name), route)
  engine.core:register(("route-query:%s:%s"):format(context, endpoint.name), route and load(("return %q"):format(query or "")))
end

--- Sends an exchange from the program: { body =, headers =, properties = }; returns it as it was in the end.
function camel.send(engine, uri, given, options)
  errors.check_type("send", 2, given, "table", "nil")
  options = errors.check_options("send", 3, options, { "context" })
  return camel.exchange(engine, options.context or camel.CONTEXT, given):to(uri)
end

-- The task --------------------------------------------------------------------------------------------------

local BEHAVIORS = { CamelBehaviorDefaultImpl = "copyVariablesToProperties", CamelBehaviorCamelBodyImpl = "copyCamelBodyToBody",
  CamelBehaviorBodyAsMapImpl = "copyVariablesToBodyAsMap" }

--- Which of the three ways in: the route's URL decides before the task's field.
local function way_in(options, class)
  for _, name in ipairs { "copyVariablesToProperties", "copyCamelBodyToBody", "copyVariablesToBodyAsMap" } do
    if options[name] and options[name] ~= "false" then return name, options[name] end
  end
  local short = (class or "CamelBehaviorDefaultImpl"):match "[^.]+$"
  local name = BEHAVIORS[short]
  if not name then
    fail("behavior", "there is no behavior \"%s\"; there are CamelBehaviorDefaultImpl, CamelBehaviorCamelBodyImpl, "
      .. "CamelBehaviorBodyAsMapImpl", class)
  end
  return name, "true"
end

local function fill(x, execution, way, choice)
  if way == "copyCamelBodyToBody" then
    x.body = execution:get "camelBody"
    return
  end
  local wanted, into = chooser(choice), {}
  chosen(execution:variables(), wanted, into)
  if way == "copyVariablesToProperties" then x.properties = into else x.body = into end
end

--- What a camel task does: runs its route, and keeps what comes back.
function camel.call(execution, context, class)
  local engine = execution.engine
  local name = ("flowable:%s:%s"):format(execution.definition_key, execution.activity_id)
  local _, options = find_route(engine, context, name)
  if not options then fail("endpoint", "no route of \"%s\" begins at %s; engine:route makes one", context, name) end
  local x = camel.exchange(engine, context)
  fill(x, execution, way_in(options, class))
  x.properties.PROCESS_ID_PROPERTY = execution.instance_id
  x.properties.PROCESS_KEY_PROPERTY = execution.business_key
  run_route(x, name)
  for variable, value in pairs(camel.variables(x, options)) do execution:set(variable, value) end
end

return camel
