--- Camunda's connectors: http-connector, soap-http-connector, and those that the program registers.
local core = require "orrery.core"
local fields = require "orrery.tasks.fields"
local future = require "orrery.future"
local net = require "orrery.outside.net"

local connector = {}

-- HTTP and SOAP -----------------------------------------------------------------------------------------

local function fail(message, ...) error(net.failure("http.request", message:format(...)), 0) end

local function seconds(config, name)
  local value = config[name]
  if value == nil or value == core.null then return nil end
  local ms = tonumber(value) or fail("request-config: %s is no number of milliseconds: %s", name, tostring(value))
  return ms > 0 and ms / 1000 or nil
end

local function flag(config, name, otherwise)
  local value = config[name]
  if value == nil or value == core.null then return otherwise end
  local text = tostring(value):lower()
  if text ~= "true" and text ~= "false" then fail("request-config: %s is neither true nor false: %s", name, text) end
  return text == "true"
end

local function text_of(value)
  if value == nil or value == core.null or value == "" then return nil end
  if core.is_secret(value) then return value end
  return type(value) == "table" and core.json_encode(value) or tostring(value)
end

local function header_table(given)
  local out = {}
  if given ~= nil and given ~= core.null and type(given) ~= "table" then fail "headers must be a map" end
  for name, value in pairs(given ~= core.null and given or {}) do
    if value ~= core.null then out[name] = core.is_secret(value) and value or tostring(value) end
  end
  return out
end

local function call(input, execution, method)
  local config = type(input["request-config"]) == "table" and input["request-config"] or {}
  local redirects = tonumber(config["max-redirects"])
  if flag(config, "redirects-enabled", true) == false then redirects = 0 end
  local response = future.await(net.http_for(execution.engine, {
    url = text_of(input.url) or fail "the url is missing", method = method, headers = header_table(input.headers),
    body = text_of(input.payload), oauth = text_of(input.oauth), redirects = redirects,
    connect_timeout = seconds(config, "connection-timeout"), stall_timeout = seconds(config, "socket-timeout") }))
  if flag(config, "throw-http-error", false) and response.status >= 400 then
    local failure = net.failure("http.status", "HTTP" .. response.status)
    failure.status, failure.retry_after = response.status, response.retry_after
    error(failure, 0)
  end
  local headers = {}
  for _, pair in ipairs(response.header_list) do headers[pair[1]] = pair[2] end
  return { statusCode = response.status, response = response.body, headers = headers }
end

local own = {}

own["http-connector"] = function(input, execution)
  local method = text_of(input.method) or fail "the method is missing"
  return call(input, execution, tostring(method):upper())
end

own["soap-http-connector"] = function(input, execution)
  if not text_of(input.payload) then fail "the payload, a SOAP envelope, is missing" end
  local typed = false
  local headers = header_table(input.headers)
  for name in pairs(headers) do typed = typed or name:lower() == "content-type" end
  if not typed then headers["Content-Type"] = "text/xml; charset=utf-8" end
  local with_type = setmetatable({ headers = headers }, { __index = input })
  return call(with_type, execution, "POST")
end

-- The task ---------------------------------------------------------------------------------------------

local function find(id)
  return core.named("connector:" .. id) or own[id]
    or error(net.failure("connector.unknown", ("there is no connector \"%s\"; register it by engine:register_connector"):format(id)), 0)
end

--- A method that may be called with a dot, too, as models of Camunda do in scripts of other languages.
local function method(call)
  return function(first, ...)
    if type(first) == "string" then return call(first, ...) end
    return call(...)
  end
end

--- What scripts and expressions of outputs call as `connector`: the variables that it gave, by the names of Camunda's scope.
local function as_connector(output)
  local given = {}
  for name, value in pairs(output) do given[name] = value end
  local get = method(function(name) return given[name] end)
  local has = method(function(name) return given[name] ~= nil end)
  local all = method(function() return given end)
  local names = method(function()
    local list = {}
    for name in pairs(given) do list[#list + 1] = name end
    table.sort(list)
    return list
  end)
  return { getVariable = get, getVariableLocal = get, hasVariable = has, hasVariableLocal = has, getVariables = all,
    getVariablesLocal = all, getVariableNames = names, getVariableNamesLocal = names }
end

function connector.execute(_, execution)
  local id = fields.of(execution, "connector"):required "connectorId"
  local run = find(id)
  local input = execution:connector_inputs()
  local output
  if type(run) == "table" then output = run:execute(input, execution) else output = run(input, execution) end
  local names = {}
  for name, value in pairs(type(output) == "table" and output or {}) do names[name] = value end
  names.connector = as_connector(names)
  for _, pair in ipairs(execution:connector_outputs(names)) do
    execution:set(pair[1], pair[2] == nil and core.null or pair[2])
  end
end

return connector
