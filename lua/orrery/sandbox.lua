--- What inline scripts find besides variables and registered names: Lua's harmless half, read-only, so that no script changes it for
--- another. What may work long within one call (patterns, ranges) counts as steps of the script's budget; bindings/script/budget.h.
---
--- A net for mistakes, no wall against an enemy: `execution.engine` is the whole engine. Who may deploy is trusted like who writes the
--- program.
local core = require "orrery.core"
local errors = require "orrery.errors"

local sandbox = {}

local base = { "assert", "error", "ipairs", "next", "pairs", "pcall", "print", "rawequal", "rawget", "rawlen", "rawset", "select",
  "tostring", "type", "xpcall", "_VERSION" }
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
  local made = setmetatable({}, { __mode = "k" })
  function env.getmetatable(t)
    local meta = getmetatable(t)
    return meta ~= nil and made[meta] and meta or nil
  end
  function env.setmetatable(t, meta)
    if type(meta) == "table" and rawget(meta, "__gc") ~= nil then error("__gc is not available in scripts", 2) end
    local old = type(t) == "table" and getmetatable(t)
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

--- What would run on when its budget is used up: a handler of xpcall works inside the failure, where no hook interrupts it, so here it
--- works after it.
local function guarded_calls(env)
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
  metatable.__index = setmetatable(methods, { __index = string })
  core.script_strings(metatable)
end

local computing = { "version", "null", "wait", "array", "typed", "bpmn_error", "parse_time", "format_time", "parse_duration", "future",
  "await", "sleep", "http", "mail", "json", "secret" }

--- `orrery` in scripts and expressions: what computes and waits. What opens stores, starts threads or loads modules is the program's.
function sandbox.orrery(orrery)
  local view = {}
  for _, name in ipairs(computing) do view[name] = orrery[name] end
  return read_only("orrery", view)
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
  local bounded = core.script_library { string = string, table = table, utf8 = utf8, basic = _G }
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
  guarded_calls(env)
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
