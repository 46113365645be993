--- The web service task: an operation of a WSDL that was deployed with the model.
local core = require "orrery.core"
local fields = require "orrery.tasks.fields"
local future = require "orrery.future"
local net = require "orrery.outside.net"
local outside = require "orrery.outside"
local soap = require "orrery.outside.soap"
local wsdl = require "orrery.outside.wsdl"

local task_type = {}

local models = setmetatable({}, { __mode = "k" }) -- engine -> deployment and locations -> model

--- Resources may lie under their whole location, or under its last part.
local function reader(engine, deployment)
  return function(location)
    for _, name in ipairs { location, location:match "[^/]+$" } do
      local ok, text = pcall(engine.resource, engine, deployment, name)
      if ok then return text end
    end
  end
end

local function model_of(engine, deployment, location)
  local by_key = models[engine] or {}
  models[engine] = by_key
  local key = deployment .. "\0" .. location
  by_key[key] = by_key[key] or wsdl.parse(location, reader(engine, deployment))
  return by_key[key]
end

--- The operation in the first of the imported WSDLs that has it.
local function find(engine, deployment, locations, name, interface)
  local last
  for location in locations:gmatch "[^\n]+" do
    local model = model_of(engine, deployment, location)
    local ok, operation = pcall(wsdl.operation, model, name, interface)
    if ok then return model, operation end
    last = operation
  end
  error(last, 0)
end

--- The members of the request: those of a whole object, and those that are given one by one.
local function values_of(execution)
  local inputs, out = execution:connector_inputs(), {}
  for name, value in pairs(type(inputs["*"]) == "table" and inputs["*"] or {}) do out[name] = value end
  inputs["*"] = nil
  for name, value in pairs(inputs) do out[name] = value end
  return out
end

local function address_of(engine, operation)
  local own = core.named("soap-endpoint:" .. operation.port)
  return own and own() or operation.address
    or error(net.failure("soap.request", ("the port %s has no address; engine:set_endpoint gives it one"):format(operation.port)), 0)
end

local function post(execution, operation, envelope)
  local headers = operation.version == "1.2"
    and { ["Content-Type"] = ("application/soap+xml; charset=utf-8; action=\"%s\""):format(operation.action) }
    or { ["Content-Type"] = "text/xml; charset=utf-8", SOAPAction = ("\"%s\""):format(operation.action) }
  return future.await(net.http_for(execution.engine, { url = address_of(execution.engine, operation), method = "POST",
    headers = headers, body = envelope }))
end

local function call(execution, model, operation)
  local hook = core.named "soap-headers:"
  local headers = hook and hook(execution, operation.name)
  local response = post(execution, operation, soap.write(model, operation, values_of(execution), headers))
  if response.body:match "^%s*$" and response.status < 300 then return {} end -- a one-way operation
  local ok, answer = pcall(soap.read, model, operation, response.body, outside.of(execution.engine).soap)
  if ok then return answer end
  if type(answer) == "table" and answer.type == "soap.answer" and response.status >= 300 then
    local failure = net.failure("soap.status", ("HTTP%d: %s"):format(response.status, answer.message))
    failure.status = response.status
    error(failure, 0)
  end
  error(answer, 0)
end

function task_type.execute(_, execution)
  local task = fields.of(execution, "soap")
  local definition = execution.engine:definition(execution.definition_id)
  local model, operation = find(execution.engine, definition.deployment_id, task:required "wsdl", task:required "operation",
    task:text "interface")
  local answer = call(execution, model, operation)
  local names = {}
  for name, value in pairs(answer) do names[name] = value end
  local output = task:text "output"
  if output then names[output] = answer end
  for _, pair in ipairs(execution:connector_outputs(names)) do
    execution:set(pair[1], pair[2] == nil and core.null or pair[2])
  end
end

return task_type
