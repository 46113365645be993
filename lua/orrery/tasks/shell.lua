--- The shell task: one program, by its path, with its arguments. Never a shell's line; off unless the host program allows and lists it.
local fields = require "orrery.tasks.fields"
local future = require "orrery.future"
local net = require "orrery.outside.net"
local outside = require "orrery.outside"

local shell = {}

local function denied(message, ...) error(net.failure("shell.denied", message:format(...)), 0) end

--- The path of the listed program that the command means: itself, or the only one of this name.
local function program(settings, command)
  local programs = settings.shell.programs or {}
  if not settings.allow.shell then
    denied("shell tasks are off; the engine's option allow = { \"shell\" } turns them on")
  end
  if programs[command] then return command end
  local found
  for path, on in pairs(programs) do
    if on and path:match "[^/]+$" == command then
      if found then denied("there are several programs \"%s\" in the option shell.programs; give its path", command) end
      found = path
    end
  end
  return found or denied("\"%s\" is not listed in the option shell.programs", command)
end

local function arguments(task, settings)
  local out = { program(settings, task:required "command") }
  for i = 1, 5 do
    local value = task:value("arg" .. i)
    if value ~= nil then out[#out + 1] = type(value) == "string" and value or task:text("arg" .. i) end
  end
  return out
end

function shell.execute(_, execution)
  local task = fields.of(execution, "shell")
  local settings = outside.of(execution.engine)
  local waits = task:flag("wait", true)
  local request = { arguments = arguments(task, settings), directory = task:text "directory",
    clean_environment = task:flag "cleanEnv", merge_errors = task:flag "redirectError", detached = not waits }
  local result = future.await(net.spawn_for(execution.engine, request))
  if not waits then return end
  local output, code = task:text "outputVariable", task:text "errorCodeVariable"
  if output then execution:set(output, result.output) end
  if code then execution:set(code, tostring(result.code)) end -- a text, as in the Java engines
  if result.code ~= 0 and task:flag "failOnExitCode" then
    local failure = net.failure("shell.exit", ("\"%s\" ended with %d"):format(request.arguments[1], result.code))
    failure.code = result.code
    error(failure, 0)
  end
end

return shell
