--- The Lua file of `orrery run --lua`: what the model's surroundings do. It returns nothing (it was run for what it registers), a
--- function(engine), or a table:
---   options = { clock = "manual", now = … }        for orrery.open
---   process = "key"                                which one to start
---   start = { variables = …, initiator = … }       for engine:start
---   setup = function(engine) … end                 registers delegates, before the start
---   step = function(engine, instance, say) … end   called at every wait state; returns true when it did something: completed a task,
---                                                  sent a message, advanced the clock. Its `say(text)` prints a line.
local args = require "orrery.cli.args"

local scenario = {}

local fields = { options = "table", process = "string", start = "table", setup = "function", step = "function" }

local function check(path, s)
  for key, value in pairs(s) do
    if not fields[key] then args.usage('%s: a scenario has no field "%s"', path, tostring(key)) end
    if type(value) ~= fields[key] then args.usage("%s: %s must be a %s", path, key, fields[key]) end
  end
  return s
end

--- Modules beside the scenario, and beside the model, are found by delegates too.
function scenario.module_path(...)
  local parts = {}
  for _, folder in ipairs { ... } do parts[#parts + 1] = folder .. "/?.lua" end
  parts[#parts + 1] = package.path
  return table.concat(parts, ";")
end

function scenario.folder(path) return path and (path:match "^(.*)/" or ".") end

function scenario.load(path)
  if not path then return {} end
  package.path = scenario.module_path(scenario.folder(path))
  local chunk, problem = loadfile(path)
  if not chunk then args.usage("%s", problem) end
  local result = chunk(path)
  if type(result) == "function" then return { setup = result } end
  return check(path, type(result) == "table" and result or {})
end

return scenario
