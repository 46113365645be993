--- What inline scripts find besides variables and registered names: Lua's harmless half, read-only, so that no script changes it for
--- another. What may work long within one call (patterns, ranges) counts as steps of the script's budget; bindings/script/budget.h.
---
--- A wall, too: what scripts share with others they see through views (view.lua), which cannot be written and lead to no inside.
local core = require "orrery.core"
local errors = require "orrery.errors"
local lazy = require "orrery.lazy"

local view = lazy.module "orrery.view" -- most programs' scripts see nothing that others share

local sandbox = {}

sandbox.made = setmetatable({}, { __mode = "k" }) -- the metatables that scripts have made

sandbox.raised = setmetatable({}, { __mode = "k" }) -- the tables that scripts have raised

local base = { "ipairs", "pairs", "print", "rawequal", "select", "tostring", "type", "_VERSION" }
local libraries = { "string", "table", "math", "utf8", "os" }

local function copy(t)
  local out = {}
  for k, v in pairs(t) do out[k] = v end
  return out
end

--- What scripts share, they cannot change.
local function read_only(name, t)
  local function refuse(_, key) error(("%s.%s cannot be set by a script"):format(name, tostring(key)), 2) end
  return setmetatable({}, { __index = t, __newindex = refuse, __metatable = false, __pairs = function() return pairs(copy(t)) end })
end

sandbox.INSTRUCTIONS = 100 * 1000 * 1000 -- of one script unless options say otherwise: about a second; what takes longer has lost its way
sandbox.MEMORY = 256 * 1024 * 1024 -- bytes of one script unless options say otherwise
sandbox.SECONDS = 30 -- of work, without what it waits for: what no step counts, such as comparing long texts, ends here
sandbox.AWAIT_SECONDS = 15 -- that the scripts of one transaction await something, which may hold a thread of a server for as long

--- os without the system: the engine's clock.
local function clock_library(engine)
  local holder = setmetatable({ engine }, { __mode = "v" }) -- the host holds what is made here, and must not hold the engine
  local function now() return holder[1]:now() end
  return {
    time = function(t)
      if t then return os.time(t) end
      return math.floor(now())
    end,
    date = function(format, t) return os.date(format, math.floor(t or now())) end,
    clock = now,
    difftime = function(a, b) return a - (b or 0) end,
  }
end

--- Scripts see and change the metatables that scripts made, and no other; and they make no finalizers, which would run outside every
--- limit.
local function guarded_metatables(env)
  local made = sandbox.made
  function env.getmetatable(t)
    local meta = getmetatable(t)
    return meta ~= nil and made[meta] and meta or nil
  end
  function env.setmetatable(t, meta)
    if type(meta) == "table" and rawget(meta, "__gc") ~= nil then error("__gc is not available in scripts", 2) end
    local old = type(t) == "table" and debug.getmetatable(t)
    if old and not made[old] then error("this table's metatable is not the script's to change", 2) end
    setmetatable(t, meta)
    if meta then made[meta] = true end
    return t
  end
  function env.rawset(t, key, value)
    local meta = type(t) == "table" and getmetatable(t)
    if meta ~= nil and not made[meta] then error("this table is not the script's to change", 2) end
    return rawset(t, key, value)
  end
end

--- What reads tables as they are sees through views.
local function seeing_through(env)
  local behind = core.behind
  function env.next(t, key)
    local shown = behind(t)
    if not shown then return next(t, key) end
    local following, value = next(shown, view.real(key))
    return view.of(following), view.of(value)
  end
  function env.rawget(t, key)
    local shown = behind(t)
    if shown then return view.of(rawget(shown, view.real(key))) end
    return rawget(t, key)
  end
  function env.rawlen(t) return rawlen(behind(t) or t) end
end

--- Notes what scripts raise themselves: a table that the program raised is the program's.
local function noted_errors(env)
  local raised = sandbox.raised
  function env.error(problem, level)
    if type(problem) == "table" then raised[problem] = true end
    if level == nil or level == 1 then level = 2 elseif math.type(level) == "integer" and level > 1 then level = level + 1 end
    error(problem, level)
  end
  function env.assert(...)
    if ... then return ... end
    local _, problem = ...
    if type(problem) == "table" then raised[problem] = true end
    return assert(...)
  end
end

--- What would run on when its budget is used up: a handler of xpcall works inside the failure, where no hook interrupts it, so here it
--- works after it.
local function guarded_calls(env, pcall)
  function env.xpcall(f, handler, ...)
    local results = table.pack(pcall(f, ...))
    if results[1] then return table.unpack(results, 1, results.n) end
    return false, handler(results[2])
  end
end

--- Methods of texts are the script's functions, too; those that a host program added to string stay.
local function guarded_strings(strings)
  local metatable = copy(debug.getmetatable "")
  local methods = copy(strings)
  methods.dump = false
  metatable.__index = setmetatable(methods, { __index = function(_, name) return view.of(string[name]) end })
  core.script_strings(metatable)
end

local computing = { "version", "null", "wait", "array", "typed", "bpmn_error", "parse_time", "format_time", "parse_duration", "secret" }
debug.setmetatable(core.wait, { __newindex = function() error("orrery.wait cannot be set", 2) end, __metatable = false })

local waiting = { "future", "await", "sleep", "http", "mail" } -- with futures, which are seen as views

--- `orrery` in scripts and expressions: what computes and waits. What opens stores, starts threads or loads modules is the program's.
function sandbox.orrery(orrery)
  local shown = { json = read_only("orrery.json", copy(orrery.json)) }
  for _, name in ipairs(computing) do shown[name] = orrery[name] end
  for _, name in ipairs(waiting) do
    local f = orrery[name]
    shown[name] = function(...) return view.kept(f)(...) end
  end
  return read_only("orrery", shown)
end

--- Refuses what is no library that scripts can have.
function sandbox.check_libraries(wanted)
  for i, name in ipairs(wanted) do
    errors.check_type("open: sandbox.libraries", i, name, "string")
    local known = false
    for _, library in ipairs(libraries) do known = known or library == name end
    if not known then
      errors.argument("open", 2, ("sandbox.libraries: there is no '%s' for scripts%s"):format(name, errors.suggestion(name, libraries)))
    end
  end
  return wanted
end

--- `allowed`: names of libraries, separated by blanks, or nil for all harmless ones.
function sandbox.new(engine, allowed)
  local env, wanted = {}, {}
  local bounded = core.script_library { string = string, table = table, utf8 = utf8, basic = _G, math = math }
  for _, name in ipairs(base) do env[name] = _G[name] end
  for name in (allowed or table.concat(libraries, " ")):gmatch "%S+" do wanted[name] = true end
  for _, name in ipairs(libraries) do
    if wanted[name] then env[name] = name == "os" and clock_library(engine) or copy(_G[name]) end
    for key, f in pairs(env[name] and bounded[name] or {}) do env[name][key] = f end
  end
  if env.string then env.string.dump = nil end
  env.tonumber = bounded.basic.tonumber
  guarded_strings(bounded.string)
  guarded_metatables(env)
  seeing_through(env)
  noted_errors(env)
  env.pcall = bounded.basic.pcall
  guarded_calls(env, env.pcall)
  for _, name in ipairs(libraries) do
    if env[name] then env[name] = read_only(name, env[name]) end
  end
  function env.load(text, name, _, environment)
    if type(text) ~= "string" then return nil, "load takes a text" end
    return bounded.basic.load(text, name, "t", environment or setmetatable({}, { __index = env }))
  end
  function env.require(name) -- modules see all of Lua, so scripts get no other
    if name == "orrery" then return core.hooks.orrery end
    error(('module "%s" is not available in scripts'):format(tostring(name)), 2)
  end
  return env
end

return sandbox
