--- Stand-ins for delegates: they do what the spec says and remember how they were called.
local core = require "orrery.core"
local errors = require "orrery.errors"
local files = require "orrery.files"
local orrery = require "orrery"

local M = {}

local behaviors = { "variables", "error", "fails", "times", "calls" }

--- What is remembered of a call.
local function call_of(x)
  local execution = x.execution or x -- a listener's task has its own
  return { activity_id = execution.activity_id, instance_id = execution.instance_id, business_key = execution.business_key,
    event_name = x.event_name, variables = execution:variables() }
end

local function behave(behavior, count, execution)
  if behavior.calls then return behavior.calls(execution) end
  for name, value in pairs(behavior.variables or {}) do execution:set(name, value) end
  if behavior.times and count > behavior.times then return end
  if behavior.error then orrery.bpmn_error(behavior.error, behavior.fails) end
  if behavior.fails then error(behavior.fails, 0) end
end

--- A delegate and listener, and the list of its calls. `behavior`: variables to set; `error`, the code of a BPMN error to raise; `fails`,
--- the message to fail with; `times`, how often it does these two, then no more; or `calls`, a function instead.
function M.new(behavior)
  if type(behavior) == "function" then behavior = { calls = behavior } end
  behavior = errors.check_options("stub", 2, behavior, behaviors)
  local calls = {}
  local function called(_, x)
    calls[#calls + 1] = call_of(x)
    return behave(behavior, #calls, x.execution or x)
  end
  return { execute = called, notify = called, trigger = called }, calls
end

--- The peers' listeners that run the script in their field are scripts here, and no delegates.
local function runs_script(class) return class:find "%.ScriptExecutionListener$" or class:find "%.ScriptTaskListener$" end

local function add_names(e, names)
  local attributes = e.attributes
  if attributes.class and not runs_script(attributes.class) then names[attributes.class] = true end
  local bean = attributes.delegateExpression and attributes.delegateExpression:match "^%s*[$#]{%s*([%a_][%w_]*)%s*}%s*$"
  if bean then names[bean] = true end
  for _, child in ipairs(e) do add_names(child, names) end
end

--- The names that models ask delegates by: `class`, and `delegateExpression` where it is a name alone. Sorted.
function M.names_in(xml)
  local names, list = {}, {}
  local root = core.xml_parse(xml)
  if root then add_names(root, names) end
  for name in pairs(names) do list[#list + 1] = name end
  table.sort(list)
  return list
end

--- Whether a delegate of this name is there besides those that are registered: deployed with the model, or a module.
local function is_module(resources, name, package_path)
  return resources[name:gsub("%.", "/") .. ".lua"] or package.searchpath(name, package_path or package.path) ~= nil
end

--- The names by which a deployment's models ask for delegates that are not there, sorted. `registered`: a set of names.
function M.missing(engine, deployment, registered, package_path)
  local resources, names, list = {}, {}, {}
  for _, name in ipairs(deployment.resources) do resources[name] = true end
  for name in pairs(resources) do
    local is_model = files.is_process_model(name)
    for _, delegate in ipairs(is_model and M.names_in(engine:resource(deployment.id, name)) or {}) do
      names[delegate] = not registered[delegate] and not is_module(resources, delegate, package_path) or nil
    end
  end
  for name in pairs(names) do list[#list + 1] = name end
  table.sort(list)
  return list
end

return M
