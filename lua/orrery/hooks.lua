--- What the script host (bindings/host/) calls in Lua. One table a Lua state, held by the core.
local core = require "orrery.core"
local bean = require "orrery.el.bean"
local errors = require "orrery.errors"
local future = require "orrery.future"
local lazy = require "orrery.lazy"

local view = lazy.module "orrery.view"

local hooks = core.hooks

hooks.el = require "orrery.el"
hooks.el.null, hooks.el.array = core.null, core.array
-- FEEL is loaded when an expression is in it.
setmetatable(hooks.el, { __index = function(el, name)
  if name ~= "feel" then return nil end
  rawset(el, name, lazy.load "orrery.feel")
  return rawget(el, name)
end })
hooks.el.format_time = core.time_format
hooks.el.parse_time = core.time_parse
hooks.el.opaque = core.is_secret
hooks.el.read_json = core.json_decode
hooks.el.behind = core.behind
function hooks.el.takes_dates(object)
  return type(object) == "userdata" or view.sets_variables(object)
end
core.moments(require "orrery.el.datetime".metatables)
hooks.Future = future.Future
hooks.await = future.await
hooks.execution_bean = bean.resolver(bean.execution)

--- What scripts and expressions see of a value of the program's.
function hooks.view(value) return view.of(value) end

--- What pcall in a script gives of a table that was raised.
function hooks.caught(problem) return view.caught(problem) end

--- The engine that delegates of this thread see; `box` is borrowed.
function hooks.engine(box) return require "orrery.engine".of(box) end

function hooks.sandbox(engine)
  return require "orrery.sandbox".new(engine, core.libraries(engine.core))
end

--- orr_engine_decision_evaluate: options are those of orr_decision_options.
function hooks.decide(engine, options, variables)
  local given = { version = options.version, version_tag = options.version_tag, tenant = options.tenant, deployment = options.deployment }
  return require "orrery.decision".rows(engine, options.key, variables, given)
end

-- Failures ---------------------------------------------------------------------------------------------------------------------------

local SHOWN_MAX = 300 -- characters of a raised table that its message shows

--- What a raised value says for itself: a table its content, unless it can speak.
function hooks.describe(value)
  if value == nil then return "nil was raised: error() was called without a message" end
  local meta = type(value) == "table" and debug.getmetatable(value)
  if type(value) ~= "table" or type(meta) == "table" and meta.__tostring then return tostring(value) end
  local shown, text = pcall(lazy.load "orrery.inspect".value, value)
  if not shown then return "a table was raised, one of whose values fails when it is shown" end
  text = text:gsub("%s*\n%s*", " ")
  return #text <= SHOWN_MAX and text or text:sub(1, SHOWN_MAX) .. "..."
end

-- execution.vars -------------------------------------------------------------------------------------------------------------------

local Vars = {
  __index = function(self, name) return rawget(self, 1):get(name) end,
  __newindex = function(self, name, value)
    local execution = rawget(self, 1)
    if value == nil then execution:remove(name) else execution:set(name, value) end
  end,
  __pairs = function(self) return pairs(rawget(self, 1):variables()) end,
}

function hooks.vars(execution) return setmetatable({ execution }, Vars) end

local TASKS = { http = true, mail = true, shell = true, soap = true, rules = true, camel = true, mule = true, connector = true,
  dmn = true }

--- The delegate of a task type that the program has not registered.
function hooks.task_type(name)
  if not TASKS[name] then
    errors.raise("not_found", ("there is no task type \"%s\"; is it registered?"):format(name), { missing_delegate = "type:" .. name })
  end
  return lazy.load("orrery.tasks." .. name)
end

-- Tasks and jobs --------------------------------------------------------------------------------------------------------------------

--- The task that a task listener gets.
function hooks.listener_task(engine, id, execution, event_name, delete_reason)
  local task = engine:task(id) or errors.raise("not_found", ("there is no task %s"):format(id))
  task.event_name, task.execution, task.delete_reason = event_name, execution, delete_reason
  return task
end

--- task:get(id): as it was at its end, once it has ended.
function hooks.find_task(engine, id) return engine:task(id) or engine:history_task(id) end

function hooks.running_job(engine, id) return engine:job(id) end

-- Variable mappers of call activities ---------------------------------------------------------------------------------------------------

--- A mapper changes the variables for the called process, or gives others.
function hooks.map_input(map, mapper, execution, variables)
  local given = map(mapper, execution, variables)
  if given == nil then return variables end
  return given
end

local spelling = bean.resolver {}

--- The called process as map_output sees it: its variables, by get and by name.
local function called(values)
  local methods = {
    get = function(_, name) return values[name] end,
    has = function(_, name) return values[name] ~= nil end,
    variables = function() return values end,
  }
  return setmetatable({}, {
    __index = function(self, key)
      local value = methods[key] or values[key]
      if value ~= nil then return value end
      return spelling(self, key)
    end,
  })
end

function hooks.map_output(map, mapper, execution, values) return map(mapper, execution, called(values)) end

-- Modules ---------------------------------------------------------------------------------------------------------------------------

local deployed = {} -- by engine, deployment, name; what has no value is remembered as false
setmetatable(deployed, { __mode = "k" })

local function resource(engine, deployment, name)
  local ok, text = pcall(engine.resource, engine, deployment, name)
  if ok then return text end
  if type(text) == "table" and text.kind == "not_found" then return nil end
  error(text, 0)
end

local find_module

--- A module among the deployment's own resources; those it requires are looked for there first, too.
local function deployed_module(engine, deployment, name, path)
  local by_deployment = deployed[engine] or {}
  deployed[engine] = by_deployment
  local loaded = by_deployment[deployment] or {}
  by_deployment[deployment] = loaded
  if loaded[name] ~= nil then return loaded[name] or nil end
  local file = name:gsub("%.", "/") .. ".lua"
  local text = resource(engine, deployment, file)
  loaded[name] = false
  if not text then return nil end
  text = text:gsub("^#[^\n]*", "") -- "#!/usr/bin/lua", as loadfile reads it
  local env = setmetatable({
    require = function(wanted) return find_module(engine, wanted, deployment, path) or require(wanted) end,
  }, { __index = _G })
  local chunk, problem = load(text, "@" .. file, "t", env)
  if not chunk then error(problem, 0) end
  local value = chunk(name)
  loaded[name] = value == nil and true or value
  return loaded[name]
end

--- A module of `path` by name; nil when there is none.
local function path_module(name, path)
  if package.loaded[name] ~= nil then return package.loaded[name] end
  local file = package.searchpath(name, path)
  if file then
    local chunk, problem = loadfile(file, "t")
    if not chunk then error(problem, 0) end
    local value = chunk(name, file)
    package.loaded[name] = value == nil and true or value
    return package.loaded[name]
  end
  if package.preload[name] or package.searchpath(name, package.cpath) then return require(name) end
  return nil
end

--- The module, and whether it is the deployment's own and so will always be this one.
function find_module(engine, name, deployment, path)
  local value = deployment ~= 0 and deployed_module(engine, deployment, name, path) or nil
  if value ~= nil then return value, true end
  return path_module(name, path), false
end
hooks.module = find_module

--- The templates of a path without those of Lua's own folders: what is installed there is installed
--- for all programs, as a library.
local function own_templates(path)
  local installed, out = {}, {}
  for template in core.installed_path:gmatch "/[^;]*" do installed[template] = true end
  for template in path:gmatch "[^;]+" do
    if not installed[template] then out[#out + 1] = template end
  end
  return table.concat(out, ";")
end

local beans = {} -- by path: the names of modules that were found

--- The module that an expression asks a method of, and whether it is the deployment's own. An
--- expression reaches all that is in it, so it has to be a Lua file that lies beside the program, and no
--- library of Lua's.
function hooks.bean(engine, name, deployment, path)
  local value = deployment ~= 0 and deployed_module(engine, deployment, name, path) or nil
  if value ~= nil then return value, true end
  local known = beans[path] or {}
  beans[path] = known
  if known[name] then return path_module(name, path), false end
  if package.searchpath(name, own_templates(path)) then
    known[name] = true
    return path_module(name, path), false
  end
  if package.searchpath(name, path) or package.searchpath(name, package.cpath) then
    errors.raise("expression",
      ('"%s" is a library that is installed for all programs, and no bean: '
      .. 'engine:register("%s", "%s") makes it one'):format(name, name, name))
  end
  return nil
end

--- The text of a script that lies elsewhere: deployment://name, or the name alone.
function hooks.resource(engine, deployment, uri)
  errors.check_type("script resource", 1, uri, "string")
  local name = uri:match "^deployment://(.+)$" or uri
  return resource(engine, deployment, name) or errors.raise("not_found", ('the deployment has no resource "%s"'):format(name))
end

return hooks
