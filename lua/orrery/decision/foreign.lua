--- Texts of models in other languages than FEEL, JUEL and Lua, and the peers' conversions of values.
local feel = require "orrery.feel"
local core = require "orrery.core"
local datetime = require "orrery.el.datetime"

local foreign = {}

--- The scope of what has no variables: a knowledge model.
foreign.no_names = { get = function() return false end }

local function fail(format, ...) error({ kind = "expression", message = format:format(...) }, 0) end

-- JUEL ------------------------------------------------------------------------------------------------------------------------------

--- A declared value as scripts see it.
local function bare(value)
  if core.is_typed(value) then return value.value end
  return value
end

--- A value of FEEL as other languages see it: numbers of Lua, plain tables, times as texts, days as JUEL's dates. What the caller gave
--- stays as it is.
local function outward(value)
  if type(value) ~= "table" and not feel.is_number(value) then return value end
  local kind = feel.kind(value)
  if kind == "unknown" then return value end
  if kind == "date" or kind == "date and time" then
    local ok, date = pcall(datetime.parse, core.hooks.el, feel.string(value), feel.state.zone)
    if ok then return date end
  end
  return feel.to_plain(value)
end

local function inward(value)
  value = datetime.bare(value)
  if datetime.is(value) then return feel.date_time(value:toString()) end
  return feel.from_lua(value)
end

--- The scope of lua/orrery/el.lua: the FEEL names around the text, then the caller's variables.
local function scope_of(s, names, open)
  local vars = s and s.vars or {}
  local scope = { now = feel.clock, zone = feel.state.zone, missing = open or false }
  function scope.get(name)
    local value = names[name]
    if value ~= nil then return true, outward(value) end
    value = bare(vars[name])
    if value == core.null then return true, nil end
    if value ~= nil then return true, outward(value) end
    if s and s.lookup then return s.lookup(name) end
    return false
  end
  return scope
end

local el

local function run(chunk, s, names, open)
  el = el or core.hooks.el
  return chunk(el, scope_of(s, names, open))
end

--- `open`: a name that nothing has is null, as in Flowable; else it is an error, as in Camunda.
function foreign.juel(chunk, s, names, open) return inward(run(chunk, s, names, open)) end

--- A cell: it matches when it is true.
function foreign.juel_test(chunk, s, names, open) return run(chunk, s, names, open) == true end

-- Lua -------------------------------------------------------------------------------------------------------------------------------

local INSTRUCTIONS = 10 * 1000 * 1000 -- of one text: a cell that takes longer has lost its way

local harmless = { "assert", "error", "ipairs", "next", "pairs", "pcall", "select", "tonumber", "tostring", "type" }
local base = {}
for _, name in ipairs(harmless) do base[name] = _G[name] end
local counted = core.script_library { string = string, table = table, utf8 = utf8, basic = _G, math = math }
base.tonumber = counted.basic.tonumber
for _, name in ipairs { "math", "string", "table", "utf8" } do
  local copy = {}
  for key, value in pairs(_G[name]) do copy[key] = counted[name][key] or value end
  copy.dump = nil
  local function refuse() error(name .. " cannot be changed", 2) end
  base[name] = setmetatable({}, { __index = copy, __newindex = refuse, __metatable = false })
end

--- A text of Lua, an expression or statements that return, as a function of its environment.
function foreign.script(text)
  return load("local _ENV = ... return " .. text, "=decision", "t", {}) or assert(load("local _ENV = ... " .. text, "=decision", "t", {}))
end

local function over_budget() error({ kind = "limit", message = "a Lua text of a decision used up its instructions" }, 0) end

local function bounded(f, env)
  if debug.gethook() then return f(env) end -- the caller's own budget counts
  debug.sethook(over_budget, "", INSTRUCTIONS)
  local ok, value = pcall(f, env)
  debug.sethook()
  if not ok then error(value, 0) end
  return value
end

function foreign.lua(f, s, names)
  local vars = s and s.vars or {}
  local env = setmetatable({}, { __index = function(_, name)
    local value = names[name]
    if value == nil then value = bare(vars[name]) end
    if value == core.null then return nil end
    if value ~= nil then return outward(value) end
    return base[name]
  end })
  return feel.from_lua(bounded(f, env))
end

-- Conversions -----------------------------------------------------------------------------------------------------------------------

local function to_number(value, whole)
  local number = value
  if type(value) == "string" then number = feel.number(value:match "^%s*(.-)%s*$") end
  if type(value) == "boolean" or number == nil or not feel.is_number(number) then return nil end
  if whole and math.type(number) ~= "integer" then return feel.builtin "floor"(number) end
  return number
end

local function to_boolean(value)
  if type(value) == "boolean" then return value end
  if value == "true" then return true end
  if value == "false" then return false end
  return nil
end

local function to_text(value) return type(value) == "string" and value or feel.string(value) end

local function to_date(value)
  if feel.is_number(value) then return feel.moment(feel.to_lua(value)) end
  if type(value) ~= "string" then return value end
  return feel.date_time(value) or feel.date(value) or feel.time(value)
end

local function whole(value) return to_number(value, true) end
local function same(value) return value end

local conversions = { integer = whole, int = whole, long = whole, short = whole, double = to_number, float = to_number, decimal = to_number,
  number = to_number, boolean = to_boolean, string = to_text, date = to_date, datetime = to_date, dateTime = to_date }

--- A value as a type of the peers' has it: "5" is an integer, too. What cannot be one is an error, as there.
function foreign.convert(value, name)
  if value == nil then return nil end
  local result = (conversions[name] or same)(value)
  if result == nil then fail("%s is no value of the type '%s'", feel.string(value) or "null", name) end
  return result
end

return foreign
