--- Stand-ins for delegates: they do what the spec says and remember how they were called.
local core = require "orrery.core"
local errors = require "orrery.errors"
local files = require "orrery.files"
local orrery = require "orrery"

local M = {}

local behaviors = { "variables", "error", "fails", "times", "calls", "result" }

local function is_execution(x) return type(x) == "userdata" and x.instance_id ~= nil end

--- What is remembered of a call.
local function call_of(x)
  local execution = x.execution or x -- a listener's task has its own
  return { activity_id = execution.activity_id, instance_id = execution.instance_id, business_key = execution.business_key,
    event_name = x.event_name, variables = execution:variables() }
end

local function behave(behavior, count, execution)
  for name, value in pairs(execution and behavior.variables or {}) do execution:set(name, value) end
  if behavior.times and count > behavior.times then return behavior.result end
  if behavior.error then orrery.bpmn_error(behavior.error, behavior.fails) end
  if behavior.fails then error(behavior.fails, 0) end
  return behavior.result
end

-- What the engine asks a delegate for; a stub has only those of them that it needs.
local of_delegates = { map_input = true, map_output = true, signal = true, mapInputVariables = true,
  mapOutputVariables = true,
  afterExecution = true, resolve = true }

--- A bean's methods: whatever an expression asks for. method(name, ...) is called.
function M.any_method(method)
  return { __index = function(_, name)
    if type(name) ~= "string" or of_delegates[name] or name:find "^__" then return nil end
    return function(_, ...) return method(name, ...) end
  end }
end

--- A delegate, listener and bean, and the list of its calls. `behavior`: variables to set; `error`, the
--- code of a BPMN error to raise; `fails`, the message to fail with; `times`, how often it does these
--- two, then no more; `result`, what it gives; or `calls`, a function instead. A bean's method sets
--- variables when it gets an execution.
function M.new(behavior)
  if type(behavior) == "function" then behavior = { calls = behavior } end
  behavior = errors.check_options("stub", 2, behavior, behaviors)
  local calls = {}
  local function called(_, x)
    calls[#calls + 1] = call_of(x)
    if behavior.calls then return behavior.calls(x.execution or x) end
    return behave(behavior, #calls, x.execution or x)
  end
  local function method(name, ...)
    local first = ...
    local call = is_execution(first) and call_of(first) or {}
    call.method, call.arguments = name, { ... }
    calls[#calls + 1] = call
    if behavior.calls then return behavior.calls(...) end
    return behave(behavior, #calls, is_execution(first) and first or nil)
  end
  return setmetatable({ execute = called, notify = called, trigger = called },
    M.any_method(method)), calls
end

--- The peers' listeners that run the script in their field are scripts here, and no delegates.
local function runs_script(class) return class:find "%.ScriptExecutionListener$" or class:find "%.ScriptTaskListener$" end

-- What an expression finds without a bean.
local implicit = { execution = true, task = true, orrery = true, authenticatedUserId = true }

-- The attributes and elements by which a model makes variables; a method may be asked of one of
-- these, too.
local makes = { resultVariable = true, resultVariableName = true, elementVariable = true,
  target = true, variable = true }
local made_by = { inputParameter = "name", outputParameter = "name", formField = "id",
  formProperty = "id", dataObject = "name" }

local function add_variables(e, variables)
  for name, value in pairs(e.attributes) do
    if makes[name] or made_by[e.name] == name then variables[value] = true end
  end
  for _, child in ipairs(e) do add_variables(child, variables) end
end

local function add_beans(text, names)
  for _, bean in ipairs(text and core.beans(text) or {}) do
    if not implicit[bean] then names[bean] = names[bean] or "bean" end
  end
end

local function add_names(e, names)
  local attributes = e.attributes
  local class = attributes.class
  if class and not runs_script(class) then names[class] = "delegate" end
  local bean = attributes.delegateExpression and attributes.delegateExpression:match "^%s*[$#]{%s*([%a_][%w_]*)%s*}%s*$"
  if bean then names[bean] = "delegate" end
  add_beans(attributes.delegateExpression, names)
  add_beans(attributes.expression, names)
  for _, child in ipairs(e) do add_names(child, names) end
end

--- The names that a model asks for code by, and what each is: `delegate` (`class`, and
--- `delegateExpression` where it is a name alone), or
--- `bean`, when an expression that implements something asks a method of it, and no variable that
--- the model makes has its name.
local function names_in(xml)
  local names, variables = {}, {}
  local root = core.xml_parse(xml)
  if not root then return names end
  add_names(root, names)
  add_variables(root, variables)
  for name, kind in pairs(names) do
    if kind == "bean" and variables[name] then names[name] = nil end
  end
  return names
end

--- The files of modules by which a model's text may ask for code, sorted.
function M.module_files(xml)
  local out = {}
  for name in pairs(names_in(xml)) do out[#out + 1] = name:gsub("%.", "/") .. ".lua" end
  table.sort(out)
  return out
end

--- Whether a delegate of this name is there besides those that are registered: deployed with the model, or a module.
local function is_module(resources, name, package_path)
  return resources[name:gsub("%.", "/") .. ".lua"] or package.searchpath(name, package_path or package.path) ~= nil
end

--- The names by which models ask for delegates and beans, and what each is.
function M.named_in(resources)
  local names = {}
  for resource, text in pairs(resources) do
    for name, kind in pairs(files.is_process_model(resource) and names_in(text) or {}) do
      names[name] = names[name] == "delegate" and "delegate" or kind
    end
  end
  return names
end

--- The names by which models ask for delegates and beans that are not there, sorted; and of each
--- what it is. `resources`: texts by name;
--- `registered`: a set of names, also of variables that are known to be there.
function M.missing_in(resources, registered, package_path)
  local names, list = {}, {}
  for name, kind in pairs(M.named_in(resources)) do
    local here = registered[name] or is_module(resources, name, package_path)
    if not here then names[name], list[#list + 1] = kind, name end
  end
  table.sort(list)
  return list, names
end

--- The same of a deployment.
function M.missing(engine, deployment, registered, package_path)
  local resources = {}
  for _, name in ipairs(deployment.resources) do
    resources[name] = files.is_process_model(name) and engine:resource(deployment.id, name) or ""
  end
  return M.missing_in(resources, registered, package_path)
end

--- What was deployed: all texts, and the names that models ask for code by.
local function deployed(engine)
  local texts, names = {}, {}
  for _, deployment in ipairs(engine:deployments {}) do
    for _, name in ipairs(engine:resources(deployment.id)) do
      local text = engine:resource(deployment.id, name)
      texts[#texts + 1] = text
      for asked in pairs(files.is_process_model(name) and names_in(text) or {}) do
        names[#names + 1] = asked
      end
    end
  end
  return texts, names
end

--- As a whole name, not as a part of a longer one.
local function named_in(texts, name)
  local whole = "%f[%w_]" .. name:gsub("%p", "%%%0") .. "%f[^%w_]"
  for _, text in ipairs(texts) do
    if text:find(whole) then return true end
  end
end

--- The first of these names that nothing deployed has, and a suggestion; nil: there is none, or a
--- class is an expression, which may give any name.
function M.unasked(engine, names)
  local texts, asked = deployed(engine)
  for _, text in ipairs(texts) do
    if text:find "class%s*=%s*[\"'][$#]{" then return nil end
  end
  for _, name in ipairs(names) do
    local own = name:match "^%a+:(.*)$" or name -- type:NAME, connector:NAME
    if not named_in(texts, own) then return name, errors.suggestion(name, asked) end
  end
end

return M
