--- What inline scripts find besides variables and registered names: Lua's harmless half, copied, so that no script changes it for another.
local core = require "orrery.core"

local sandbox = {}

local base = { "assert", "error", "ipairs", "next", "pairs", "pcall", "print", "rawequal", "rawget", "rawlen", "rawset", "select",
  "tonumber", "tostring", "type", "xpcall", "_VERSION" }
local libraries = { "string", "table", "math", "utf8", "os" }

local function copy(t)
  local out = {}
  for k, v in pairs(t) do out[k] = v end
  return out
end

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

--- Metatables of tables only (that of strings is everybody's), and no finalizers, which would run outside every limit.
local function guarded_metatables(env)
  function env.getmetatable(t)
    return type(t) == "table" and getmetatable(t) or nil
  end
  function env.setmetatable(t, meta)
    if type(meta) == "table" and rawget(meta, "__gc") ~= nil then error("__gc is not available in scripts", 2) end
    return setmetatable(t, meta)
  end
end

--- `allowed`: names of libraries, separated by blanks, or nil for all harmless ones.
function sandbox.new(engine, allowed)
  local env = {}
  for _, name in ipairs(base) do env[name] = _G[name] end
  local wanted = {}
  for name in (allowed or table.concat(libraries, " ")):gmatch "%S+" do wanted[name] = true end
  for _, name in ipairs(libraries) do
    if wanted[name] then env[name] = name == "os" and clock_library(engine) or copy(_G[name]) end
  end
  if env.string then env.string.dump = nil end
  guarded_metatables(env)
  function env.load(text, name, _, environment)
    if type(text) ~= "string" then return nil, "load takes a text" end
    return load(text, name, "t", environment or setmetatable({}, { __index = env }))
  end
  function env.require(name) -- modules see all of Lua, so scripts get no other
    if name == "orrery" then return core.hooks.orrery end
    error(("module '%s' is not available in scripts"):format(tostring(name)), 2)
  end
  return env
end

return sandbox
