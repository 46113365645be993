--- The mule task: a payload goes to an endpoint, which answers. Endpoints are Lua functions (engine:endpoint), or http(s) addresses.
local core = require "orrery.core"
local fields = require "orrery.tasks.fields"
local future = require "orrery.future"
local net = require "orrery.outside.net"
local sandbox = require "orrery.sandbox"
local view = require "orrery.view"

local mule = {}

local function lua_value(execution, text)
  local base = sandbox.new(execution.engine, core.libraries(execution.engine.core))
  local env = setmetatable({ execution = view.of(execution) }, { __index = function(_, name)
    if execution:has(name) then return execution:get(name) end
    return base[name]
  end })
  local chunk, problem = load("return " .. text, "=payloadExpression", "t", env)
  if not chunk then chunk, problem = load(text, "=payloadExpression", "t", env) end
  if not chunk then error(net.failure("mule.request", "the payload is no Lua: " .. problem), 0) end
  core.script_budget()
  return view.real((chunk()))
end

local function payload(task)
  local value = task:value "payloadExpression"
  if type(value) ~= "string" then return value end -- the field was an expression, and this is what it gives
  local language = (task:text "language" or "juel"):lower()
  if language == "lua" then return lua_value(task.execution, value) end
  if language ~= "juel" and language ~= "uel" then
    task:fail("payloads in \"%s\" are not supported; supported are juel and lua", language)
  end
  if not value:find "[#$]{" then value = "${" .. value .. "}" end
  return task.execution.engine:evaluate(value, { execution = task.execution.id })
end

local function post(execution, url, value)
  local body, kind = value, "text/plain; charset=UTF-8"
  if type(value) == "table" then body, kind = core.json_encode(value), "application/json" end
  local response = future.await(net.http_for(execution.engine, { url = url, method = "POST", body = tostring(body or ""),
    headers = { ["Content-Type"] = kind } }))
  if response.status >= 400 then
    local failure = net.failure("mule.status", ("%s answered %d"):format(url, response.status))
    failure.status = response.status
    error(failure, 0)
  end
  return response.body
end

function mule.execute(_, execution)
  local task = fields.of(execution, "mule")
  local url = task:required "endpointUrl"
  local value = payload(task)
  local endpoint = core.named("endpoint:" .. url)
  local result
  if endpoint then
    result = endpoint(value, execution)
  elseif url:find "^https?://" then
    result = post(execution, url, value)
  else
    error(net.failure("mule.endpoint", ("there is no endpoint \"%s\"; engine:endpoint makes one"):format(url)), 0)
  end
  local variable = task:text "resultVariable"
  if variable then execution:set(variable, result == nil and core.null or result) end
end

return mule
