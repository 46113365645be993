--- What code of a model, a script or an expression, sees of values that others share: those that the program registered, records, the
--- engine, futures. A view reads through to its value, all the way down, and cannot be written. A function that is called through a view
--- gets the values themselves, as self too; what it gives is seen as a view again.
---
---   generic   what the program has made: results are views
---   kept      records, futures: results are the script's own copies, records among them views
---   engine    its methods alone, without those that end or reconfigure it or touch files
local core = require "orrery.core"
local errors = require "orrery.errors"

local view = {}

local real = core.views() -- by view; weak
local views = setmetatable({}, { __mode = "k" }) -- by value; each has one, so that equals stay equal
local kept_views = setmetatable({}, { __mode = "k" }) -- by function: its view with results that are the caller's own

local sandbox = require "orrery.sandbox"
local made, raised, metatable_of = sandbox.made, sandbox.raised, debug.getmetatable
local of

-- Across, both ways ---------------------------------------------------------------------------------------------------------------

local callback

--- The value that a view shows; of an execution the program's own. What a script has made is itself, but a function: called by the
--- program, it sees views.
local function real_of(value)
  local kind = type(value)
  if kind == "table" then
    local known = real[value]
    if known ~= nil then return known end
  elseif kind == "function" then
    return real[value] or callback(value)
  elseif kind == "userdata" then
    return core.host_side(value)
  end
  return value
end

--- The same for all arguments, and for what stands in a table of options.
local function given(value)
  if type(value) ~= "table" then return real_of(value) end
  if real[value] ~= nil then return real[value] end
  if metatable_of(value) then return value end
  local copy
  for key, item in next, value do
    local known = type(item) == "table" and real[item]
    if known then
      if not copy then
        copy = {}
        for name, other in next, value do copy[name] = other end
      end
      copy[key] = known
    end
  end
  return copy or value
end

--- A function of a script's as the program calls it.
function callback(f)
  local called = core.across(f, of, given)
  real[f], views[called] = called, f
  return called
end

-- Calls ---------------------------------------------------------------------------------------------------------------------------

--- A function of the program's as scripts call it.
local function wrapped(f)
  local call = core.across(f, given, of)
  views[f], real[call] = call, f
  return call
end

--- What a command gives is the caller's own; the records in it are seen as views.
local function own(value, done)
  if type(value) ~= "table" then return of(value) end
  if real[value] ~= nil then return value end
  local meta = metatable_of(value)
  if meta ~= nil and meta ~= core.array then return made[meta] and value or of(value) end
  done = done or {}
  if done[value] then return value end
  done[value] = true
  for key, item in next, value do
    if type(item) == "table" then value[key] = own(item, done) end
  end
  return value
end

--- It would call a script's function from the loop, where no script runs, and so no budget holds.
local done_then = require "orrery.future".Future.done_then
local function refuse_later()
  errors.raise("unsupported", "future:done_then is not for scripts and expressions of models; they await the future")
end

--- The function for scripts, whose results are their own.
function view.kept(f)
  local call = kept_views[f]
  if call then return call end
  call = f == done_then and refuse_later or core.across(f, given, own)
  kept_views[f], real[call] = call, f
  return call
end
local kept = view.kept

--- What pcall gives a script of a table that was raised: what a script raised is its own, and so is what Orrery did.
function view.caught(problem)
  local meta = metatable_of(problem)
  if raised[problem] or meta == core.error or made[meta] then return problem end
  return of(problem)
end

-- Views -----------------------------------------------------------------------------------------------------------------------------

local function refuse(_, key) error(("%s cannot be set by a script: what others share is read-only"):format(tostring(key)), 2) end

--- A class of views, whose items are shown by show(value).
local function class(show)
  local View = { __metatable = false, __newindex = refuse }
  function View.__index(self, key)
    local value = real[self][real[key] or key]
    local kind = type(value)
    if kind == "table" or kind == "function" or kind == "userdata" then return show(value) end
    return value
  end
  function View.__pairs(self)
    local step, state, key = pairs(real[self])
    local value
    return function()
      key, value = step(state, key)
      return of(key), show(value)
    end
  end
  function View.__len(self) return #real[self] end
  function View.__tostring(self) return tostring(real[self]) end
  View.__call = core.across(function(self, ...) return self(...) end, given, function(value) return of(value) end)
  function View.__eq(a, b) return real_of(a) == real_of(b) end
  function View.__lt(a, b) return real_of(a) < real_of(b) end
  function View.__le(a, b) return real_of(a) <= real_of(b) end
  return View
end

local Generic = class(function(value) return of(value) end)
local Kept = class(function(value)
  if type(value) == "function" then return kept(value) end
  return of(value)
end)

local operators = {
  __add = function(a, b) return a + b end, __sub = function(a, b) return a - b end, __mul = function(a, b) return a * b end,
  __div = function(a, b) return a / b end, __mod = function(a, b) return a % b end, __pow = function(a, b) return a ^ b end,
  __idiv = function(a, b) return a // b end, __concat = function(a, b) return a .. b end, __unm = function(a) return -a end,
}
for name, operator in pairs(operators) do Generic[name] = function(a, b) return of(operator(real_of(a), real_of(b))) end end

local class_of -- of the views of what has this metatable

--- The view of a value that others share; scalars, and what a script has made, are themselves.
function of(value)
  local kind = type(value)
  if kind == "function" then
    if real[value] then return value end
    return views[value] or wrapped(value)
  end
  if kind == "userdata" then
    local shown, known = core.script_side(value)
    if known then return shown end
  elseif kind ~= "table" or real[value] ~= nil then
    return value
  end
  local made_before = views[value]
  if made_before then return made_before end
  local shown = setmetatable({}, class_of(metatable_of(value)))
  real[shown], views[value] = value, shown
  return shown
end
view.of, view.real = of, real_of

--- A view of a record, which hands values to the core as it gets them.
function view.sets_variables(value) return real[value] ~= nil and metatable_of(value) == Kept end

-- The engine ------------------------------------------------------------------------------------------------------------------------

--- What ends or reconfigures an engine, holds its thread, or gives a way to the system.
local refused = {}
for name in ([[close copy_to set_time advance register register_connector register_task_type route endpoint set_endpoint set_soap_headers
  set_groups start_executor stop_executor wait_idle serve feed register_deployment unregister_deployment set_limit clear_limit
  schedule_clean_history verify running threads
  set_time_zone]]):gmatch "%S+" do refused[name] = true end

view.refused = refused

local function unsupported(name, why)
  errors.raise("unsupported", ("engine:%s is not for scripts and expressions of models%s"):format(name, why or "; a delegate may call it"))
end

--- The resources that a script deploys or checks: a copy, since what is looked at is what is taken. None is read from a file, and none is
--- program code.
local function resources_of(name, source)
  if type(source) == "string" then unsupported(name, " with a path: they give resources as a table") end
  if type(source) ~= "table" then return source end
  local copy = {}
  for resource, text in next, real[source] or source do
    if type(resource) == "string" and resource:find "%.lua$" and not resource:find "%.rules%.lua$" then
      unsupported(name, (' with "%s": Lua files of a deployment are program code'):format(resource))
    end
    copy[resource] = text
  end
  return copy
end

local checked = { deploy = true, check = true }

local function method_of(name, f)
  if refused[name] then return function() unsupported(name) end end
  local call = kept(f)
  if not checked[name] then return call end
  return function(self, source, ...) return call(self, resources_of(name, source), ...) end
end

local engines = setmetatable({}, { __mode = "k" }) -- the classes of their views, by class

--- Views of engines show their methods, made when they are first asked for, and the user.
local function engine_class(Engine)
  local View, methods = class(of), {}
  function View.__index(self, name)
    if name == "user" then return real[self].user end
    local f = Engine[name]
    if type(f) ~= "function" or name:find "^__" then return nil end
    local method = methods[name]
    if not method then
      method = method_of(name, f)
      methods[name] = method
    end
    return method
  end
  function View.__pairs() return next, {} end
  function View.__len() return 0 end
  View.__call = nil
  engines[Engine] = View
  return View
end

function class_of(metatable)
  local shown = type(metatable) == "table" and rawget(metatable, "__shown")
  if shown == "kept" then return Kept end
  if shown == "engine" then return engines[metatable] or engine_class(metatable) end
  return Generic
end

return view
